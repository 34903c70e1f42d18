"""An embedding checks its points, finds them by label, and round-trips through a file."""

import io
import math
import zipfile
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tolerances import FRECHET_MEAN

from riemap import memory
from riemap.embeddings import Embedding
from riemap.errors import NotEnoughMemoryError
from riemap.manifolds import MANIFOLDS
from riemap.spaces import Space

labels = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.tuples(inner, inner),
    max_leaves=3,
)
ODD = (
    0,
    "0",
    -7,
    10**30,
    "",
    "two\nlines",
    "naïve ☃ \U0001f600",
    "\ud800",
    'a "b"',
    2.5,
    (1, (2, "x")),
    None,
)


def embedding(names: tuple[Hashable, ...] = ("a", "b", "c"), space: str = "H2 x S2") -> Embedding:
    parsed = Space.parse(space)
    points = parsed.random(np.random.default_rng(0), len(names))
    return Embedding(parsed, points, np.linspace(-0.5, 0.5, len(parsed.factors)), names)


def same(a: Embedding, b: Embedding) -> bool:
    """Whether two embeddings have the same space, the same bytes, and labels of the same values and types."""
    return (
        (a.space, a.labels, [type(x) for x in a.labels]) == (b.space, b.labels, [type(x) for x in b.labels])
        and a.log_scales.tobytes() == b.log_scales.tobytes()
        and [x.tobytes() for x in a.points] == [x.tobytes() for x in b.points]
    )


# --- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [*(str(cls(*cls.shown)) for cls in MANIFOLDS), "H3^2 x Gr(2,4) x E1"])
def test_every_space_comes_back_from_a_file(space: str, tmp_path: Path) -> None:
    before = embedding(space=space)
    before.save(tmp_path / "e.npz")
    assert same(Embedding.load(tmp_path / "e.npz"), before)
    assert same(Embedding.load(str(tmp_path / "e.npz")), before)


def test_odd_labels_come_back_from_a_file(tmp_path: Path) -> None:
    embedding(ODD).save(tmp_path / "e.npz")
    assert same(Embedding.load(tmp_path / "e.npz"), embedding(ODD))


