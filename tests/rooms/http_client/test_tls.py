"""The client and certificates."""

import asyncio
import ssl
from pathlib import Path

import pytest

from lastro.http_client import Failure, OutgoingClient

from .conftest import Certify
from .loopback import Names, answers, http, receiver


async def test_tls_speaks_to_the_pinned_address_and_checks_the_name(certificate: Path, server_tls: ssl.SSLContext) -> None:
    trusting = ssl.create_default_context(cafile=str(certificate))
    async with (
        receiver(answers(http()), server_tls) as at,
        OutgoingClient(sandbox=True, resolver=Names(["127.0.0.1"]), tls=trusting) as client,
    ):
        assert (await client.get(f"https://receiver.example.com:{at.port}/", {})).status == 200
        other = await client.get(f"https://other.example.com:{at.port}/", {})
    assert (other.status, other.failure) == (0, Failure.TLS_FAILURE)


async def test_a_certificate_nobody_vouches_for(server_tls: ssl.SSLContext) -> None:
    async with (
        receiver(answers(http()), server_tls) as at,
        OutgoingClient(sandbox=True, resolver=Names(["127.0.0.1"])) as client,
    ):
        answer = await client.get(f"https://receiver.example.com:{at.port}/", {})
    assert (answer.status, answer.failure) == (0, Failure.TLS_FAILURE)


@pytest.mark.parametrize(
    ("name", "until_days"), [("receiver.example.com", -1), ("example.com", 1), ("*.com", 1), ("93.184.215.14", 1)]
)
async def test_a_certificate_that_is_over_or_of_another_name(certify: Certify, name: str, until_days: float) -> None:
    own = certify(name, until_days)
    wrong = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    wrong.load_cert_chain(own)
    trusting = ssl.create_default_context(cafile=str(own))
    received: list[bytes] = []

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        received.append(await reader.read())

    async with (
        receiver(behave, wrong) as at,
        OutgoingClient(sandbox=True, resolver=Names(["127.0.0.1"]), tls=trusting) as client,
    ):
        answer = await client.post(f"https://receiver.example.com:{at.port}/", b"secret", {})
    assert (answer.status, answer.failure) == (0, Failure.TLS_FAILURE)
    assert b"".join(received) == b""


async def test_a_server_that_speaks_no_tls() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(http())
        await writer.drain()

    async with receiver(behave) as at, OutgoingClient(sandbox=True) as client:
        answer = await client.get(f"https://127.0.0.1:{at.port}/", {})
    assert (answer.status, answer.failure) == (0, Failure.TLS_FAILURE)
