"""The session cookie, and the CSRF token of its forms."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.core.secrets import Secret

_NAME: Final = "lastro_console"


@dataclass(frozen=True, slots=True)
class Cookie:
    """is_secure: it goes over https alone, and its name says that no other host has set it (RFC 6265bis §4.1.3.2).

    A sandbox on plain http has neither: its browser would not keep such a cookie.
    """

    is_secure: bool

    @property
    def name(self) -> str:
        """The cookie's name."""
        return f"__Host-{_NAME}" if self.is_secure else _NAME

    def read(self, headers: Mapping[bytes, bytes]) -> str | None:
        """Returns the cookie that the browser sent; None: nothing, or two of them."""
        parts = [part.strip().partition("=") for part in headers.get(b"cookie", b"").decode("latin-1").split(";")]
        found = [value for name, _, value in parts if name == self.name and value]
        return found[0] if len(found) == 1 and len(found[0]) <= 100 else None

    def set(self, secret: Secret) -> tuple[bytes, bytes]:
        """Returns the header that sets the cookie until the browser closes. The database says how long it counts."""
        return b"set-cookie", f"{self.name}={secret.reveal()}; {self._manner}".encode("ascii")

    def forget(self) -> tuple[bytes, bytes]:
        """Returns the header that removes the cookie."""
        return b"set-cookie", f"{self.name}=; Max-Age=0; {self._manner}".encode("ascii")

    @property
    def _manner(self) -> str:
        return "Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if self.is_secure else "")


def csrf_of(cookie: str) -> str:
    """Returns the CSRF token of a session's forms.

    Only the holder of the cookie can make it, and it does not give the cookie away.
    """
    return hmac.digest(cookie.encode("latin-1", "replace"), b"console csrf", "sha256").hex()


def is_of(cookie: str, given: str) -> bool:
    """Tells whether a form carries its session's CSRF token."""
    return hmac.compare_digest(csrf_of(cookie).encode(), given.encode("utf-8", "surrogatepass"))
