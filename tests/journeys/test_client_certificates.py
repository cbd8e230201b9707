"""Clients that are bound to certificates (RFC 8705), behind the nginx and the configuration that operators are given."""

import asyncio
import json
import os
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_pem_x509_certificate
from tests.house.tree import ROOT
from tests.http_contract import contract
from tests.in_one import in_one_test
from tests.self_signed import self_signed

from lastro.cli import perform
from lastro.config.settings import read

from .play import Play
from .stage import reserved_port, until

BALANCE = "/order/v2/account/balance"
BELL = "a-bell-that-only-the-bank-knows"
PROXY = "127.0.0.2"  # the proxy asks from here, the tests from 127.0.0.1


@dataclass(frozen=True)
class Front:
    """nginx with TLS before the API. url: where it listens. server: its certificate."""

    url: str
    server: Path

    @property
    def settings(self) -> dict[str, str]:
        """The settings of an API behind it."""
        hosts = f"{self.url.removeprefix('https://')},pay.example.com"
        header = {"LASTRO_CLIENT_CERTIFICATE_HEADER": "Client-Cert"}
        return {"LASTRO_PROXIES": f"{PROXY}/32", "LASTRO_PUBLIC_HOSTS": hosts, **header}

    async def asks(self, method: str, path: str, by: Path | None = None, **given: Any) -> httpx.Response:
        """A request of a caller who shows this certificate, or none; its answer comes through the proxy as it is documented."""
        context = ssl.create_default_context(cafile=str(self.server))
        if by is not None:
            context.load_cert_chain(by)
        async with httpx.AsyncClient(verify=context, trust_env=False) as http:
            answer = await http.request(method, self.url + path, **given)
        contract().holds(method, path, answer.status_code, answer.headers, answer.content)
        return answer

    async def logs_in(self, client: dict[str, str], by: Path | None = None, **given: Any) -> httpx.Response:
        credentials = {name: client[name] for name in ("clientId", "clientSecret")}
        return await self.asks("POST", "/auth/v1/token", by, json=credentials, **given)


async def nginx_program() -> str:
    async def look() -> str | None:
        return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")

    if not os.environ.get("CI") and await look() is None:
        pytest.skip("nginx is not installed here; .ci/run installs it")
    return await until(look, "nginx", 300.0) or ""  # it is installed beside the first tests


@asynccontextmanager
async def nginx(folder: Path, api: str) -> AsyncIterator[Front]:
    """The configuration of docs/proxy, with names and places of this machine."""
    program, server = await nginx_program(), self_signed(folder / "server.pem", "127.0.0.1")
    taken = reserved_port()
    port = taken.getsockname()[1]
    text = (ROOT / "docs" / "proxy" / "nginx.conf").read_text(encoding="utf-8")
    for shipped, here in (
        ("127.0.0.1:8080", api.removeprefix("http://")), ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/lastro/server.pem", str(server)), ("/etc/lastro/server.key", str(server)),
        ("proxy_pass http", f"proxy_bind {PROXY};\n proxy_pass http"), ("15s", "1s"),
    ):  # fmt: skip
        assert shipped in text, shipped
        text = text.replace(shipped, here)
    # Debian's own http block, whose directives a file beside it must not add to.
    debian = "ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3;\nssl_prefer_server_ciphers on;"
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    whole = f"daemon off; master_process off; pid {folder}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{debian}\n{places}\n{text}\n}}\n"
    (folder / "nginx.conf").write_text(whole, encoding="utf-8")
    process = subprocess.Popen(  # noqa: ASYNC220 it goes on beside the test
        [program, "-p", str(folder), "-e", f"{folder}/errors", "-c", f"{folder}/nginx.conf"]
    )
    front = Front(f"https://127.0.0.1:{port}", server)

    async def serves() -> bool:
        assert process.poll() is None, (folder / "errors").read_text(encoding="utf-8")
        try:
            return (await front.asks("GET", "/metrics")).status_code == 404
        except httpx.ConnectError:
            return False

    try:
        await until(serves, "nginx")
        assert "[warn]" not in (folder / "errors").read_text(encoding="utf-8")
        yield front
    finally:
        process.kill()
        await asyncio.to_thread(process.wait)
        taken.close()


