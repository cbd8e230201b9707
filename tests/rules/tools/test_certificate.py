"""The certificate's notifications, judgements and print: pure."""

import itertools
import json
import re
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from tests.in_one import in_one_test

from lastro import orders
from lastro.core.secrets import Secret
from lastro.http_client import Failure, Outcome
from lastro.webhooks import HEADERS
from lastro.webhooks.signatures import verify, verify_short
from lastro_tools.certify import printing, verdicts
from lastro_tools.certify.checks import CERTIFICATE, DUTIES
from lastro_tools.certify.fixtures import Author
from lastro_tools.certify.model import (
    Duty,
    Event,
    Exchange,
    Finding,
    Judgement,
    Limits,
    Must,
    Pace,
    Request,
    Verdict,
    exit_status,
)

ROOT = Path(__file__).parents[3]
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = 1_800_000_000
DAY = 86_400
TERMS = Limits(has_secret=True)
PASS, MEND, ADVICE, SKIPPED = Verdict
OK = Outcome(200, b'{"returnCode":"SUCCESS"}', None, 12)
NO = Outcome(401, b"", None, 3)
BROKE = Outcome(500, b"ValueError", None, 3)
SILENT = Outcome(0, b"", Failure.TIMEOUT, 10_000)
BY_NAME = {duty.name: duty for duty in DUTIES}


def author(secret: str | None = SECRET) -> Author:
    count = itertools.count(1)
    return Author(
        None if secret is None else Secret(secret),
        lambda: NOW,
        lambda size: next(count).to_bytes(size, "big"),
        orders.EVENT_TYPES,
    )


def seen(answer: Outcome, must: Must = Must.ACKNOWLEDGE, label: str = "") -> Exchange:
    return Exchange(Request(Event("e", "ORDER-PAYIN.PAID", 1, b""), {}, b"", must, label, Pace.WHOLE), answer)


def requests(duty: Duty, secret: str | None = SECRET) -> list[Request]:
    made = author(secret)
    made.failures.append(made.event())
    return [request for together in duty.rounds(made, TERMS) for request in together]


@in_one_test("duty", DUTIES, ids=lambda duty: duty.name)
def test_what_is_sent_has_our_headers_and_ids_that_cannot_be(duty: Duty) -> None:
    schemas = {header.name: header.schema for header in HEADERS}
    sent = requests(duty)
    assert sent
    for request in sent:
        headers = {name.lower(): value for name, value in request.headers.items()}
        assert headers["x-lastro-environment"] == "certification"
        assert headers["content-type"] == "application/json"
        for name in ("x-event-id", "x-event-sequence", "x-delivery-attempt"):
            assert re.search(schemas[name].get("pattern", ""), headers[name])
        body = json.loads(request.body)
        for number in (headers["x-event-id"], body["id"]):
            assert UUID(number).version == 8
            assert number.startswith("00000000-0000-8000-8000-")
        assert body["code"].startswith("CERTIFICATION-")
        assert body["endToEndId"] is None or body["endToEndId"].startswith("E99999999200001010000")


@in_one_test("duty", DUTIES, ids=lambda duty: duty.name)
def test_bodies_have_the_form_of_ours(duty: Duty) -> None:
    kinds = {notice.name: notice.body for notice in orders.EVENT_TYPES}
    for request in requests(duty):
        made = msgspec.json.decode(request.body, type=kinds.get(request.event.type, orders.EVENT_TYPES[0].body))
        assert isinstance(made, orders.EVENT_TYPES[0].body)
        assert len(json.loads(request.body)["description"]) <= 140


@in_one_test("duty", DUTIES, ids=lambda duty: duty.name)
def test_what_must_be_acknowledged_is_signed_and_what_must_be_refused_is_not(duty: Duty) -> None:
    for request in requests(duty):
        standard = verify([SECRET], request.headers, request.body, now_seconds=NOW)
        short = verify_short([SECRET], request.headers, request.body)
        if request.must is Must.ACKNOWLEDGE:
            assert standard
            assert short
        elif request.must is Must.REFUSE:
            assert not standard
            assert not short or duty.name == "timestamp"  # which the short form does not cover


def test_without_a_secret_nothing_is_signed() -> None:
    for duty in DUTIES:
        if not duty.needs_secret:
            assert not [n for q in requests(duty, secret=None) for n in q.headers if "signature" in n.lower()]
    with pytest.raises(ValueError, match="secret"):
        _ = author(secret=None).secret


def test_the_largest_body_is_64_kib_and_there_are_32_at_once() -> None:
    (large,) = requests(BY_NAME["large"])
    assert len(large.body) == 64 * 1024
    assert len(requests(BY_NAME["together"])) == 32


def test_events_of_a_run_are_told_apart_and_what_repeats_is_the_same_to_the_byte() -> None:
    made = author()
    events = [q.event for duty in DUTIES for together in duty.rounds(made, TERMS) for q in together]
    assert len({event.id for event in events}) == len(set(events)) == len({event.sequence for event in events})
    assert len(set(events)) == len(events) - 4  # repeat, twins, cut, recovery
    for name in ("repeat", "twins", "cut", "recovery"):
        first, again, *_ = requests(BY_NAME[name])
        assert first.event is again.event
        assert (first.headers["x-delivery-attempt"], again.headers["x-delivery-attempt"]) == ("1", "2")


