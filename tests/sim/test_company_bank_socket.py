"""The socket of the bank that speaks API Pix: its certificates, who is let in, and connections that are cut."""

import json
import ssl
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12
from tests.self_signed import self_signed

from lastro_sim.api_pix import authority, listener
from lastro_sim.clock import moment

from .company_bank import new_tx_id, terms
from .stage import Sim, running


@pytest.fixture
async def sim(tmp_path: Path) -> AsyncIterator[Sim]:
    async with running(tmp_path, bank_port=0) as made, listener.listening(made.network, "127.0.0.1"):
        yield made


def told(sim: Sim) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((sim.network.settings.bank_folder / "customer.json").read_text("utf-8"))
    return found


def read(customer: dict[str, Any], name: str) -> bytes:
    return Path(customer[name]).read_bytes()


def context(customer: dict[str, Any], certificate: str | Path | None = "certificate_file") -> ssl.SSLContext:
    made = ssl.create_default_context(cafile=customer["ca_file"])
    made.verify_flags |= ssl.VERIFY_X509_STRICT
    if certificate == "certificate_file":
        made.load_cert_chain(customer["certificate_file"], customer["key_file"])
    elif certificate is not None:
        made.load_cert_chain(certificate)
    return made


@asynccontextmanager
async def client(customer: dict[str, Any], **of: Any) -> AsyncIterator[aiohttp.ClientSession]:
    connector = aiohttp.TCPConnector(ssl=context(customer, **of), force_close=True)
    async with aiohttp.ClientSession(connector=connector) as made:
        yield made


async def token(http: aiohttp.ClientSession, customer: dict[str, Any], **more: str) -> tuple[int, dict[str, Any]]:
    data = {
        "grant_type": "client_credentials",
        "client_id": customer["client_id"],
        "client_secret": read(customer, "client_secret_file").decode(),
    } | more
    data = {name: value for name, value in data.items() if value}
    async with http.post(customer["token_url"], data=data) as answered:
        return answered.status, await answered.json()


async def bearer(http: aiohttp.ClientSession, customer: dict[str, Any]) -> dict[str, str]:
    status, said = await token(http, customer)
    assert status == 200, said
    return {"Authorization": f"Bearer {said['access_token']}"}


async def test_the_first_customers_file_is_all_that_a_client_needs(sim: Sim) -> None:
    customer = told(sim)
    async with client(customer) as http:
        headers = await bearer(http, customer)
        url = f"{customer['base_url']}/cob/{new_tx_id()}"
        for host in ("127.0.0.1", "localhost"):
            async with http.put(
                url.replace("127.0.0.1", host), json=terms(key=customer["keys"][0]), headers=headers
            ) as made:
                assert made.status in {200, 201}


