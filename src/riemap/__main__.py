"""``python -m riemap`` is the command line."""

from riemap.cli import main

if __name__ == "__main__":
    main()