@given(names=st.lists(labels, min_size=1, max_size=6, unique=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_label_that_json_has_comes_back(names: list[Hashable], tmp_path: Path) -> None:
    before = embedding(tuple(names), "E1")
    before.save(tmp_path / "e.npz")
    assert same(Embedding.load(tmp_path / "e.npz"), before)


def test_other_labels_become_texts_that_are_found_by_the_label_itself(tmp_path: Path) -> None:
    names = (frozenset({3}), math.inf, b"raw", np.int64(4), np.str_("x"), (np.float64(0.5), frozenset()))
    embedding(names).save(tmp_path / "e.npz")
    found = Embedding.load(tmp_path / "e.npz")
    assert found.labels == ("frozenset({3})", "inf", "b'raw'", 4, "x", (0.5, "frozenset()"))
    assert found.row_numbers(list(names[:5])).tolist() == [0, 1, 2, 3, 4]


def test_labels_that_a_file_cannot_tell_apart_are_refused(tmp_path: Path) -> None:
    """They are refused before anything is written, so an older file stays."""
    path = tmp_path / "e.npz"
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match="cannot tell apart"):
        embedding((frozenset({3}), "frozenset({3})")).save(path)
    assert path.read_bytes() == b"old"


def test_a_file_is_written_whole_and_without_pickle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "e.npz"
    embedding().save(path)
    whole = path.read_bytes()
    with np.load(path, allow_pickle=False) as arrays:
        assert sorted(arrays) == ["checksum", "labels", "log_scales", "points0", "points1", "space"]
    monkeypatch.setattr(np, "savez", lambda file, **_: file.write(b"half") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        embedding(("x", "y")).save(path)
    assert path.read_bytes() == whole
    assert [file.name for file in tmp_path.iterdir()] == ["e.npz"]


def refusal(path: Path) -> str:
    """Return the message with which a file is refused: one short printable line."""
    with pytest.raises(ValueError, match="is not an embedding saved by riemap") as caught:
        Embedding.load(path)
    text = str(caught.value)
    assert text.isprintable(), text
    assert len(text) < len(str(path)) + 300
    return text


def saved(**arrays: Any) -> bytes:
    """Return the file of an embedding with some arrays replaced, or removed if they are ``None``."""
    stream, given_ = io.BytesIO(), embedding(space="E2")
    good = {
        "space": np.array("E2"),
        "labels": np.frombuffer(b'["a","b","c"]', np.uint8),
        "log_scales": np.zeros(1),
        "points0": given_.points[0],
    }
    np.savez(stream, **{key: value for key, value in (good | arrays).items() if value is not None})
    return stream.getvalue()


def test_the_file_that_these_tests_damage_is_valid(tmp_path: Path) -> None:
    (tmp_path / "e.npz").write_bytes(saved())
    assert Embedding.load(tmp_path / "e.npz").labels == ("a", "b", "c")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is not a zip archive"),
        (b"garbage", "it is not a zip archive"),
        (b"PK\x03\x04 and no more", ""),
        (saved(space=None), "space"),
        (saved(labels=None), "labels"),
        (saved(points0=None), "points0"),
        (saved(log_scales=None), "log_scales"),
        (saved(space=np.array("Q3")), "cannot read"),
        (saved(space=np.array("E2 x E2")), "points1"),
        (saved(space=np.array("E3")), "expected (3, 3)"),
        (saved(space=np.array([1.0, 2.0])), ""),
        (saved(labels=np.frombuffer(b"[1, 2", np.uint8)), ""),
        (saved(labels=np.frombuffer(b"3", np.uint8)), ""),
        (saved(labels=np.frombuffer(b'[{"a": 1}, 1, 2]', np.uint8)), ""),
        (saved(labels=np.frombuffer(b"[1, 1, 2]", np.uint8)), "same label"),
        (saved(labels=np.frombuffer(b"[" * 100_000, np.uint8)), ""),
        (saved(labels=np.frombuffer(b"\xff\xfe", np.uint8)), ""),
        (saved(labels=np.frombuffer(b"[]", np.uint8), points0=np.zeros((0, 2))), "at least one node"),
        (saved(log_scales=np.zeros(2)), "log-scale for each"),
        (saved(log_scales=np.array([np.nan])), "not all between"),
        (saved(points0=np.full((3, 2), np.nan)), "not on E2"),
        (saved(points0=np.zeros((3, 2), np.int64)), "float64"),
        (saved(points0=np.array([["a", "b"]] * 3)), "float64"),
        (saved(points0=np.array([[None, 1]] * 3, dtype=object)), "no NumPy array of numbers or texts"),
    ],
)
def test_a_file_that_is_no_embedding_is_refused_in_one_line(
    data: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / "e.npz").write_bytes(data)
    assert message in refusal(tmp_path / "e.npz")


def test_other_numpy_files_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "array.npy", np.zeros(3))
    refusal(tmp_path / "array.npy")
    with (tmp_path / "pickle.npy").open("wb") as file:
        np.save(file, np.array([{}]), allow_pickle=True)
    refusal(tmp_path / "pickle.npy")


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    whole = saved()
    for length in range(0, len(whole), 7):
        (tmp_path / "e.npz").write_bytes(whole[:length])
        refusal(tmp_path / "e.npz")


@given(place=st.integers(0, len(saved()) - 1), value=st.integers(1, 255))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_changed_byte_gives_an_embedding_or_one_line(place: int, value: int, tmp_path: Path) -> None:
    """The checksums of a zip file protect its contents, though not every byte of the file."""
    damaged = bytearray(saved())
    damaged[place] ^= value
    (tmp_path / "e.npz").write_bytes(damaged)
    try:
        found = Embedding.load(tmp_path / "e.npz")
    except ValueError:
        refusal(tmp_path / "e.npz")
    else:
        assert found.labels == ("a", "b", "c")


def rewritten(path: Path, name: str, change: Any) -> None:
    """Replace an array of a file; the zip archive is valid, with the right CRC-32."""
    with np.load(path) as arrays:
        found = {**arrays, name: change(arrays[name].copy())}
    np.savez(path, **found)


def test_a_digit_that_was_changed_is_noticed(tmp_path: Path) -> None:
    """By the checksum, also if the archive was written anew; a file without a checksum is read as before."""
    path, given_ = tmp_path / "e.npz", embedding(space="E2")
    for name in ("points0", "log_scales", "labels"):
        given_.save(path)
        rewritten(path, name, lambda array: array + np.array(1, array.dtype))
        assert "does not match its checksum" in refusal(path)
    given_.save(path)
    with np.load(path) as arrays:
        np.savez(path, **{key: value for key, value in arrays.items() if key != "checksum"})
    assert same(Embedding.load(path), given_)


