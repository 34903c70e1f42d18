"""Files are replaced atomically: readers see the old file or the complete new one. Streams are written to."""

import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from riemap.errors import InputError
from riemap.files import ABANDONED_PART_SECONDS, cache_folder, check_destination, is_stream, written_whole


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with written_whole(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
        assert len(names(tmp_path)) == 2, "the part is in the same folder, so that it can be renamed"
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


def test_what_is_neither_a_file_nor_a_stream_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is left alone, and no part is left beside it."""
    monkeypatch.chdir(tmp_path)  # the path of a socket may not be long
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for kind, example in (("folder", "folder/results"), ("socket", "results")):
            message = f"^{kind} is a {kind}; name a file, e.g. {example}$"
            with pytest.raises(InputError, match=message):
                check_destination(Path(kind))
            with pytest.raises(InputError, match=message), written_whole(Path(kind)) as file:
                file.write(b"new")
            assert names(tmp_path) == ["folder", "socket"]
    assert stat.S_ISSOCK(os.lstat("socket").st_mode)


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed(tmp_path: Path, there: bool) -> None:
    """Links stay links, and the file at their end is replaced or made."""
    target = tmp_path / "elsewhere" / "file"
    if there:
        target.parent.mkdir()
        target.write_bytes(b"old")
    (tmp_path / "near").symlink_to("elsewhere/file")
    (tmp_path / "far").symlink_to(tmp_path / "near")
    with written_whole(tmp_path / "far") as file:
        file.write(b"new")
    assert target.read_bytes() == b"new"
    assert (tmp_path / "far").is_symlink()
    assert (tmp_path / "near").is_symlink()
    assert names(tmp_path) == ["elsewhere", "far", "near"]
    assert names(target.parent) == ["file"]


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match=r"symbolic links.*/a'"), written_whole(tmp_path / "a") as file:
        file.write(b"new")
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("linked", [False, True])
def test_a_device_is_written_to(tmp_path: Path, linked: bool) -> None:
    """A terminal is a device that tests can make. It gets everything in the end, and stays a device."""
    reader, device = os.openpty()
    try:
        path = Path(os.ttyname(device))
        if linked:
            (tmp_path / "link").symlink_to(path)
            path = tmp_path / "link"
        assert is_stream(path)
        with pytest.raises(ValueError, match="stop"), written_whole(path) as file:  # noqa: PT012
            file.write(b"half")
            raise ValueError("stop")
        with written_whole(path) as file:
            file.write(b"....")
            file.seek(0)
            file.write(b"full")
        assert os.read(reader, 100) == b"full"
        assert stat.S_ISCHR(path.stat().st_mode)
        assert path.is_symlink() == linked
    finally:
        os.close(reader)
        os.close(device)


def test_a_fifo_is_written_to(tmp_path: Path) -> None:
    path, found = tmp_path / "fifo", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    with written_whole(path) as file:
        file.write(b"new")
    reader.join()
    assert found == [b"new"]
    assert names(tmp_path) == ["fifo"]
    assert path.is_fifo()


def test_stdout_is_written_to_wherever_it_goes(tmp_path: Path) -> None:
    """A file that the shell opened as stdout is not replaced: what is in it already stays."""
    code = (
        "import sys; from pathlib import Path; from riemap.files import written_whole; print('before')\n"
        "with written_whole(Path(sys.argv[1])) as file: file.write(b'new\\n')\n"
        "print('after')"
    )
    path = tmp_path / "file"
    for name in ("/dev/stdout", str(path)):
        path.write_text("first\n")
        with path.open("a") as file:
            subprocess.run([sys.executable, "-c", code, name], stdout=file, check=True)
        assert path.read_text() == "first\nbefore\nnew\nafter\n"
    done = subprocess.run([sys.executable, "-c", code, "/dev/stdout"], stdout=subprocess.PIPE, check=True)
    assert done.stdout == b"before\nnew\nafter\n"


def test_folders_are_made(tmp_path: Path) -> None:
    with written_whole(tmp_path / "a" / "b" / "file") as file:
        file.write(b"new")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"new"


def test_it_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    """The store reads its file back to append a checksum."""
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
        assert os.umask(mask) == mask, "the umask is not changed"
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("name", ["file.npz", "file[1]*?.npz"])
def test_parts_of_killed_processes_are_removed(tmp_path: Path, name: str) -> None:
    """Parts older than a day are removed; younger ones may be in use, and other files have other writers."""
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
    """``$RIEMAP_CACHE`` names the folder; if it is empty or unset, the folder is that of the system."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "system"))
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    for unset in ("", None):
        monkeypatch.delenv("RIEMAP_CACHE") if unset is None else monkeypatch.setenv("RIEMAP_CACHE", unset)
        assert cache_folder() == user_cache_path("riemap")
        if sys.platform == "linux":
            assert cache_folder() == tmp_path / "system" / "riemap"
