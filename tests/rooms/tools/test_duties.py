"""A receiver that does everything right passes everything; one that leaves one thing undone is told exactly that."""

import os
import re
import runpy
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.rooms.tools import receivers as r

from lastro import orders
from lastro.core.secrets import Secret
from lastro.http_client import OutgoingClient
from lastro_tools.certify.connection import ReceiverClient
from lastro_tools.certify.fixtures import Author
from lastro_tools.certify.model import Finding, Limits, Verdict, exit_status
from lastro_tools.certify.runner import Certifier

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "webhooks" / "verify.py"
OPEN_TO_ALL = {"certificate": "SKIPPED"}  # it is plain http on loopback
MEND, ADVICE = "MEND", "ADVICE"


async def certified(receiver: r.Receiver, secret: str | None = r.SECRET) -> dict[str, Finding]:
    async with r.served(receiver) as url, OutgoingClient(sandbox=True) as client:
        return await certified_at(ReceiverClient(url, is_sandbox=True), client, receiver, secret)


async def certified_at(
    line: ReceiverClient, client: OutgoingClient, receiver: r.Receiver, secret: str | None = r.SECRET
) -> dict[str, Finding]:
    terms = Limits(has_secret=secret is not None, slow_seconds=receiver.slow_seconds, pause_seconds=0.05)
    author = Author(None if secret is None else Secret(secret), time.time, os.urandom, orders.EVENT_TYPES)
    return {finding.name: finding async for finding in Certifier(client, line, author, terms).findings()}


def short_of_pass(found: dict[str, Finding]) -> dict[str, str]:
    """What was not passed, but for what was skipped."""
    return {name: str(f.verdict) for name, f in found.items() if f.verdict not in (Verdict.PASS, Verdict.SKIPPED)}


async def test_a_receiver_that_does_everything_right() -> None:
    receiver = r.Receiver()
    found = await certified(receiver)
    assert {name: str(f.verdict) for name, f in found.items() if f.verdict is not Verdict.PASS} == OPEN_TO_ALL
    assert exit_status(list(found.values())) == 0
    assert not any(finding.mend for finding in found.values())
    assert {headers["x-lastro-environment"] for headers, _ in receiver.requests} == {"certification"}
    assert {headers["x-delivery-attempt"] for headers, _ in receiver.requests} == {"1", "2"}


@pytest.mark.parametrize(
    ("make", "undone"),
    [
        (r.Lives, {"timestamp": ADVICE}),
        (r.KnowsNoPrevious, {"rotation": MEND, "timestamp": ADVICE}),
        (r.ChecksOnlyIfSigned, {"unsigned": MEND}),
        (r.ChecksNothing, {"unsigned": MEND, "forged": MEND}),
        (r.ComparesTheBeginning, {"forged": MEND}),
        (r.SignsTheEnvelope, {"changed": MEND}),
        (r.ForgetsTheTime, {"timestamp": MEND}),
        (r.TrustsTheFuture, {"timestamp": ADVICE}),
        (r.ReadsOneSignature, {"rotation": MEND}),
        (r.SignsWhatItParsed, {"bytes": MEND}),
        (r.BreaksOnForgery, {"unsigned": ADVICE, "forged": ADVICE, "changed": ADVICE, "timestamp": ADVICE}),
        (r.WantsATime, {"nulls": MEND}),
        (r.WantsPaidAlone, {"kinds": MEND}),
        (r.KnowsItsEvents, {"unknown-event": MEND}),
        (r.KnowsItsFields, {"more-fields": MEND}),
        (r.StoresThreeBytes, {"unicode": MEND}),
        (r.TakesLittle, {"large": MEND}),
        (r.RefusesWhatItKnows, {"repeat": MEND}),
        (r.HasNoLock, {"twins": ADVICE}),
        (r.WantsOrder, {"late": MEND}),
        (r.WantsEveryNumber, {"late": MEND}),
        (r.TakesFew, {"together": MEND}),
        (r.WaitsForNobody, {"slow": MEND}),
        (r.HoldsOnToWhatBroke, {"cut": MEND}),
        (r.RemembersFailures, {"recovery": MEND}),
        (r.TakesFewAndRemembers, {"together": MEND, "recovery": MEND}),
    ],
)
async def test_what_is_left_undone_is_told_and_nothing_else(make: Callable[[], r.Receiver], undone: dict[str, str]) -> None:
    found = await certified(make())
    assert short_of_pass(found) == undone, [f"{f.name}: {f.seen}" for f in found.values()]
    assert all(found[name].mend for name in undone)
    assert exit_status(list(found.values())) == (1 if MEND in undone.values() else 0)


