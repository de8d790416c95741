"""The switches of the rules: every ruling that Generals may agree to change, with its default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from sackarmies_env.core.messages import join
from sackarmies_env.core.switches import OnOff, SwitchTable
from sackarmies_env.games.sack_armies.state.constants import FlipMethod

MAX_RADIUS = 17  # of the board

RankKey = Literal["1", "2", "3+"]
STANDARD_COPIES: dict[RankKey, int] = {"1": 6, "2": 4, "3+": 2}


def rank_keys(value: object) -> object:
    """Accept 1, 2, 3 and "1", "2", "3", "3+" for the ranks of copy limits; ranks left out keep their default."""
    if not isinstance(value, Mapping):
        return value
    names: dict[str, RankKey] = {"1": "1", "2": "2", "3": "3+", "3+": "3+"}
    unknown = [key for key in value if str(key) not in names]
    if unknown:
        raise ValueError(f"unknown rank {join(unknown)}; allowed are {join(STANDARD_COPIES)}")
    return STANDARD_COPIES | {names[str(key)]: copies for key, copies in value.items()}


Copies = Annotated[int, Field(ge=1, le=64)]


class Switches(SwitchTable):
    """Agreements on the rules; on/off switches take booleans or "on" and "off".

    Attributes:
        max_ranks: maximum sum of the ranks in an army.
        min_battlefields: minimum number of battlefields in an army; five are used in Setup.
        copy_limits: maximum number of copies of a token of rank 1, of rank 2, and of rank 3 or higher.
        draw_count: number of tokens drawn by a Draw action.
        hand_limit: maximum number of tokens kept at the end of a turn, and of tokens in one Deploy.
        initial_hand: number of tokens drawn before the first turn.
        grid_radius: radius of the board; None means 5 + 2 for each General.
        turn_direction: counter-clockwise in Setup and in turns, or clockwise in turns.
        neutral_zone_basis: whether neutral zones depend on control or on ownership of battlefields.
        setup_pick: pick five battlefields before initiative, or any one at each placement.
        flip_method: coins, dice, a deck of cards, one with jokers, or forced results only.
        reaction_windows: after announcements, after nearly everything, or for the targeted General only.
        coord_window: window after a coordination check, before it, or both.
        counter_timing_single: counter-attack decided before or after the attack's flips.
        counter_timing_coord: the same in coordinated attacks.
        auto_forced: decisions with a single option are taken silently.
        auto_ambush: ambush flips are made without asking.
        ranged_coord_connected: all attackers of a coordinated ranged attack form one group.
        leadership_must_attack: only leaders who attack spare the coordination check.
        advance_after_coord: one attacker may advance after a coordinated melee.
        surprise_precludes_counter: a defender who used a surprise maneuver may not counter-attack.
        sum_simultaneous_damage: hits on a unit in one exchange are added up.
        scatter_save: a face-down unit that scatter would kill may be revealed with what saves it.
        augment_stacks: bonuses of several augmenters add up.
        sight_on_reveal: a unit that is revealed sights at once.
        raise_zone: raised units come in where units may be deployed, or on any legal hex.
        blind_target_wrong_kind: Counter and Dispel may choose unknown attachments at a risk, or not at all.
        allow_stop_after_failed_check: the turn may be ended after a failed check or a cancelled attack.
        allow_concede: conceding is an action.
        casualties_public: casualties are public.
        sack_count_public: the number of tokens in a sack is public.
        open_army_lists: army lists are public.
        max_turns: number of turns, of all Generals together, after which the game is truncated.
        no_progress_turns: turns without death, change of control or placement after which the game is truncated.
        max_progressive: successes after which a progressive flip ends.
        reward: each loser of n Generals gets -1/(n-1), and at the end the others share what was lost, so that returns
            add up to 0; or 1 for a winner and 0 for everyone else.
    """

    max_ranks: Annotated[int, Field(ge=6, le=1000)] = 40
    min_battlefields: Annotated[int, Field(ge=5, le=63)] = 5
    copy_limits: Annotated[dict[RankKey, Copies], BeforeValidator(rank_keys)] = STANDARD_COPIES
    draw_count: Annotated[int, Field(ge=1, le=64)] = 3
    hand_limit: Annotated[int, Field(ge=1, le=64)] = 3
    initial_hand: Annotated[int, Field(ge=0, le=64)] = 0
    grid_radius: Annotated[int, Field(ge=5, le=MAX_RADIUS)] | None = None
    turn_direction: Literal["ccw", "cw_turns"] = "ccw"
    neutral_zone_basis: Literal["control", "owner"] = "control"
    setup_pick: Literal["pick", "any_at_placement"] = "pick"
    flip_method: Literal["coin", "die", "deck", "deck_jokers", "scripted"] = "coin"
    reaction_windows: Literal["announce", "full", "targeted_only"] = "announce"
    coord_window: Literal["after_check", "before_check", "both"] = "after_check"
    counter_timing_single: Literal["before_flips", "after_attack_flips"] = "before_flips"
    counter_timing_coord: Literal["after_attack_flips", "before_flips"] = "after_attack_flips"
    auto_forced: OnOff = True
    auto_ambush: OnOff = False
    ranged_coord_connected: OnOff = False
    leadership_must_attack: OnOff = False
    advance_after_coord: OnOff = True
    surprise_precludes_counter: OnOff = False
    sum_simultaneous_damage: OnOff = False
    scatter_save: OnOff = True
    augment_stacks: OnOff = True
    sight_on_reveal: OnOff = True
    raise_zone: Literal["deploy", "any_legal_hex"] = "deploy"
    blind_target_wrong_kind: Literal["spend", "refuse_known_only"] = "spend"
    allow_stop_after_failed_check: OnOff = False
    allow_concede: OnOff = False
    casualties_public: OnOff = True
    sack_count_public: OnOff = True
    open_army_lists: OnOff = False
    max_turns: Annotated[int, Field(ge=1, le=30000)] = 400
    no_progress_turns: Annotated[int, Field(ge=1, le=30000)] = 120
    max_progressive: Annotated[int, Field(ge=1, le=100)] = 64
    reward: Literal["zero_sum", "win_only"] = "zero_sum"

    def copies(self, rank: int) -> int:
        """Return how many copies of a token of `rank` an army may hold."""
        keys: tuple[RankKey, ...] = ("1", "2", "3+")
        return self.copy_limits[keys[min(rank, 3) - 1]]

    def radius(self, num_generals: int) -> int:
        """Return the radius of the board."""
        return 5 + 2 * num_generals if self.grid_radius is None else self.grid_radius


SAME_NAME = (  # numbers and on/off switches that the record holds under their own names
    *("draw_count", "hand_limit", "initial_hand", "max_turns", "no_progress_turns", "max_progressive", "max_ranks"),
    *("min_battlefields", "auto_forced", "auto_ambush", "ranged_coord_connected", "leadership_must_attack"),
    *("advance_after_coord", "surprise_precludes_counter", "sum_simultaneous_damage", "scatter_save"),
    *("augment_stacks", "sight_on_reveal", "allow_concede", "casualties_public", "sack_count_public"),
    "open_army_lists",
)
CHOICES = (  # field of the record, switch, values for which the field is 1
    ("clockwise_turns", "turn_direction", ("cw_turns",)),
    ("neutral_by_owner", "neutral_zone_basis", ("owner",)),
    ("pick_at_placement", "setup_pick", ("any_at_placement",)),
    ("windows_full", "reaction_windows", ("full",)),
    ("windows_targeted_only", "reaction_windows", ("targeted_only",)),
    ("coord_window_before", "coord_window", ("before_check", "both")),
    ("coord_window_after", "coord_window", ("after_check", "both")),
    ("single_counter_late", "counter_timing_single", ("after_attack_flips",)),
    ("coord_counter_early", "counter_timing_coord", ("before_flips",)),
    ("raise_any_legal_hex", "raise_zone", ("any_legal_hex",)),
    ("blind_known_only", "blind_target_wrong_kind", ("refuse_known_only",)),
    ("win_only", "reward", ("win_only",)),
)


def fill_switches(record: NDArray[np.void], switches: Switches) -> None:
    """Write all switches to the parameters `record` ((1,) PARAMS_DTYPE)."""
    for name in SAME_NAME:
        record[name] = getattr(switches, name)
    for field, name, values in CHOICES:
        record[field] = getattr(switches, name) in values
    record["flip_method"] = FlipMethod[switches.flip_method.upper()]
    record["stop_after_failed_check"] = switches.allow_stop_after_failed_check
    record["copy_limits"] = [switches.copies(rank) for rank in (1, 2, 3)]
