"""Which spaces are compared: all of one dimension that the registry has, each geometry once.

Single manifolds come from the registry, so that a new one is a candidate by being listed. Products have two
factors out of the three model geometries: flat, negatively and positively curved. A product with more
factors, or with others, is compared if the user names it.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import fields

from riemap.errors import InputError
from riemap.manifolds import MANIFOLDS, CompactManifold, Euclidean, Grassmann, Hyperboloid, Manifold, Sphere
from riemap.spaces import Space
from riemap.specs import expect, split, whole_number

SECOND_FACTORS = (1, 2)
"""Dimensions of the smaller factor of a product, besides half of all dimensions. With every split there would
be 34 products of ten dimensions instead of 18; factors of similar sizes behave alike."""

MODELS: tuple[type[Euclidean | Hyperboloid | Sphere], ...] = (Euclidean, Hyperboloid, Sphere)
"""The geometries of constant curvature, which are the factors of products."""


def candidate_spaces(dim: int) -> tuple[Space, ...]:
    """List the spaces of a dimension that are compared, each geometry once.

    Parameters
    ----------
    dim
        The intrinsic dimension.

    Returns
    -------
    tuple of Space
        Euclidean space first, then the other manifolds in the order of the registry, then products.

    Raises
    ------
    InputError
        If the dimension is not a positive whole number.

    Examples
    --------
    >>> [str(space) for space in candidate_spaces(2)]
    ['E2', 'H2', 'S2', 'Gr(1,3)', 'E1 x S1', 'S1^2']
    """
    dim = whole_number("dim", dim, 1, 3, "number of dimensions")
    found: dict[str, Space] = {}
    for space in (*(Space((m,)) for m in manifolds_of_dimension(dim)), *_products(dim)):
        found.setdefault(geometry(space), space)
    return tuple(found.values())


def duplicates(dim: int) -> dict[str, str]:
    """Tell which manifolds of a dimension are left out, since another one has the same geometry.

    Parameters
    ----------
    dim
        The intrinsic dimension.

    Returns
    -------
    dict
        From the spelling of a manifold to the candidate that stands for it.

    Examples
    --------
    >>> duplicates(3)
    {'LogSPD2': 'E3', 'Gr(3,4)': 'Gr(1,4)', 'SO3': 'Gr(1,4)'}
    """
    kept = {geometry(space): space for space in reversed(candidate_spaces(dim))}
    singles = [Space((m,)) for m in manifolds_of_dimension(dim)]
    return {str(s): str(kept[geometry(s)]) for s in singles if kept[geometry(s)] != s}


def manifolds_of_dimension(dim: int) -> list[Manifold]:
    """Build every manifold of the registry that has a dimension, in the order of the registry."""
    found: list[Manifold] = []
    for kind in MANIFOLDS:
        count = len(fields(kind))  # type: ignore[arg-type]  # every manifold is a dataclass
        for sizes in itertools.product(range(1, dim + 2), repeat=count):
            try:
                m = kind(*sizes)
            except InputError:  # sizes that the manifold does not have
                continue
            if m.dim == dim:
                found.append(m)
    return found


def geometry(space: Space) -> str:
    """Name a geometry: two spaces that are isometric up to the scales of their factors have the same name."""
    flat, others = 0, []
    for name in map(_factor_geometry, space.factors):
        if name[0] == "E":
            flat += int(name[1:])
        else:
            others.append(name)
    return " x ".join(sorted(others) + ([f"E{flat}"] if flat else []))


def is_flat(space: Space) -> bool:
    """Whether a space is Euclidean, up to its spelling.

    >>> is_flat(Space.parse("LogSPD2 x E1")), is_flat(Space.parse("S1 x E1"))
    (True, False)
    """
    return geometry(space) == f"E{space.dim}"


def _factor_geometry(m: Manifold) -> str:
    """Name the geometry of one factor. Its dimension is at least one."""
    compact = isinstance(m, CompactManifold)
    if m.geodesic and (m.dim == 1 or m.curvature == (0.0, 0.0)):
        return f"S{m.dim}" if compact else f"E{m.dim}"  # a circle, or a line; and LogSPD, which is flat
    if isinstance(m, Grassmann):
        return str(Grassmann(min(m.k, m.n - m.k), m.n))  # a subspace and its complement
    if m.dim == 3 and compact and not isinstance(m, Sphere) and m.curvature[0] == m.curvature[1] > 0.0:
        return str(Grassmann(1, 4))  # rotations of space are the lines of four dimensions
    return str(m)


def _products(dim: int) -> list[Space]:
    """Products of two model spaces."""
    seconds = sorted({b for b in (*SECOND_FACTORS, dim // 2) if 1 <= b <= dim // 2})
    pairs = [(a(dim - b), c(b)) for b in seconds for a in MODELS for c in MODELS]
    return [Space(tuple(sorted(pair, key=_order))) for pair in pairs]


def _order(m: Manifold) -> tuple[int, int]:
    return -m.dim, list(MANIFOLDS).index(type(m))


def named_spaces(given: str | Sequence[str | Space], dim: int | None) -> tuple[Space, ...]:
    """Read the spaces that a user wants to compare, which must all have one dimension.

    Parameters
    ----------
    given
        Spaces or their spellings; one text may name several, with commas between them.
    dim
        The dimension that they should have; ``None`` takes that of the first.

    Returns
    -------
    tuple of Space
        The spaces, each once.

    Raises
    ------
    InputError
        If there are fewer than two, if one cannot be read, or if their dimensions differ.

    Examples
    --------
    >>> [str(space) for space in named_spaces("H3, Gr(1,4)", 3)]
    ['H3', 'Gr(1,4)']
    """
    found = tuple(dict.fromkeys(_read(given)))
    example = "e.g. 'E3,H3,S3' or ['E3', 'H2 x S1']"
    if len(found) < 2:
        raise InputError(f"{len(found)} space cannot be compared; name two or more, {example}")
    wanted = found[0].dim if dim is None else dim
    for space in found:
        if space.dim != wanted:
            raise InputError(
                f"{space} has {space.dim} dimensions, and spaces of {wanted} are compared: more dimensions "
                f"always fit better; name spaces of one dimension, {example}"
            )
    return found


def _read(given: str | Sequence[str | Space]) -> Iterable[Space]:
    expect(given, str | list | tuple, "spaces", "e.g. spaces=['E3', 'H3'] or 'E3,H3'")
    for item in [given] if isinstance(given, str) else given:
        if isinstance(item, Space):
            yield item
        else:
            expect(item, str, "a space", "e.g. 'H3'")
            yield from (Space.parse(text) for text in split(item, ","))


def stored_numbers(space: Space) -> int:
    """Count the numbers that one point of a space takes in memory and on disk.

    >>> stored_numbers(Space.parse("SPD2 x S1"))
    6
    """
    return sum(math.prod(m.shape) for m in space.factors)
