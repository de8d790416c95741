"""Vector environments for Stable-Baselines3: `as_sb3`."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from sackarmies_env.envs.varied_vector import VariedBatchEnv
from sackarmies_env.envs.vector_env import ALL_SEATS, BatchEnv

Observations = NDArray[np.int8] | dict[str, NDArray[np.int8]]


def as_sb3(env: BatchEnv | VariedBatchEnv) -> SB3Env:
    """Wrap a vector environment as a `VecEnv` of Stable-Baselines3, with the masks that MaskablePPO asks for.

    Args:
        env: one seat per game, made with `autoreset_mode="SameStep"`, the default. With `mask_in_observation=False`
            policies get vectors ("MlpPolicy"), else dicts ("MultiInputPolicy").

    Raises:
        ValueError: it plays all seats, or has another autoreset mode.
    """
    if env.seat_choice == ALL_SEATS:
        raise ValueError("seat='all': a learner of Stable-Baselines3 plays one seat, give a number or 'random'")
    if env.autoreset_mode is not AutoresetMode.SAME_STEP:
        raise ValueError(f"autoreset_mode={env.autoreset_mode.value!r}: Stable-Baselines3 needs 'SameStep'")
    return SB3Env(env)


class SB3Env(VecEnv):
    """A vector environment of one seat as a `VecEnv`, made by `as_sb3`."""

    def __init__(self, env: BatchEnv | VariedBatchEnv) -> None:
        self.env = env
        self.render_mode = env.render_mode  # VecEnv asks for it
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self._actions: NDArray[Any] = np.zeros(env.num_envs, np.int64)
        self._gain = np.zeros(env.num_envs)
        self._length = np.zeros(env.num_envs, np.int64)
        self._seed: int | None = None
        self._began = time.monotonic()

    def reset(self) -> Any:
        """Start new games everywhere and return the observations.

        Raises:
            ValueError: the games do not accept the options given to `set_options`.
        """
        observations, _ = self.env.reset(seed=self._seed, options=self._options[0] or None)
        self._seed = None
        self._reset_options()
        self._gain[:], self._length[:] = 0.0, 0
        return _copied(observations)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Set the learner's actions, `(num_envs,)`, for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply the actions, and play on to the next decisions.

        Raises:
            ValueError: an action is illegal, and the environment refuses such actions; no game is changed.
        """
        observations, rewards, terminations, truncations, infos = self.env.step(self._actions)
        dones = terminations | truncations
        self._gain += rewards
        self._length += 1
        told: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(dones).tolist():
            told[row] = {
                "episode": {
                    "r": float(self._gain[row]),
                    "l": int(self._length[row]),
                    "t": round(time.monotonic() - self._began, 3),
                },
                "terminal_observation": infos["final_obs"][row],
                "TimeLimit.truncated": bool(truncations[row]),
                "seat": int(infos["final_info"]["seat"][row]),
                "returns": infos["final_info"]["returns"][row],
            }
        self._gain[dones], self._length[dones] = 0.0, 0
        return _copied(observations), rewards.astype(np.float32), dones, told

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks of the learner's decisions, `(num_envs, num_actions)`."""
        return self.env.action_masks()

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return `action_masks` of each game; there is no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"no method {method_name!r} of a single game, only 'action_masks'")
        masks = self.action_masks()
        return [masks[row] for row in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Return whether single games have an attribute."""
        return attr_name in {"action_masks", "render_mode"}

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Return an attribute of the environment, once per game."""
        value = getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Raise an AttributeError: single games have no attributes to set."""
        raise AttributeError(f"{attr_name!r} of a single game cannot be set")

    def env_is_wrapped(self, wrapper_class: Any, indices: int | Iterable[int] | None = None) -> list[bool]:
        """Return that no game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next `reset`."""
        self._seed = seed
        return [None if seed is None else seed + row for row in range(self.num_envs)]

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """Set the options of the next `reset`, as the environment's own `reset` takes them.

        Raises:
            ValueError: a list does not hold the same options once per game, or there is a mask of games to reset.
        """
        given = options if isinstance(options, list) else [options or {}] * self.num_envs
        if len(given) != self.num_envs:
            raise ValueError(f"{len(given)} dicts of options are given for {self.num_envs} games")
        if any(one != given[0] for one in given):
            raise ValueError("options that differ between games: all games of a vector take the same, give one dict")
        if "reset_mask" in given[0]:
            raise ValueError("reset_mask: reset() of Stable-Baselines3 restarts all games, leave it out")
        super().set_options(given)

    def get_images(self) -> Sequence[Any]:
        """Return a picture of each game, if the environment draws pictures."""
        return list(self.env.render()) if self.render_mode == "rgb_array" else []

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


def _copied(observations: Observations) -> Any:
    """Copy observations, so that the next step does not overwrite them: learners store them after it."""
    if isinstance(observations, dict):
        return {name: array.copy() for name, array in observations.items()}
    return observations.copy()