def test_memory_bombs_are_refused_before_anything_is_allocated(tmp_path: Path) -> None:
    """A compressed array, a shape that its bytes do not fit, and members that share their bytes."""
    path = tmp_path / "e.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("points0.npy", header((1 << 17, 1 << 10)) + bytes(1 << 20))
    assert "is compressed" in refusal(path)
    for shape in ((1 << 40, 2), (10**17, 10**17), (4, 2), (0,)):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("points0.npy", header(shape) + bytes(48))
        assert "does not fit its" in refusal(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("points0.npy", header((1 << 14,)) + bytes(1 << 17))
        archive.filelist *= 40
    assert "declare more bytes than the file has" in refusal(path)


def header(shape: tuple[int, ...]) -> bytes:
    """Return what NumPy writes before an array of numbers of this shape."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return stream.getvalue()


def test_a_lack_of_memory_is_told_with_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that Python tells without a word."""
    path = tmp_path / "e.npz"
    embedding().save(path)
    monkeypatch.setattr(memory, "free", lambda: 1000)
    with pytest.raises(
        NotEnoughMemoryError, match=r"the arrays of .*e\.npz need .* kB of memory, and 1 kB are"
    ):
        Embedding.load(path)
    monkeypatch.undo()
    monkeypatch.setattr(zipfile.ZipFile, "infolist", lambda archive: bytearray(1 << 62))
    with pytest.raises(NotEnoughMemoryError, match=r"the arrays of .*e\.npz need more memory than is free"):
        Embedding.load(path)


def test_a_zip_of_something_else_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "e.npz", "w") as archive:
        archive.writestr("letter.txt", "hello")
    refusal(tmp_path / "e.npz")


def test_a_file_that_cannot_be_opened_raises_the_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Embedding.load(tmp_path / "none.npz")
    with pytest.raises(FileNotFoundError, match=r"embedding\.npz"):
        Embedding.load(tmp_path)


# --- points, labels and distances ---------------------------------------------------------------------


@pytest.mark.parametrize("cls", MANIFOLDS, ids=lambda cls: cls.symbol)
def test_points_off_their_manifold_are_refused(cls: Any) -> None:
    """A deviation of a thousandth is refused, one of a rounding is accepted. Every finite point is in E."""
    m = cls(*cls.shown)
    space = Space.parse(str(m))
    (x,) = space.random(np.random.default_rng(0), 4)
    rng = np.random.default_rng(1)
    near = x * (1.0 + 1e-12 * rng.normal(size=x.shape))
    Embedding(space, (near,), np.zeros(1), tuple(range(4)))
    off = x + 1e-3 * rng.normal(size=x.shape)
    if np.abs(m.project(off) - off).max() > 1e-5:
        with pytest.raises(ValueError, match=f"not on {cls.symbol}"):
            Embedding(space, (off,), np.zeros(1), tuple(range(4)))
    else:
        assert cls.symbol == "E"
    for bad in (np.nan, np.inf):
        wrong = x.copy()
        wrong.flat[-1] = bad
        with pytest.raises(ValueError, match=f"not on {cls.symbol}"):
            Embedding(space, (wrong,), np.zeros(1), tuple(range(4)))


def test_wrong_shapes_types_and_labels_are_refused() -> None:
    space = Space.parse("E2")
    x, s, names = np.zeros((3, 2)), np.zeros(1), ("a", "b", "c")
    for points, scales, called, message in (
        ((x, x), s, names, "for each factor"),
        ((), s, names, "for each factor"),
        ((x,), np.zeros(2), names, "for each factor"),
        ((x,), np.zeros((1, 1)), names, "for each factor"),
        ((x,), np.array([np.inf]), names, "not all between"),
        ((x,), np.array([-800.0]), names, "not all between"),
        ((x,), np.zeros(1, np.float32), names, "float64, not float64 and float32"),
        ((x.astype(np.float32),), s, names, "float64, not float32"),
        ((x[:2],), s, names, r"shape \(2, 2\); expected \(3, 2\)"),
        ((x,), s, names[:2], r"shape \(3, 2\); expected \(2, 2\)"),
        ((x,), s, ("a", "b", "a"), "same label"),
        ((x[:0],), s, (), "at least one node"),
    ):
        with pytest.raises(ValueError, match=message):
            Embedding(space, points, scales, called)


