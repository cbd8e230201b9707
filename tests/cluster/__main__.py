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

HOST = "127.0.0.1"
SUPERUSER = "postgres"
# Citus runs a worker of its own in each database that is open, and the tests have dozens. A shard that moves is copied by
# logical replication, from its node's write-ahead log.
CONFIGURED = f"""
listen_addresses = '{HOST}'
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
_DURABLE = "fsync = on\nfull_page_writes = on\nsynchronous_commit = on\n"


def start(folder: Path, nodes: int, *, durable: bool = False) -> str:
    """Their address, the coordinator first, as LASTRO_CITUS_URL has it. durable: a commit is synced, as in production."""
    folder.mkdir(parents=True)
    if os.geteuid() == 0:
        shutil.chown(folder, SUPERUSER)
    ports = free_ports(nodes)
    try:
        for number, port in enumerate(ports):
            data = folder / f"node{number}"
            run("initdb", "-D", data, "-U", SUPERUSER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
            with (data / "postgresql.conf").open("a") as settings:
                settings.write(
                    f"{CONFIGURED}{_DURABLE if durable else ''}port = {port}\nunix_socket_directories = '{folder}'\n"
                )
            run("pg_ctl", "-D", data, "-w", "-l", folder / f"log{number}", "start")
    except BaseException:
        stop(folder)
        raise
    return f"postgresql://{SUPERUSER}@{','.join(f'{HOST}:{port}' for port in ports)}/postgres"


def stop(folder: Path) -> None:
    """Nothing of them is left."""
    for data in folder.glob("node*"):
        if (data / "postmaster.pid").exists():
            run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    shutil.rmtree(folder)


def run(program: str, *arguments: str | Path, environment: dict[str, str] | None = None) -> None:
    """One of PostgreSQL's programs; as its user, since none of them runs as root. environment: besides ours."""
    config = os.environ.get("PG_CONFIG", "pg_config")
    programs = subprocess.run([config, "--bindir"], check=True, capture_output=True, text=True).stdout.strip()
    user = SUPERUSER if os.geteuid() == 0 else None
    groups = [pwd.getpwnam(user).pw_gid] if user else None
    done = subprocess.run(
        [Path(programs) / program, *arguments], check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, cwd="/", user=user, group=groups[0] if groups else None, extra_groups=groups,
        env={**os.environ, **(environment or {})},
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(f"{program}: {done.stderr.strip()}")


def free_ports(count: int) -> list[int]:
    """All are held until the last is found, so that none comes twice."""
    held = [socket.create_server((HOST, 0)) for _ in range(count)]
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
