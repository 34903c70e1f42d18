"""``riemap table``: values by hand, marks, four formats, and figures of others beside ours."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from helpers import record_of, run

from riemap.grids.published import counts, our_space, read_reference, verdict
from riemap.grids.records import GridFolder
from riemap.grids.tables import Cell, Row, ranks, rows
from riemap.grids.typeset import FORMATS, sheet

PAPER = Path(__file__).parents[2] / "shared" / "paper"

Given = tuple[str, str, str, int, "float | None", "float | None", "float | None"]

RUNS: list[Given] = [
    ("karate", "H2", "stress", 0, 0.80, 0.90, 0.20),
    ("karate", "H2", "stress", 1, 0.82, 0.94, 0.10),
    ("karate", "H2", "ad", 0, 0.70, 0.95, 0.12),
    ("karate", "H2", "ad", 1, 0.90, 0.91, 0.14),
    ("karate", "E2", "stress", 0, 0.85, 0.80, 0.30),
    ("karate", "E2", "stress", 1, 0.75, 0.80, 0.50),
    ("karate", "S2", "stress", 0, 0.50, 0.60, None),
    ("karate", "S2", "stress", 1, 0.50, 0.60, 0.70),
    ("a_b & 100%|{x}^2~\\", "H2 x E1", "stress", 0, 0.5, 0.25, 0.0625),
    ("karate", "E3", "stress", 0, 0.99, 0.99, 0.0004),
]


def record(graph: str, space: str, loss: str, seed: int, f1: Any, auc: Any, ad: Any) -> dict[str, Any]:
    """A record with these scores."""
    return record_of(graph, space, loss, {"f1@1": f1, "auc": auc, "ad": ad}, seed=seed)


RECORDS = [record(*given) for given in RUNS]
METRICS = ("f1@1", "auc", "ad")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A grid that has been done, but for one run that failed."""
    found = GridFolder(tmp_path / "grid")
    found.begin([f"run{k}" for k in range(len(RECORDS) + 2)])
    for k, one in enumerate(RECORDS):
        found.write({**one, "id": f"run{k}"})
    failed = {key: value for key, value in RECORDS[0].items() if key not in ("scores", "f1@k")}
    error = {"type": "DivergedError", "message": "no"}
    found.write({**failed, "id": f"run{len(RECORDS)}", "error": error})
    return found.path


def test_the_best_of_all_runs() -> None:
    """For each metric by itself, with the loss that it came from."""
    table = rows(RECORDS, METRICS, "best")
    assert [(row.graph[:6], row.dim, row.space) for row in table] == [
        ("karate", 2, "H2"),
        ("karate", 2, "E2"),
        ("karate", 2, "S2"),
        ("karate", 3, "E3"),
        ("a_b & ", 3, "H2 x E1"),
    ]
    assert table[0].cells["f1@1"] == Cell(pytest.approx(90.0), None, "ad", 1)
    assert table[0].cells["auc"] == Cell(pytest.approx(95.0), None, "ad", 1)
    assert table[0].cells["ad"] == Cell(pytest.approx(0.10), None, "stress", 1)
    assert table[2].cells["ad"].value == pytest.approx(0.70)


def test_the_mean_of_the_best_loss() -> None:
    """F1@1: stress has 81 ± √2, ad 80 ± 10√2. AD: stress 0.15, ad 0.13 ± 0.01√2. Of a missing value, none."""
    table = rows(RECORDS, METRICS, "mean")
    assert table[0].cells["f1@1"] == Cell(pytest.approx(81.0), pytest.approx(2**0.5), "stress", 2)
    assert table[0].cells["auc"] == Cell(pytest.approx(93.0), pytest.approx(8**0.5), "ad", 2)
    assert table[0].cells["ad"] == Cell(pytest.approx(0.13), pytest.approx(0.01 * 2**0.5), "ad", 2)
    assert table[2].cells["ad"] == Cell(None, None, "stress", 2)
    assert table[3].cells["ad"].deviation is None, "of one seed there is none"


def test_best_and_second_best_of_a_group() -> None:
    table = rows(RECORDS, METRICS, "best")
    assert ranks(table, "f1@1") == [1, 2, 0, 0, 0], "a group of one has no best"
    assert ranks(table, "ad") == [1, 2, 0, 0, 0], "here the least is best"
    mean = rows(RECORDS, METRICS, "mean")
    assert ranks(mean, "ad") == [1, 2, 0, 0, 0]


def test_ties_as_they_are_shown() -> None:
    """95.001 and 95.004 are one value; what comes next is second."""
    values = (95.001, 95.004, 94.99, 94.0)
    table = [Row("g", 2, f"E{k}", {"auc": Cell(v, None, "", 1)}) for k, v in enumerate(values)]
    assert ranks(table, "auc") == [1, 1, 2, 0]