def test_what_comes_late_is_older() -> None:
    paid, expired, newer, older = (request.event for request in requests(BY_NAME["late"]))
    assert json.loads(paid.body)["id"] == json.loads(expired.body)["id"]
    assert (paid.type, expired.type) == ("ORDER-PAYIN.PAID", "ORDER-PAYIN.EXPIRED")
    assert older.sequence < newer.sequence


def test_a_run_without_the_slow_body() -> None:
    assert BY_NAME["slow"].rounds(author(), Limits(has_secret=True, slow_seconds=0)) == []
    assert BY_NAME["slow"].judge([], TERMS) == Judgement(SKIPPED, "left out")


def timed(milliseconds: int) -> Outcome:
    return Outcome(200, OK.body, None, milliseconds)


@in_one_test(
    ("judgement", "verdict", "shown"),
    [
        (verdicts.acknowledged("x")([seen(OK)], TERMS), PASS, "acknowledged in 12 ms"),
        (
            verdicts.acknowledged("x")([seen(OK), seen(timed(999))], TERMS),
            PASS,
            "all 2 acknowledged, the slowest in 999 ms",
        ),
        (verdicts.acknowledged("x")([seen(OK), seen(NO, Must.EITHER)], TERMS), PASS, "acknowledged in 12 ms"),
        (verdicts.acknowledged("x")([seen(NO), seen(OK)], TERMS), MEND, "1 of 2 not acknowledged: 401"),
        (verdicts.acknowledged("x", otherwise=ADVICE)([seen(BROKE)], TERMS), ADVICE, "500 ValueError"),
        (verdicts.acknowledged("x")([seen(SILENT)], TERMS), MEND, "TIMEOUT after 10.0 s"),
        (verdicts.acknowledged("x")([seen(timed(9000))], TERMS), PASS, "acknowledged in 9.0 s"),
        (verdicts.acknowledged("x", is_timed=True)([seen(timed(2000))], TERMS), PASS, "acknowledged in 2.0 s"),
        (verdicts.acknowledged("x", is_timed=True)([seen(timed(2001))], TERMS), ADVICE, "acknowledged in 2.0 s"),
        (verdicts.first_acknowledged([seen(timed(2500))], TERMS), ADVICE, "acknowledged in 2.5 s"),
        (verdicts.first_acknowledged([seen(NO)], TERMS), MEND, "401"),
        (verdicts.first_acknowledged([seen(NO)], Limits(has_secret=False)), SKIPPED, "401, to what nobody had signed"),
        (verdicts.first_acknowledged([seen(BROKE)], Limits(has_secret=False)), MEND, "500 ValueError"),
        (verdicts.refused("x")([seen(NO, Must.REFUSE), seen(NO, Must.REFUSE)], TERMS), PASS, "401"),
        (verdicts.refused("x")([seen(OK, Must.REFUSE, "by a dog")], TERMS), MEND, "acknowledged: by a dog"),
        (verdicts.refused("x")([seen(SILENT, Must.REFUSE)], TERMS), ADVICE, "TIMEOUT after 10.0 s"),
        (verdicts.refused("x")([seen(BROKE, Must.REFUSE)], TERMS), ADVICE, "500 ValueError"),
        (verdicts.recovered([], TERMS), SKIPPED, "nothing had failed"),
        (verdicts.recovered([seen(OK, label=verdicts.FORGED)], TERMS), PASS, "acknowledged after a forged copy"),
        (verdicts.recovered([seen(NO, label=verdicts.FORGED)], TERMS), MEND, "good, after a forged copy: 401"),
        (
            verdicts.recovered([seen(NO, label=verdicts.AGAIN), seen(OK, label=verdicts.COPY)], TERMS),
            MEND,
            "again, after it failed: 401",
        ),
        (
            verdicts.recovered([seen(NO, label=verdicts.AGAIN), seen(NO, label=verdicts.COPY)], TERMS),
            PASS,
            "0 of 1 that had failed acknowledged when sent again",
        ),
    ],
)
def test_judgements(judgement: Judgement, verdict: Verdict, shown: str) -> None:
    assert (judgement.verdict, judgement.seen) == (verdict, shown)
    assert bool(judgement.mend) == (verdict in {MEND, ADVICE}) or verdict is SKIPPED


@pytest.mark.parametrize(
    ("old", "ahead", "short", "verdict"),
    [
        (NO, NO, NO, PASS), (NO, NO, OK, PASS), (OK, NO, NO, MEND), (OK, OK, NO, MEND), (NO, OK, NO, ADVICE),
        (OK, OK, OK, ADVICE), (BROKE, NO, NO, ADVICE),
    ],
)  # fmt: skip
def test_timestamps(old: Outcome, ahead: Outcome, short: Outcome, verdict: Verdict) -> None:
    asked = [seen(old, Must.REFUSE), seen(ahead, Must.REFUSE), seen(short, Must.EITHER)]
    assert verdicts.timestamps_refused(asked, TERMS).verdict is verdict