def test_distances_are_those_of_the_space_between_nodes_by_name() -> None:
    e = embedding()
    found = e.distances(["c", "a"], ["a", "b", "c"])
    for i, j in ((0, 2), (1, 0)):
        assert found[i, j] < 1e-15
    apart = sum(
        math.exp(s) * m.sqdist(x[2], x[1])
        for m, x, s in zip(e.space.factors, e.points, e.log_scales, strict=True)
    )
    assert found[0, 1] == pytest.approx(math.sqrt(apart), rel=1e-12)
    assert np.array_equal(e.sqdist_rows(np.array([2, 0])) ** 0.5, found)
    assert e.n == 3
    assert repr(e) == "<Embedding of 3 nodes in H2 x S2 (4 dimensions)>"
    with pytest.raises(ValueError, match=r"no node is called 'd'\. The first one is 'a'"):
        e.distances(["a"], ["d"])


def test_a_misspelled_label_gets_a_suggestion() -> None:
    named = Embedding(Space.parse("E1"), (np.zeros((2, 1)),), np.zeros(1), ("Ana", "Bo"))
    with pytest.raises(ValueError, match=r"called 'anna'; did you mean 'Ana'\? The first one is 'Ana'"):
        named.row_numbers(["anna"])


def test_a_number_and_its_text_are_one_label_unless_both_are_known() -> None:
    assert embedding((1, 2, "x")).row_numbers(["2", 1]).tolist() == [1, 0]
    assert embedding(("1", "2")).row_numbers([2, np.int64(1)]).tolist() == [1, 0]
    both = embedding((1, "1"))
    assert (both.row_numbers([1]).tolist(), both.row_numbers(["1"]).tolist()) == ([0], [1])


def test_another_order_is_the_same_embedding() -> None:
    """Reordering keeps distances, and needs each label exactly once."""
    e = embedding()
    other = e.reordered(("c", "a", "b"))
    assert other.labels == ("c", "a", "b")
    assert np.array_equal(other.distances(["a"], ["b", "c"]), e.distances(["a"], ["b", "c"]))
    assert same(other.reordered(e.labels), e)
    for wrong in (("a", "b"), ("a", "b", "b"), ("a", "b", "c", "a")):
        with pytest.raises(ValueError, match=f"{len(wrong)} nodes were named, and the embedding has 3"):
            e.reordered(wrong)
    with pytest.raises(ValueError, match="no node is called 'd'"):
        e.reordered(("a", "b", "d"))


# --- neighbours, mean, features ---------------------------------------------------------------------


def test_nearest_are_the_least_distances_with_their_labels() -> None:
    e = embedding(tuple("abcdefgh"))
    for node in e.labels:
        others = [label for label in e.labels if label != node]
        distances = e.distances([node], others)[0]
        expected = sorted(zip(distances.tolist(), others, strict=True))
        found = e.nearest(node, k=3)
        assert [label for label, _ in found] == [label for _, label in expected[:3]]
        np.testing.assert_allclose([d for _, d in found], [d for d, _ in expected[:3]], rtol=1e-12)
        assert all(type(d) is float for _, d in found)
    assert len(e.nearest("a")) == 5
    assert e.nearest("a", k=1) == e.nearest("a", k=100)[:1]
    assert len(e.nearest("a", k=100)) == 7


def test_of_nodes_equally_near_the_first_comes_first() -> None:
    """Nodes that tie come in the order of the labels, including nodes that coincide with the node itself."""
    x = np.array([[0.0], [1.0], [0.0], [-1.0], [0.0], [1.0]])
    e = Embedding(Space.parse("E1"), (x,), np.zeros(1), ("f", "e", "d", "c", "b", "a"))
    expected = [("f", 0.0), ("b", 0.0), ("e", 1.0), ("c", 1.0), ("a", 1.0)]
    assert e.nearest("d") == expected


