"""Fixtures of the tests of training and contests."""

import pytest

from sackarmies_training import identity


@pytest.fixture
def change_code(monkeypatch):
    """Return a function that puts a folder in the place of a folder of sources, and makes the digest of the code anew.

    A process takes the digest once; in use it is another process that finds other code.
    """

    def change(folder, place="CORE"):
        monkeypatch.setattr(identity, place, folder)
        identity.code_digest.cache_clear()

    yield change
    identity.code_digest.cache_clear()