def test_plain() -> None:
    found = FORMATS["text"](sheet(rows(RECORDS[:8], METRICS, "mean"), METRICS))
    assert found.splitlines() == [
        "graph   dim  space        f1@1 %          auc %              ad",
        "karate    2  H2     81.00 ± 1.41*  93.00 ± 2.83*  0.130 ± 0.014*",
        "karate    2  E2     80.00 ± 7.07+  80.00 ± 0.00+  0.400 ± 0.141+",
        "karate    2  S2     50.00 ± 0.00   60.00 ± 0.00               –",
    ]


def test_groups_are_apart() -> None:
    found = FORMATS["text"](sheet(rows(RECORDS, METRICS, "best"), METRICS)).splitlines()
    assert [k for k, line in enumerate(found) if not line] == [4, 6]


def test_markdown() -> None:
    found = FORMATS["markdown"](sheet(rows(RECORDS, METRICS, "best"), METRICS)).splitlines()
    assert found[0] == "| graph | dim | space | f1@1 % | auc % | ad |"
    assert found[1] == "| --- | --: | --- | --: | --: | --: |"
    assert found[2] == "| karate | 2 | H2 | **90.00** | **95.00** | **0.100** |"
    assert found[3] == "| karate | 2 | E2 | <u>85.00</u> | <u>80.00</u> | <u>0.300</u> |"
    assert found[6] == r"| a\_b & 100%\|{x}^2\~\\ | 3 | H2 x E1 | 50.00 | 25.00 | 0.062 |"


def test_latex() -> None:
    found = FORMATS["latex"](sheet(rows(RECORDS, METRICS, "best"), METRICS)).splitlines()
    assert found[0] == r"\begin{tabular}{lrlrrr}"
    assert found[4] == r"karate & 2 & H2 & \textbf{90.00} & \textbf{95.00} & \textbf{0.100} \\"
    assert found[5] == r"karate & 2 & E2 & \underline{85.00} & \underline{80.00} & \underline{0.300} \\"
    name = r"a\_b \& 100\%\textbar{}\{x\}\textasciicircum{}2\textasciitilde{}\textbackslash{}"
    assert found[10] == rf"{name} & 3 & H2 x E1 & 50.00 & 25.00 & 0.062 \\"
    assert [k for k, line in enumerate(found) if line == r"\hline"] == [1, 3, 7, 9, 11]
    assert found[-1] == r"\end{tabular}"


def test_csv_is_read_back() -> None:
    odd = record('a "b", c\nd', "Gr(1,3)", "stress", 0, 0.5, None, 0.5)
    found = FORMATS["csv"](sheet(rows([odd, *RECORDS], METRICS, "mean"), METRICS))
    lines = list(csv.DictReader(found.splitlines(keepends=True)))
    assert lines[0]["graph"] == 'a "b", c\nd'
    assert (lines[0]["space"], lines[0]["auc"], lines[0]["auc sd"]) == ("Gr(1,3)", "", "")
    assert (lines[1]["f1@1"], lines[1]["f1@1 sd"], lines[1]["ad"]) == ("81.00", "1.41", "0.130")


# --- figures of others ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "dim", "ours"),
    [
        ("Euc", "3", "E3"),
        ("Hyp", "10", "H10"),
        ("Sphere", "4", "S4"),
        ("SPD", "3", "SPD2"),
        ("SPD", "10", "SPD4"),
        ("Stein", "6", "Stein3"),
        ("Gr(2,4)", "4", "Gr(2,4)"),
        ("H(3)^4", "", "H3^4"),
        ("H(6)xS(6)", "", "H6 x S6"),
        ("SPD(2)^4", "", "Stein2^4"),
        ("SPD(3)xGr(3,5)", "", "Stein3 x Gr(3,5)"),
        ("SPD3 x E1", "7", "SPD3 x E1"),
    ],
)
def test_names_of_the_paper(name: str, dim: str, ours: str) -> None:
    assert str(our_space(name, dim)) == ours


@pytest.mark.parametrize("name", ["table5_nonpositive", "table6_compact", "table7_products"])
def test_tables_of_the_paper_are_read(name: str) -> None:
    path = PAPER / f"{name}.csv"
    if not path.is_file():
        pytest.skip(f"no {path.name} at hand")
    assert len(read_reference(path)) == len(path.read_text().splitlines()) - 1


REFERENCE = """graph,dim,space,f1@1,auc,ad
karate,2,Hyp,90.0,94.99,0.1
karate,2,Euc,85.01,-,0.3004
karate,2,Sphere,,,0.699
power,2,Hyp,1,1,1
"""


def test_better_equal_worse(tmp_path: Path) -> None:
    """As it is shown: 0.1 is 0.100, and 0.3004 is 0.300."""
    (tmp_path / "ref.csv").write_text(REFERENCE)
    reference, table = read_reference(tmp_path / "ref.csv"), rows(RECORDS, METRICS, "best")
    found = [[verdict(row, metric, reference) for metric in METRICS] for row in table]
    assert found == [
        ["equal", "better", "equal"],
        ["worse", None, "equal"],
        [None, None, "worse"],
        [None] * 3,
        [None] * 3,
    ]
    assert counts(table, METRICS, reference) == {"better": 1, "equal": 3, "worse": 2}


