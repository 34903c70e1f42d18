"""The estimator is one as scikit-learn means it, and what it gives is what riemap gives."""

import pickle
import subprocess
import sys
from typing import Any

import networkx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from riemap import as_graph, embed, load_dataset, shortest_paths
from riemap.sklearn import GraphEmbedding
from riemap.spaces import Space

EPOCHS = 5

REASONS = {
    "check_estimators_dtypes": "its data have equal points, and zeros between different points are refused",
}


def expected_failures(_: Any) -> dict[str, str]:
    return REASONS


def line(n: int = 9) -> np.ndarray:
    """Distances of points on a line, at places that differ."""
    x = np.cumsum(np.arange(1.0, n + 1.0))
    return np.abs(x[:, None] - x)


# Some checks embed a handful of points; a line has room for them all.
@pytest.mark.filterwarnings("ignore:SCIPY_ARRAY_API")
@parametrize_with_checks(
    [GraphEmbedding("E1", metric="precomputed", epochs=3)], expected_failed_checks=expected_failures
)
def test_scikit_learn_says_it_is_an_estimator(estimator: Any, check: Any) -> None:
    """Every check but those above, which must fail, and for these reasons."""
    check(estimator)


def test_the_reasons_are_the_reasons() -> None:
    X = line()
    X[0, 1] = X[1, 0] = 0.0
    with pytest.raises(ValueError, match=r"entry \(0, 1\), 0, is zero between two different points"):
        GraphEmbedding("E1", metric="precomputed").fit(X)


def test_it_says_what_data_it_takes() -> None:
    for metric, matrix in (("graph", False), ("precomputed", True)):
        tags = get_tags(GraphEmbedding(metric=metric)).input_tags
        assert (tags.pairwise, tags.two_d_array, tags.positive_only) == (matrix, matrix, matrix)


# --- what it gives ----------------------------------------------------------------------------------


def test_a_graph_gives_the_features_of_its_embedding() -> None:
    estimator = GraphEmbedding("H2 x S1", loss="ad", epochs=EPOCHS, random_state=3)
    found = estimator.fit_transform("karate")
    fit = embed("karate", "H2 x S1", loss="ad", epochs=EPOCHS, seed=3)
    assert np.array_equal(found, fit.embedding.features())
    assert estimator.embedding_.labels == load_dataset("karate").labels
    assert estimator.fit_.stop == fit.stop
    assert (estimator.n_features_in_, found.shape) == (34, (34, 3))
    assert estimator.get_feature_names_out().tolist() == [f"graphembedding{k}" for k in range(3)]
    assert np.array_equal(estimator.transform("karate"), found)


def test_any_graph_will_do() -> None:
    drawn = networkx.karate_club_graph()
    networkx.set_edge_attributes(drawn, 1.0, "weight")
    expected = GraphEmbedding(epochs=EPOCHS).fit_transform(drawn)
    sparse = networkx.to_scipy_sparse_array(drawn)
    for same in (as_graph(drawn), sparse, sparse.toarray()):
        assert np.array_equal(GraphEmbedding(epochs=EPOCHS).fit_transform(same), expected)
    assert np.array_equal(GraphEmbedding(Space.parse("H2"), epochs=EPOCHS).fit_transform(drawn), expected)


def test_weights_are_lengths_or_strengths() -> None:
    edges = [("a", "b", 4.0), ("b", "c", 2.0), ("c", "d", 1.0)]
    estimator = GraphEmbedding("E2", epochs=EPOCHS, weights="strengths", strength_to_length="log")
    found = estimator.fit_transform(edges)
    graph = as_graph(edges, weights="strengths", strength_to_length="log")
    assert estimator.fit_.graph.key == graph.key
    assert np.array_equal(found, embed(graph, "E2", epochs=EPOCHS).embedding.features())
    assert np.array_equal(estimator.transform(edges), found)


