"""The command `citebound`, also as `python -m bot`."""

import sys

from bot.cli import run


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
