"""Parts that all games share: the contract, states, chance, boards, records, files; imports no other part."""

__version__ = "0.1.0"
