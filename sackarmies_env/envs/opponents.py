"""Opponents: agents by name or object for the other seats, independent of any package of agents.

`"random"` is built in. Other names are resolved by a factory: the one passed to `register_agent_factory`, else the one
that an installed package declares in the entry point group "sackarmies_env.agents".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import entry_points
from operator import index
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.game import Game
from sackarmies_env.core.legal import choose_from_mask
from sackarmies_env.core.messages import counted, short_repr, suggestion
from sackarmies_env.core.rng import choice_stream, seed_choice
from sackarmies_env.envs.match import Match

ENTRY_POINTS = "sackarmies_env.agents"
RANDOM = "random"


@runtime_checkable
class Opponent(Protocol):
    """An object that chooses actions from the observations of one player.

    An optional method `reset(seed)` is called before each game. With `shares_batch = True`, one instance may play
    several seats and games at once, through its method `act_batch(observations, action_masks)`; it is then reset
    whenever some of its games begin, while it is playing the others.

    With `is_informed = True`, its method `act_informed(information)` is called instead of both: it is given the
    `core.information.InformationSets` of its seat in `n` positions, and returns `(n,)` legal actions.
    """

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Return a legal action for an observation `(size,)` and a mask `(num_actions,)`; both are int8 copies."""
        ...


AgentFactory = Callable[[str, Game], Opponent]
OpponentChoice = str | Opponent | Sequence[str | Opponent]

_registered: list[AgentFactory] = []


def register_agent_factory(factory: AgentFactory) -> None:
    """Make opponents from names with `factory(name, game)` from now on, in preference to installed packages."""
    _registered[:] = [factory]


def make_opponent(choice: str | Opponent, game: Game) -> Opponent:
    """Return the opponent of that name; an object is returned unchanged.

    Raises:
        ValueError: the name is unknown, or the object cannot act.
    """
    if isinstance(choice, type):
        raise ValueError(f"opponent {choice.__name__} is a class: give an instance of it")
    if not isinstance(choice, str):
        if not isinstance(choice, Opponent):
            raise ValueError(
                f"opponent {short_repr(choice)} must be a name or have a method act(observation, action_mask)"
            )
        return choice
    if choice == RANDOM:
        return RandomOpponent()
    return agent_factory(choice)(choice, game)


def agent_factory(name: str) -> AgentFactory:
    """Return the factory that makes agents from names.

    Raises:
        ValueError: no factory is registered or installed; the message mentions `name`.
    """
    if _registered:
        return _registered[0]
    for entry in entry_points(group=ENTRY_POINTS):
        factory: AgentFactory = entry.load()
        return factory
    raise ValueError(
        f"unknown opponent {short_repr(name)}{suggestion(name, [RANDOM])}: {RANDOM!r} is built in; others require "
        "an installed package of agents, or register_agent_factory()"
    )


def make_opponents(choice: OpponentChoice, game: Game) -> list[Opponent]:
    """Return the opponents for the other seats, one each, starting with the seat after the learner's.

    Args:
        choice: a name, which makes an instance for each seat; an object, which plays all the other seats; or a list of
            names and objects, one per seat. Seats that are played at random share an instance.
        game: the game to play.

    Raises:
        ValueError: the list has the wrong length, or `make_opponent` refuses a choice.
    """
    seats = game.num_players - 1
    choices: Sequence[str | Opponent]
    choices = list(choice) if isinstance(choice, Sequence) and not isinstance(choice, str) else [choice] * seats
    if len(choices) != seats:
        wanted = counted(seats, "opponent")
        raise ValueError(f"expected {wanted}, one for each seat besides the learner's, got {len(choices)}")
    opponents = [make_opponent(one, game) for one in choices]
    at_random = [one for one in opponents if isinstance(one, RandomOpponent)]
    return [at_random[0] if isinstance(one, RandomOpponent) else one for one in opponents]


def given_objects(choice: OpponentChoice) -> list[Any]:
    """Return the objects in a choice of opponents: they belong to the caller, opponents made from names do not."""
    choices = choice if isinstance(choice, Sequence) and not isinstance(choice, str) else [choice]
    return [one for one in choices if not isinstance(one, str)]


def close_opponents(opponents: Iterable[Any], kept: Sequence[Any]) -> None:
    """Close each opponent once, if it has `close`, except those that are also among `kept`."""
    kept_ids = {id(one) for one in kept}
    for opponent in {id(one): one for one in opponents if id(one) not in kept_ids}.values():
        end: Any = getattr(opponent, "close", None)
        if end is not None:
            end()


def is_informed(opponent: Any) -> bool:
    """Return whether an opponent decides from information sets, from which it samples states."""
    return bool(getattr(opponent, "is_informed", False))


def ask_one(opponent: Any, match: Match) -> Any:
    """Return the action that an opponent chooses for the current player of a match; it may be illegal."""
    if not is_informed(opponent):
        return opponent.act(match.observation, match.action_mask)
    answer = np.asarray(opponent.act_informed(match.information_set(match.player)))
    return answer[0] if answer.shape == (1,) else answer


def misplay(opponent: Opponent, answer: Any, num_actions: int) -> str:
    """Return the message for an opponent that did not choose a legal action.

    The learner may read it, so it says neither what the opponent could have chosen nor which id is illegal for it.
    """
    try:
        number = index(answer)
    except TypeError:
        fault = f"returned a value of type {type(answer).__name__} (not an integer)"
    else:
        is_id = 0 <= number < num_actions
        fault = "chose an action that is not legal" if is_id else f"chose {short_repr(number)} (not an action id)"
    return f"the opponent {type(opponent).__name__} {fault}"


def seat_of(seed: int, num_players: int) -> int:
    """Return the learner's randomly drawn seat in the game of a seed."""
    return int(seed_choice(seed, 0, num_players))


def reset_opponent(opponent: Opponent, seed: int, place: int) -> None:
    """Reset an opponent for a new game, if it has `reset`, with its own seed.

    All random numbers of a game come from its seed, so a game is the same in every environment, unless the opponent
    shares a batch: in a vector environment, it then has one seed for all games.

    Args:
        opponent: the opponent.
        seed: seed of the game.
        place: number of seats from the learner to the opponent.
    """
    reset: Any = getattr(opponent, "reset", None)
    if isinstance(opponent, RandomOpponent):
        opponent.reset(seed)
    elif reset is not None:
        reset(int(seed_choice(seed, place, 2**31)))


class RandomOpponent:
    """An opponent that plays uniformly at random; its choices depend on the seed of the game.

    It uses the same stream of choices as the kernels of a batch. In each game, one instance plays all seats that are
    played at random.
    """

    def __init__(self) -> None:
        self._stream = np.zeros(1, np.int64)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begin the stream of choices for the game of `seed`."""
        self._stream[0] = choice_stream(seed)

    def act(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]) -> int:
        """Return a legal action."""
        return int(choose_from_mask(self._stream, action_mask))
