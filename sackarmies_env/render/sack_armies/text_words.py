"""The text below the board in a terminal: the key, Generals with their tokens, units, battlefields."""

from __future__ import annotations

from collections.abc import Callable

from sackarmies_env.core.messages import counted
from sackarmies_env.render.canvas import Canvas
from sackarmies_env.render.picture import Hex, pile_text
from sackarmies_env.render.sack_armies.model import AttachmentView, FieldView, PictureData, SeatView, UnitView
from sackarmies_env.render.theme import ANSI_BOLD, ANSI_SEATS

NO_BREAK = "\u00a0"  # a space between words that stay on one line


def key_lines(picture: PictureData, canvas: Canvas) -> list[str]:
    """Return the names behind the codes on the board."""
    names = {(unit.card.code, unit.card.name) for unit in picture.units if unit.card is not None}
    names |= {(field.code, field.name) for field in picture.fields}
    told = [f"{code} {name}".replace(" ", NO_BREAK) for code, name in sorted(names)]
    if any(unit.card is None for unit in picture.units):
        told.append("?? unknown unit".replace(" ", NO_BREAK))
    lines = canvas.wrapped(f"Key: {', '.join(told)}", 5) if told else []
    return [line.replace(NO_BREAK, " ") for line in lines]


def seat_lines(picture: PictureData, seat: SeatView, canvas: Canvas, brief: bool = False) -> list[str]:
    """Return a General's summary line, their tokens off the board as far as they are seen, and their units.

    Args:
        picture: the position.
        seat: the General.
        canvas: wraps and colors the lines.
        brief: only the summary line, the hand and the picks.
    """
    held = sum(field.controller == seat.seat for field in picture.fields)
    own = [field for field in picture.fields if field.owner == seat.seat]
    kept = sum(field.controller == seat.seat for field in own)
    facts = [f"controls {counted(held, 'battlefield')}, {kept} of {len(own)} own", f"hand {seat.hand_size}"]
    facts += [] if seat.sack_size is None else [f"sack {seat.sack_size}"]
    facts += [f"picked {seat.picks_left}"] if seat.picks_left else []
    state = "" if seat.alive else " is eliminated;"
    name = picture.seat_name(seat.seat)
    first, *more = canvas.wrapped(f"{name}{state} {', '.join(facts)}", 4)
    lines = [canvas.styled(name, (ANSI_SEATS[seat.seat], ANSI_BOLD)) + first.removeprefix(name), *more]
    piles = (("hand", seat.hand), ("picked", seat.picks), ("sack", seat.sack))
    lost = () if brief else (("casualties", seat.casualties), ("removed", seat.removed))
    for label, pile in (*piles[: 2 if brief else 3], *lost):
        if pile:
            lines += canvas.wrapped(f"  {label}: {pile_text(pile)}", 4)
    for unit in picture.units:
        if unit.owner == seat.seat and not brief:
            lines += unit_lines(unit, canvas)
    return lines


def unit_lines(unit: UnitView, canvas: Canvas) -> list[str]:
    """Return a unit, what lies under it and what it holds."""
    at = f"{unit.at[0]},{unit.at[1]}"
    flags = [] if unit.face_up else ["face down"]
    flags += ["employed"] if unit.employed else []
    flags += ["moved"] if unit.moved else []
    if unit.card is None:
        lines = [f"  {'??':<4}{at:<7}unrevealed unit" + "".join(f", {flag}" for flag in flags[1:])]
    else:
        card = unit.card
        stats = f"M{card.movement} D{card.damage} A{card.armor}" + (f" R{card.range}" if card.range else "")
        printed = "" if card.printed == (card.movement, card.damage, card.armor) else printed_text(card.printed)
        kinds = [f"{card.unit_class}", card.homeland, f"{card.band} band", f"rank {card.rank}", *flags]
        text = f"  {card.code:<4}{at:<7}{card.name:<22} {stats}{printed}  {', '.join(filter(None, kinds))}"
        lines = canvas.wrapped(text + (f". {card.text}" if card.text else ""), 13)
    for slot, each in enumerate(unit.attachments):
        lines += canvas.wrapped(f"{'':13}{slot}: {attachment_text(unit, each)}", 16)
    if unit.captives:
        lines += canvas.wrapped(f"{'':13}holds {', '.join(name or 'a hidden token' for name in unit.captives)}", 15)
    return lines


def printed_text(printed: tuple[int, int, int]) -> str:
    """Return the printed values, for units whose effective ones differ."""
    return " (printed {} {} {})".format(*printed)


def attachment_text(host: UnitView, attachment: AttachmentView) -> str:
    """Return what is known of an attachment."""
    owner = f" of General {attachment.owner}" if attachment.owner != host.owner else ""
    name = attachment.name or "??"
    kind = f" ({attachment.kind})" if attachment.kind else ""
    face = "" if attachment.face_up else ", face down"
    text = f". {attachment.text}" if attachment.text else ""
    return f"{name}{kind}{owner}{face}{text}"


def field_words(field: FieldView, name: Callable[[int], str]) -> str:
    """Return a battlefield with its owner, its controller and what it does; `name` returns the name of a seat."""
    whose = f"{field.name}, rank {field.rank}, of {name(field.owner)}"
    held = "" if field.controller == field.owner else f", controlled by {name(field.controller)}"
    return whose + held + (f". {field.text}" if field.text else "")


def field_lines(picture: PictureData, canvas: Canvas) -> list[str]:
    """Return the kinds of battlefields on the board and what they do, one line each."""
    kinds = sorted({(field.name, field.code, field.text) for field in picture.fields})
    if not kinds:
        return []
    lines = [canvas.styled("Battlefields", (ANSI_BOLD,))]
    for name, code, text in kinds:
        lines += canvas.wrapped(f"  {code:<4}{name}" + (f": {text}" if text else ""), 6)
    return lines


def hex_lines(picture: PictureData, canvas: Canvas, at: Hex, name: Callable[[int], str]) -> list[str]:
    """Return what is on a hex, none for an empty one; `name` returns the name of a seat."""
    lines = []
    for unit in picture.units:
        if unit.at == at:
            lines += [f"A unit of {name(unit.owner)}:", *unit_lines(unit, canvas)]
    return lines + [field_words(field, name) for field in picture.fields if field.at == at]