@pytest.fixture
async def front(play: Play, tmp_path: Path) -> AsyncIterator[Front]:
    async with nginx(tmp_path, play.stage.base_url) as opened:
        await play.stage.restart("api", **opened.settings)
        try:
            yield opened
        finally:
            await play.stage.restart("api")


async def types(play: Play, *words: str) -> Any:
    """The answer of a command typed beside the running service."""
    said: list[str] = []
    settings = read({**play.stage.environment, "LASTRO_NETWORK_URL": play.stage.simulator_url})
    await asyncio.to_thread(perform, (*words, "--json"), lambda: settings, said.append)
    return json.loads(said[0])


async def test_a_client_of_a_certificate_is_served_with_it_alone(front: Front, play: Play, tmp_path: Path) -> None:
    own, other = (self_signed(tmp_path / f"{name}.pem", name) for name in ("own", "other"))
    client = await types(play, "client", "add", "1", "shop")
    free = {"authorization": f"Bearer {(await front.logs_in(client)).json()['token']}"}
    assert (await front.asks("GET", BALANCE, headers=free)).status_code == 200
    await types(play, "client", "certificates", client["clientId"], "--add", str(own))

    # The token from before is good with the certificate, and worth nothing to whoever stole it.
    assert (await front.asks("GET", BALANCE, own, headers=free)).status_code == 200
    for by in (None, other):
        assert (await front.asks("GET", BALANCE, by, headers=free)).status_code == 401, by
        assert (await front.logs_in(client, by)).status_code == 401, by
    told = await front.logs_in(client, own)
    assert told.status_code == 200, told.text
    bound = {"authorization": f"Bearer {told.json()['token']}"}
    assert (await front.asks("GET", BALANCE, own, headers=bound)).status_code == 200
    assert (await front.asks("GET", BALANCE, other, headers=bound)).status_code == 401

    # What a caller says of itself is nothing: the proxy replaces it, and to those who come past it nobody listens.
    forged = {"client-cert": quote(own.read_text(encoding="ascii").partition("-----BEGIN PRIV")[0])}
    assert (await front.asks("GET", BALANCE, headers=bound | forged)).status_code == 401
    assert (await front.logs_in(client, headers=forged)).status_code == 401
    assert (await play.ask("GET", play.stage.base_url + BALANCE, None, bound | forged)).status == 401
    assert (await play.ask("POST", f"{play.stage.base_url}/auth/v1/token", client, forged)).status == 401

    payers = bound | forged | {"host": "pay.example.com"}
    assert (await front.asks("GET", BALANCE, own, headers=payers)).status_code == 401, "payers are asked for none"

    # A second certificate before the first one ends; a token is bound to the one that asked for it.
    shown = await types(play, "client", "show", client["clientId"])
    thumbprint = shown["certificates"][0]
    await types(play, "client", "certificates", client["clientId"], "--add", str(other), "--remove", thumbprint)
    assert (await front.asks("GET", BALANCE, own, headers=bound)).status_code == 401
    assert (await front.asks("GET", BALANCE, other, headers=bound)).status_code == 401
    assert (await front.logs_in(client, other)).status_code == 200


async def test_the_proxy_that_operators_are_given_tells_who_calls_and_hides_the_figures(front: Front, play: Play) -> None:
    client = await types(play, "client", "add", "1", "shop", "--network", "127.0.0.1/32")
    assert (await front.logs_in(client)).status_code == 200
    assert (await front.logs_in(client, headers={"x-forwarded-for": "203.0.113.7"})).status_code == 200, (
        "it replaces the header"
    )
    await types(play, "client", "networks", client["clientId"], "203.0.113.0/24")
    assert (await front.logs_in(client)).status_code == 401
    assert (await front.logs_in(client, headers={"x-forwarded-for": "203.0.113.7"})).status_code == 401
    assert (await front.asks("GET", "/metrics")).status_code == 404
    assert (await front.asks("GET", "/health")).status_code == 200


