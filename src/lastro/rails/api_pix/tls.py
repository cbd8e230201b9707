"""Our certificate at a bank, and its context of TLS."""

from __future__ import annotations

import re
import ssl
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import structlog
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    pkcs12,
)

from lastro.rails.api_pix import files
from lastro.rails.api_pix.files import FileUnfit, from_disk

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes

    from lastro.rails.api_pix.files import FileRead

_PEM = b"-----BEGIN "
_KEY_BLOCK = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----\n?", re.DOTALL)
_log = structlog.get_logger(__name__)


class CertificateUnfit(Exception):  # noqa: N818 it says what the certificate is
    """A fault of a connection's certificate or authorities.

    field: the setting that it stands under. Its text ends a sentence that begins with the setting, and holds no secret.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """The files of our certificate at a bank.

    file: PKCS#12, or PEM with the certificate and those of its chain. key_file: the key, as PEM; None: it is in `file`.
    password_file: opens either; None: nothing is encrypted.
    """

    file: Path
    key_file: Path | None = None
    password_file: Path | None = None

    @property
    def paths(self) -> tuple[Path, ...]:
        """Every file that it is made of."""
        return tuple(path for path in (self.file, self.key_file, self.password_file) if path is not None)


@dataclass(frozen=True, slots=True)
class Identity:
    """A certificate with its chain and its key, which belong together. The key is never printed."""

    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...]
    key: Any

    def __repr__(self) -> str:
        return f"Identity(until={self.not_after:%Y-%m-%d})"

    @property
    def not_after(self) -> datetime:
        """The last instant at which it is good."""
        return self.certificate.not_valid_after_utc

    def demand_in_time(self, now: datetime) -> None:
        """Raises CertificateUnfit where the certificate is over, or not yet valid."""
        if now > self.not_after:
            raise CertificateUnfit(
                "certificate_file", f"names a certificate that ended at {self.not_after:%Y-%m-%d %H:%M} UTC"
            )
        if now < (begins := self.certificate.not_valid_before_utc):
            raise CertificateUnfit("certificate_file", f"names a certificate that begins at {begins:%Y-%m-%d %H:%M} UTC")


def identity(source: CertificateFiles, read: Callable[[Path], FileRead] = from_disk) -> Identity:
    """Reads our certificate and its key. CertificateUnfit: they cannot be used, or do not belong together."""
    password = None
    if source.password_file is not None:
        password = _file("certificate_password_file", source.password_file, read, is_private=True).strip() or None
    # A file with nothing but certificates is for everybody; a key in it makes it ours alone.
    raw = _file("certificate_file", source.file, read, is_private=False)
    is_bundle = not raw.lstrip().startswith(_PEM)
    if is_bundle or _KEY_BLOCK.search(raw):
        _file("certificate_file", source.file, read, is_private=True)
    if is_bundle:
        if source.key_file is not None:
            raise CertificateUnfit("key_file", "has no place beside a PKCS#12 file, which holds its own key")
        return _of_bundle(raw, password)
    key_field, key_raw = "certificate_file", raw
    if source.key_file is not None:
        key_field, key_raw = "key_file", _file("key_file", source.key_file, read, is_private=True)
    return _of_pem(raw, key_raw, key_field, password)


def _file(field: str, path: Path, read: Callable[[Path], FileRead], *, is_private: bool) -> bytes:
    try:
        return files.private(path, read) if is_private else files.public(path, read)
    except FileUnfit as unfit:
        raise CertificateUnfit(field, str(unfit)) from None


def _of_bundle(raw: bytes, password: bytes | None) -> Identity:
    found = None
    # Some banks' bundles have an empty password, which is another thing than none (PKCS#12, RFC 7292 appendix B.1).
    for one in (password,) if password is not None else (None, b""):
        try:
            found = pkcs12.load_pkcs12(raw, one)
            break
        except (ValueError, UnsupportedAlgorithm):
            continue
    if found is None:
        raise CertificateUnfit("certificate_file", "names neither PEM nor a PKCS#12 file that the password opens")
    if found.cert is None or found.key is None:
        raise CertificateUnfit("certificate_file", "names a PKCS#12 file that lacks a certificate or its key")
    made = Identity(found.cert.certificate, tuple(one.certificate for one in found.additional_certs), found.key)
    return _agreed(made, "certificate_file")


def _of_pem(raw: bytes, key_raw: bytes, key_field: str, password: bytes | None) -> Identity:
    try:
        first, *others = x509.load_pem_x509_certificates(raw)
    except ValueError:
        raise CertificateUnfit("certificate_file", "names a file without a certificate that can be read") from None
    if (block := _KEY_BLOCK.search(key_raw)) is None:
        raise CertificateUnfit(key_field, "names a file without a key: give the key in it, or by key_file")
    try:
        key = load_pem_private_key(block[0], password)
    except TypeError:
        wrong = "is needed: the key is encrypted" if password is None else "has no use: the key is not encrypted"
        raise CertificateUnfit("certificate_password_file", wrong) from None
    except (ValueError, UnsupportedAlgorithm):
        raise CertificateUnfit(key_field, "names a key that cannot be read, or that the password does not open") from None
    return _agreed(Identity(first, tuple(others), key), key_field)


def _agreed(made: Identity, key_field: str) -> Identity:
    if _public(made.certificate.public_key()) != _public(made.key.public_key()):
        raise CertificateUnfit(key_field, "names a key that does not belong to the certificate")
    return made


def _public(key: PublicKeyTypes) -> bytes:
    return key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def authorities(path: Path, read: Callable[[Path], FileRead] = from_disk) -> str:
    """Returns the certificates that a bank's own is checked against, as PEM. CertificateUnfit: there are none."""
    raw = _file("ca_file", path, read, is_private=False)
    try:
        return "".join(one.public_bytes(Encoding.PEM).decode() for one in x509.load_pem_x509_certificates(raw))
    except ValueError:
        raise CertificateUnfit("ca_file", "names a file without certificates") from None