def test_dissimilarities_give_what_they_give_riemap() -> None:
    """Also when rounding has made them differ from their mirror image."""
    from riemap import Dissimilarities

    X = line()
    estimator = GraphEmbedding("E1", metric="precomputed", epochs=EPOCHS)
    expected = embed(Dissimilarities(X, tuple(range(9)), "X"), "E1", epochs=EPOCHS).embedding
    assert np.array_equal(estimator.fit_transform(X), expected.features())
    rounded = X * (1.0 + 1e-15 * np.random.default_rng(0).normal(size=X.shape))
    assert (rounded != rounded.T).any()
    estimator.fit(rounded)
    assert np.array_equal(estimator.transform(rounded[4:2:-1]), estimator.transform(rounded)[4:2:-1])
    assert estimator.n_features_in_ == 9


def test_the_data_are_left_alone() -> None:
    X = line()
    X.flags.writeable = False
    before = X.copy()
    found = GraphEmbedding("E1", metric="precomputed", epochs=EPOCHS).fit_transform(X)
    found[:] = 0.0
    assert np.array_equal(X, before)


def test_what_is_given_out_is_a_copy() -> None:
    estimator = GraphEmbedding("E1", metric="precomputed", epochs=EPOCHS)
    estimator.fit_transform(line())[:] = 0.0
    first = estimator.transform(line())
    assert np.abs(first).max() > 0.0
    first[:] = 0.0
    assert np.abs(estimator.transform(line())).max() > 0.0


def test_seeds_are_what_scikit_learn_takes() -> None:
    def run(state: Any) -> bytes:
        return (
            GraphEmbedding("E1", metric="precomputed", epochs=1, random_state=state)
            .fit_transform(line())
            .tobytes()
        )

    assert run(1) == run(np.int64(1)) != run(2)
    assert run(np.random.RandomState(1)) == run(np.random.RandomState(1))
    assert run(None) != run(None)


# --- where it is used -------------------------------------------------------------------------------


def test_it_pickles_and_clones() -> None:
    estimator = GraphEmbedding("H2", loss="rsne(T=0.1) + 0.5*ad", epochs=EPOCHS, random_state=2)
    params = estimator.get_params()
    assert sorted(params) == [
        "epochs",
        "loss",
        "metric",
        "n_jobs",
        "preset",
        "random_state",
        "space",
        "strength_to_length",
        "verbose",
        "weights",
    ]
    copy = clone(estimator)
    assert copy.get_params() == params
    assert not hasattr(copy, "embedding_")
    assert clone(estimator).set_params(space="S2").space == "S2"
    found = estimator.fit_transform("karate")
    back = pickle.loads(pickle.dumps(estimator))
    assert np.array_equal(back.transform("karate"), found)
    assert back.embedding_.nearest(0) == estimator.embedding_.nearest(0)
    assert back.fit_.history == estimator.fit_.history


def test_it_stands_before_a_classifier() -> None:
    """The two clubs that the karate club fell into, from distances in the graph alone."""
    drawn = networkx.karate_club_graph()
    club = np.array([drawn.nodes[node]["club"] for node in drawn])
    networkx.set_edge_attributes(drawn, 1.0, "weight")
    pipeline = make_pipeline(GraphEmbedding("H2", epochs=100), LogisticRegression())
    assert pipeline.fit(drawn, club).score(drawn, club) > 0.9
    assert np.array_equal(clone(pipeline).fit(drawn, club).predict(drawn), pipeline.predict(drawn))
    features = GraphEmbedding("H2", epochs=100).fit_transform(drawn)
    assert cross_val_score(LogisticRegression(), features, club, cv=4).mean() > 0.8


def test_new_rows_are_placed_and_fitted_ones_stay() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 2))
    X = np.sqrt(((x[:, None] - x) ** 2).sum(axis=2))
    estimator = GraphEmbedding("E2", metric="precomputed", epochs=400).fit(X[:50, :50])
    found = estimator.transform(X[45:, :50])
    assert np.array_equal(found[:5], estimator.transform(X[:50, :50])[45:])
    fitted = estimator.transform(X[:50, :50])
    between = np.linalg.norm(found[5:, None] - fitted, axis=2)
    assert np.corrcoef(between.ravel(), X[50:, :50].ravel())[0, 1] > 0.999
    assert np.array_equal(estimator.transform(X[52:53, :50]), found[7:8])


