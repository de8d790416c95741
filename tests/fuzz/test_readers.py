"""Readers given any input return a valid result or refuse it, naming the place and the reason."""

import contextlib
import faulthandler
import os
import resource
import sys
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.cases import documents, encode, fault_of, kept_text, make_case, shrink
from tests.fuzz.readers import READERS
from tests.samples import many

QUICK = 50
SLOW = int(os.environ.get("SACKARMIES_FUZZ_CASES", many(2500)))
SEED = int(os.environ.get("SACKARMIES_FUZZ_SEED", "1"))
BATCH = 50  # cases that are watched together: watching each one takes a thread
HANG = 120.0  # seconds that a batch may take; it usually takes about one
MEMORY = 2**28  # bytes that the cases of a reader may add to the peak; usually 10 MB; a file may have 64 MB
KEPT = Path(__file__).parent / "kept"


@pytest.fixture
def terminal(capfd):
    """Return a file descriptor of the terminal: captured output is lost when the process is killed."""
    with capfd.disabled():
        descriptor = os.dup(sys.stderr.fileno())
    yield descriptor
    os.close(descriptor)


def fuzz(reader, seed, cases, folder, terminal):
    """Try cases; on a fault, report the case and write the smallest document that shows it."""
    place = folder / "place"
    place.mkdir()
    documents(reader)  # their memory does not count
    before = peak_memory()
    with (folder / "case").open("w", encoding="utf-8") as running:  # kept open: saves half a millisecond per case
        for start in range(0, cases, BATCH):
            with end_if_it_hangs(terminal):
                failed = first_fault(reader, seed, range(start, min(start + BATCH, cases)), place, running)
            if failed is not None:
                tell(reader, seed, *failed, folder)
    grown = peak_memory() - before
    assert grown <= MEMORY, f"{reader.name}, seed {seed}: {cases} cases raised peak memory by {grown >> 20} MiB"


def first_fault(reader, seed, numbers, place, running):
    """Return the number, document and fault of the first case that fails; None if all pass.

    The file `running` says which case it was if the process ends during one.
    """
    for number in numbers:
        case = make_case(reader, Random(f"{reader.name}-{seed}-{number}"))
        running.seek(0)
        running.write(f"{reader.name}, seed {seed}, case {number}\n")
        running.flush()
        if fault := fault_of(reader, case, place):
            return number, case, fault
    return None


def tell(reader, seed, number, case, fault, folder):
    """Fail with a fault and keep the smallest document that shows it."""
    smallest = shrink(reader, case, folder / "place")
    kept = folder / f"{reader.name}-{seed}-{number}{reader.suffix or '.txt'}"
    kept.write_text(kept_text(smallest), encoding="utf-8", errors="backslashreplace")
    pytest.fail(f"{reader.name}, seed {seed}, case {number}: {fault}\n{kept} holds\n{kept_text(smallest)[:2000]}")


def peak_memory():
    """Return the peak memory of this process in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@contextlib.contextmanager
def end_if_it_hangs(terminal):
    """End the process if the block hangs, and say where; compiled code ignores signals. `case` names the case."""
    faulthandler.dump_traceback_later(HANG, exit=True, file=terminal)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.mark.parametrize("name", READERS)
def test_valid_documents_are_read(name, tmp_path):
    reader = READERS[name]
    for document in reader.seeds():
        if reader.read is not None:
            assert fault_of(reader, encode(reader, document), tmp_path) == ""
        if reader.read_data is not None:
            assert fault_of(reader, document, tmp_path) == ""


@pytest.mark.parametrize("name", READERS)
def test_damaged_documents_are_refused_or_read(name, tmp_path, terminal):
    fuzz(READERS[name], 0, QUICK, tmp_path, terminal)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_very_many_damaged_documents_are_refused_or_read(name, tmp_path, terminal):
    fuzz(READERS[name], SEED, SLOW, tmp_path, terminal)


@pytest.mark.parametrize("path", sorted(KEPT.iterdir()), ids=lambda path: path.name)
def test_kept_documents_are_refused_or_read(path, tmp_path):
    reader = READERS[path.name.partition("-")[0]]
    assert fault_of(reader, path.read_bytes(), tmp_path) == ""
