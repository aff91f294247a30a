"""`python -m evals`."""

import sys

from bot.cli import run
from bot.console.options import parser_of
from evals.measures import EVALS

sys.exit(run(sys.argv[1:], parser_of(EVALS)))
