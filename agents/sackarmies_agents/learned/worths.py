"""What choices are worth to another agent, as an input of networks.

An agent's worths have their own unit, and "impossible" is a number far below all others. What tells most is by how much
an id falls short of the best one, on several scales: among equals, a small difference decides.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from sackarmies_agents.learned.network import Place
from sackarmies_agents.learned.worth_scales import FARTHEST, FEATURES, IMPOSSIBLE, LEAST, MOST, SUMMARY, USUAL


class Worths(nn.Module):
    """Turns worths into terms that are added to what is seen on ids, and to the gates of positions.

    Args:
        hidden: width of what is seen.
        verbs: ids below this are verbs, of which a position may have many at once: all their worths change the gates.
        kinds: ids below this have their own vector.
    """

    def __init__(self, hidden: int, verbs: int, kinds: int) -> None:
        super().__init__()
        self._verbs, self._kinds = verbs, kinds
        self.kind = nn.Embedding(kinds + 1, hidden)  # the last one for all others
        self.features = nn.Linear(FEATURES, hidden)
        self.position = nn.Linear(2 * verbs + SUMMARY, 2 * hidden)
        nn.init.normal_(self.kind.weight, std=0.1)

    def forward(self, place: Place, worths: Tensor, is_advised: Tensor, n: int) -> tuple[Tensor, Tensor]:
        """Return the terms of ids, `(k, hidden)`, and of positions, `(n, 2 * hidden)`.

        Args:
            place: all legal ids of `n` positions.
            worths: `(k,)`, of these ids.
            is_advised: `(k,)` bool.
            n: number of positions.
        """
        impossible = worths < IMPOSSIBLE
        worth = torch.where(impossible, LEAST, worths.clamp(LEAST, MOST)).float()
        nothing = torch.zeros(n, device=worth.device)
        best = (nothing + LEAST).scatter_reduce(0, place.game, worth, "amax")
        short = (best[place.game] - worth).clamp(0, FARTHEST)
        others = torch.where(is_advised, FARTHEST, short)
        second = (nothing + FARTHEST).scatter_reduce(0, place.game, others, "amin")
        count = nothing.index_add(0, place.game, torch.ones_like(worth))
        far = short / 20
        near = [(-short / scale).exp() for scale in (1.5, 5.0, 15.0)]
        flags = [impossible.float(), is_advised.float()]
        features = torch.stack([far, far.sqrt(), *near, *flags, worth / USUAL, best[place.game] / USUAL], dim=1)
        verb = (place.action < self._verbs).nonzero().squeeze(1)
        table = torch.zeros(n, 2 * self._verbs, device=worth.device)
        where = place.game[verb], place.action[verb]
        table = table.index_put(where, worth[verb] / USUAL)
        table = table.index_put((where[0], where[1] + self._verbs), 1 - impossible.float()[verb])
        summary = torch.stack([best / USUAL, count / 10, second / 20], dim=1)
        seen = self.features(features) + self.kind(place.action.clamp(max=self._kinds))
        return seen, self.position(torch.cat([table, summary], dim=1))
