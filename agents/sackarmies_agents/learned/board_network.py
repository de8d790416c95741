"""Network for games on a hex board: it sees tokens by their attributes, and points at hexes and types.

Shared weights turn every token in sight into a vector. Vectors are summed by group (own units, enemy units, hand) into
a context, and laid out on the ids of the action space: a token on a hex on the id of that hex, one in hand on the id
of its type, one attached to a chosen unit on the id of its slot. A legal id is scored from the context, from what lies
on it and, for a hex, from what lies around it. Coordinates and types enter only through this layout. So what is learned
about one hex holds for all of them, and tokens never met before are judged by their attributes. Directions enter only
through the order of the hexes of a patch: in another order, the network sees a rotated or reflected board.

The choice of another agent can be marked; what ids are worth to it, and why, are further inputs of their scores.

What lies beyond the patch around a hex reaches it as a sum of messages, one from each token on the board, each of which
depends on the token's distance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sackarmies_agents.agent import GameInfo
from sackarmies_agents.learned.board_form import (
    ATTACHED,
    BATTLEGROUND,
    COORDINATES,
    FARTHEST,
    FIELD,
    FLAT_BLOCKS,
    HAND,
    NUM_GROUPS,
    NUM_POINTED,
    NUM_VERBS,
    PICKED,
    TYPE_DIGIT,
    board_form,
    offsets_of,
)
from sackarmies_agents.learned.fused import Places, Words, sum_messages
from sackarmies_agents.learned.network import TRUST, Advice, Encoder, Network, Place, Reasons, keep, layer, scale
from sackarmies_agents.learned.reasons import ReasonLayers
from sackarmies_agents.learned.sizes import REASONS, WORTHS, NetworkSizes
from sackarmies_agents.learned.worths import Worths

NUM_SYMMETRIES = 12  # six rotations of the hex grid, each with and without a reflection


class Tokens(NamedTuple):
    """Tokens in sight, of all observations one after the other.

    Attributes:
        game: `(k,)` the observation each belongs to, ascending.
        features: `(k, features)` int8.
        vectors: `(k, token)`.
    """

    game: Tensor
    features: Tensor
    vectors: Tensor


class Layout(NamedTuple):
    """What lies on the ids of actions, most of which are empty.

    Attributes:
        row: `(n * (num_actions + 1),)` the row of `marks` of each id; 0 for an empty one.
        marks: `(rows, mark)`, the first row zeros.
        turn: `(n,)` the symmetry of the hex grid in which each observation is seen; None: all are seen as they are.
    """

    row: Tensor
    marks: Tensor
    turn: Tensor | None


class BoardNetwork(Network):
    """Network for games on a hex board, see the module."""

    hex_id: Tensor  # see `BoardForm`, like `around`, `hex_q` and `hex_r`
    around: Tensor
    symmetries: Tensor  # (12, hexes of a patch): columns of `around` in the order of a rotated or reflected board
    hex_q: Tensor
    hex_r: Tensor

    def __init__(self, info: GameInfo, sizes: NetworkSizes) -> None:
        super().__init__(info)
        form = board_form(info, sizes.patch)
        self.spec = form.spec
        self.num_actions, self.first_slot, self.first_hex = form.num_actions, form.first_slot, form.first_hex
        self.column, self.pointed_hexes, self.pointed_types = form.column, form.pointed_hexes, form.pointed_types
        for name in ("hex_id", "around", "hex_q", "hex_r"):
            keep(self, name, getattr(form, name))
        keep(self, "symmetries", symmetries(sizes.patch))
        self.token = nn.Sequential(Encoder(form.token, sizes.token), nn.ReLU())
        self.mark = nn.Linear(sizes.token, sizes.mark)
        self.pointer_mark = nn.Parameter(torch.randn(NUM_POINTED, sizes.mark) * 0.1)
        self.flat = nn.ModuleList([Encoder(columns, sizes.hidden) for columns in form.flat])
        self.summary = nn.Linear((NUM_GROUPS + NUM_POINTED) * sizes.mark, sizes.hidden)
        self.context = nn.Sequential(nn.ReLU(), layer(sizes.hidden, sizes.hidden))
        self.value = nn.Sequential(layer(sizes.hidden, sizes.hidden // 2), nn.Linear(sizes.hidden // 2, sizes.outcomes))
        self.direct = nn.Linear(sizes.hidden, self.first_hex)
        self.patch = nn.Linear(self.around.shape[1] * sizes.mark, sizes.hidden)
        self.message = nn.Linear(sizes.token, sizes.message)
        self.question = nn.Linear(sizes.hidden, sizes.message)
        self.message_gain = nn.Embedding(FARTHEST + 1, sizes.message)
        self.message_shift = nn.Embedding(FARTHEST + 1, sizes.message)
        self.heard = nn.Linear(sizes.message, sizes.hidden, bias=False)
        self.gate = nn.Linear(sizes.hidden, 2 * sizes.hidden)
        self.score = nn.Linear(sizes.hidden, 1 + sizes.early)
        self.advice = Advised(sizes, self.first_hex) if sizes.advice else None
        self.worths = Worths(sizes.hidden, NUM_VERBS, self.first_hex) if sizes.advice >= WORTHS else None
        widths = self.patch.in_features, sizes.hidden, sizes.token
        self.reasons = ReasonLayers(*widths) if sizes.advice >= REASONS else None
        for last in (self.direct, self.score):  # start near the uniform policy
            nn.init.orthogonal_(last.weight, 0.01)
            nn.init.zeros_(last.bias)

    def assess(self, observations: Tensor, place: Place, advice: Advice | None = None) -> tuple[Tensor, Tensor]:
        """See `Network`."""
        scores, outcomes = self.foresee(observations, place, advice)
        return scores[:, -1], outcomes

    def foresee(self, observations: Tensor, place: Place, advice: Advice | None = None) -> tuple[Tensor, Tensor]:
        """See `Network`."""
        if self.advice is None:
            advice = None
        reasons = None if self.reasons is None or advice is None else advice.reasons
        tokens = self._tokens(observations, reasons)
        context, layout = self._understand(observations, tokens, advice)
        gates = self.gate(context)
        scores = torch.zeros((len(place.action), self.score.out_features), dtype=context.dtype, device=context.device)
        by_number = (place.action < self.first_hex).nonzero().squeeze(1)
        direct = self.direct(context)[place.game[by_number], place.action[by_number]]
        scores = scores.index_add(0, by_number, functional.pad(direct.unsqueeze(1), (scores.shape[1] - 1, 0)))
        is_advised = None if advice is None else place.action == advice.chosen[place.game]
        weighed = None
        if self.worths is not None and advice is not None and advice.worths is not None:
            weighed, change = self.worths(place, advice.worths, is_advised, len(gates))
            gates = gates + change
        # Nothing lies on the ids of verbs: only their worths tell them apart here.
        by_sight = (place.action >= (NUM_VERBS if weighed is None else 0)).nonzero().squeeze(1)
        seen = self._see(context, layout, tokens, Place(place.game[by_sight], place.action[by_sight]))
        seen = seen if weighed is None else seen + weighed
        if reasons is not None:
            seen = self._follow(seen, layout, place.game, reasons)
        scores = scores.index_add(0, by_sight, self._score(seen, gates, place.game[by_sight]).to(scores.dtype))
        if self.advice is not None and is_advised is not None:
            trust = torch.where(is_advised, self.advice.trust(context).squeeze(1)[place.game], 0.0)
            scores = scores + functional.pad(trust.unsqueeze(1), (scores.shape[1] - 1, 0))
        return scores, self.value(context if self.value_shapes else context.detach())

    def scale_scores(self, factor: float) -> None:
        """See `Network`."""
        last = [self.score, self.direct, *([] if self.advice is None else [self.advice.trust])]
        scale([parameter for layer in last for parameter in layer.parameters()], factor)

    def _score(self, seen: Tensor, gates: Tensor, game: Tensor) -> Tensor:
        """Return the scores `(k, early + 1)` of ids, from what is seen on and around them `(k, hidden)`."""
        scale, shift = gates.index_select(0, game).chunk(2, dim=1)
        hidden = torch.relu(torch.addcmul(seen + shift, seen, scale))
        scores: Tensor = self.score(hidden)
        return scores

    def _see(self, context: Tensor, layout: Layout, tokens: Tokens, place: Place) -> Tensor:
        """Return what lies on and around ids of hexes, types and slots, and what is heard there, `(k, hidden)`."""
        seen: Tensor = self.patch(self._around(layout, place)) + self.heard(self._hear(context, tokens, place))
        return seen

    def _around(self, layout: Layout, place: Place) -> Tensor:
        """Return what lies on and around ids, `(k, marks of a patch)`."""
        ids = self.around[place.action]
        if layout.turn is not None:
            ids = ids.gather(1, self.symmetries[layout.turn[place.game]])
        ids = ids + (place.game * (self.num_actions + 1)).unsqueeze(1)
        return layout.marks.index_select(0, layout.row[ids.flatten()]).view(len(ids), self.patch.in_features)

    def _follow(self, seen: Tensor, layout: Layout, game: Tensor, reasons: Reasons) -> Tensor:
        """Add to what is seen on ids what lies where they lead, and what their worths are made of."""
        assert self.reasons is not None
        seen = seen + self.reasons.parts(reasons.parts)
        for column, plan in enumerate(self.reasons.plans):
            known = (reasons.plans[:, column] >= 0).nonzero().squeeze(1)
            around = self._around(layout, Place(game[known], reasons.plans[known, column]))
            seen = seen.index_add(0, known, plan(around).to(seen.dtype))
        return seen

    def _hear(self, context: Tensor, tokens: Tokens, place: Place) -> Tensor:
        """Return the sum of the messages of the tokens on the board to each hex, `(k, message)`; 0 for other ids."""
        on_board = (tokens.features[:, self.column["place"]] == BATTLEGROUND).nonzero().squeeze(1)
        number = torch.bincount(tokens.game[on_board], minlength=len(context))
        first = torch.cat([number.new_zeros(1), number.cumsum(0)])
        q, r = (tokens.features[:, self.column[axis]][on_board] for axis in "qr")
        game = torch.where(place.action >= self.first_hex, place.game, -1)
        places = Places(first, q, r, game, self.hex_q[place.action], self.hex_r[place.action])
        said = self.message(tokens.vectors.index_select(0, on_board))
        changes = self.message_gain.weight, self.message_shift.weight
        return sum_messages(places, Words(said, *changes, self.question(context)))

    def _understand(self, observations: Tensor, tokens: Tokens, advice: Advice | None) -> tuple[Tensor, Layout]:
        """Return the context `(n, hidden)`, and what lies on the ids of actions."""
        n, width = len(observations), self.num_actions + 1
        pointed = self._pointed(observations)
        vectors = self.mark(tokens.vectors)
        place = self._place(tokens, pointed)
        offset = torch.arange(n, device=place.device).unsqueeze(1) * width
        lying = (place < self.num_actions).nonzero().squeeze(1)
        cell = (tokens.game * width + place)[lying]
        named, pointer = (pointed < self.num_actions).nonzero(as_tuple=True)
        named_cell = (pointed + offset)[named, pointer]
        cells = [cell, named_cell]
        if advice is not None:
            cells.append(advice.chosen + offset.squeeze(1))
        filled = torch.cat(cells)
        row = torch.zeros(n * width, dtype=torch.int64, device=filled.device)
        row[filled] = torch.arange(1, len(filled) + 1, device=filled.device)  # of several on one id, one sets the row
        marks = torch.zeros(len(filled) + 1, vectors.shape[1], dtype=vectors.dtype, device=vectors.device)
        marks = marks.index_add(0, row[cell], vectors.index_select(0, lying))
        chosen = marks.index_select(0, row[(pointed + offset).flatten()]).view(n, -1)
        groups = torch.zeros(n * NUM_GROUPS, vectors.shape[1], dtype=vectors.dtype, device=vectors.device)
        groups = groups.index_add(0, tokens.game * NUM_GROUPS + self._group(tokens), vectors)
        hidden = self.summary(torch.cat([groups.view(n, -1), chosen], dim=1))
        for name, encoder in zip(FLAT_BLOCKS, self.flat, strict=True):
            hidden = hidden + encoder(observations[:, self.spec.slice(name)])
        marks = marks.index_add(0, row[named_cell], self.pointer_mark.to(marks.dtype).index_select(0, pointer))
        if self.advice is not None and advice is not None:
            hidden = hidden + self.advice.number(advice.chosen.clamp(max=self.first_hex))
            mark = self.advice.mark.to(marks.dtype).expand(n, -1)
            marks = marks.index_add(0, row[advice.chosen + offset.squeeze(1)], mark)
        turn = torch.randint(NUM_SYMMETRIES, (n,), device=row.device) if self.turns_boards else None
        return self.context(hidden), Layout(row, marks, turn)

    def _tokens(self, observations: Tensor, reasons: Reasons | None) -> Tokens:
        block = self._block(observations, "tokens")
        entry = block[:, :, self.column["place"]].flatten().nonzero().squeeze(1)
        game, features = entry // block.shape[1], block.flatten(0, 1).index_select(0, entry)
        if self.reasons is None or reasons is None:
            return Tokens(game, features, self.token(features))
        encode, rectify = self.token
        noted = self.reasons.of_tokens(reasons.notes, entry)
        return Tokens(game, features, rectify(encode(features) + noted))

    def _pointed(self, observations: Tensor) -> Tensor:
        """Return the ids that the choice so far and the announcements name, `(n, NUM_POINTED)`."""
        others = self._block(observations, "globals").squeeze(1).long()
        ids = [self._hex_id(others[:, q], others[:, r]) for q, r in self.pointed_hexes]
        ids += [self._type_id(others[:, low], others[:, high]) for low, high in self.pointed_types]
        return torch.stack(ids, dim=1)

    def _place(self, tokens: Tokens, pointed: Tensor) -> Tensor:
        """Return the id of an action on which each token lies, `(k,)`; `num_actions` for none."""
        place, slot = self._codes(tokens, "place"), self._codes(tokens, "slot")
        type_id = self._type_id(self._codes(tokens, "type_low"), self._codes(tokens, "type_high"))
        hex_id = self._hex_id(self._codes(tokens, "q"), self._codes(tokens, "r"))
        host = torch.where(pointed[:, 1] < self.num_actions, pointed[:, 1], pointed[:, 0])[tokens.game]
        nowhere = torch.full_like(place, self.num_actions)
        where = torch.where(place == BATTLEGROUND, hex_id, nowhere)
        where = torch.where((place == HAND) | (place == PICKED), type_id, where)
        return torch.where((place == ATTACHED) & (hex_id == host), self.first_slot + slot, where)

    def _group(self, tokens: Tokens) -> Tensor:
        is_field = self._codes(tokens, "kind") == FIELD
        is_foreign = self._codes(tokens, "controller") != 0
        return self._codes(tokens, "place") * 4 + is_field * 2 + is_foreign

    def _codes(self, tokens: Tokens, name: str) -> Tensor:
        """Return a feature of the tokens, `(k,)` int64."""
        return tokens.features[:, self.column[name]].long()

    def _hex_id(self, q: Tensor, r: Tensor) -> Tensor:
        return self.hex_id[q + COORDINATES, r + COORDINATES]

    def _type_id(self, low: Tensor, high: Tensor) -> Tensor:
        type_plus_one = low + TYPE_DIGIT * high
        return torch.where(type_plus_one > 0, NUM_VERBS - 1 + type_plus_one, self.num_actions)

    def _block(self, observations: Tensor, name: str) -> Tensor:
        shape = self.spec.block(name)
        return observations[:, self.spec.slice(name)].view(len(observations), shape.rows, len(shape.features))


class Advised(nn.Module):
    """Use of another agent's choice: it is trusted, depending on the position, and its id is marked."""

    def __init__(self, sizes: NetworkSizes, first_hex: int) -> None:
        super().__init__()
        self.trust = nn.Linear(sizes.hidden, 1)
        self.number = nn.Embedding(first_hex + 1, sizes.hidden)  # the last one for all hexes
        self.mark = nn.Parameter(torch.randn(1, sizes.mark) * 0.1)
        nn.init.zeros_(self.trust.weight)
        nn.init.constant_(self.trust.bias, TRUST)
        nn.init.normal_(self.number.weight, std=0.1)


def symmetries(radius: int) -> NDArray[np.int64]:
    """Return where the hexes of a patch are found after each rotation and reflection of the grid about its center.

    Returns:
        `(NUM_SYMMETRIES, 3 * radius * (radius + 1) + 1)` int64; the first row leaves the board as it is.
    """
    offsets = offsets_of(radius)
    boards = [offsets, [(r, q) for q, r in offsets]]
    while len(boards) < NUM_SYMMETRIES:
        boards.append([(-r, q + r) for q, r in boards[-2]])
    return np.array([[offsets.index(offset) for offset in board] for board in boards])