def test_the_nodes_that_a_graph_has_gained_are_placed() -> None:
    estimator = GraphEmbedding("E2", epochs=EPOCHS).fit(networkx.path_graph(5))
    grown = networkx.path_graph([7, 0, 1, 2, 3, 4])
    found = estimator.transform(grown)
    assert np.array_equal(found[1:], estimator.transform(networkx.path_graph(5)))
    assert np.isfinite(found[0]).all()


def test_a_pipeline_is_cross_validated() -> None:
    """On dissimilarities: each fold embeds its own nodes, and places the others."""
    drawn = networkx.karate_club_graph()
    club = np.array([drawn.nodes[node]["club"] for node in drawn])
    X = shortest_paths(as_graph(drawn, weights="ignore")).astype(float)
    pipeline = make_pipeline(GraphEmbedding("H2", metric="precomputed", epochs=100), LogisticRegression())
    assert cross_val_score(pipeline, X, club, cv=4).mean() > 0.8


def test_frames_have_names() -> None:
    estimator = GraphEmbedding("H2", epochs=EPOCHS).set_output(transform="pandas")
    frame = estimator.fit_transform("karate")
    assert list(frame.columns) == ["graphembedding0", "graphembedding1"]


# --- what it refuses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "X", "message"),
    [
        ({"metric": "cosine"}, "karate", "metric='cosine' is not 'graph' or 'precomputed'"),
        ({"space": "Q2"}, "karate", "cannot read factor 'Q2'"),
        ({"space": "E40"}, "karate", "40 dimensions"),
        ({"loss": "strss"}, "karate", "did you mean 'stress'"),
        ({"preset": "best"}, "karate", "best"),
        ({}, networkx.Graph([(0, 1), (2, 3)]), "2 components"),
        ({"weights": "strong"}, "karate", "is not 'strong'"),
        ({"metric": "precomputed", "weights": "ignore"}, line(), "is for metric='graph'"),
        ({"metric": "precomputed"}, np.ones((3, 2)), "square matrix"),
        ({"metric": "precomputed"}, np.ones((3, 3)), "on the diagonal and is not zero"),
        ({"metric": "precomputed"}, np.triu(line()), "mirror image"),
        ({"metric": "precomputed"}, -line(), "Negative values"),
        ({"metric": "precomputed"}, np.full((3, 3), np.nan), "NaN"),
    ],
)
def test_what_it_cannot_use_is_said(settings: dict[str, Any], X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GraphEmbedding(**settings).fit(X)


def test_dissimilarities_in_a_file_are_no_graph(tmp_path: Any) -> None:
    np.save(tmp_path / "d.npy", line())
    for path in (tmp_path / "d.npy", str(tmp_path / "d.npy")):
        with pytest.raises(ValueError, match="give it with metric='precomputed'"):
            GraphEmbedding("E1").fit(path)


def test_another_graph_is_refused() -> None:
    """Also the same one under other names."""
    fitted = GraphEmbedding("E2", epochs=EPOCHS).fit(networkx.path_graph(5))
    for other in (networkx.cycle_graph(5), networkx.relabel_nodes(networkx.path_graph(5), str)):
        with pytest.raises(ValueError, match="row 0 is not one of the nodes that were fitted"):
            fitted.transform(other)


def test_without_scikit_learn_the_module_imports_and_says_what_is_missing() -> None:
    code = """
import sys
sys.modules["sklearn"] = None
from riemap.sklearn import GraphEmbedding
try:
    GraphEmbedding("H2")
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "GraphEmbedding needs scikit-learn; pip install 'riemap[sklearn]' brings it\n"
