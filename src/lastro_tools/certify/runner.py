"""Runs the checks of a receiver, one after the other."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.http_client import Failure
from lastro_tools.certify.checks import CERTIFICATE, DUTIES
from lastro_tools.certify.connection import Unreached
from lastro_tools.certify.model import ACKNOWLEDGE, Exchange, Finding, Judgement, Must, Pace, Verdict
from lastro_tools.certify.verdicts import NO_ANSWER, certified

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from lastro.http_client import OutgoingClient
    from lastro_tools.certify.connection import ReceiverClient
    from lastro_tools.certify.fixtures import Author
    from lastro_tools.certify.model import Duty, Limits, Request


@dataclass(frozen=True, slots=True)
class Certifier:
    """A run of the checks. client sends what any delivery might be, line the special requests; both to the line's URL."""

    client: OutgoingClient
    line: ReceiverClient
    author: Author
    terms: Limits

    async def findings(self) -> AsyncIterator[Finding]:
        """Yields each check's finding, as soon as it is known. Unreached: there is nothing to certify."""
        certificate = await self._certificate()
        yield Finding.of(CERTIFICATE, certificate)
        # The reason that checks which need another are skipped: one thing to mend shall not show as ten.
        barred = {CERTIFICATE.name: _mend_first(CERTIFICATE)} if certificate.verdict is Verdict.MEND else {}
        acknowledged: set[str] = set()
        for duty in DUTIES:
            reason = next((barred[name] for name in (CERTIFICATE.name, *duty.needs) if name in barred), None)
            if reason is None and duty.needs_secret and not self.terms.has_secret:
                yield Finding.of(duty, Judgement(Verdict.SKIPPED, "not judged: no secret was given"))
                continue
            if reason is not None:
                barred[duty.name] = reason
                yield Finding.of(duty, Judgement(Verdict.SKIPPED, f"not judged: {reason}"))
                continue
            seen = await self._play(duty)
            judgement = duty.judge(seen, self.terms)
            acknowledged |= {one.request.event.id for one in seen if one.is_acknowledged}
            self._remember_failure(seen, acknowledged)
            if judgement.verdict is Verdict.MEND:
                barred[duty.name] = _mend_first(duty)
            elif duty.name == ACKNOWLEDGE and judgement.verdict is Verdict.SKIPPED:
                barred[duty.name] = "no event was acknowledged"
            yield Finding.of(duty, judgement)

    async def _certificate(self) -> Judgement:
        try:
            lasts = await self.line.lasts()
        except Unreached as unreached:
            if unreached.failure is not Failure.TLS_FAILURE:
                raise
            return Judgement(Verdict.MEND, unreached.failure.value, NO_ANSWER[unreached.failure])
        return certified(self.line.url.partition(":")[0].lower(), lasts, self.author.now())

    async def _play(self, duty: Duty) -> list[Exchange]:
        seen: list[Exchange] = []
        for together in duty.rounds(self.author, self.terms):
            seen += await asyncio.gather(*(self._send(request) for request in together))
        return seen

    async def _send(self, request: Request) -> Exchange:
        if request.pace is Pace.WHOLE:
            return Exchange(request, await self.client.post(self.line.url, request.body, request.headers))
        answer = await self.line.post(request, self.terms.slow_seconds)
        if request.pace is Pace.CUT:
            # The next try is a minute later in truth, when any receiver has noticed.
            await asyncio.sleep(self.terms.pause_seconds)
        return Exchange(request, answer)

    def _remember_failure(self, seen: list[Exchange], acknowledged: set[str]) -> None:
        """Keeps one event of a failed check, to send it again."""
        for one in seen:
            if one.request.must is Must.ACKNOWLEDGE and one.request.event.id not in acknowledged:
                self.author.failures.append(one.request.event)
                return


def _mend_first(duty: Duty) -> str:
    return f"mend {duty.name!r} first"
