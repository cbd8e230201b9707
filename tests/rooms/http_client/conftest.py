import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.self_signed import self_signed

Certify = Callable[..., Path]


@pytest.fixture(scope="session")
def certify(tmp_path_factory: pytest.TempPathFactory) -> Certify:
    """Makes a certificate that vouches for itself, with its key: for a name, until so many days from now."""

    def make(name: str = "receiver.example.com", until_days: float = 1) -> Path:
        return self_signed(tmp_path_factory.mktemp("tls") / "both.pem", name, until_days)

    return make


@pytest.fixture(scope="session")
def certificate(certify: Certify) -> Path:
    """A certificate for receiver.example.com."""
    return certify()


@pytest.fixture
def server_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