@pytest.mark.parametrize(
    ("scheme", "lasts", "verdict"),
    [
        ("http", None, SKIPPED),
        ("https", (NOW - 60 * DAY, NOW + 30 * DAY), PASS),
        ("https", (NOW - 76 * DAY, NOW + 14 * DAY), PASS),
        ("https", (NOW - 77 * DAY, NOW + 14 * DAY - 1), ADVICE),
        ("https", (NOW - DAY, NOW + 6 * DAY), PASS),
        ("https", (NOW - 5 * DAY, NOW + 2 * DAY), ADVICE),
    ],
)
def test_certificates(scheme: str, lasts: tuple[float, float] | None, verdict: Verdict) -> None:
    assert verdicts.certified(scheme, lasts, NOW).verdict is verdict


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        *((Outcome(0, b"", failure, 5), "") for failure in Failure),
        (Outcome(201, OK.body, None, 5), "status 200"),
        (Outcome(200, b"<html>", None, 5), "returnCode"),
        (Outcome(401, b"", None, 5), "secret"),
        (Outcome(404, b"", None, 5), "URL"),
        (Outcome(418, b"", None, 5), "status 200"),
        (Outcome(502, b"", None, 5), "log"),
    ],
)
def test_every_answer_has_a_remedy(answer: Outcome, word: str) -> None:
    remedy = verdicts.remedy(answer)
    assert word in remedy
    assert remedy.endswith(".")


def test_an_answer_cannot_speak_to_the_terminal() -> None:
    shown = verdicts.described(Outcome(500, b"\x1b[2J\x9b\n" + b"long " * 50, None, 5))
    assert shown.startswith("500 \ufffd[2J\ufffd long long")
    assert shown.endswith("…")
    assert len(shown) < 70


def finding(verdict: Verdict, name: str = "repeat", mend: str = "") -> Finding:
    return Finding.of(BY_NAME[name], Judgement(verdict, "409 duplicate", mend))


@pytest.mark.parametrize(
    ("findings", "status"),
    [
        ([finding(PASS, "acknowledge"), finding(PASS)], 0),
        ([finding(ADVICE, "acknowledge"), finding(ADVICE), finding(SKIPPED, "slow")], 0),
        ([finding(PASS, "acknowledge"), finding(MEND)], 1),
        ([finding(MEND, "acknowledge"), finding(SKIPPED)], 1),
        ([finding(SKIPPED, "acknowledge"), finding(SKIPPED)], 2),
        ([Finding.of(CERTIFICATE, Judgement(MEND, "TLS_FAILURE")), finding(SKIPPED, "acknowledge")], 1),
    ],
)
def test_exit_status(findings: list[Finding], status: int) -> None:
    assert exit_status(findings) == status


def test_lines_are_aligned_and_say_where_it_is_written() -> None:
    good = printing.line(finding(PASS, "together"))
    bad = printing.line(finding(MEND, mend="Answer SUCCESS again. " * 10)).splitlines()
    assert good.index("409") == bad[0].index("409")
    assert bad[0].startswith("MEND     acknowledges a repeated event ")
    assert bad[1].startswith("         → Answer SUCCESS again.")
    assert bad[-1] == "           docs/guides/webhooks.md#order-and-repetition  (repeat)"
    assert max(map(len, bad)) <= 110
    assert printing.ending([finding(PASS), finding(PASS), finding(MEND)]) == "\n2 passed, 1 to mend"


def test_json_for_machines() -> None:
    made = json.loads(printing.as_json("https://a.example/", "2026-01-31T12:00:00.000000Z", [finding(MEND, mend="Do.")]))
    duties = made.pop("duties")
    assert made == {
        "url": "https://a.example/", "certifiedAt": "2026-01-31T12:00:00.000000Z",
        "passed": 0, "toMend": 1, "advice": 0, "notJudged": 0,
    }  # fmt: skip
    assert duties == [
        {
            "name": "repeat", "verdict": "MEND", "title": "acknowledges a repeated event", "sent": "the same event twice",
            "seen": "409 duplicate", "mend": "Do.", "documented": "docs/guides/webhooks.md#order-and-repetition",
        }
    ]  # fmt: skip


def test_what_is_documented_is_there_and_needs_come_first() -> None:
    known = [CERTIFICATE.name]
    for duty in (CERTIFICATE, *DUTIES):
        page, _, anchor = duty.documented.partition("#")
        titles = re.findall(r"^#+ (.+)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {title.lower().replace(" ", "-") for title in titles}, duty.documented
        assert set(duty.needs) <= set(known)
        known.append(duty.name)
    assert len(set(known)) == len(DUTIES) + 1


def test_the_guide_lists_every_duty() -> None:
    guide = (ROOT / "docs/guides/certify.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` \|", guide, re.MULTILINE) == [duty.name for duty in (CERTIFICATE, *DUTIES)]