async def test_its_files_are_for_their_owner_alone(sim: Sim) -> None:
    files = [path for path in sim.network.settings.bank_folder.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {
        "ca.crt",
        "server.crt",
        "customer.json",
        "lastro-demo.p12",
        "lastro-demo.secret",
    }
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    customer = told(sim)
    key, certificate, _ = pkcs12.load_key_and_certificates(read(customer, "pkcs12_file"), None)
    assert key is not None
    assert certificate == x509.load_pem_x509_certificate(read(customer, "certificate_file"))
    context(customer, Path(customer["bundle_file"]))


async def _refused(sim: Sim, certificate: str | Path | None) -> bool:
    customer = told(sim)
    try:
        async with client(customer, certificate=certificate) as http:
            await token(http, customer)
    except (aiohttp.ClientError, ssl.SSLError, ConnectionError):
        return True
    return False


async def test_nobody_is_let_in_without_a_certificate_of_the_bank(sim: Sim, tmp_path: Path) -> None:
    assert not await _refused(sim, "certificate_file")
    assert await _refused(sim, None)
    assert await _refused(sim, self_signed(tmp_path / "stranger.pem", "lastro-demo"))


async def test_a_certificate_that_is_over_is_refused_until_it_is_renewed(sim: Sim) -> None:
    path = "/bank/company/customers/lastro-demo/certificate"
    await sim.act(path, {"days": -1})
    assert await _refused(sim, "certificate_file")
    await sim.act(path, {})
    assert not await _refused(sim, "certificate_file")


async def test_a_token_needs_the_certificate_of_its_customer(sim: Sim) -> None:
    customer = told(sim)
    other = await sim.act("/bank/company/customers", {"clientId": "other", "keys": ["other@example.com"]})
    async with client(customer) as mine, client(other) as theirs:
        # Without a secret the certificate alone says who asks.
        assert (await token(mine, customer, client_secret=""))[0] == 200
        assert (await token(theirs, customer, client_secret=""))[0] == 401
        assert (await token(theirs, customer))[0] == 401
        headers = await bearer(mine, customer)
        url = f"{customer['base_url']}/webhook"
        async with mine.get(url, headers=headers) as answered:
            assert answered.status == 200
        async with theirs.get(url, headers=headers) as answered:
            assert (answered.status, (await answered.json())["title"]) == (403, "Acesso Negado")


async def test_an_answer_is_lost_before_or_after_its_effect(sim: Sim) -> None:
    customer = told(sim)
    async with client(customer) as http:
        headers = await bearer(http, customer)
        for behaviour, status in (("lost-before-effect", 404), ("lost-after-effect", 200)):
            # Twice: aiohttp asks a second time by itself.
            order = {"operation": "bank", "behaviour": behaviour, "times": 2, "match": {"route": "PUT /cob/{txid}"}}
            await sim.act("/faults", order)
            url = f"{customer['base_url']}/cob/{new_tx_id()}"
            with pytest.raises((aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)):
                await http.put(url, json=terms(key=customer["keys"][0]), headers=headers)
            async with http.get(url, headers=headers) as answered:
                assert answered.status == status


async def test_certificates_are_renewed_before_their_end_and_kept_else(tmp_path: Path) -> None:
    async with running(tmp_path, bank_port=0) as sim:
        authority.ready(sim.network)
        made = authority.files(sim.network, "lastro-demo")
        first = made.certificate.read_bytes()
        authority.ready(sim.network)
        assert made.certificate.read_bytes() == first
        authority.issue(sim.network, "lastro-demo", timedelta(days=29))
        authority.ready(sim.network)
        renewed = x509.load_pem_x509_certificate(made.certificate.read_bytes())
        assert renewed.not_valid_after_utc - moment(sim.network.clock.machine()) > timedelta(days=360)
        # The authority's files are lost: all that it signed is issued anew.
        authority.files(sim.network, authority.AUTHORITY).key.unlink()
        authority.ready(sim.network)
        assert x509.load_pem_x509_certificate(made.certificate.read_bytes()) != renewed
        listener.tls(sim.network)


async def test_a_request_is_logged_without_what_it_says_of_people(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    async with (
        running(tmp_path, bank_port=0) as sim, listener.listening(sim.network, "127.0.0.1", lambda _, one: lines.append(one)),
        client(told(sim)) as http,
    ):  # fmt: skip
        customer = told(sim)
        headers = await bearer(http, customer)
        for path in (f"/webhook/{customer['keys'][0]}", f"/pix/E{'1' * 31}", f"/cob/{new_tx_id()}"):
            await http.get(customer["base_url"] + path, headers=headers)
    paths = ["/oauth/token", "/webhook/{chave}", "/pix/{e2eid}", "/cob/{txid}"]
    assert [(one["path"], one.get("network_id")) for one in lines] == list(
        zip(paths, [None, None, f"E{'1' * 31}", None], strict=True)
    )
    assert customer["keys"][0] not in str(lines)


async def test_a_restart_goes_on_with_the_same_customers_and_certificates(tmp_path: Path) -> None:
    async def opened(dialect: str | None) -> tuple[dict[str, Any], bytes, bytes]:
        async with running(tmp_path, bank_port=0) as sim, listener.listening(sim.network, "127.0.0.1"):
            if dialect is not None:
                await sim.act("/bank/company/customers/lastro-demo/dialect", {"dialect": dialect})
            customer = (await sim.http.get("/bank/company/customers")).json()["data"][0]
            said = {name: value for name, value in customer.items() if not name.endswith("_url")}
            return said, read(told(sim), "certificate_file"), read(told(sim), "client_secret_file")

    assert await opened("efi") == await opened(None)
