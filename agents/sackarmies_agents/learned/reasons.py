"""Another agent's reasons for its choice, as an input of networks.

What a choice is worth depends on what it leads to: a verb of the menu says neither which unit moves nor what it
attacks. The agent's plans say this, and networks see what lies there.
"""

from __future__ import annotations

from torch import Tensor, nn

from sackarmies_agents.scripted.compiled import NUM_NOTES, NUM_PARTS, PLAN_IDS


class ReasonLayers(nn.Module):
    """Turns reasons into terms that are added to what is seen on ids, and to the vectors of tokens.

    Args:
        around: length of what lies on and around an id.
        hidden: width of what is seen.
        token: width of a vector of a token.
    """

    def __init__(self, around: int, hidden: int, token: int) -> None:
        super().__init__()
        self.plans = nn.ModuleList([nn.Linear(around, hidden, bias=False) for _ in range(PLAN_IDS)])
        self.parts = nn.Linear(NUM_PARTS, hidden)
        self.notes = nn.Linear(NUM_NOTES, token, bias=False)

    def of_tokens(self, notes: Tensor, entry: Tensor) -> Tensor:
        """Return what is added to tokens, `(k, token)`; `entry`, `(k,)`, numbers the rows of all positions."""
        added: Tensor = self.notes(notes.flatten(0, 1).index_select(0, entry))
        return added