async def test_a_receiver_that_copies_the_guide() -> None:
    class Copied(r.Receiver):
        def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
            try:
                return bool(snippet["is_from_lastro"](self.secret, headers, body))
            except KeyError:  # a header is missing
                return False

    snippet = runpy.run_path(str(EXAMPLE))
    assert short_of_pass(await certified(Copied())) == {}


@pytest.mark.parametrize(
    ("receiver", "seen", "mend"),
    [
        (r.Answers(201), "201", "status 200"),
        (r.Answers(200, "<html>ok</html>"), "<html>ok</html>", '{"returnCode": "SUCCESS"}'),
        (r.Answers(200, '{"returnCode":"ok"}'), '"ok"', '{"returnCode": "SUCCESS"}'),
        (r.Answers(301, Location="/elsewhere"), "REDIRECT", "redirects are not followed"),
        (r.Answers(200, "x" * 70_000), "TOO_LARGE", "64 KiB"),
        (r.Answers(500, "broken"), "500 broken", "log"),
        (r.Receiver(secret="whsec_AAAA"), "401", "secret"),
    ],
)
async def test_what_takes_no_event_is_told_why_and_nothing_else(receiver: r.Receiver, seen: str, mend: str) -> None:
    found = await certified(receiver)
    assert short_of_pass(found) == {"acknowledge": MEND}
    assert seen in found["acknowledge"].seen
    assert mend in found["acknowledge"].mend
    assert {f.seen for f in found.values() if f.name not in ("acknowledge", "certificate")} == {
        "not judged: mend 'acknowledge' first"
    }


async def test_what_needs_something_else_first_is_not_judged() -> None:
    found = await certified(r.ChecksNothing())
    assert {name for name, f in found.items() if f.seen == "not judged: mend 'forged' first"} == {"changed", "timestamp"}
    assert found["changed"].verdict is Verdict.SKIPPED
    assert found["forged"].seen == "acknowledged: by another secret, an empty one, one cut short"
    found = await certified(r.ComparesTheBeginning())
    assert found["forged"].seen == "acknowledged: an empty one, one cut short"


async def test_what_had_failed_is_sent_again() -> None:
    found = await certified(r.TakesFew())
    assert re.fullmatch(r"\d+ of 32 not acknowledged: 503 busy", found["together"].seen)
    assert found["recovery"].seen == "acknowledged after a forged copy; 1 of 1 that had failed acknowledged when sent again"
    # What fails for what it says fails under any id: that is told once.
    found = await certified(r.StoresThreeBytes())
    assert found["recovery"].seen.endswith("0 of 1 that had failed acknowledged when sent again")
    assert found["recovery"].verdict is Verdict.PASS


async def test_without_a_secret_the_signatures_are_left_out() -> None:
    receiver = r.ChecksNothing()
    found = await certified(receiver, secret=None)
    assert short_of_pass(found) == {"unsigned": ADVICE}
    unjudged = {name for name, f in found.items() if f.seen == "not judged: no secret was given"}
    assert unjudged == {"forged", "changed", "timestamp", "rotation", "bytes"}
    assert found["recovery"].seen == "nothing had failed"
    assert not [name for headers, _ in receiver.requests for name in headers if "signature" in name.lower()]
    assert exit_status(list(found.values())) == 0


async def test_without_a_secret_a_careful_receiver_cannot_be_judged() -> None:
    found = await certified(r.Receiver(), secret=None)
    assert short_of_pass(found) == {}
    assert found["acknowledge"].seen == "401, to what nobody had signed"
    assert found["together"].seen == "not judged: no event was acknowledged"
    assert exit_status(list(found.values())) == 2
