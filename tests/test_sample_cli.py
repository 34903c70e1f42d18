"""Tests of ``riemap sample``: files, table, messages."""

import csv
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from helpers import run

from riemap.curvature import sectional
from riemap.curvature.geodesic_triangles import angle_sums
from riemap.embeddings import Embedding
from riemap.random_graphs import distance_matrix, sample, threshold_graphs, thresholds


def table(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_files_of_a_sample(tmp_path, capsys):
    """The files hold the points, angle sums and thresholds that the library computes."""
    out = tmp_path / "h3"
    arguments = ("--n", "150", "--radius", "3", "--thresholds", "4", "--seed", "2", "--out", str(out))
    assert run("sample", "H3", *arguments, "--json") == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert sorted(path.name for path in out.iterdir()) == ["angles.csv", "points.npz", "summary.csv"]
    e = Embedding.load(out / "points.npz")
    assert e.labels == tuple(range(150))
    assert e.points[0].tobytes() == sample("H3", 150, 3.0, seed=2).points[0].tobytes()
    sums = [float(row["angle_sum"]) for row in table(out / "angles.csv")]
    assert sums == angle_sums(e, seed=2).values.tolist()
    assert found["curvature"]["angles"]["mean"] == np.mean(sums)
    distances = distance_matrix(e)
    swept = list(threshold_graphs(distances, thresholds(e, distances, 4, 3.0)))
    rows = table(out / "summary.csv")
    assert [float(row["threshold"]) for row in rows] == pytest.approx([0.3, 1.7, 3.1, 4.5])
    for row, linked, shown in zip(rows, swept, found["thresholds"], strict=True):
        assert {k: None if v == "" else float(v) for k, v in row.items()} == shown
        assert (shown["edges"], shown["nodes"]) == (linked.edges, linked.nodes)
        assert shown["degree_median"] == np.median(linked.degrees)
        if linked.component is None:
            assert shown["sectional_median"] is None
        else:
            curvature = sectional(linked.component, pairs=500, seed=2).values
            quartiles = [shown[f"sectional_{q}"] for q in ("q25", "median", "q75")]
            assert quartiles == np.quantile(curvature, (0.25, 0.5, 0.75)).tolist()
    assert rows[0]["sectional_median"] == ""
    assert {k: found[k] for k in ("space", "dim", "n", "how", "radius", "seed")} == {
        "space": "H3", "dim": 3, "n": 150, "how": "uniform", "radius": 3.0, "seed": 2,
    }  # fmt: skip


def test_the_table_of_a_sample(tmp_path, capsys):
    """The table fits 80 columns and names the folder. The complete graph has curvature 1/8."""
    out = tmp_path / "s2"
    assert run("sample", "S2", "--n", "120", "--thresholds", "5", "--out", str(out)) == 0
    text, err = capsys.readouterr()
    assert text.startswith("120 points of S2 (2 dimensions), uniform, seed 0\n")
    assert max(len(line) for line in text.splitlines()[:-1]) <= 80
    assert text.endswith(f" Files: {out}\n")
    assert err == ""
    rows = [line.split() for line in text.splitlines()]
    assert rows[rows.index([]) + 1][:2] == ["Geodesic", "triangles"]
    assert "0.125" in rows[-3]
    assert "–" in text
    assert run("sample", "S2", "--n", "9", "--out", str(tmp_path / "few"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["radius"] is None


def test_how_exp_samples_by_the_exponential_map(tmp_path):
    out = tmp_path / "spd2"
    assert run("sample", "SPD2", "--n", "20", "--how", "exp", "--radius", "2", "--out", str(out)) == 0
    points = Embedding.load(out / "points.npz").points[0]
    assert points.tobytes() == sample("SPD2", 20, 2.0, "exp").points[0].tobytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Q3"], "cannot read factor 'Q3' of space 'Q3'"),
        (["H3", "--n", "2"], "n=2 points are too few for a triangle; give 3 or more, e.g. 1000"),
        (["H3", "--n", "1000000000000"], "all distances of 1000000000000 points need 3.2e+16 GB"),
        (["H3", "--radius", "0"], "radius=0 is not a positive number; the radius of a ball is e.g. 5"),
        (["H3", "--radius", "-2"], "radius=-2 is not a positive number"),
        (["H3", "--radius", "nan"], "radius=nan is not a positive number"),
        (["H3", "--radius", "1e9"], "a ball of radius 1e+09 does not fit into H3"),
        (["SPD3"], "uniform sampling from balls of SPD3 is not implemented; 'uniform' is for E, H, S"),
        (["H3", "--how", "best"], "no sampling method is called 'best'; there are 'uniform' and 'exp'"),
        (["S2", "--radius", "1"], "S2 is sampled uniformly as a whole"),
        (["H3", "--thresholds", "0"], "--thresholds is not 0; it is a number from 1 to 1000, e.g. 10"),
        (["H3", "--seed", "-1"], "seed=-1 is negative"),
    ],
)
def test_bad_samples_are_one_message_and_exit_code_2(arguments, message, tmp_path, capsys):
    """No folder is made."""
    assert run("sample", *arguments, "--out", str(tmp_path / "out")) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"riemap: {message}")
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_that_exists_is_not_written_to(tmp_path, capsys):
    (tmp_path / "old").mkdir()
    assert run("sample", "S2", "--n", "9", "--out", str(tmp_path / "old")) == 2
    assert capsys.readouterr().err == f"riemap: {tmp_path / 'old'} exists already; name a new folder\n"
    assert list((tmp_path / "old").iterdir()) == []


def test_the_same_files_for_any_number_of_threads(tmp_path):
    """One and two threads write the same bytes, in a product that uses kernels and blocks."""
    code = "from riemap.cli import main\nmain({!r})"
    for threads in ("1", "2"):
        arguments = ["sample", "H3 x SO3", "--n", "90", "--radius", "2", "--out", str(tmp_path / threads)]
        environment = {**os.environ, "NUMBA_NUM_THREADS": threads}
        subprocess.run([sys.executable, "-c", code.format(arguments)], env=environment, check=True)
    for name in ("points.npz", "angles.csv", "summary.csv"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_help_has_an_example(capsys):
    assert run("sample", "--help") == 0
    assert "Example: riemap sample H3 --radius 5 --out h3" in capsys.readouterr().out
