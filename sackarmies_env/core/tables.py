"""Data files: TOML, strict models, and faults told as sentences: file, entry, key, what was given, what is allowed.

What a file may hold is a pydantic model beside what it describes (decision 0004). Kernels see none of this: data
reaches them as arrays.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import InitErrorDetails

Item = TypeVar("Item")
Model = TypeVar("Model", bound=BaseModel)
Several = Annotated[tuple[Item, ...], Field(strict=False)]  # a list in TOML; the items stay strict

BOUNDS = {  # error type -> the bound in its context, and how to say it
    "greater_than_equal": ("ge", "must be at least"),
    "less_than_equal": ("le", "may be at most"),
    "greater_than": ("gt", "must be greater than"),
    "less_than": ("lt", "must be less than"),
}
WANTED = {  # error type -> what was wanted
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a text in quotes",
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


def read_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file.

    Raises:
        ValueError: the file is missing, unreadable, or no TOML; the sentence names file and place.
    """
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise ValueError(f"{path}: this is a folder, a TOML file is wanted") from None
    except OSError as error:
        raise ValueError(f"{path}: the file cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: the file is not UTF-8 text (byte {error.start})") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: not valid TOML: {error}") from None


def suggestion(given: object, known: Iterable[str]) -> str:
    """Return ` (did you mean "x"?)` for the known word nearest to `given`, or nothing if none is near."""
    near = difflib.get_close_matches(str(given), list(known), n=1)
    return f' (did you mean "{near[0]}"?)' if near else ""


class Strict(BaseModel):
    """A table whose keys are fixed and whose values are not converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="wrap")
    @classmethod
    def refuse_unknown_keys(cls, data: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Name each unknown key together with the keys that are allowed, and look at the others all the same."""
        unknown = [key for key in data if key not in cls.model_fields] if isinstance(data, Mapping) else []
        if not isinstance(data, Mapping) or not unknown:
            return handler(data)
        named = ", ".join(f"{told(key)}{suggestion(key, cls.model_fields)}" for key in unknown)
        message = f"unknown key {named}; allowed are {listed(cls.model_fields)}"
        faults = [InitErrorDetails(type="value_error", loc=(), input=data, ctx={"error": message})]
        try:
            handler({key: value for key, value in data.items() if key not in unknown})
        except ValidationError as error:
            faults += [
                InitErrorDetails(type=e["type"], loc=e["loc"], input=e["input"], ctx=e.get("ctx", {}))
                for e in error.errors()
            ]
        raise ValidationError.from_exception_data(cls.__name__, faults)


def read_model(model: type[Model], data: object, source: str) -> Model:
    """Return `data` as a `model`; `source` names it for the reader.

    Raises:
        ValueError: with a line for each fault, naming source, entry, key, what was given and what is allowed.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise ValueError("\n".join(explain(error.errors(), data, source))) from None


def doubled(words: list[str], noun: str) -> list[str]:
    """Return a sentence for each word that stands twice."""
    return [
        f"the {noun} {told(word)} is given {words.count(word)} times"
        for word in dict.fromkeys(words)
        if words.count(word) > 1
    ]


def explain(errors: Sequence[Mapping[str, Any]], data: object, source: str) -> list[str]:
    """Return one sentence for each fault that pydantic found, in plain words.

    Args:
        errors: `ValidationError.errors()`.
        data: what was validated.
        source: the file, or how else the reader knows the data.
    """
    sentences = []
    for error in errors:
        loc = (*error["loc"], "kind") if error["type"].startswith("union_tag_") else error["loc"]
        sentences.append(f"{place(loc, data, source)}: {fault(error)}")
    return sentences


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
                path += f".{step}" if path and not path.endswith(": ") else str(step)
                node = node.get(step)
        elif isinstance(node, Sequence) and not isinstance(node, str) and isinstance(step, int) and step < len(node):
            node = node[step]
            name = entry_name(node)
            path += f' "{name}": ' if name else f"[{step}]"
        tag = node.get("kind") if isinstance(node, Mapping) else None
    path = path.removesuffix(": ")
    return f"{source}: {path}" if path else source


def entry_name(node: object) -> str:
    """Return how an entry of a list is known: by its id, or by the token it is about."""
    if isinstance(node, Mapping):
        for key in ("id", "token"):
            if isinstance(node.get(key), str):
                return str(node[key])
    return ""


def fault(error: Mapping[str, Any]) -> str:
    """Return what was given and what is allowed, for one error of pydantic."""
    kind, given, context = error["type"], error.get("input"), error.get("ctx", {})
    if kind in ("missing", "union_tag_not_found"):
        return "the key is missing"
    if kind in BOUNDS:
        bound, words = BOUNDS[kind]
        return f"{told(given)} is given, but it {words} {context[bound]}"
    if kind in WANTED:
        return f"{told(given)} is given, but {WANTED[kind]} is wanted"
    if kind in SIZES:
        words = "at least" if kind.endswith("short") else "at most"
        return f"{told(given)} is given, but {words} {context[SIZES[kind]]} are wanted"
    if kind in ("literal_error", "union_tag_invalid"):
        allowed = re.findall(r"'([^']*)'", str(context.get("expected", context.get("expected_tags"))))
        wrong = context.get("tag", given)
        return f"{told(wrong)} is not allowed{suggestion(wrong, allowed)}; allowed are {listed(allowed)}"
    if kind == "string_pattern_mismatch":
        return f"{told(given)} is not allowed: it must match {context['pattern']}"
    if kind == "value_error":
        return str(context["error"])
    return f"{told(given)} is given: {error['msg']}"


def told(value: object) -> str:
    """Return a value as it may stand in a sentence: as in TOML, and short."""
    text = f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def listed(words: Iterable[object]) -> str:
    """Return words as a list in a sentence."""
    return ", ".join(told(word) if isinstance(word, str) else str(word) for word in words)
