"""Files are seen whole or not at all, whatever happens while they are written."""

import os
import stat
from pathlib import Path

import pytest

from riemap.files import ABANDONED_PART_SECONDS, cache_folder, written_whole


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with written_whole(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
        assert len(names(tmp_path)) == 2, "beside its place, so that renaming is one step"
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_exception_leaves_everything_as_it_was(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(error), written_whole(path) as file:  # noqa: PT012
        file.write(b"half")
        raise error
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_a_place_that_cannot_be_taken_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"), written_whole(tmp_path / "folder") as file:
        file.write(b"new")
    assert names(tmp_path) == ["folder"]


def test_folders_are_made(tmp_path: Path) -> None:
    with written_whole(tmp_path / "a" / "b" / "file") as file:
        file.write(b"new")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"new"


def test_it_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    """A checksum at the end needs that."""
    with written_whole(tmp_path / "file") as file:
        file.write(b"some")
        file.seek(0)
        assert file.read() == b"some"
        file.write(b" more")
    assert (tmp_path / "file").read_bytes() == b"some more"


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_permissions_are_those_of_any_new_file(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        with written_whole(tmp_path / "file") as file:
            assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600, "private while it is written"
        assert os.umask(mask) == mask, "the mask is left as it was"
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("name", ["file.npz", "file[1]*?.npz"])
def test_what_killed_processes_left_of_this_file_is_swept(tmp_path: Path, name: str) -> None:
    """After a day: younger ones may be in the making. Files of other names are nobody's business here."""
    old, young, other = (tmp_path / part for part in (f".{name}.x.part", f".{name}.y.part", ".other.z.part"))
    for part in (old, young, other):
        part.write_bytes(b"half")
    long_ago = young.stat().st_mtime - ABANDONED_PART_SECONDS - 60.0
    os.utime(old, (long_ago, long_ago))
    os.utime(other, (long_ago, long_ago))
    with written_whole(tmp_path / name) as file:
        file.write(b"new")
    assert names(tmp_path) == sorted([young.name, other.name, name])


def test_names_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    for name in ("a" * 255, "é" * 127, "𝔸" * 63):
        with written_whole(tmp_path / name) as file:
            file.write(b"new")
        assert (tmp_path / name).read_bytes() == b"new"


def test_the_cache_is_where_it_is_said_to_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    for unset in ("", None):
        monkeypatch.delenv("RIEMAP_CACHE") if unset is None else monkeypatch.setenv("RIEMAP_CACHE", unset)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert cache_folder().name == "riemap"