NOBODY = b'{"clientId":"lc_0000000000000000000000","clientSecret":"lsk_x"}'
CHUNKED = b"%x\r\n%s\r\n0\r\n" % (len(NOBODY), NOBODY)
# Bytes, and the statuses of which one is told; none: the connection ends without a word.
HELD: dict[str, tuple[bytes, set[int | None]]] = {
    "half a head": (b"GET /health HTTP/1.1\r\nhost: HOST\r\nx-one: 1", {None, 408}),
    "half a body": (b"POST /auth/v1/token HTTP/1.1\r\nhost: HOST\r\ncontent-length: 500\r\n\r\n{", {None, 408}),
    "a head that is too large": (b"GET /health HTTP/1.1\r\nhost: HOST\r\nx-one: " + b"1" * 100_000 + b"\r\n\r\n", {400, 494}),
    "no HTTP": (b"\0\r\n\r\n", {400}),
    "two lengths": (
        b"POST /auth/v1/token HTTP/1.1\r\nhost: HOST\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\n{}", {400},
    ),
    "an upgrade with a body": (
        b"POST /auth/v1/token HTTP/1.1\r\nhost: HOST\r\ncontent-type: application/json\r\nconnection: Upgrade, close\r\n"
        b"upgrade: h2c\r\ncontent-length: %d\r\n\r\n%s" % (len(NOBODY), NOBODY), {401},
    ),
    "headers behind a body": (
        b"POST /auth/v1/token HTTP/1.1\r\nhost: HOST\r\ncontent-type: application/json\r\nconnection: close\r\n"
        b"transfer-encoding: chunked\r\n\r\n" + CHUNKED + b"x-request-id: trailing\r\nx-forwarded-for: 203.0.113.7\r\n\r\n", {401},
    ),
}  # fmt: skip


async def test_a_bank_rings_with_its_certificate_alone(front: Front, play: Play, tmp_path: Path) -> None:
    """At the place of docs/proxy that is for banks, which writes no line: the path ends with a secret."""
    bank, other = (self_signed(tmp_path / f"{name}.pem", name) for name in ("bank", "other"))
    shown = sha256(load_pem_x509_certificate(bank.read_bytes()).public_bytes(Encoding.DER)).hexdigest()
    for name, text in (("client-secret", "a-client-secret"), ("bell", BELL), ("banks.toml", connection(play, shown))):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
    await play.stage.restart("api", LASTRO_BANKS_FILE=str(tmp_path / "banks.toml"), **front.settings)

    async def ringing(secret: str, by: Path | None) -> int:
        return (await front.asks("POST", f"/rails/bell/{secret}/pix", by, json={"pix": []})).status_code

    assert [await ringing(BELL, by) for by in (bank, other, None)] == [200, 403, 403]
    assert [await ringing(BELL[:-1] + "x", by) for by in (bank, other, None)] == [404, 404, 404]
    assert BELL not in (tmp_path / "errors").read_text(encoding="utf-8")


def connection(play: Play, peer: str) -> str:
    """The file of a connection whose bank rings. peer: the SHA-256 of its certificate."""
    return f"""
[bell]
company = 1
base_url = "http://127.0.0.1:9/v2"
token_url = "http://127.0.0.1:9/token"
client_id = "shop"
client_secret_file = "client-secret"
webhook = "https://pay.example.com"
secret_file = "bell"
peers = ["{peer}"]
keys = {{ "sino@example.com" = "{play.stage.sandbox["accounts"][0]["number"]}" }}
"""


@in_one_test("what", HELD)
async def test_the_proxy_that_operators_are_given_holds_what_lastro_leaves_to_it(
    front: Front, play: Play, what: str
) -> None:
    data, expected = HELD[what]
    host = front.url.removeprefix("https://")
    context = ssl.create_default_context(cafile=str(front.server))
    reader, writer = await asyncio.open_connection(*host.split(":"), ssl=context)
    async with asyncio.timeout(30):
        writer.write(data.replace(b"HOST", host.encode()))
        told = await reader.read()
    writer.close()
    assert (int(told.split(b" ")[1]) if told else None) in expected, told
    assert b"trailing" not in told
