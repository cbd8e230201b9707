"""The guarded GET of a QR's URL. Its errors are in a payer's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.http_client import Failure
from lastro.rails.locations.judging import unfit
from lastro.rails.port import Transient

if TYPE_CHECKING:
    from lastro.http_client import Outcome, OutgoingClient
    from lastro.rails.port import NoCharge

_REFUSED = {
    Failure.ADDRESS_REFUSED: "leads to an address that is not asked: only public ones are",
    Failure.REDIRECT: "leads to an address that leads on to another",
    Failure.TOO_LARGE: "leads to more than a charge ever is",
    Failure.TLS_FAILURE: "leads to an address that cannot prove whose it is",
}
_GONE = frozenset({404, 410})
_LATER = frozenset({408, 425, 429})


class Unfit(Exception):  # noqa: N818 it says what the QR is
    """A QR that cannot be paid, and why."""

    def __init__(self, charge: NoCharge) -> None:
        super().__init__(charge.text)
        self.charge = charge


class Fetcher:
    """Fetches URLs by the client for strangers' URLs."""

    def __init__(self, client: OutgoingClient) -> None:
        self._client = client

    async def get(self, url: str, *, gone: NoCharge) -> Outcome:
        """Fetches a URL whose answer is 200.

        Unfit: it will be no other, `gone` after 404 and 410; Transient: it may be another time.
        """
        answer = await self._client.get(url, {"Accept": "application/jose, application/json"})
        if answer.failure in _REFUSED:
            raise Unfit(unfit(_REFUSED[answer.failure]))
        if answer.failure is not None:
            raise Transient(f"the address of the QR gives no answer: {answer.failure}")
        if answer.status in _GONE:
            raise Unfit(gone)
        if answer.status >= 500 or answer.status in _LATER:
            raise Transient(f"the address of the QR answers with HTTP status {answer.status}")
        if answer.status != 200:
            raise Unfit(unfit(f"leads to an address that answers with HTTP status {answer.status}"))
        return answer
