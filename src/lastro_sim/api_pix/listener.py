"""The bank's socket: TLS 1.2 or newer, and a client certificate of the bank's authority, or no connection.

It is a second listener of the same process. The file `customer.json` in the bank's folder tells where it is, and the
credentials of the bank's first customer.
"""

import asyncio
import contextlib
import hashlib
import json
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from lastro_sim import logs
from lastro_sim.network import Network

from . import authority, credentials, customers, opening, server

CUSTOMER_FILE = "customer.json"


class BankProtocol(HttpToolsProtocol):
    """HTTP that tells its application the client's certificate, and cuts connections."""

    def on_message_begin(self) -> None:
        """Begins a request."""
        super().on_message_begin()
        socket_of = self.transport.get_extra_info("ssl_object")
        shown = None if socket_of is None else socket_of.getpeercert(binary_form=True)
        known = None if shown is None else hashlib.sha256(shown).hexdigest()
        self.scope["extensions"] = {server.EXTENSION: {"fingerprint": known, "cut": self.transport.abort}}


class BankSocket(uvicorn.Server):
    """A server that tells when it serves, and leaves signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.serves = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to serve."""
        await super().startup(sockets)
        self.serves.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves signals alone."""
        yield


@asynccontextmanager
async def listening(network: Network, bind: str, say: logs.Say = logs.ignore_worked) -> AsyncIterator[str]:
    """Serves the bank while it is open; gives its base address. say: takes each line of the log."""
    opening.open_bank(network)
    authority.ready(network)
    door = _bound(bind, network.settings.bank_port)
    url = f"https://127.0.0.1:{door.getsockname()[1]}"
    network.store.remember(credentials.PORT, door.getsockname()[1])
    _tell(network)
    context = tls(network)
    config = uvicorn.Config(
        logs.Noted(server.build_bank(network), network, say),
        http=BankProtocol,
        ssl_context_factory=lambda _config, _usual: context,
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
        server_header=False,
        proxy_headers=False,
    )
    serving = BankSocket(config)
    task = asyncio.create_task(serving.serve(sockets=[door]))
    try:
        await serving.serves.wait()
        yield url
    finally:
        serving.should_exit = True
        await task
        door.close()


def tls(network: Network) -> ssl.SSLContext:
    """Returns the context of the socket."""
    made = authority.files(network, authority.SERVER)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(made.certificate, made.key)
    context.load_verify_locations(authority.files(network, authority.AUTHORITY).certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def _tell(network: Network) -> None:
    """Writes the first customer's credentials."""
    customer = customers.find(network, customers.DEMO.client_id) or customers.DEMO
    text = json.dumps(credentials.of(network, customer), indent=2, ensure_ascii=False)
    authority.write(network.settings.bank_folder / CUSTOMER_FILE, text.encode() + b"\n")


def _bound(bind: str, port: int) -> socket.socket:
    """Binds the port; one that is taken gives way to a free one, which `customer.json` tells."""
    for wanted in (port, 0):
        door = socket.socket(proto=socket.IPPROTO_TCP)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((bind, wanted))
        except OSError:
            door.close()
            if wanted == 0:
                raise
        else:
            door.listen(2048)
            return door
    raise AssertionError
