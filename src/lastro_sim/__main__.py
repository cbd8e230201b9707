"""The entry point: the only reader of environment, clock and machine randomness."""

import asyncio
import atexit
import contextlib
import gc
import logging
import os
import random
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import uvicorn
import uvloop

from lastro.standards import traces
from lastro_sim import logs
from lastro_sim.api_pix import listener
from lastro_sim.application import build
from lastro_sim.bells import Bells
from lastro_sim.chance import Dice
from lastro_sim.clock import Clock
from lastro_sim.log_writer import ErrorStream, LogWriter, descriptor_of
from lastro_sim.network import Network
from lastro_sim.settings import Settings
from lastro_sim.store import Store, StoreInUseError
from lastro_sim.tracing import Tracer
from lastro_sim.whole_answers import WholeAnswers


class Server(uvicorn.Server):
    """A server that leaves signals to the entry point."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves signals alone."""
        yield


def settings_from(environment: Mapping[str, str]) -> Settings:
    """Reads the settings from environment variables."""
    hosts, port = environment.get("LASTRO_PUBLIC_HOSTS", ""), int(environment.get("LASTRO_SIM_PORT", "8090"))
    return Settings(
        home=Path(environment.get("LASTRO_HOME", ".lastro")).resolve(),
        token=environment.get("LASTRO_NETWORK_TOKEN", ""),
        port=port,
        bank_port=int(environment.get("LASTRO_SIM_BANK_PORT") or port + 1),
        lastro_url=environment.get("LASTRO_BASE_URL", "http://127.0.0.1:8080"),
        public_hosts=tuple(host.strip() for host in hosts.split(",") if host.strip()),
    )


def open_network(settings: Settings, tracer: Tracer | None = None) -> Network:
    """Opens the network with its store, on the machine's clock and randomness."""
    store = Store(settings.store_path)
    _put_back(store, settings.store_path.with_name("offset"))
    clock = Clock(lambda: time.time_ns() // 1000, store.number("clock-offset"))
    return Network(settings, store, clock, Dice(random.SystemRandom()), Bells(), tracer)


def _put_back(store: Store, file: Path) -> None:
    """Takes the clock offset that a restored sandbox left in a file."""
    if file.exists():
        store.remember("clock-offset", int(file.read_text(encoding="utf-8")))
        file.unlink()


async def serve(network: Network, bind: str, say: logs.Say, *, watch_parent: bool) -> None:
    """Serves until told to stop. say: takes each line of the log."""
    config = uvicorn.Config(
        build(network, say),
        http=WholeAnswers,
        host=bind,
        port=network.settings.port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=2,
        server_header=False,
        proxy_headers=False,
    )
    server = Server(config)

    def stop() -> None:
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stop)
    if watch_parent:
        await _watch_parent(stop)
    async with listener.listening(network, bind, say):
        gc.collect()
        gc.freeze()  # modules and routes, over which each search for cycles would walk
        await server.serve()


async def _watch_parent(stop: Callable[[], None]) -> None:
    """Stops the server when standard input closes, so the parent is gone."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)

    async def watch() -> None:
        while await reader.read(1024):
            pass
        stop()

    task = loop.create_task(watch())
    _watching.add(task)
    task.add_done_callback(_watching.discard)


_watching: set[asyncio.Task[None]] = set()


def main() -> None:
    """Runs the simulated network."""
    settings = settings_from(os.environ)
    output, errors = LogWriter(descriptor_of(sys.stdout)), LogWriter(descriptor_of(sys.stderr))
    sys.stderr = ErrorStream(errors)
    for writer in (output, errors):
        atexit.register(writer.end)
    if not settings.token:
        sys.stderr.write("LASTRO_NETWORK_TOKEN is not set: participants are refused, the phone page works.\n")
    try:
        network = open_network(settings, _tracer(os.environ))
    except StoreInUseError as error:
        sys.exit(f"lastro-sim: {error}")
    say = logs.lines(output.write, network.clock.machine, _level(os.environ))
    logging.basicConfig(level=logging.WARNING, handlers=[logs.Libraries(say)], force=True)
    piped = os.environ.get("LASTRO_PARENT_PIPE") == "1" and _is_pipe(sys.stdin.fileno())
    try:
        uvloop.run(serve(network, os.environ.get("LASTRO_BIND", "127.0.0.1"), say, watch_parent=piped))
    finally:
        network.store.close()


def _tracer(environment: Mapping[str, str]) -> Tracer | None:
    """Returns a tracer if LASTRO_OTLP_URL is set; lastro validates that address."""
    url = environment.get("LASTRO_OTLP_URL", "").strip()
    if not url:
        return None
    return Tracer(traces.collector(url), time.time_ns, random.SystemRandom().randbytes)


def _level(environment: Mapping[str, str]) -> str:
    """Returns the lowest log level to write; lastro rejects an unknown one."""
    asked = environment.get("LASTRO_LOG_LEVEL", "")
    return asked if asked in logs.LEVELS else "info"


def _is_pipe(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


if __name__ == "__main__":
    main()
