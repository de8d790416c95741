"""Validation of data files: TOML, strict models, and errors that name file, entry, key, given and allowed values.

The schema of a file is a pydantic model beside what it describes (decision 0004). Kernels see none of this: data
reaches them as arrays.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails

from sackarmies_env.core.messages import UNPRINTABLE, join, join_faults, printable, quote, shorten, suggestion
from sackarmies_env.core.safe_read import shallow

Item = TypeVar("Item")
Model = TypeVar("Model", bound=BaseModel)
TupleOf = Annotated[tuple[Item, ...], Field(strict=False)]  # a list in TOML; the items stay strict

MAX_UNKNOWN = 5  # keys that are named at once
MAX_STEP = 40  # characters of a key or an id in the path of a fault
MAX_SENTENCE = 1000  # characters of what a validator says

BOUNDS = {  # error type -> the bound in its context, and how to say it
    "greater_than_equal": ("ge", "must be at least"),
    "less_than_equal": ("le", "must be at most"),
    "greater_than": ("gt", "must be greater than"),
    "less_than": ("lt", "must be less than"),
}
WANTED = {  # error type -> what was expected
    "int_type": "an integer",
    "int_from_float": "an integer",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "a string",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "mapping_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}
SIZES = {  # error type -> the bound in its context
    "too_short": "min_length",
    "too_long": "max_length",
    "string_too_short": "min_length",
    "string_too_long": "max_length",
}


def one_line(text: str) -> str:
    """Return text for people unchanged if it has no `UNPRINTABLE` characters.

    Raises:
        ValueError: it holds control characters, which a terminal would interpret.
    """
    if UNPRINTABLE.search(text):
        raise ValueError(f"{quote(text)} contains control characters, which are not allowed")
    return text


def some_lines(text: str) -> str:
    """Do the same as `one_line`, but allow line breaks."""
    one_line(text.replace("\n", ""))
    return text


SingleLine = Annotated[str, AfterValidator(one_line)]
MultiLine = Annotated[str, AfterValidator(some_lines)]


class StrictModel(BaseModel):
    """A table whose keys are fixed and whose values are not converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="wrap")
    @classmethod
    def refuse_unknown_keys(cls, data: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Report unknown keys together with the keys that are allowed, and validate the others all the same."""
        unknown = [key for key in data if key not in cls.model_fields] if isinstance(data, Mapping) else []
        if not isinstance(data, Mapping) or not unknown:
            return handler(data)
        named = ", ".join(f"{quote(key)}{suggestion(key, cls.model_fields)}" for key in unknown[:MAX_UNKNOWN])
        named += f" and {len(unknown) - MAX_UNKNOWN} more" if len(unknown) > MAX_UNKNOWN else ""
        message = f"unknown key {named}; allowed are {join(cls.model_fields)}"
        faults = [InitErrorDetails(type="value_error", loc=(), input=data, ctx={"error": message})]
        try:
            handler({key: value for key, value in data.items() if key in cls.model_fields})
        except ValidationError as error:
            faults += [
                InitErrorDetails(type=e["type"], loc=e["loc"], input=e["input"], ctx=e.get("ctx", {}))
                for e in error.errors(include_url=False)
            ]
        raise ValidationError.from_exception_data(cls.__name__, faults)


def read_model(model: type[Model], data: object, source: str) -> Model:
    """Validate `data` as a `model`; `source` is its name in messages.

    Raises:
        ValueError: with a line for each of the first faults, naming source, entry, key, what was given and what is
            allowed.
    """
    name = printable(source)
    with plain_faults(data, name):
        return model.model_validate(shallow(data, name))


@contextlib.contextmanager
def plain_faults(data: object, source: str) -> Iterator[None]:
    """Replace pydantic's error about `data` by a ValueError in plain words; see `explain` for the arguments.

    Raises:
        ValueError: pydantic found faults.
    """
    try:
        yield
    except ValidationError as error:
        raise ValueError(join_faults(explain(error.errors(include_url=False), data, source))) from None


def explain(errors: Sequence[Mapping[str, Any]], data: object, source: str) -> list[str]:
    """Return one sentence for each fault that pydantic found, in plain words.

    Args:
        errors: `ValidationError.errors()`.
        data: what was validated.
        source: the file, or another name by which the reader knows the data.
    """
    lines = []
    for error in errors:
        loc = (*error["loc"], "kind") if error["type"].startswith("union_tag_") else error["loc"]
        lines.append(f"{place(loc, data, source)}: {fault(error)}")
    return lines


def place(loc: Sequence[int | str], data: object, source: str) -> str:
    """Return source and path of a fault, such as `army.toml: token "walking_tree": abilities[1].range`.

    pydantic puts the kind of an entry into the path where kinds differ in their keys; such steps are left out. Entries
    of a list of tables are named by their `id` or `token` where they have one.
    """
    path = ""
    node = data
    tag: object = None  # the step that merely repeats the kind of the entry reached last
    for index, step in enumerate(loc):
        if isinstance(node, Mapping):
            if step == tag:
                tag = None
                continue
            if step in node or (index == len(loc) - 1 and isinstance(step, str)):
                key = shorten(printable(step), MAX_STEP)
                path += f".{key}" if path and not path.endswith(": ") else key
                node = node.get(step)
        elif isinstance(node, Sequence) and not isinstance(node, str) and isinstance(step, int) and step < len(node):
            node = node[step]
            name = entry_name(node)
            path += f' "{name}": ' if name else f"[{step}]"
        tag = node.get("kind") if isinstance(node, Mapping) else None
    path = path.removesuffix(": ")
    return f"{source}: {path}" if path else source


def entry_name(node: object) -> str:
    """Return the name of an entry of a list: its id, or the token it is about; "" for none."""
    if isinstance(node, Mapping):
        for key in ("id", "token"):
            if isinstance(node.get(key), str):
                return shorten(printable(node[key]), MAX_STEP)
    return ""


def fault(error: Mapping[str, Any]) -> str:
    """Return what was given and what is allowed, for one error of pydantic."""
    kind, given, context = error["type"], error.get("input"), error.get("ctx", {})
    if kind in ("missing", "union_tag_not_found"):
        return "the key is missing"
    if kind in BOUNDS:
        bound, words = BOUNDS[kind]
        return f"{words} {context[bound]}, not {quote(given)}"
    if kind in WANTED:
        return f"must be {WANTED[kind]}, not {quote(given)}"
    if kind in SIZES:
        words = "at least" if kind.endswith("short") else "at most"
        return f"the length must be {words} {context[SIZES[kind]]}: {quote(given)}"
    if kind in ("literal_error", "union_tag_invalid"):
        allowed = re.findall(r"'([^']*)'", str(context.get("expected", context.get("expected_tags"))))
        wrong = context.get("tag", given)
        return f"{quote(wrong)} is not allowed{suggestion(wrong, allowed)}; allowed are {join(allowed)}"
    if kind == "string_pattern_mismatch":
        return f"{quote(given)} is not allowed: it must match {context['pattern']}"
    if kind == "value_error":
        return shorten(printable(context["error"]), MAX_SENTENCE)
    return f"{quote(given)} is not allowed: {shorten(printable(error['msg']), MAX_SENTENCE)}"
