"""Commands that start and end at once on one embedded Postgres.

    python -m tests.evals.bench_embedded [--trials 40] [--commands 8]

In each trial one command is there before and goes on until the others have ended: it must find its
server to the end, and the server must stop with the last of all trials.
"""

import argparse
import shutil
import tempfile
from pathlib import Path

from core.adapters.postgres.engine.embedded import start_embedded, stop_embedded
from tests.integration.postgres.test_embedded_users import servers, trial


def main() -> None:
    """Run the trials and print what was lost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--commands", type=int, default=8)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="citebound-embedded-"))
    folder.chmod(0o711)
    home = folder / "home"
    try:
        lost = [error for _ in range(given.trials) for error in trial(home, given.commands)]
        left = servers(home)
        print(
            f"{given.trials} trials of {given.commands} commands at once:"
            f" {len(lost)} commands lost their server, {len(left)} servers left behind"
        )
        start_embedded(home, temporary=True)
    finally:
        stop_embedded(home)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
