"""Ways to damage a document, as bytes or as data. All chance comes from the `Random` argument."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

CONTAINERS = (dict, list)
DEEP = 10_000
MANY = 2_000
LONG = 50_000
NUMBERS = (
    *(0, -1, 1, 2, 3, 6, 7, 63, 64, 127, 128, 255, 256, 271, 999, 32767, 32768, 2**31, 2**32, 2**53),
    *(2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**30, 10**400, -(10**400)),
    *(0.0, -0.0, 0.5, 1e308, -1e308, 5e-324, float("inf"), float("-inf"), float("nan")),
)
TEXTS = (
    *(
        "",
        " ",
        "a",
        "A",
        "true",
        "None",
        "null",
        "0",
        "-1",
        "plain",
        "random",
        "learner",
        "sack_armies",
        "..",
        "/dev/zero",
    ),
    *(
        "\x00",
        "\x1b[2J\x1b]0;x\x07",
        "a\nb",
        "\r",
        "\x7f",
        "\x9b31m",
        "\u202egnp",
        "\u2028",
        "\ufeff",
        "\ud800",
        "\U0010ffff",
    ),
    *(
        "%s%n{0}{x}",
        "[bold]x[/]",
        "[/red]",
        "ppo:path=/dev/zero",
        "../../../etc/passwd",
        "file:///etc/passwd",
        "é" * 70,
    ),
)
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "cp500")
SYNTAX = (
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b"'",
    b"\\",
    b"\n",
    b"\r",
    b"\x00",
    b"\xff",
    b"#",
    b"=",
    b",",
    b".",
    b"-",
    b"\xed\xa0\x80",
)


# --- data


def odd_value(rng: Random) -> Any:
    """Return a value that hardly any place expects."""
    kind = rng.randrange(12)
    if kind < 4:
        return rng.choice(NUMBERS)
    if kind < 7:
        return rng.choice(TEXTS)
    if kind == 7:
        return rng.choice(("x", "a_", "\x1b[", "ab ")) * rng.choice((10, 100, LONG))
    if kind == 8:
        return nested(rng.choice((5, 30, 200)), as_table=rng.random() < 0.5)
    if kind == 9:
        return [rng.choice(NUMBERS)] * rng.choice((1, 10, 1000))
    if kind == 10:
        return {f"k{number}": number for number in range(rng.choice((1, 10, 1000)))}
    return rng.choice((True, False, None, [], {}, [[]], [{}], {"": ""}))


def nested(depth: int, *, as_table: bool) -> Any:
    """Return nested lists or tables."""
    value: Any = 1
    for _ in range(depth):
        value = {"a": value} if as_table else [value]
    return value


def places(data: Any) -> list[tuple[Any, Any]]:
    """Return the places of a document as (container, key) pairs, at most about `MANY`."""
    found: list[tuple[Any, Any]] = []
    stack = [data] if isinstance(data, CONTAINERS) else []
    while stack and len(found) < MANY:
        node = stack.pop()
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            found.append((node, key))
            if isinstance(value, CONTAINERS):
                stack.append(value)
    return found


def copy_data(data: Any) -> Any:
    """Return a copy of plain data, in much less time than `copy.deepcopy` takes."""
    if isinstance(data, dict):
        return {key: copy_data(value) for key, value in data.items()}
    return [copy_data(value) for value in data] if isinstance(data, list) else data


def mutate_data(rng: Random, data: Any, other: Any) -> Any:
    """Return a damaged copy of plain data, possibly with parts of `other`, a document of the same kind."""
    data = copy_data(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = places(data)
        if not at or rng.random() < 0.01:
            return odd_value(rng)
        node, key = rng.choice(at)
        rng.choice(CHANGES)(rng, node, key, other)
    return data


def replace(rng: Random, node: Any, key: Any, other: Any) -> None:
    """Replace a value by an odd one."""
    node[key] = odd_value(rng)


def nudge(rng: Random, node: Any, key: Any, other: Any) -> None:
    """Change a value a little."""
    value = node[key]
    if isinstance(value, bool):
        node[key] = not value
    elif isinstance(value, int | float):
        node[key] = value + rng.choice((-1, 1, -10, 10, 100)) if abs(value) < 2**60 else -value
    elif isinstance(value, str) and value:
        cut = rng.randrange(len(value))
        node[key] = value[:cut] + rng.choice(("", "x", value[cut], " ", "\n", "\x1b")) + value[cut + 1 :]
    elif isinstance(value, list) and value:
        rng.shuffle(value)


def change_type(rng: Random, node: Any, key: Any, other: Any) -> None:
    """Replace a value by the same value in another type."""
    value = node[key]
    node[key] = rng.choice((str(value), [value], {"value": value}, {"kind": value}, bool(value), repr(value)))


def remove(rng: Random, node: Any, key: Any, other: Any) -> None:
    """Remove a key or an entry."""
    del node[key]


def rename(rng: Random, node: Any, key: Any, other: Any) -> None:
    """Rename a key; in a list, repeat an entry."""
    if isinstance(node, dict):
        name = rng.choice(
            (key + "s", key[:-1], key.upper(), rng.choice(TEXTS), (key * 1000)[:1000], f"{key}.{key}"[:1000])
        )
        node[name] = node.pop(key)
    else:
        node.extend([node[key]] * (rng.choice((1, 2, 100)) if len(node) < 200 else 1))


def add(rng: Random, node: Any, key: Any, other: Any) -> None:
    """Add an unknown key or entry."""
    if isinstance(node, dict):
        node[rng.choice(TEXTS) + rng.choice(("", "x"))] = odd_value(rng)
    else:
        node.insert(key, odd_value(rng))


def splice(rng: Random, node: Any, key: Any, other: Any) -> None:
    """Replace a value by a part of another document."""
    theirs = places(other)
    if theirs:
        source, name = rng.choice(theirs)
        node[key] = copy_data(source[name])


CHANGES: tuple[Callable[[Random, Any, Any, Any], None], ...] = (
    *(replace, replace, nudge, nudge, change_type, remove, rename, add, splice),
)


# --- bytes


def mutate_bytes(rng: Random, content: bytes, other: bytes) -> bytes:
    """Return damaged bytes; `other` is a document of the same kind."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        content = rng.choice(WOUNDS)(rng, content, other)
    return content


