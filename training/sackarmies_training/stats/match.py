"""Results of one agent against another: shares with intervals over units, Elo, results of pairs, and a test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sackarmies_env.core.messages import counted
from sackarmies_training.stats.elo import NORMALIZED_PER_DEVIATION, elo_of
from sackarmies_training.stats.estimate import RESAMPLES, Estimate, Estimates
from sackarmies_training.stats.sprt import EVEN, POINTS, SprtPlan, Verdict, count_units
from sackarmies_training.stats.units import PlayedUnit


@dataclass(frozen=True)
class Match:
    """The games of an agent against an opponent in all other seats.

    Attributes:
        agent: its name.
        opponent: its name.
        units: at least one.
    """

    agent: str
    opponent: str
    units: Sequence[PlayedUnit]

    @cached_property
    def score(self) -> Estimate:
        """Share of the points that the agent took.

        Raises:
            ValueError: no points were given.
        """
        score = Estimates([self.agent, self.opponent], self.units).payoff(self.agent, self.opponent)
        if score is None:
            raise ValueError(f"no points were given in the games of {self.agent!r} against {self.opponent!r}")
        return score

    @property
    def is_paired(self) -> bool:
        """Whether units are pairs of games of two players."""
        return len(self.units[0].line_up) == 2

    @cached_property
    def counts(self) -> list[int]:
        """Number of pairs in which the agent took 0, 1/2, 1, 3/2 and 2 points: the pentanomial."""
        return count_units([unit.points(self.agent) for unit in self.units])

    @property
    def normalized_elo(self) -> float:
        """The difference in normalized Elo of pairs; infinite if all pairs are alike and not even."""
        chances = [count / len(self.units) for count in self.counts]
        mean = sum(chance * share for chance, share in zip(chances, POINTS.tolist(), strict=True))
        square = sum(chance * (share - mean) ** 2 for chance, share in zip(chances, POINTS.tolist(), strict=True))
        if mean == EVEN:
            return 0.0
        above = math.copysign(1.0, mean - EVEN)
        return NORMALIZED_PER_DEVIATION * (mean - EVEN) / math.sqrt(2 * square) if square > 0 else above * math.inf

    def sentences(self) -> list[str]:
        """Return the figures in sentences."""
        score = self.score
        told = f"{score.value:.1%} ({score.low:.1%} to {score.high:.1%}) of the points"
        if not self.is_paired:
            return [f"{told}, {self._method()}"]
        elo = f"{elo_of(score.value):+.0f} Elo ({elo_of(score.low):+.0f} to {elo_of(score.high):+.0f})"
        return [
            f"{told}, {elo}, {self._method()}",
            f"pairs with 0, 1/2, 1, 3/2, 2 points: {', '.join(map(str, self.counts))}; normalized Elo "
            f"{self.normalized_elo:+.0f}",
        ]

    def _method(self) -> str:
        """Return where the interval of the score comes from."""
        units = counted(self.score.units, "pair" if self.is_paired else "unit")
        if not self.is_paired:
            units += f" of {len(self.units[0].outcomes)} games"
        if self.score.is_resampled:
            return f"by bootstrap over {units} ({RESAMPLES} resamples)"
        alike = ", which all have the same result" if self.score.units > 1 else ""
        return f"by Wilson's formula over {units}{alike}"

    def verdict_sentence(self, plan: SprtPlan) -> str:
        """Return what a sequential test of these pairs says."""
        ratio = float(plan.ratio(self.counts))
        verdict = plan.verdict(ratio)
        low, high = plan.limits
        rate = plan.alpha if verdict is Verdict.STRONGER else plan.beta
        told = {
            Verdict.STRONGER: f"{self.agent} is stronger than {self.opponent} (nominal error rate {100 * rate:g}%)",
            Verdict.WEAKER: f"{self.agent} is not stronger than {self.opponent} (nominal error rate {100 * rate:g}%)",
            Verdict.UNDECIDED: f"undecided: {2 * len(self.units)} games, the budget, do not say who is stronger",
        }[verdict]
        return (
            f"{told}; test of {plan.elo0:+g} against {plan.elo1:+g} {plan.scale.told}, log-likelihood ratio "
            f"{ratio:+.2f}, limits {low:+.2f} and {high:+.2f}. A test that may stop early exaggerates differences."
        )
