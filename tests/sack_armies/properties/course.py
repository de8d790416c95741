"""The course of a game: choices that are begun can be completed, turns are bounded, and games end."""

from __future__ import annotations

from sackarmies_env.games.sack_armies.state.constants import Decision, Zone
from sackarmies_env.games.sack_armies.state.record import MAX_CHAIN, MAX_INSTANCES
from sackarmies_env.games.sack_armies.tokens.schema import Text, Unit
from tests.sack_armies.properties.bout import Bout, Look
from tests.sack_armies.properties.invariants import branches
from tests.sack_armies.properties.view import View

INNER = frozenset(  # later parts of a choice: nothing is announced before the last of them
    {
        *(Decision.SETUP_HEX, Decision.DEPLOY_HEX, Decision.REVEAL_HEX, Decision.REVEAL_SLOT, Decision.MOVE_TO),
        *(Decision.SOURCE, Decision.TARGET, Decision.COORD_TARGET, Decision.COORD_MEMBER, Decision.TOKEN_HOST),
        *(Decision.TOKEN_SLOT, Decision.RAISE_TYPE, Decision.CAST_HOST, Decision.CAST_SLOT, Decision.SURPRISE_SLOT),
        *(Decision.EFFECT_TARGET, Decision.EFFECT_SLOT, Decision.EFFECT_HEX, Decision.EFFECT_TYPE),
    }
)
PICKS = (0, -1)  # the first legal id, the last

# --- prefixes


def completions(bout: Bout) -> Look:
    """Return a `Look` that completes every choice offered at a decision, in two ways each."""

    def look() -> None:
        for action, after in branches(bout):
            for pick in PICKS:
                complete(bout, action, after, pick)

    return look


def complete(bout: Bout, action: int, after: Bout, pick: int) -> None:
    """Complete a partial choice, taking the first or the last legal id each time."""
    one = after.twin()
    begun = bout.game.format_action(bout.states, action)
    units = int((bout.state["token_zone"] == Zone.BATTLEGROUND).sum())
    most = MAX_CHAIN + units + 1  # attackers are named one by one
    while one.player == bout.player and one.decision in INNER:
        legal = one.legal()
        told = ", ".join([*bout.texts, begun, *one.texts])
        assert one.state["error"] == 0 and legal, f"after {told} nothing is legal at {one.decision.name}"
        assert len(one.texts) <= most, f"after {told} the choice is still not complete"
        one.act(legal[pick])
    assert one.state["error"] == 0, f"error {one.state['error']} after {', '.join([begun, *one.texts])}"
    assert one.player < 0 or one.legal(), f"nothing is legal after {', '.join([begun, *one.texts])}"


# --- turns


def turn_bound(start: View) -> int:
    """Return an upper bound on the decisions of a turn that begins in this position (section 5, obligation 6).

    Whatever does not end the turn uses up something that does not come back in it: a reaction other than a pass reveals
    or spends a token on the board; a cancelled announcement needs such a reaction; a failed check employs two units.
    Tokens that may be deployed from the hand count as if they were on the board.
    """
    switches = start.switches
    seats = len(start.alive)
    on_board = [*start.units, *(token for unit in start.units for token in unit.attachments)]
    hand = sum(token.zone == Zone.HAND and token.owner == start.active for token in start.position.tokens)
    drawn = switches.draw_count + sum(has_draw(unit.text) for unit in start.units)
    face_down = sum(not token.face_up for token in on_board) + hand
    reactions = face_down + len(on_board) - len(start.units) + hand  # reveals, surprise maneuvers
    effects = max(len(token.effects) for token in start.config.tokens if isinstance(token, Text))
    announcements = 1 + face_down + len(start.units) // 2
    windows = 3 * announcements + (4 + hand if switches.reaction_windows == "full" else 0)
    choice = 2 + MAX_CHAIN + len(start.units) + hand + 3 * effects  # with targets of effects
    combat = 5  # charge, ambush, counter-attack, designation, advance
    saves = MAX_INSTANCES * (2 + most_attachments(start))
    return (
        announcements * (choice + combat)
        + windows * seats
        + reactions * (seats + 3 + 3 * effects)
        + saves
        + (2 * hand + 1)  # deploying
        + (hand + drawn + 1)  # discarding
        + 5  # moving two units
    )


def has_draw(text: object) -> bool:
    """Return whether a unit has Draw."""
    return isinstance(text, Unit) and any(ability.kind == "draw" for ability in text.abilities)


def most_attachments(start: View) -> int:
    """Return how many attachments may be named to save a unit."""
    return max((len(unit.attachments) for unit in start.units), default=0)


class Turns:
    """Property that counts the decisions of each turn and compares them with its bound.

    Attributes:
        longest: most decisions of a turn so far, Setup aside.
        closest: largest share of a bound so far.
    """

    longest = 0
    closest = 0.0

    def __call__(self, bout: Bout) -> Look:
        """Return a `Look` that counts every decision."""
        turn, count, bound = -1, 0, 0

        def look() -> None:
            nonlocal turn, count, bound
            if int(bout.state["turn"]) != turn:
                turn, count = int(bout.state["turn"]), 0
                bound = turn_bound(View(bout)) if turn else setup_bound(bout)
            if bout.player >= 0:
                count += 1
                assert count <= bound, f"decision {count} of turn {turn}, which has {bound} at most"
                if turn:
                    self.longest = max(self.longest, count)
                    self.closest = max(self.closest, count / bound)

        return look


def setup_bound(bout: Bout) -> int:
    """Return an upper bound on the decisions of Setup: five picks, five types and five hexes for each General."""
    return 15 * bout.game.num_players