def test_a_reference_with_a_column_a_graph(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("space,power,csphd\nE10,0.04,0.05\nH5 x H5,-,0.03\n")
    assert read_reference(tmp_path / "wide.csv", ["ad"]) == {
        ("power", "E10"): {"ad": 0.04},
        ("power", "H5^2"): {},
        ("csphd", "E10"): {"ad": 0.05},
        ("csphd", "H5^2"): {"ad": 0.03},
    }


def test_the_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ref.csv").write_text(REFERENCE)
    assert run("table", str(folder), "-m", "f1@1,ad", "--against", str(tmp_path / "ref.csv")) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].split() == [
        "graph",
        "dim",
        "space",
        *["f1@1", "%", "f1@1", "%", "ref", "ad", "ad", "ref"],
    ]
    assert lines[1].split() == ["karate", "2", "H2", "90.00*", "90.00", "0.100*", "0.100"]
    assert lines[-1] == "of 5 cells: 0 better, 3 equal, 2 worse"
    assert err == (
        "riemap: 1 of 12 runs are not done; 'riemap grid' does them\n"
        "riemap: 1 of 11 runs failed and are not in the table\n"
    )
    assert run("table", str(folder), "--by", "mean", "--against", str(tmp_path / "ref.csv"), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["against"] == {"better": 0, "equal": 0, "worse": 5}
    assert found["rows"][0]["ours"]["f1@1"] == pytest.approx(0.81), "JSON has fractions"
    assert found["rows"][0]["loss"] == {"f1@1": "stress", "auc": "ad", "ad": "ad"}
    assert found["rows"][0]["reference"] == pytest.approx({"f1@1": 0.9, "auc": 0.9499, "ad": 0.1})


def test_only_the_table_where_a_program_reads_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ref.csv").write_text(REFERENCE)
    for form in ("csv", "latex", "markdown"):
        assert run("table", str(folder), "--format", form, "--against", str(tmp_path / "ref.csv")) == 0
        out, err = capsys.readouterr()
        assert "cells:" not in out
        assert "of 6 cells: 1 better, 3 equal, 2 worse" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metric", "f1"], "no metric is called 'f1'"),
        (["--by", "median"], "--by is not 'median'"),
        (
            ["--format", "txt"],
            "--format is not 'txt'; did you mean 'text'? There are text, markdown, csv, latex",
        ),
        (["--against", "{}/none.csv"], "none.csv: no such file or directory"),
        (["--against", "{}/columns.csv"], "columns.csv has the columns ['space', 'graph']"),
        (
            ["--against", "{}/wide.csv"],
            "wide.csv has a column for every graph, all of one metric; name it, e.g. --m",
        ),
        (["--against", "{}/wide.csv", "-m", "ad"], "wide.csv, row 3: cannot read factor 'Foo'"),
        (["--against", "{}/space.csv"], "space.csv, row 2: cannot read factor 'Foo' of space 'Foo'"),
        (["--against", "{}/dim.csv"], "dim.csv, row 2: 'H3' has 3 dimensions, and not '2'"),
        (["--against", "{}/twice.csv"], "twice.csv, row 3: g in H3 is there already"),
        (["--against", "{}/number.csv"], "number.csv, row 2: "),
        (["--against", "{}/empty.csv"], "empty.csv has the columns []"),
    ],
)
def test_refused(
    options: list[str], message: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in {
        "columns": "space,graph\nE10,power\n",
        "wide": "space,power\nE10,0.04\nFoo,1\n",
        "space": "graph,dim,space,ad\ng,2,Foo,1\n",
        "dim": "graph,dim,space,ad\ng,2,H3,1\n",
        "twice": "graph,dim,space,ad\ng,3,H3,1\ng,3,Hyp,1\n",
        "number": "graph,dim,space,ad\ng,3,H3,nan\n",
        "empty": "",
    }.items():
        (tmp_path / f"{name}.csv").write_text(text)
    assert run("table", str(folder), *(option.format(tmp_path) for option in options)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_folders_without_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("table", str(tmp_path)) == 2
    assert "is not the folder of a grid" in capsys.readouterr().err
    GridFolder(tmp_path / "new").begin(["a"])
    assert run("table", str(tmp_path / "new")) == 2
    assert "has no finished run" in capsys.readouterr().err


def test_records_of_an_older_engine_are_told_of(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grid = GridFolder(folder)
    for number, engine in enumerate(["0123456789abcdef", None]):
        grid.write({**grid.records()[number], "engine": engine})
    assert run("table", str(folder), "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["engine"] == {"current": 9, "older": 2}
    assert "riemap: 2 of 11 records were made by an older engine\n" in err
