"""Argparse as our commands use it: how it prints help, and how it says what is wrong."""

import argparse
import sys
from typing import Any, NoReturn


class Prose(argparse.HelpFormatter):
    """Fills paragraphs to the terminal's width, and leaves examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(
            block if "\n  " in f"\n{block}" else super(Prose, self)._fill_text(block, width, indent)
            for block in text.split("\n\n")
        )


class Parser(argparse.ArgumentParser):
    """Says a usage error in one line, as all errors of the command are said.

    A group of commands without a word after it prints its help, and ends with 0.
    """

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        """See `ArgumentParser`; print the help where a group stands alone."""
        if self._subparsers is not None and not (sys.argv[1:] if args is None else args):
            self.print_help()
            self.exit()
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """See `ArgumentParser`."""
        self.exit(2, f"citebound: error: {message}; see `{self.prog} --help`\n")
