"""Tensors of a stranger: what `torch.load` is given is looked over first, so that reading it runs and claims nothing.

`torch.load(..., weights_only=True)` runs no code, but its reader may be made to ask for more memory than there is, and
it knows an older format that is told apart by the first bytes. So only archives as `torch.save` writes them today get
that far: nothing packed, all sizes true, and a pickle that names tensors, dicts and nothing else.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
import struct
import zipfile
from typing import Any

import torch

from sackarmies_env.core.words import cut, printable

# What a damaged archive or member has been seen or is documented to raise.
DAMAGED = (
    *(zipfile.BadZipFile, EOFError, OSError, LookupError, ValueError, RuntimeError, TypeError, ArithmeticError),
    *(AttributeError, AssertionError, struct.error, pickle.UnpicklingError),
)
SIGNATURE = b"PK\x03\x04"
PICKLE = "data.pkl"
MAX_REASON = 300  # characters of what is wrong with an archive
MAX_MEMBERS = 10_000
PROTOCOL = 2
NAMES = {
    "collections OrderedDict",
    "torch._utils _rebuild_tensor_v2",
    *(f"torch {kind}Storage" for kind in ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Byte", "Bool")),
}
OPCODES = {
    *("PROTO", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT"),
    *("BINUNICODE", "SHORT_BINUNICODE", "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "EMPTY_LIST", "APPEND"),
    *("APPENDS", "EMPTY_DICT", "SETITEM", "SETITEMS", "GLOBAL", "REDUCE", "BUILD", "BINPERSID"),
    *("BINPUT", "LONG_BINPUT", "BINGET", "LONG_BINGET"),
}


class NoTensorsError(ValueError):
    """Says what an archive holds that no tensors need."""


def load_tensors(content: bytes) -> dict[str, Any]:
    """Return a dict of tensors, numbers, texts, lists and further dicts.

    Args:
        content: as `torch.save` writes it.

    Raises:
        ValueError: it is anything else, or damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            check_archive(archive, len(content))
            pickles = [name for name in archive.namelist() if name.rpartition("/")[2] == PICKLE]
            if not content.startswith(SIGNATURE) or len(pickles) != 1:
                raise NoTensorsError("it is no archive of tensors")
            check_pickle(archive.read(pickles[0]))
        loaded = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    except NoTensorsError as error:
        raise ValueError(cut(printable(error), MAX_REASON)) from None
    except pickle.UnpicklingError:
        raise ValueError("it holds more than tensors") from None
    except DAMAGED as error:
        raise ValueError(f"its tensors cannot be read, {type(error).__name__}") from None
    if not isinstance(loaded, dict) or not all(isinstance(key, str) for key in loaded):
        raise ValueError("it holds no tensors by name")
    check_sizes(loaded)
    return loaded


def check_archive(archive: zipfile.ZipFile, size: int) -> None:
    """Refuse an archive that would grow when it is unpacked.

    Raises:
        NoTensorsError: a member is packed or locked, sizes do not add up, or a name stands twice.
    """
    members = archive.infolist()
    if len(members) > MAX_MEMBERS or len({member.filename for member in members}) < len(members):
        raise NoTensorsError("it has too many members, or two of the same name")
    if any(member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1 for member in members):
        raise NoTensorsError("its members must be neither packed nor locked")
    if any(member.file_size != member.compress_size for member in members):
        raise NoTensorsError("a member claims another size than it has")
    if sum(member.file_size for member in members) > size:
        raise NoTensorsError("its members claim to be larger than the whole")


def check_pickle(content: bytes) -> None:
    """Refuse a pickle that does more than to put tensors into dicts and lists.

    Raises:
        NoTensorsError: it names something else, or uses what `torch.save` has no use for.
    """
    for number, (opcode, argument, _) in enumerate(pickletools.genops(content)):
        if opcode.name not in OPCODES:
            raise NoTensorsError("it holds more than tensors")
        if opcode.name == "PROTO" and argument != PROTOCOL:  # torch would warn, and go on
            raise NoTensorsError(f"its tensors are of protocol {argument}, but torch.save writes {PROTOCOL}")
        if opcode.name == "GLOBAL" and argument not in NAMES:
            raise NoTensorsError("it holds more than tensors")
        if opcode.name == "LONG_BINPUT" and int(argument or 0) > number:
            raise NoTensorsError("its tensors are numbered wrongly")


def check_sizes(loaded: dict[str, Any]) -> None:
    """Refuse tensors that are larger than what is stored for them.

    Raises:
        ValueError: there is one.
    """
    rest: list[Any] = [loaded]
    seen: set[int] = set()
    while rest:
        node = rest.pop()
        if isinstance(node, torch.Tensor):
            if math.prod(node.shape) * node.element_size() > node.untyped_storage().nbytes():
                raise ValueError("a tensor claims to be larger than what is stored")
        elif isinstance(node, dict | list | tuple) and id(node) not in seen:
            seen.add(id(node))
            rest.extend(node.values() if isinstance(node, dict) else node)
