"""Who counts as using the embedded Postgres: it stops with its last living user."""

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil

from core.adapters.postgres.embedded import forget_dead_users


def test_a_killed_process_uses_the_server_no_more(tmp_path: Path) -> None:
    """A process that was killed, reaped or not, no longer keeps the server running."""
    killed = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    killed.kill()
    process = psutil.Process(killed.pid)
    while process.status() != psutil.STATUS_ZOMBIE:
        pass
    users = tmp_path / ".handle_pids.json"
    users.write_text(json.dumps([killed.pid, os.getpid()]))
    forget_dead_users(tmp_path)
    assert json.loads(users.read_text()) == [os.getpid()]
    killed.wait()
    users.write_text(json.dumps([killed.pid]))
    forget_dead_users(tmp_path)
    assert json.loads(users.read_text()) == []
