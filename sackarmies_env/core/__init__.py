"""Parts that all games share: the contract, records, chance, hexes, tables, notation; numpy and numba only."""

__version__ = "0.1.0"