def flip_bits(rng: Random, content: bytes, other: bytes) -> bytes:
    """Flip some bits."""
    wounded = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 16)) if wounded else 0):
        wounded[rng.randrange(len(wounded))] ^= 1 << rng.randrange(8)
    return bytes(wounded)


def truncate(rng: Random, content: bytes, other: bytes) -> bytes:
    """Cut off the end or the beginning, or cut out something in between."""
    first, last = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return rng.choice((content[:first], content[first:], content[:first] + content[last:]))


def splice_bytes(rng: Random, content: bytes, other: bytes) -> bytes:
    """Continue with the rest of another document."""
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]


def insert_syntax(rng: Random, content: bytes, other: bytes) -> bytes:
    """Insert characters with a meaning in the syntax."""
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(SYNTAX) * rng.choice((1, 1, 1, 3, 100)) + content[at:]


def double_line(rng: Random, content: bytes, other: bytes) -> bytes:
    """Repeat a line, so that keys and tables are given twice."""
    lines = content.split(b"\n")
    at = rng.randrange(len(lines))
    return b"\n".join([*lines[: at + 1], lines[at], *lines[at + 1 :]])


def recode(rng: Random, content: bytes, other: bytes) -> bytes:
    """Encode the text in another encoding."""
    return content.decode("utf-8", "replace").encode(rng.choice(ENCODINGS), "replace")


def bury(rng: Random, content: bytes, other: bytes) -> bytes:
    """Insert deeply nested brackets, very many digits, a key of very many parts, or a very long text."""
    burden = rng.choice(
        (
            b"[" * DEEP,
            b"x = " + b"[" * DEEP + b"]" * DEEP,
            b'{"a":' * DEEP,
            b"x = " + b"{a=" * DEEP,
            b"9" * LONG,
            b"x = " + b"9" * LONG,
            b"x = 0x" + b"f" * LONG,
            b"a." * DEEP + b"a = 1",
            b"[" + b"a." * DEEP + b"a]",
            b'x = "' + b"y" * LONG + b'"',
            b"[[token]]\n" * 1000,
        )
    )
    at = rng.choice((0, len(content), rng.randrange(len(content) + 1)))
    return content[:at] + burden + b"\n" + content[at:]


def empty(rng: Random, content: bytes, other: bytes) -> bytes:
    """Replace everything by nothing, or next to nothing."""
    return rng.choice((b"", b" ", b"\n", b"\x00" * 100, b"\xef\xbb\xbf", b"null", b"[]", b"{}"))


WOUNDS: tuple[Callable[[Random, bytes, bytes], bytes], ...] = (
    *(flip_bits, flip_bits, flip_bits, truncate, truncate, splice_bytes, insert_syntax, insert_syntax),
    *(double_line, recode, bury, empty),
)
