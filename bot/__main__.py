"""The command `citebound`, also as `python -m bot`."""

import importlib
import signal
import sys


def main() -> None:
    """Run the command line and exit with its code.

    It is imported here, so that Ctrl-C shows no traceback while that is done: nothing is open yet.
    """
    try:
        code = importlib.import_module("bot.cli").run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("citebound: interrupted\n")
        code = 130
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # at exit the embedded database is stopped
    sys.exit(code)


if __name__ == "__main__":
    main()
