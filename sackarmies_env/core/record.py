"""Game records: a configuration, a seed and a list of actions make up a game, which replays to the same bytes.

A record also holds a short digest of the state before each ply and after the last one, so that a replay on another
machine or with another version of the rules either agrees to the byte or names the ply where it differs.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from sackarmies_env.core.arguments import integers
from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.chance import plain_forced
from sackarmies_env.core.game import Game, Records, forfeit_code
from sackarmies_env.core.legal import legal_ids
from sackarmies_env.core.messages import counted, printable, quote, short_repr
from sackarmies_env.core.safe_read import read_json
from sackarmies_env.core.state import ERROR_NONE, copy_records
from sackarmies_env.core.validation import SingleLine, StrictModel, TupleOf, read_model

OnPly = Callable[[int, Records, int, Records], None]

FORMAT = "sackarmies-record-1"
FORMER_KINDS = ("flips", "draws")
DIGEST_LENGTH = 8  # hexadecimal digits of the SHA-256 of a state
MAX_REASON = 200  # characters of the reason for a forfeit
MAX_CANDIDATES, MAX_BELIEFS, MAX_CONTENTS = 64, 256, 64  # of an analysis, and of a belief
Name = Annotated[SingleLine, Field(max_length=100)]
Seed = Annotated[int, Field(ge=-(2**63), lt=2**63)]
Action = Annotated[int, Field(ge=-(2**31), lt=2**31)]
Share = Annotated[float, Field(ge=0, le=1)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Coordinate = Annotated[int, Field(ge=-127, le=127)]
Place = Annotated[tuple[Coordinate, Coordinate], Field(strict=False)]  # a list in JSON
Digest = Annotated[str, Field(pattern=rf"^[0-9a-f]{{{DIGEST_LENGTH}}}$")]


class Result(StrictModel):
    """The result of a game after its last ply.

    Attributes:
        winner: seat, or -1 if there is none.
        terminated: ended by the rules.
        truncated: ended by a limit.
        turns: turns begun.
        returns: what each player earned.
    """

    winner: Annotated[int, Field(ge=-1, le=127)]
    terminated: bool
    truncated: bool
    turns: Annotated[int, Field(ge=0, lt=2**31)]
    returns: TupleOf[Finite]


class Forfeit(StrictModel):
    """A forfeit in a tournament that the player did not choose.

    Attributes:
        ply: of the forfeit.
        reason: what the agent did, as in "raised ValueError: too many hexes".
        status: the kind of fault, named as in Kaggle's environments; records of former versions leave it out.
    """

    ply: Annotated[int, Field(ge=0)]
    reason: Annotated[SingleLine, Field(max_length=MAX_REASON)]
    status: Literal["ERROR", "INVALID", "TIMEOUT"] | None = None


class Candidate(StrictModel):
    """A choice that an agent considered.

    Attributes:
        action: legal id.
        probability: that the agent's policy gives it; None if not reported.
        value: the return that the agent expects of it for its player; None if not reported.
        rank: its place in the agent's order, from 1; None: its place in the list.
    """

    action: Action
    probability: Share | None = None
    value: Finite | None = None
    rank: Annotated[int, Field(ge=1, lt=2**31)] | None = None


class Belief(StrictModel):
    """What one thing hidden from the current player could be, given what that player knew.

    Attributes:
        subject: what is hidden, as in "unit at 2,-1" or "hand of player 1".
        at: axial coordinates [q, r] of its place on the board; None if it has none.
        contents: what it may be -> the probability of that; unlikely contents may be left out.
    """

    subject: Name
    at: Place | None = None
    contents: Annotated[dict[Name, Share], Field(max_length=MAX_CONTENTS)]


class Analysis(StrictModel):
    """What an agent reported about one decision; not a statement of the rules.

    Attributes:
        ply: of the decision.
        agent: who reports it; need not be the agent that played the game.
        candidates: what it considered, the best first.
        value: the return that it expected for the current player; None if not reported.
        beliefs: about what is hidden from that player: the agent's own, or shares of sampled states.
    """

    ply: Annotated[int, Field(ge=0)]
    agent: Name
    candidates: Annotated[TupleOf[Candidate], Field(max_length=MAX_CANDIDATES)] = ()
    value: Finite | None = None
    beliefs: Annotated[TupleOf[Belief], Field(max_length=MAX_BELIEFS)] = ()

    @model_validator(mode="after")
    def names_each_once(self) -> Analysis:
        """Refuse a list that has an action twice."""
        actions = [candidate.action for candidate in self.candidates]
        if len(set(actions)) != len(actions):
            raise ValueError("two candidates have the same action")
        return self


class GameRecord(StrictModel):
    """One game, finished or not, as plain data.

    Attributes:
        format: kind and version of the file.
        software: version that made the record.
        game: id of the game.
        rules: `Game.digest` of the game.
        config: the configuration, a scenario included; `build(**config)` gives the game.
        seed: of all chance that is not forced.
        forced: forced results as in `Game.start`, which checks them; files of games without them leave it out.
        players: names of the players, in seat order; one for each seat, or none.
        actions: ids in order; `forfeit_code(p)`, -1 - p, where player p forfeited.
        texts: their text forms.
        digests: of the states before each ply and after the last.
        result: how it ended.
        forfeits: forfeits that players did not choose; files of games without them leave it out.
        analyses: what agents reported about decisions, by ply; files of games without them leave it out.
    """

    format: Literal["sackarmies-record-1"] = "sackarmies-record-1"
    software: Name
    game: Name
    rules: Name
    config: dict[str, Any]
    seed: Seed
    forced: dict[str, Any] = Field(default_factory=dict)
    players: TupleOf[str] = ()
    actions: TupleOf[Action]
    texts: TupleOf[str]
    digests: TupleOf[Digest]
    result: Result
    forfeits: TupleOf[Forfeit] = ()
    analyses: TupleOf[Analysis] = ()

    @model_validator(mode="after")
    def holds_together(self) -> GameRecord:
        """Refuse lists that are inconsistent: parts of the file are missing."""
        if len(self.texts) != len(self.actions):
            raise ValueError(f"there are {len(self.actions)} actions, but {len(self.texts)} texts")
        if len(self.digests) != len(self.actions) + 1:
            raise ValueError(
                f"{len(self.actions)} actions require {len(self.actions) + 1} digests, "
                f"but there are {len(self.digests)}"
            )
        if len(self.players) not in {0, len(self.result.returns)}:
            raise ValueError(
                f"players has {counted(len(self.players), 'name')}, but there are returns for "
                f"{counted(len(self.result.returns), 'seat')}: give one name for each seat, or none"
            )
        for forfeit in self.forfeits:
            if forfeit.ply >= len(self.actions) or self.actions[forfeit.ply] >= 0:
                raise ValueError(f"there is a forfeit at ply {forfeit.ply}, but nobody forfeits there")
        plies = [analysis.ply for analysis in self.analyses]
        if plies != sorted(set(plies)):
            raise ValueError("analyses must be in the order of their plies, at most one per ply")
        if plies and plies[-1] >= len(self.actions):
            raise ValueError(f"there is an analysis of ply {plies[-1]}, but there are {len(self.actions)} actions")
        return self


def software_version() -> str:
    """Return the version of the installed package."""
    try:
        return importlib.metadata.version("sackarmies-env")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def state_digest(states: Records) -> str:
    """Return the digest of the bytes of `states[0]`."""
    return hashlib.sha256(states[:1].view(np.ndarray).tobytes()).hexdigest()[:DIGEST_LENGTH]


# --- one ply


def ply_text(game: Game, states: Records, action: int) -> str:
    """Return the text of an action, or of a forfeit, in `states[0]`."""
    return game.format_action(states, action) if action >= 0 else f"forfeit {forfeit_code(action)}"


def play_ply(game: Game, states: Records, action: int, ply: int) -> None:
    """Play one ply in `states[0]`, in place.

    Raises:
        ValueError: the action does not exist or is not legal.
    """
    where = f"at ply {ply}"
    if not -game.num_players <= action < game.num_actions:
        raise ValueError(
            f"action {action} {where} is out of range: ids run from 0 to {game.num_actions - 1}, "
            f"and from -1 to {-game.num_players} for forfeits"
        )
    player = int(states["current_player"][0])
    if player < 0:
        raise ValueError(f"action {action} {where} comes after the end of the game")
    if action < 0:
        game.forfeit(game.params, states[:1], np.array([forfeit_code(action)], np.int64))
        return
    action_mask = np.zeros((1, game.num_actions), np.int8)
    game.legal_actions(game.params, states[:1], action_mask)
    if action_mask[0, action] == 0:
        text = game.format_action(states, action)
        decision = game.describe_decision(states)
        raise ValueError(f"action {action} ({text}) {where} is not legal for player {player} at {decision}")
    game.step(game.params, states[:1], np.array([action], np.int64))
    if states["error"][0] != ERROR_NONE:
        raise ValueError(f"action {action} {where} causes error {states['error'][0]} of the rules engine")


def check_analysis(game: Game, states: Records, analysis: Analysis) -> None:
    """Refuse an analysis that cannot be about the decision in `states[0]`.

    Raises:
        ValueError: there is no decision, or a candidate is not legal.
    """
    legal = set(legal_ids(states["legal"][0]))
    if not legal:
        raise ValueError(f"there is an analysis of ply {analysis.ply}, but nobody decides there")
    for candidate in analysis.candidates:
        if candidate.action not in legal:
            raise ValueError(
                f"the analysis of ply {analysis.ply} names action {candidate.action}, which is not legal there at "
                f"{game.describe_decision(states)}"
            )


def result_of(game: Game, states: Records) -> Result:
    """Return the result of `states[0]`."""
    returns = np.zeros((1, game.num_players), np.float32)
    game.returns(game.params, states[:1], returns)
    return Result(
        winner=int(states["winner"][0]),
        terminated=bool(states["terminated"][0]),
        truncated=bool(states["truncated"][0]),
        turns=int(states["turn"][0]),
        returns=tuple(returns[0].tolist()),
    )


# --- making and replaying


def make_record(
    game: Game,
    seed: int,
    actions: Sequence[int],
    *,
    forced: Mapping[str, Any] | None = None,
    players: Sequence[str] = (),
    reasons: Mapping[int, str] | None = None,
    statuses: Mapping[int, str] | None = None,
    analyses: Sequence[Analysis] = (),
) -> GameRecord:
    """Play `actions` from `seed`, and return the record of that game.

    Args:
        game: the game to play.
        seed: as given to `Game.reset` or `Game.start`.
        actions: ids; `forfeit_code(p)` where player p forfeited.
        forced: forced results, as in `Game.start`.
        players: names of the players, in seat order; one for each seat, or none.
        reasons: ply of a forfeit -> why the player did not choose it.
        statuses: ply of a forfeit -> its `Forfeit.status`, as far as it is known.
        analyses: what agents reported about decisions, by ply.

    Raises:
        ValueError: an action is not an integer or not legal, results cannot be forced, or the number of names is wrong.
    """
    chosen = integers("actions", actions, None).tolist()
    states = game.new_states(1)
    game.start(states, seed, forced)
    texts, digests = [], [state_digest(states)]
    for ply, action in enumerate(chosen):
        texts.append(ply_text(game, states, action))
        play_ply(game, states, action, ply)
        digests.append(state_digest(states))
    return GameRecord(
        software=software_version(),
        game=game.id,
        rules=game.digest,
        config=_plain(game.config),
        seed=int(seed),
        forced=plain_forced(forced or {}),
        players=tuple(players),
        actions=tuple(chosen),
        texts=tuple(texts),
        digests=tuple(digests),
        result=result_of(game, states),
        forfeits=tuple(
            Forfeit.model_validate({"ply": ply, "reason": reason, "status": (statuses or {}).get(ply)})
            for ply, reason in (reasons or {}).items()
        ),
        analyses=tuple(analyses),
    )


def replay(game: Game, record: GameRecord, on_ply: OnPly | None = None, *, check: bool = True) -> Records:
    """Play a record again and return its last state, `(1,)`.

    Args:
        game: built from `record.config`.
        record: what to play.
        on_ply: called after each ply as `(ply, states_before, action, states_after)`; it may only read the arrays,
            which the next ply overwrites.
        check: compare texts, digests and result, and check analyses; without it the game need only be legal.

    Raises:
        ValueError: naming the first difference between the record and what happens here.
    """
    _check_game(game, record)
    states, before = game.new_states(1), game.new_states(1)
    game.start(states, record.seed, record.forced)
    if check and state_digest(states) != record.digests[0]:
        raise ValueError(f"the start of the game differs from the record{_origin(game, record)}")
    analyses = {analysis.ply: analysis for analysis in record.analyses} if check else {}
    for ply, action in enumerate(record.actions):
        copy_records(states, before)
        if ply in analyses:
            check_analysis(game, states, analyses[ply])
        play_ply(game, states, action, ply)
        if check:
            _check_ply(game, record, before, states, ply)
        if on_ply is not None:
            on_ply(ply, before, action, states)
    result = result_of(game, states)
    if check and result != record.result:
        raise ValueError(
            f"the result differs from the record: it is {short_repr(result)}, recorded is {short_repr(record.result)}"
        )
    return states


def _check_game(game: Game, record: GameRecord) -> None:
    if game.id != record.game:
        raise ValueError(f"the record is of the game {quote(record.game)}, not of {quote(game.id)}")
    config = _plain(game.config)
    for key in dict.fromkeys([*record.config, *config]):
        if record.config.get(key) != config.get(key):
            raise ValueError(
                f"the record was made with another configuration: {key} is {quote(record.config.get(key))} in the "
                f"record and {quote(config.get(key))} here; build the game from the configuration in the record"
            )


def _check_ply(game: Game, record: GameRecord, before: Records, states: Records, ply: int) -> None:
    action, text = record.actions[ply], record.texts[ply]
    expected = ply_text(game, before, action)
    if text != expected:
        raise ValueError(f"ply {ply}: action {action} reads {quote(expected)}, but {quote(text)} in the record")
    if state_digest(states) != record.digests[ply + 1]:
        raise ValueError(f"ply {ply} ({expected}) leads to another state than in the record{_origin(game, record)}")


def _origin(game: Game, record: GameRecord) -> str:
    """Return what may explain a difference."""
    if record.software != software_version():
        return f": it was made by version {record.software}, this is {software_version()}"
    if record.rules != game.digest:
        return ": it was made with other rules or data of this version"
    return ": the file was changed, or the rules or data of this version were"


def _plain(data: Any) -> Any:
    """Return `data` as JSON would give it back."""
    return json.loads(json.dumps(data))


# --- files


def save_record(record: GameRecord, path: str | Path) -> None:
    """Write a record as JSON, one key per line; a partial file is never left.

    Raises:
        OSError: it cannot be written; the old file stays.
    """
    data = record.model_dump(mode="json")
    data["analyses"] = [analysis.model_dump(mode="json", exclude_defaults=True) for analysis in record.analyses]
    data["forfeits"] = [forfeit.model_dump(mode="json", exclude_none=True) for forfeit in record.forfeits]
    for key in ("forced", "forfeits", "analyses"):
        if not data[key]:
            del data[key]  # so that versions that do not know the key can read these records
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in data.items()]
    write_safely(Path(path), ("{\n" + ",\n".join(lines) + "\n}\n").encode())


def load_record(path: str | Path) -> GameRecord:
    """Read a record.

    Raises:
        ValueError: the file is missing, not JSON, or not a game record; the message says where and what.
    """
    data = read_json(path, "a game record")
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, Mapping) else data
        raise ValueError(
            f'{printable(path)}: not a game record: the key "format" must be {quote(FORMAT)}, not {quote(found)}'
        )
    return read_model(GameRecord, _with_forced(data), str(path))


def _with_forced(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a file in its present form; earlier versions had separate keys for two kinds of results."""
    if "forced" in data:
        return dict(data)
    record = {key: value for key, value in data.items() if key not in FORMER_KINDS}
    former = {key: data[key] for key in FORMER_KINDS if data.get(key)}
    return record | {"forced": former} if former else record
