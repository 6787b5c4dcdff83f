"""A PostgreSQL server of a test, on a Unix socket in a directory of its own."""

import contextlib
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

import pytest


def _programs():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"),
                   key=lambda path: int(path.parts[4]) if path.parts[4].isdigit() else 0)
    beside = shutil.which("initdb")
    return found[-1].parent if found else pathlib.Path(beside).parent if beside else None


def _as_user():
    """The server refuses root."""
    if os.geteuid() != 0:
        return [], None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return ["setpriv", f"--reuid={name}", "--regid", str(pwd.getpwnam(name).pw_gid),
                    "--clear-groups"], pwd.getpwnam(name).pw_uid
    return None, None


class Server:
    def __init__(self, directory, programs, user):
        self.directory, self.programs, self.user = directory, programs, user

    @property
    def environment(self):
        return {**os.environ, "PGHOST": str(self.directory), "PGPORT": "5432", "PGUSER": "tester",
                "PGDATABASE": "postgres", "LC_ALL": "C"}

    def sql(self, text):
        """The rows of a script's last query, cells as texts."""
        done = subprocess.run([self.programs / "psql", "-X", "-q", "-A", "-t", "-F", "\t", "-v",
                               "ON_ERROR_STOP=1", "-f", "-"], input=text, env=self.environment,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()]

    def control(self, *words):
        subprocess.run([*self.user, self.programs / "pg_ctl", "-D", self.directory / "data", "-w", "-s",
                        *words], check=True, cwd=self.directory, stdout=subprocess.DEVNULL)


@contextlib.contextmanager
def server():
    programs, (user, uid) = _programs(), _as_user()
    if programs is None or user is None:
        pytest.skip("PostgreSQL's server is not installed; tools/deps all installs it")
    directory = pathlib.Path(tempfile.mkdtemp(prefix="sotto-postgres-"))
    try:
        if uid is not None:
            os.chown(directory, uid, -1)
        directory.chmod(0o755)
        made = Server(directory, programs, user)
        subprocess.run([*user, programs / "initdb", "-D", directory / "data", "-U", "tester", "-A",
                        "trust", "-E", "UTF8", "--no-sync"], check=True, cwd=directory,
                       stdout=subprocess.DEVNULL)
        made.control("-o", f"-k {directory} -c listen_addresses='' -c fsync=off", "-l",
                     directory / "log", "start")
        try:
            yield made
        finally:
            made.control("-m", "immediate", "stop")
    finally:
        shutil.rmtree(directory, ignore_errors=True)