def test_nearest_counts_the_scales() -> None:
    """A large distance in a factor of small scale counts little."""
    x, y = np.array([[0.0], [2.0], [0.0]]), np.array([[0.0], [0.0], [1.0]])
    space = Space.parse("E1 x E1")
    for log_scales, order in (((0.0, 0.0), "cb"), ((-3.0, 0.0), "bc")):
        e = Embedding(space, (x, y), np.array(log_scales), ("a", "b", "c"))
        assert "".join(str(label) for label, _ in e.nearest("a")) == order


def test_nearest_refuses_unknown_nodes_and_bad_numbers() -> None:
    with pytest.raises(ValueError, match=r"no node is called 'd'\. The first one is 'a'"):
        embedding().nearest("d")
    for k in (0, -1):
        with pytest.raises(ValueError, match=f"k={k} is not a number of nodes"):
            embedding().nearest("a", k=k)
    assert embedding(("alone",)).nearest("alone") == []


SPACES = [*(str(cls(*cls.shown)) for cls in MANIFOLDS), "H3^2 x Gr(2,4) x E1", "S2 x SPD2"]


def scattered(space: str, n: int = 12) -> Embedding:
    """Return an embedding at random points, with a different scale in each factor."""
    parsed = Space.parse(space)
    points = parsed.random(np.random.default_rng(3), n)
    return Embedding(parsed, points, np.linspace(-1.0, 0.7, len(parsed.factors)), tuple(range(n)))


@pytest.mark.parametrize("space", SPACES)
def test_the_mean_has_a_point_in_every_factor(space: str) -> None:
    """The tangent vectors from the mean to the points add up to zero in every factor."""
    e = scattered(space)
    mean = e.mean()
    assert [p.shape for p in mean] == [m.shape for m in e.space.factors]
    for m, at, x in zip(e.space.factors, mean, e.points, strict=True):
        assert m.norm(at, m.log(at, x).mean(axis=0)) < FRECHET_MEAN


@pytest.mark.parametrize("space", SPACES)
def test_features_are_as_long_as_nodes_are_far_from_the_mean(space: str) -> None:
    """The norm of a row is the distance from the mean, or the tangent norm if distances are no geodesics."""
    e = scattered(space)
    features = e.features()
    assert features.shape == (e.n, e.space.dim)
    mean = e.mean()
    if all(m.geodesic for m in e.space.factors):
        sqdist = e.space.sqdist(e.points, mean, e.log_scales)
    else:
        m, x, scale = e.space.factors[0], e.points[0], math.exp(e.log_scales[0])
        sqdist = scale * m.norm(mean[0], m.log(mean[0], x)) ** 2
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), np.sqrt(sqdist), rtol=1e-9)
    assert np.abs(features.mean(axis=0)).max() < FRECHET_MEAN


def test_features_are_columns_of_the_factors_in_order() -> None:
    e = scattered("H2 x S3")
    alone = [
        Embedding(Space((m,)), (x,), s[None], e.labels).features()
        for m, x, s in zip(e.space.factors, e.points, e.log_scales, strict=True)
    ]
    assert np.array_equal(e.features(), np.concatenate(alone, axis=1))


def test_features_of_flat_points_are_the_points_centred() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(9, 4)) + 10.0
    e = Embedding(Space.parse("E4"), (x,), np.array([0.6]), tuple(range(9)))
    np.testing.assert_allclose(e.mean()[0], x.mean(axis=0), rtol=1e-15)
    np.testing.assert_allclose(e.features(), math.exp(0.3) * (x - x.mean(axis=0)), atol=1e-13)


def test_one_node_is_its_own_mean() -> None:
    e = embedding(("alone",))
    assert np.abs(e.features()).max() < FRECHET_MEAN
    assert e.features().shape == (1, 4)


def test_notebooks_show_a_small_table() -> None:
    """The table shows the space, dimensions, number of nodes and shares of d², and no points."""
    x = np.zeros((500, 1)) + np.arange(500.0)[:, None]
    found = Embedding(Space.parse("E1 x E1"), (x, x), np.log([1.0, 0.25]), tuple(range(500)))
    table = found._repr_html_()
    cells = [("space", found.space), ("dimensions", 2), ("nodes", 500), ("share of d²", "E1: 80%, E1: 20%")]
    rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in cells)
    assert table == f"<table><caption>Embedding</caption>{rows}</table>"
    assert repr(found) == f"<Embedding of 500 nodes in {found.space} (2 dimensions)>"
