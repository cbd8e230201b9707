"""Mistakes of a connection's set-up, as the operator is told them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lastro.rails.api_pix.exchange import Cause, SetUpWrongly

_AGAIN_SECONDS = 60.0
_SHOWN_SECONDS = 600.0
_log = structlog.get_logger(__name__)

# What the operator can do about each.
CURES: Mapping[Cause, str] = {
    "certificate": "The bank does not accept our certificate: look at certificate_file and key_file, or renew it there.",
    "bank_certificate": "The bank's certificate is not to be trusted: look at base_url, token_url, ca_file and the clock.",
    "client": "The bank gives no token: look at client_id, client_secret_file, token_url and dialect.",
    "token": "The bank refuses its own token: look at the certificate, which has to be the one of this client_id.",
    "access": "The bank refuses access: give this application the scopes of the connection at the bank.",
    "address": "The bank sends us elsewhere, which is never followed: look at base_url and token_url.",
    "clock": "The bank's time is not ours: set this machine's clock by NTP, then look at clock and dialect.",
    "scopes": "The bank gave fewer scopes than asked: allow them for this application at the bank, or ask for fewer.",
}


class Troubles:
    """The troubles of one connection. clock: seconds that only go forward. is_quiet: nothing is logged."""

    def __init__(self, name: str, clock: Callable[[], float], *, is_quiet: bool = False) -> None:
        self._name = name
        self._is_quiet = is_quiet
        self._clock = clock
        self._seen: dict[Cause, float] = {}
        self._told: dict[Cause, float] = {}

    def tell(self, found: SetUpWrongly) -> None:
        """Logs a trouble with its cure; the same again only after a minute. detail: holds no secret."""
        now = self._clock()
        self._seen[found.cause] = now
        if not self._is_quiet and now - self._told.get(found.cause, now - _AGAIN_SECONDS) >= _AGAIN_SECONDS:
            self._told[found.cause] = now
            _log.critical(
                "bank.set_up_wrongly", rail=self._name, kind=found.cause, cause=found.detail, reason=CURES[found.cause]
            )

    def present(self) -> frozenset[Cause]:
        """Returns the causes that were met in the last ten minutes."""
        since = self._clock() - _SHOWN_SECONDS
        return frozenset(cause for cause, at in self._seen.copy().items() if at >= since)
