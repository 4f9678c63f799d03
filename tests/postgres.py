"""A PostgreSQL server of its own for the tests, in a temporary directory."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "postgres"
NAME = "weigh"


def programs() -> Path | None:
    """Return where the newest server is installed, as Debian does it or on the path."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4])
    )
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return None if initdb is None else Path(initdb).resolve().parent


def why_not() -> str | None:
    """Return what a server lacks here, or None."""
    if programs() is None:
        return "PostgreSQL is not installed (Debian: apt-get install postgresql)"
    if os.geteuid() == 0 and (
        shutil.which("runuser") is None or USER not in {each.pw_name for each in pwd.getpwall()}
    ):
        return f"PostgreSQL does not run as root, and there is no runuser or no user {USER}"
    return None


@contextmanager
def server(*, fsync: bool = False) -> Iterator[str]:
    """Start a server that listens on a socket only; yield the URL of an empty database.

    With `fsync` what it keeps outlives a loss of power, as it would elsewhere.
    """
    where = programs()
    assert where is not None
    # The path of a socket may have no more than a hundred characters: pytest's would be too long.
    folder = Path(tempfile.mkdtemp(prefix="weigh-pg-"))
    data, log = folder / "data", folder / "log"

    def run(program: str, *arguments: str | Path) -> None:
        command = [str(where / program), *map(str, arguments)]
        if os.geteuid() == 0:
            command = ["runuser", "-u", USER, "--", *command]
        done = subprocess.run(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        told = log.read_text() if done.returncode and log.exists() else ""
        assert done.returncode == 0, f"{program}: {done.stdout.decode()}{told}"

    try:
        if os.geteuid() == 0:
            shutil.chown(folder, USER)
        run("initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync")
        # The server keeps the output that it is given: it goes to a file, or we would wait for it.
        options = f"-k {folder} -c listen_addresses= -c max_connections=50"
        options += "" if fsync else " -c fsync=off"
        run("pg_ctl", "-D", data, "-l", log, "-o", options, "-w", "start")
        try:
            run("createdb", "-h", folder, "-U", USER, NAME)
            yield f"postgresql://{USER}@/{NAME}?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