def context_of(mine: Identity | None, trusted: str | None) -> ssl.SSLContext:
    """Makes a context of TLS 1.2 or newer.

    It checks the bank's certificate and name, and shows ours. trusted: PEM of the only authorities; None: the system's.
    """
    made = ssl.create_default_context(cadata=trusted)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    if mine is not None:
        _show(made, mine)
    return made


def _show(context: ssl.SSLContext, mine: Identity) -> None:
    """Gives the context our certificate.

    It takes files alone, so that the key is in one for a moment, which nobody else may read.
    """
    pem = b"".join(one.public_bytes(Encoding.PEM) for one in (mine.certificate, *mine.chain))
    with tempfile.TemporaryDirectory(prefix="lastro-") as folder:  # of mode 0700, as mkdtemp makes it
        path = Path(folder) / "pair.pem"
        path.touch(mode=0o600)
        path.write_bytes(mine.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + pem)
        context.load_cert_chain(path)


class _Loaded(NamedTuple):
    """A context of TLS, and the certificate that it shows; None: it shows none."""

    context: ssl.SSLContext
    identity: Identity | None


class ClientTls:
    """The context of TLS of a connection; new files are loaded.

    Files that cannot be used then are told to the operator, and the certificate before them is shown on. A renewal writes
    one file after the other. So it is with a new certificate that has not begun or is over, as long as the one before it is
    good; it is shown once it has begun, or that one is over. name: the connection's. now: the machine's time.
    """

    def __init__(
        self, name: str, source: CertificateFiles | None, ca_file: Path | None, now: Callable[[], datetime],
        read: Callable[[Path], FileRead] = from_disk,
    ) -> None:  # fmt: skip
        self._name = name
        self._source, self._ca_file, self._now, self._read = source, ca_file, now, read
        self._paths = (*(() if source is None else source.paths), *(() if ca_file is None else (ca_file,)))
        self._marks: object = None
        self._loaded: _Loaded | None = None
        self._next: _Loaded | None = None  # read, and not good yet

    @property
    def not_after(self) -> datetime | None:
        """The end of the certificate that is shown; None: none is. Files that have changed are read first."""
        with suppress(CertificateUnfit):
            self.context()
        return None if self._loaded is None or self._loaded.identity is None else self._loaded.identity.not_after

    def demand_in_time(self, now: datetime) -> None:
        """Raises CertificateUnfit for a certificate that is not good now, or unreadable."""
        self.context()
        if self._loaded is not None:
            _demand_in_time(self._loaded, now)

    def context(self) -> ssl.SSLContext:
        """Returns the context for a new exchange. CertificateUnfit: none was ever loaded, and none can be now."""
        seen = files.marks(self._paths)
        if self._loaded is None or seen != self._marks:
            try:
                found = self._read_anew()
            except CertificateUnfit as unfit:
                if self._loaded is None:
                    raise
                self._next = None
                self._tell(unfit)
            else:
                self._take(found)
            self._marks = seen
        elif self._next is not None and (_is_in_time(self._next, self._now()) or not _is_in_time(self._loaded, self._now())):
            self._show(self._next)
        assert self._loaded is not None
        return self._loaded.context

    def _read_anew(self) -> _Loaded:
        mine = None if self._source is None else identity(self._source, self._read)
        trusted = None if self._ca_file is None else authorities(self._ca_file, self._read)
        return _Loaded(context_of(mine, trusted), mine)

    def _take(self, found: _Loaded) -> None:
        """Shows a certificate, unless only the one before is good.

        The first is shown in any case: the bank decides.
        """
        now, self._next = self._now(), None
        if self._loaded is None:
            self._loaded = found
            return
        try:
            _demand_in_time(found, now)
        except CertificateUnfit as unfit:
            self._tell(unfit)
            if _is_in_time(self._loaded, now):
                self._next = found
                return
        self._show(found)

    def _show(self, found: _Loaded) -> None:
        self._loaded, self._next = found, None
        _log.info("bank.certificate_loaded", rail=self._name)

    def _tell(self, unfit: CertificateUnfit) -> None:
        _log.error("bank.certificate_unfit", rail=self._name, cause=unfit.field, reason=unfit.reason)


def _demand_in_time(one: _Loaded, now: datetime) -> None:
    if one.identity is not None:
        one.identity.demand_in_time(now)


def _is_in_time(one: _Loaded, now: datetime) -> bool:
    try:
        _demand_in_time(one, now)
    except CertificateUnfit:
        return False
    return True
