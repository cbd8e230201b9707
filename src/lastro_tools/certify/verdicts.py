"""The verdicts about exchanges. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.http_client import Failure
from lastro.webhooks import judge
from lastro_tools.certify.model import Judgement, Must, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lastro.http_client import Outcome
    from lastro_tools.certify.model import Exchange, Limits

_SHOWN_CHARACTERS = 60
_SHOWN_ANSWERS = 3
_DAY_SECONDS = 86_400
_FEW_DAYS = 14
_ACKNOWLEDGEMENT = '{"returnCode": "SUCCESS"}'

# The remedy for each failure without an answer.
NO_ANSWER = {
    Failure.TIMEOUT: "Answer within 10 seconds: store the event, answer, and work on it afterwards.",
    Failure.DNS_FAILURE: "The name has no address: look at its DNS records.",
    Failure.CONNECTION_REFUSED: "Nothing listens there: start the receiver, or open its port.",
    Failure.CONNECTION_CLOSED: "Answer before you close the connection, in HTTP.",
    Failure.TLS_FAILURE: "Have a certificate for this very name, in time, with its whole chain, from a public authority.",
    Failure.ADDRESS_REFUSED: "Use a public name or address; this machine's own only in a sandbox.",
    Failure.REDIRECT: "Give the URL that it leads to: redirects are not followed.",
    Failure.TOO_LARGE: f"Outcome {_ACKNOWLEDGEMENT} and little else: at most 64 KiB are read.",
}
_STATUSES = {
    400: "Read the answer: it takes a good event for a bad one.",
    401: "Give it this company's webhook secret, and have it sign the bytes as they arrived.",
    403: "Give it this company's webhook secret, or let our requests through whatever stands in front of it.",
    404: "Nothing is served at this path: look at the URL.",
    405: "Take POST at this URL.",
    415: "Take the content type application/json.",
    429: "Take more requests at a time, or answer what you cannot take with 503 and Retry-After.",
}


def acknowledged(mend: str, *, is_timed: bool = False, otherwise: Verdict = Verdict.MEND) -> Callable[..., Judgement]:
    """Returns a judge that requires acknowledgement of every event that needs one.

    mend: the remedy. is_timed: a slow answer is worth advice. otherwise: the verdict of a failure.
    """

    def judged(seen: Sequence[Exchange], terms: Limits) -> Judgement:
        asked = [one for one in seen if one.request.must is Must.ACKNOWLEDGE]
        if not asked:
            return Judgement(Verdict.SKIPPED, "left out")
        failed = [one for one in asked if not one.is_acknowledged]
        if failed:
            count = f"{len(failed)} of {len(asked)} not acknowledged: " if len(asked) > 1 else ""
            return Judgement(otherwise, count + several(failed), mend)
        slowest = max(one.answer.duration_ms for one in asked)
        shown = f"all {len(asked)} acknowledged, the slowest in {spent(slowest)}"
        if len(asked) == 1:
            shown = f"acknowledged in {spent(slowest)}"
        if is_timed and slowest > terms.advice_seconds * 1000:
            return Judgement(
                Verdict.ADVICE,
                shown,
                "Answer sooner: store the event, answer, and work on it afterwards. 10 seconds is the end.",
            )
        return Judgement(Verdict.PASS, shown)

    return judged


def first_acknowledged(seen: Sequence[Exchange], terms: Limits) -> Judgement:
    """Judges the plainest event, and names the cause of its failure.

    Any fault of its answer is a fault of every answer. Without a secret a receiver is right to turn it away, and then
    nothing can be judged.
    """
    (only,) = seen
    if only.is_acknowledged:
        return acknowledged("", is_timed=True)(seen, terms)
    answer = only.answer
    if not terms.has_secret and 400 <= answer.status < 500:
        return Judgement(
            Verdict.SKIPPED, f"{described(answer)}, to what nobody had signed", "Run this again with --secret-file."
        )
    return Judgement(Verdict.MEND, described(answer), remedy(answer))


def refused(mend: str) -> Callable[..., Judgement]:
    """Returns a judge that requires refusals. mend: the remedy.

    Good when nothing that had to be refused was acknowledged.
    """

    def judged(seen: Sequence[Exchange], _: Limits) -> Judgement:
        asked = [one for one in seen if one.request.must is Must.REFUSE]
        taken = [one for one in asked if one.is_acknowledged]
        if taken:
            return Judgement(Verdict.MEND, "acknowledged: " + ", ".join(one.request.label for one in taken), mend)
        return _refused_well(asked)

    return judged


def unsigned_refused(seen: Sequence[Exchange], terms: Limits) -> Judgement:
    """Judges as any refusal; without a secret the check may be off on purpose."""
    if terms.has_secret:
        return refused("Refuse what lacks its signature, before anything else is done with it.")(seen, terms)
    return Judgement(
        Verdict.ADVICE, "acknowledged: no signature", "Turn its check on, and run this again with --secret-file."
    )


def timestamps_refused(seen: Sequence[Exchange], _: Limits) -> Judgement:
    """Judges the answers to an old, a future and a short-signed event.

    In this order; the last is good, but signed in the short form alone. The short form covers no time, so that a receiver of
    it cannot tell; it has to remember ids.
    """
    old, ahead, short = seen
    if not old.is_acknowledged and not ahead.is_acknowledged:
        return _refused_well([old, ahead])
    if short.is_acknowledged:
        return Judgement(
            Verdict.ADVICE, "acknowledged; the short form alone was enough",
            "Verify webhook-signature, which covers the time; with X-Signature-SHA256 remember every x-event-id.",
        )  # fmt: skip
    if old.is_acknowledged:
        return Judgement(
            Verdict.MEND, f"acknowledged: {old.request.label}",
            "Refuse a webhook-timestamp that is more than 5 minutes off: somebody may be sending a recorded event again.",
        )  # fmt: skip
    return Judgement(
        Verdict.ADVICE, f"acknowledged: {ahead.request.label}",
        "Refuse a webhook-timestamp that is more than 5 minutes ahead too: it is not from our clock.",
    )  # fmt: skip


def _refused_well(asked: Sequence[Exchange]) -> Judgement:
    broke = [one for one in asked if one.answer.status == 0 or one.answer.status >= 500]
    if broke:
        return Judgement(
            Verdict.ADVICE,
            several(broke),
            "Answer a forged event with 401 at once: as it is, it looks like an outage of yours.",
        )
    return Judgement(Verdict.PASS, ", ".join(dict.fromkeys(described(one.answer) for one in asked)))


def recovered(seen: Sequence[Exchange], _: Limits) -> Judgement:
    """Judges repeated events: after a forgery, after a failure, with a new id.

    Good events after a forged copy (FORGED), failed ones again (AGAIN), and copies with a new id (COPY). If the copy fails
    as well, the reason is in the event's content and shows at its own check.
    """
    if not seen:
        return Judgement(Verdict.SKIPPED, "nothing had failed")
    after_forgery = [one for one in seen if one.request.label == FORGED]
    again = [one for one in seen if one.request.label == AGAIN]
    copies = [one for one in seen if one.request.label == COPY]
    stuck = [one for one in after_forgery if not one.is_acknowledged]
    stuck += [
        one for one, copy in zip(again, copies, strict=True) if not one.is_acknowledged and copy.is_acknowledged
    ]  # fmt: skip
    if stuck:
        return Judgement(
            Verdict.MEND, several(stuck),
            "Remember an event's id together with its work, not before: what failed once comes again under the same id.",
        )  # fmt: skip
    parts = ["acknowledged after a forged copy"] if after_forgery else []
    if again:
        count = sum(one.is_acknowledged for one in again)
        parts.append(f"{count} of {len(again)} that had failed acknowledged when sent again")
    return Judgement(Verdict.PASS, "; ".join(parts))


FORGED = "good, after a forged copy"
AGAIN = "again, after it failed"
COPY = "the same under a new id"


def certified(scheme: str, lasts: tuple[float, float] | None, now: float) -> Judgement:
    """Judges the certificate of a URL. lasts: its validity, Unix seconds; None where there is none to see."""
    if scheme != "https" or lasts is None:
        return Judgement(Verdict.SKIPPED, "plain http, which a sandbox alone delivers to")
    begins, ends = lasts
    days = int((ends - now) // _DAY_SECONDS)
    shown = f"good for {days} more {'day' if days == 1 else 'days'}"
    # Some authorities give certificates for a week, which are no worse for it.
    if days < _FEW_DAYS and ends - now < (ends - begins) / 3:
        return Judgement(Verdict.ADVICE, shown, "Renew the certificate, and see why that has not happened by itself.")
    return Judgement(Verdict.PASS, shown)


def remedy(answer: Outcome) -> str:
    """Returns the remedy of an answer that acknowledges nothing."""
    if answer.failure is not None:
        return NO_ANSWER[answer.failure]
    if answer.status == 200:
        return f"Answer the body {_ACKNOWLEDGEMENT}, as JSON."
    if 200 <= answer.status < 300:
        return f"Answer with status 200 and {_ACKNOWLEDGEMENT}: another status acknowledges nothing."
    if answer.status >= 500:
        return "Look at its log: it broke on a plain event."
    return _STATUSES.get(answer.status, f"Answer a good event with status 200 and {_ACKNOWLEDGEMENT}.")


def described(answer: Outcome) -> str:
    """Describes an answer in a few words that are safe to print."""
    if answer.failure is not None:
        status = f"{answer.status} " if answer.status else ""
        return f"{status}{answer.failure.value} after {spent(answer.duration_ms)}"
    said = " ".join(judge(answer).message.split())
    if len(said) > _SHOWN_CHARACTERS:
        said = said[: _SHOWN_CHARACTERS - 1] + "…"
    return f"{answer.status} {said}".strip()


def several(seen: Sequence[Exchange]) -> str:
    """Describes several answers, each with its request's label."""
    shown = [
        f"{one.request.label}: {described(one.answer)}" if one.request.label else described(one.answer) for one in seen
    ]  # fmt: skip
    different = list(dict.fromkeys(shown))
    more = len(different) - _SHOWN_ANSWERS
    return "; ".join(different[:_SHOWN_ANSWERS]) + (f"; and {more} more" if more > 0 else "")


def spent(milliseconds: int) -> str:
    """Formats a duration for people."""
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"
