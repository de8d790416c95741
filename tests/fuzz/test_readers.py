"""Whatever a reader is given, it gives something valid or refuses with a sentence that names place and reason."""

import os
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.cases import encode, fault_of, kept_text, make_case, shrink
from tests.fuzz.readers import READERS

QUICK = 50
SLOW = int(os.environ.get("SACKARMIES_FUZZ_CASES", "10000"))
SEED = int(os.environ.get("SACKARMIES_FUZZ_SEED", "1"))
KEPT = Path(__file__).parent / "kept"


def fuzz(reader, seed, cases, folder):
    """Try cases; on a fault tell which, and write the smallest document that shows it."""
    place = folder / "place"
    place.mkdir()
    for number in range(cases):
        case = make_case(reader, Random(f"{reader.name}-{seed}-{number}"))
        if fault := fault_of(reader, case, place):
            smallest = shrink(reader, case, place)
            kept = folder / f"{reader.name}-{seed}-{number}{reader.suffix or '.txt'}"
            kept.write_text(kept_text(smallest), encoding="utf-8", errors="backslashreplace")
            pytest.fail(
                f"{reader.name}, seed {seed}, case {number}: {fault}\n{kept} holds\n{kept_text(smallest)[:2000]}"
            )


@pytest.mark.parametrize("name", READERS)
def test_valid_documents_are_read(name, tmp_path):
    reader = READERS[name]
    for document in reader.seeds():
        if reader.read is not None:
            assert fault_of(reader, encode(reader, document), tmp_path) == ""
        if reader.read_data is not None:
            assert fault_of(reader, document, tmp_path) == ""


@pytest.mark.parametrize("name", READERS)
def test_damaged_documents_are_refused_or_read(name, tmp_path):
    fuzz(READERS[name], 0, QUICK, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_very_many_damaged_documents_are_refused_or_read(name, tmp_path):
    fuzz(READERS[name], SEED, SLOW, tmp_path)


@pytest.mark.parametrize("path", sorted(KEPT.iterdir()), ids=lambda path: path.name)
def test_documents_that_once_went_wrong(path, tmp_path):
    reader = READERS[path.name.partition("-")[0]]
    assert fault_of(reader, path.read_bytes(), tmp_path) == ""
