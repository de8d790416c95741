"""Checks of a drawn map: it must show exactly the borders that the rules define."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Corner = tuple[int, int]
Outline = Sequence[Corner]


def outline_faults(outlines: Mapping[int, Outline], centers: Mapping[int, Corner]) -> Iterator[str]:
    """Yield the faults of each outline by itself, and of pairs that overlap.

    Args:
        outlines: corners in order, by territory number.
        centers: points at which the contents of territories are written, by territory number.
    """
    for number, outline in outlines.items():
        if len(set(outline)) < len(outline):
            yield f"the outline of territory {number} has a repeated corner"
        for other, center in centers.items():
            inside = is_inside(center, outline)
            if number == other and not inside:
                yield f"the center of territory {other} is outside its outline"
            if number != other and inside:
                yield f"the center of territory {other} is inside the outline of territory {number}"
    for number, other in crossings(outlines):
        where = "itself" if number == other else f"that of {other}"
        yield f"the outline of territory {number} crosses {where}"


def drawn_borders(outlines: Mapping[int, Outline]) -> dict[int, set[int]]:
    """Return for each territory the others whose outlines share an edge with its own."""
    edges = {number: {frozenset(edge) for edge in edges_of(outline)} for number, outline in outlines.items()}
    return {
        number: {other for other, theirs in edges.items() if other != number and own & theirs}
        for number, own in edges.items()
    }


def edges_of(outline: Outline) -> list[tuple[Corner, Corner]]:
    """Return the edges of an outline, the last one leading back to the first corner."""
    return list(zip(outline, [*outline[1:], outline[0]], strict=True))


def is_inside(point: Corner, outline: Outline) -> bool:
    """Return whether a point is inside an outline: a ray from it to the right then crosses an odd number of edges."""
    x, y = point
    crossed = 0
    for (ax, ay), (bx, by) in edges_of(outline):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            crossed += 1
    return crossed % 2 == 1


def crossings(outlines: Mapping[int, Outline]) -> list[tuple[int, int]]:
    """Return the pairs of territories whose outlines cross, in ascending order; edges that only touch do not cross."""
    owners = np.array([number for number, outline in outlines.items() for _ in outline])
    edges = np.array([edge for outline in outlines.values() for edge in edges_of(outline)], np.int64)
    starts, ends = edges[:, 0], edges[:, 1]
    first = turns(starts, ends, starts) * turns(starts, ends, ends) < 0
    crossed = np.argwhere(first & first.T)
    return sorted({(int(owners[one]), int(owners[other])) for one, other in crossed if one < other})


def turns(starts: NDArray[np.int64], ends: NDArray[np.int64], points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return on which side of each edge each point lies: -1 or 1, or 0 on its line; (edges, points)."""
    along, across = (ends - starts)[:, None], points[None] - starts[:, None]
    sides: NDArray[np.int64] = np.sign(along[..., 0] * across[..., 1] - along[..., 1] * across[..., 0])
    return sides
