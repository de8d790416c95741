"""Fixtures for the tests of training and contests."""

import pytest

from sackarmies_training import identity


@pytest.fixture
def change_code(monkeypatch):
    """Return a function that replaces a source folder with another one and clears the cached digest of the code.

    A process takes the digest once; outside of tests, it is another process that finds changed code.
    """

    def change(folder, place="CORE"):
        monkeypatch.setattr(identity, place, folder)
        identity.code_digest.cache_clear()

    yield change
    identity.code_digest.cache_clear()
