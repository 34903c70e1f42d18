"""Build the wheel, install it in a fresh environment and use it from outside the checkout.

The script takes the list of modules and files from the sources, so it notices a file that the wheel lacks.
It installs only the core dependencies, so it notices a module that cannot be imported without an extra.

Run: python tools/check_wheel.py
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

IMPORT_ALL = """
import importlib, importlib.resources, sys
modules, files = (part.split() for part in sys.argv[1:])
for name in modules:
    module = importlib.import_module(name)
    assert module.__file__.startswith(sys.prefix), module.__file__
for name in files:
    assert importlib.resources.files("riemap").joinpath(name).is_file(), "no " + name
"""


def modules() -> list[str]:
    """Return the dotted names of all modules."""
    paths = (p.relative_to(ROOT / "src") for p in sorted(ROOT.glob("src/riemap/**/*.py")))
    return [".".join(p.with_suffix("").parts).removesuffix(".__init__") for p in paths]


def files() -> list[str]:
    """Return the other files of the package: data, and the scripts and styles of reports."""
    package = ROOT / "src/riemap"
    found = (p for p in sorted(package.rglob("*")) if p.is_file() and "__pycache__" not in p.parts)
    return [p.relative_to(package).as_posix() for p in found if p.suffix != ".py"]


def run(*command: str | Path, cwd: Path) -> None:
    """Run a command. If it fails, print its output and exit."""
    done = subprocess.run(command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(done.stdout)


def main() -> None:
    """Build, install and use the wheel in a temporary directory."""
    with tempfile.TemporaryDirectory() as name:
        here = Path(name).resolve()
        python, riemap = here / "venv/bin/python", here / "venv/bin/riemap"
        print("wheel: build")
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", here, ROOT, cwd=here)
        print("wheel: install in a fresh environment")
        venv.create(here / "venv", with_pip=True)
        (wheel,) = here.glob("riemap-*.whl")
        pip = (python, "-I", "-m", "pip", "install", "-q", "--disable-pip-version-check")
        run(*pip, "-c", ROOT / "constraints.txt", wheel, cwd=here)
        print(f"wheel: import {len(modules())} modules, run riemap spaces and riemap paper")
        run(python, "-I", "-c", IMPORT_ALL, " ".join(modules()), " ".join(files()), cwd=here)
        run(riemap, "spaces", cwd=here)
        run(riemap, "paper", "table6", "--show", cwd=here)


if __name__ == "__main__":
    main()
