"""Build the wheel, install it in a fresh environment and use it from outside the checkout.

The modules and files are listed from the sources, so one that the wheel lacks is noticed; only
the core dependencies are installed, so one that needs more is noticed too.
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
    """Dotted names of all source files."""
    paths = (p.relative_to(ROOT / "src") for p in sorted(ROOT.glob("src/riemap/**/*.py")))
    return [".".join(p.with_suffix("").parts).removesuffix(".__init__") for p in paths]


def files() -> list[str]:
    """Everything else that belongs to the package: data, and the parts of a report."""
    package = ROOT / "src/riemap"
    found = (p for p in sorted(package.rglob("*")) if p.is_file() and "__pycache__" not in p.parts)
    return [p.relative_to(package).as_posix() for p in found if p.suffix != ".py"]


def run(*command: str | Path, cwd: Path) -> None:
    """Run a command; if it fails, show what it printed and stop."""
    done = subprocess.run(command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(done.stdout)


def main() -> None:
    """Check the wheel in a temporary directory."""
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
