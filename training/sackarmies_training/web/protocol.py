"""Messages between a page and its session: validated requests from the page, and messages to it.

A message is a line of JSON, an object with the key `kind`. Messages from a page are untrusted: any fault becomes a
sentence, and nothing is changed.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field

from sackarmies_env.core.messages import join, quote, suggestion
from sackarmies_env.core.safe_read import parse_json
from sackarmies_env.core.validation import SingleLine, StrictModel, TupleOf, read_model

MAX_MESSAGE = 16_384  # bytes
MAX_TEXT = 500  # characters of an agent or army, which may name files by long paths
MAX_PLAYERS = 16
MAX_SEED = 2**53 - 1  # the greatest integer that JavaScript writes exactly
REFEREE = "referee"

Message = dict[str, Any]  # from the server

Name = Annotated[SingleLine, Field(min_length=1, max_length=MAX_TEXT)]
FILE_NAME = r"[A-Za-z0-9][A-Za-z0-9 _-]{0,59}"
FileName = Annotated[str, Field(pattern=rf"^{FILE_NAME}$")]
Until = Literal["off", "turn", "attack"]
Eyes = Annotated[int, Field(ge=0, lt=MAX_PLAYERS)] | Literal["referee"]


def not_empty(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """Refuse an empty list; pydantic's `min_length` would also refuse a list whose items are all wrong.

    Raises:
        ValueError: it is empty.
    """
    if not items:
        raise ValueError("the list must have at least 1 entry")
    return items


class Start(StrictModel):
    """Begin a game.

    Attributes:
        players: by seat, PERSON or the text of an agent that the dialogue offers.
        armies: by seat, of those that the dialogue offers; empty for the usual ones.
        seed: None to draw one.
        eyes: whose view is shown where no person plays: a seat or REFEREE.
    """

    kind: Literal["start"]
    players: Annotated[TupleOf[Name], Field(max_length=MAX_PLAYERS), AfterValidator(not_empty)]
    armies: Annotated[TupleOf[Name], Field(max_length=MAX_PLAYERS)] = ()
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None
    eyes: Eyes = "referee"


class Resume(StrictModel):
    """Continue a saved game.

    Attributes:
        name: name that it is saved under.
        eyes: as for `Start`; None for the view in which it was last watched in this session, if it was.
    """

    kind: Literal["resume"]
    name: FileName
    eyes: Eyes | None = None


class Choose(StrictModel):
    """Make a choice, or the first parts of one at once.

    Attributes:
        number: of the question.
        actions: ids, one after another; those that were forced meanwhile are skipped.
    """

    kind: Literal["choose"]
    number: Annotated[int, Field(ge=0, lt=2**31)]
    actions: Annotated[TupleOf[Annotated[int, Field(ge=0, lt=2**31)]], Field(max_length=8), AfterValidator(not_empty)]


class Back(StrictModel):
    """Take back the last choices."""

    kind: Literal["back"]
    number: Annotated[int, Field(ge=0, lt=2**31)]
    count: Annotated[int, Field(ge=1, le=1000)] = 1


class Passing(StrictModel):
    """Pass in all reactions, until one's own turn, or until something of one's own is attacked."""

    kind: Literal["passing"]
    until: Until


class Cover(StrictModel):
    """Lower the curtain, so that the device can be passed on."""

    kind: Literal["cover"]


class Uncover(StrictModel):
    """Raise the curtain: the person of a seat has the device."""

    kind: Literal["uncover"]
    seat: Annotated[int, Field(ge=0, lt=MAX_PLAYERS)]


class Next(StrictModel):
    """Have agents in a watched game play on, up to the next visible step."""

    kind: Literal["next"]


class Save(StrictModel):
    """Save the game under a name.

    Attributes:
        name: name of the game.
        overwrite: whether another game saved under this name may be overwritten.
    """

    kind: Literal["save"]
    name: FileName
    overwrite: bool = False


class Leave(StrictModel):
    """Leave the game, back to the dialogue."""

    kind: Literal["leave"]


Request = Start | Resume | Choose | Back | Passing | Cover | Uncover | Next | Save | Leave
REQUESTS: dict[str, type[StrictModel]] = {
    get_args(model.model_fields["kind"].annotation)[0]: model for model in get_args(Request)
}


def read_request(data: str | bytes) -> Request:
    """Read and validate a request from a page.

    Raises:
        ValueError: it is too long, not JSON, of an unknown kind, or does not fit its kind; the text is a sentence.
    """
    size = len(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    if size > MAX_MESSAGE:
        raise ValueError(f"a message of {size} bytes is too long: at most {MAX_MESSAGE} are allowed")
    message = parse_json(data if isinstance(data, str) else data.decode("utf-8", "replace"), "message")
    kind = message.get("kind") if isinstance(message, dict) else None
    model = REQUESTS.get(kind) if isinstance(kind, str) else None
    if model is None:
        near = suggestion(kind, REQUESTS)
        raise ValueError(f"message: unknown kind {quote(kind)}{near}: known are {join(REQUESTS)}")
    request: Request = read_model(model, message, "message")  # type: ignore[assignment] # one of them
    return request


def write(message: Message) -> str:
    """Return a message from the server as a line of JSON; equal messages give equal lines."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def error(text: str) -> Message:
    """Return the message that a request was refused; nothing has changed."""
    return {"kind": "error", "text": text}
