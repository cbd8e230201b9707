"""Three nodes of Citus in a folder, for tests alone: `python -m tests.cluster start|stop FOLDER` (README.md beside this).

Every login is trusted, nothing is synced: it is for a machine of one's own, and for nothing that is to be kept.
"""

import argparse
import os
import pwd
import shutil
import socket
import subprocess
import sys
from pathlib import Path

_HOST = "127.0.0.1"
_SUPERUSER = "postgres"
# Citus runs a worker of its own in each database that is open, and the tests have dozens. A shard that moves is copied by
# logical replication, from its node's write-ahead log.
_CONFIGURED = f"""
listen_addresses = '{_HOST}'
shared_preload_libraries = 'citus'
wal_level = logical
max_wal_senders = 20
max_replication_slots = 30
max_connections = 500
max_worker_processes = 250
max_logical_replication_workers = 40
max_sync_workers_per_subscription = 4
max_prepared_transactions = 500
shared_buffers = 256MB
fsync = off
full_page_writes = off
synchronous_commit = off
jit = off
timezone = UTC
citus.node_conninfo = 'sslmode=disable'
citus.enable_statistics_collection = off
"""


def start(folder: Path, nodes: int) -> str:
    """Their address, the coordinator first, as LASTRO_CITUS_URL has it."""
    folder.mkdir(parents=True)
    if os.geteuid() == 0:
        shutil.chown(folder, _SUPERUSER)
    ports = _free_ports(nodes)
    try:
        for number, port in enumerate(ports):
            data = folder / f"node{number}"
            _run("initdb", "-D", data, "-U", _SUPERUSER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
            with (data / "postgresql.conf").open("a") as settings:
                settings.write(f"{_CONFIGURED}port = {port}\nunix_socket_directories = '{folder}'\n")
            _run("pg_ctl", "-D", data, "-w", "-l", folder / f"log{number}", "start")
    except BaseException:
        stop(folder)
        raise
    return f"postgresql://{_SUPERUSER}@{','.join(f'{_HOST}:{port}' for port in ports)}/postgres"


def stop(folder: Path) -> None:
    """Nothing of them is left."""
    for data in folder.glob("node*"):
        if (data / "postmaster.pid").exists():
            _run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    shutil.rmtree(folder)


def _run(program: str, *arguments: str | Path) -> None:
    """One of PostgreSQL's programs; as its user, since none of them runs as root."""
    config = os.environ.get("PG_CONFIG", "pg_config")
    programs = subprocess.run([config, "--bindir"], check=True, capture_output=True, text=True).stdout.strip()
    user = _SUPERUSER if os.geteuid() == 0 else None
    groups = [pwd.getpwnam(user).pw_gid] if user else None
    done = subprocess.run(
        [Path(programs) / program, *arguments], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, cwd="/", user=user, group=groups[0] if groups else None, extra_groups=groups,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{program}: {done.stderr.strip()}")


def _free_ports(count: int) -> list[int]:
    """All are held until the last is found, so that none comes twice."""
    held = [socket.create_server((_HOST, 0)) for _ in range(count)]
    ports: list[int] = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster")
    parser.add_argument("act", choices=["start", "stop"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nodes", type=int, default=3)
    asked = parser.parse_args()
    folder = asked.folder.absolute()
    if asked.act == "stop":
        stop(folder)
    else:
        sys.stdout.write(start(folder, asked.nodes) + "\n")


if __name__ == "__main__":
    _main()
