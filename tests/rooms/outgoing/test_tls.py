"""The client and certificates."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from lastro.base.outgoing import Failure, OutgoingClient

from .loopback import Names, answers, http, receiver

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that vouches for itself, for receiver.example.com, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "receiver.example.com")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("receiver.example.com")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(made.public_bytes(Encoding.PEM) + private)
    return path


@pytest.fixture
def server_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


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


async def test_a_server_that_speaks_no_tls() -> None:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(http())
        await writer.drain()

    async with receiver(behave) as at, OutgoingClient(sandbox=True) as client:
        answer = await client.get(f"https://127.0.0.1:{at.port}/", {})
    assert (answer.status, answer.failure) == (0, Failure.TLS_FAILURE)
