"""The checks of a receiver, in order: requests, judgement, remedies."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import msgspec

from lastro_tools.certify import verdicts
from lastro_tools.certify.fixtures import EXPIRED, PAID
from lastro_tools.certify.model import ACKNOWLEDGE, Duty, Must, Pace, Verdict

if TYPE_CHECKING:
    from lastro_tools.certify.fixtures import Author
    from lastro_tools.certify.model import Limits, Round

_GUIDE = "docs/guides/webhooks.md#"
_HERE = "docs/guides/certify.md#what-every-receiver-must-bear"
_TEN_MINUTES = 600
_LARGEST_BODY = 64 * 1024
_MOST_FAILURES = 5
_TRIO = ("webhook-id", "webhook-timestamp", "webhook-signature")
_SIGNATURES = ("webhook-signature", "X-Signature-SHA256")

# Four bytes a character, a family of seven code points, marks above letters, right to left, what SQL and HTML speak.
UNICODE_DESCRIPTION = (
    "Café ☕ 👩\u200d👩\u200d👧\u200d👦 e\u0301 Z\u0351\u036b\u0343 مرحبا שלום \U0001d4b3 '; DROP TABLE orders;-- <b>\"\\/"
)
UNICODE_NAME = "Íñigo Ødegård 李小龍 👩🏽\u200d🚀 O'Neill"


def _one(author: Author, _: Limits) -> list[Round]:
    return [[author.send(author.event())]]


def _unsigned(author: Author, _: Limits) -> list[Round]:
    return [[author.send(author.event(), "no signature", must=Must.REFUSE, spoil=lambda _: {})]]


def _forged(author: Author, _: Limits) -> list[Round]:
    def emptied(signed: dict[str, str]) -> dict[str, str]:
        return signed | {"webhook-signature": "v1,", "X-Signature-SHA256": "sha256="}

    def shortened(signed: dict[str, str]) -> dict[str, str]:
        return signed | {name: signed[name][:-4] for name in _SIGNATURES}

    other = author.send(author.event(), "by another secret", must=Must.REFUSE, secrets=[author.other_secret()])
    empty = author.send(author.event(), "an empty one", must=Must.REFUSE, spoil=emptied)
    short = author.send(author.event(), "one cut short", must=Must.REFUSE, spoil=shortened)
    return [[other], [empty], [short]]


def _changed(author: Author, _: Limits) -> list[Round]:
    contents = author.contents()
    richer = contents | {"amount": {**contents["amount"], "value": "1000000.00"}}
    sent = author.send(author.event(contents), "another amount", must=Must.REFUSE, changed=msgspec.json.encode(richer))
    return [[sent]]


def _timestamps(author: Author, _: Limits) -> list[Round]:
    def short_form(signed: dict[str, str]) -> dict[str, str]:
        return {name: value for name, value in signed.items() if name not in _TRIO}

    now = author.now()
    old = author.send(author.event(), "signed 10 minutes ago", must=Must.REFUSE, signed_at=now - _TEN_MINUTES)
    ahead = author.send(author.event(), "signed 10 minutes ahead", must=Must.REFUSE, signed_at=now + _TEN_MINUTES)
    short = author.send(author.event(), "the short form alone", must=Must.EITHER, spoil=short_form)
    return [[old], [ahead], [short]]


def _rotation(author: Author, _: Limits) -> list[Round]:
    other = author.other_secret()
    still_old = author.send(author.event(), "it knows the old secret", secrets=[other, author.secret])
    already_new = author.send(author.event(), "it knows the new secret", secrets=[author.secret, other])
    return [[still_old], [already_new]]


def _spaced(author: Author, _: Limits) -> list[Round]:
    contents = author.contents() | {"description": "Certificação: no real order"}
    turned = dict(reversed(contents.items()))
    return [[author.send(author.written(json.dumps(turned, indent=1, ensure_ascii=True).encode()))]]


def _nulls(author: Author, _: Limits) -> list[Round]:
    nothing = {"paidAt": None, "endToEndId": None, "controlNumber": None}
    contents = author.contents() | nothing
    payer = {name: value for name, value in contents["payer"].items() if name != "bank"}
    return [[author.send(author.event(contents | {"payer": payer}))]]


def _kinds(author: Author, _: Limits) -> list[Round]:
    events = [author.event(author.contents(name), name) for name in author.event_types]
    return [[author.send(event, event.type)] for event in events]


def _unknown_event(author: Author, _: Limits) -> list[Round]:
    name = "ORDER-PAYIN.CERTIFIED"
    contents = author.contents() | {"event": name, "status": "CERTIFIED"}
    return [[author.send(author.event(contents, name))]]


def _more_fields(author: Author, _: Limits) -> list[Round]:
    contents = author.contents()
    contents["amount"] = {**contents["amount"], "certified": True}
    return [[author.send(author.event(contents | {"certification": {"is": ["new", 1, None, {}]}}))]]


def _unicode(author: Author, _: Limits) -> list[Round]:
    contents = author.contents()
    payer = {**contents["payer"], "name": UNICODE_NAME}
    return [[author.send(author.event(contents | {"description": UNICODE_DESCRIPTION, "payer": payer}))]]


def _large(author: Author, _: Limits) -> list[Round]:
    contents = author.contents() | {"certification": ""}
    room = _LARGEST_BODY - len(msgspec.json.encode(contents))
    return [[author.send(author.event(contents | {"certification": "x" * room}))]]


def _repeated(author: Author, _: Limits) -> list[Round]:
    event = author.event()
    return [[author.send(event, "the first time")], [author.send(event, "the second time", attempt=2)]]


def _twins(author: Author, _: Limits) -> list[Round]:
    event = author.event()
    return [[author.send(event), author.send(event, attempt=2)]]


def _late(author: Author, _: Limits) -> list[Round]:
    order_id = author.new_id()
    paid = author.event(author.contents(PAID, order_id))
    expired = author.event(author.contents(EXPIRED, order_id), EXPIRED)
    older, newer = author.event(), author.event()
    return [
        [author.send(paid, "PAID")],
        [author.send(expired, "EXPIRED after PAID")],
        [author.send(newer, "a newer number")],
        [author.send(older, "an older number after a newer")],
    ]


def _together(author: Author, terms: Limits) -> list[Round]:
    return [[author.send(author.event()) for _ in range(terms.together)]]


def _slow(author: Author, terms: Limits) -> list[Round]:
    return [[author.send(author.event(), pace=Pace.SLOW)]] if terms.slow_seconds else []


def _cut(author: Author, _: Limits) -> list[Round]:
    event = author.event()
    half = author.send(event, "half of it", must=Must.EITHER, pace=Pace.CUT)
    return [[half], [author.send(event, "the whole, after half of it", attempt=2)]]


def _recovers(author: Author, _: Limits) -> list[Round]:
    rounds: list[Round] = []
    if author.has_secret:
        event = author.event()
        rounds.append([author.send(event, "forged", must=Must.EITHER, secrets=[author.other_secret()])])
        rounds.append([author.send(event, verdicts.FORGED, attempt=2)])
    for failed in author.failures[:_MOST_FAILURES]:
        copy = replace(failed, id=author.new_id())
        rounds.append([author.send(failed, verdicts.AGAIN, must=Must.EITHER, attempt=2)])
        rounds.append([author.send(copy, verdicts.COPY, must=Must.EITHER)])
    return rounds


# The connection is looked at before anything is sent, and not by sending.
CERTIFICATE: Final = Duty(
    "certificate", "has a certificate that is good", "a connection", _GUIDE + "your-url", lambda *_: [],
    lambda *_: verdicts.certified("http", None, 0), needs=(),
)  # fmt: skip

DUTIES: Final = (
    Duty(ACKNOWLEDGE, "acknowledges an event", "an order was paid", _GUIDE + "answer", _one,
         verdicts.first_acknowledged, needs=()),
    Duty("unsigned", "refuses a missing signature", "an event without its signature's headers", _GUIDE + "verify", _unsigned,
         verdicts.unsigned_refused),
    Duty("forged", "refuses a wrong signature", "events signed by another secret, by nothing, and by a part of a signature",
         _GUIDE + "verify", _forged,
         verdicts.refused("Compare the whole signature with the one you compute yourself, in constant time."),
         needs_secret=True),
    Duty("changed", "refuses a changed body", "an event whose amount was changed after it was signed", _GUIDE + "verify",
         _changed, verdicts.refused("Compute the signature over the body that you go on to read."),
         needs=(ACKNOWLEDGE, "forged"), needs_secret=True),
    Duty("timestamp", "refuses an old timestamp", "events signed 10 minutes ago and 10 minutes ahead", _GUIDE + "verify",
         _timestamps, verdicts.timestamps_refused, needs=(ACKNOWLEDGE, "forged"), needs_secret=True),
    Duty("rotation", "accepts either secret of a rotation", "events signed by two secrets, of which it knows one",
         _GUIDE + "verify", _rotation,
         verdicts.acknowledged("Accept an event if any value of webhook-signature is right, or, of the short form,"
                                 " X-Signature-SHA256 or X-Signature-SHA256-Previous."), needs_secret=True),
    Duty("bytes", "verifies the bytes as they arrived", "an event with its JSON spaced, escaped and ordered in another way",
         _GUIDE + "verify", _spaced,
         verdicts.acknowledged("Compute the signature over the body as received, before it is parsed."),
         needs_secret=True),
    Duty("nulls", "bears fields that are null or left out", "a paid order without payment id, time and payer's bank", _HERE,
         _nulls, verdicts.acknowledged("Take null, and the absence of optional fields, wherever the schema of the event"
                                         " has them.")),
    Duty("kinds", "acknowledges every kind of event", "one of each kind that we send", _HERE, _kinds,
         verdicts.acknowledged("Acknowledge the kinds of event that you have no use for, too."),
         needs=(ACKNOWLEDGE, "nulls")),
    Duty("unknown-event", "acknowledges an unknown event", "an event of a kind that there is not yet", _HERE, _unknown_event,
         verdicts.acknowledged("Acknowledge an event that you do not know, and leave it: new ones are added.")),
    Duty("more-fields", "bears unknown fields", "an event with fields that there are not yet", _HERE, _more_fields,
         verdicts.acknowledged("Leave fields that you do not know unread: new ones are added.")),
    Duty("unicode", "bears any text", "a description and a name of many scripts, emoji, quotes and markup", _HERE, _unicode,
         verdicts.acknowledged("Take and store text as UTF-8 of up to four bytes a character, by parameters and not by"
                                 " building statements.")),
    Duty("large", "bears a large body", "an event of 64 KiB", _HERE, _large,
         verdicts.acknowledged("Allow bodies of at least 64 KiB, in whatever stands in front of the receiver too."),
         needs=(ACKNOWLEDGE, "more-fields")),
    Duty("repeat", "acknowledges a repeated event", "the same event twice", _GUIDE + "order-and-repetition", _repeated,
         verdicts.acknowledged("Answer SUCCESS again to an x-event-id that you know: our next try follows an answer that"
                                 " was lost on its way.")),
    Duty("twins", "acknowledges an event and its repetition at once", "the same event twice at the same moment",
         _GUIDE + "order-and-repetition", _twins,
         verdicts.acknowledged("Let one of two requests with the same x-event-id wait for the other, such as by a unique"
                                 " index, and acknowledge both.", otherwise=Verdict.ADVICE), needs=(ACKNOWLEDGE, "repeat")),
    Duty("late", "acknowledges what comes late", "EXPIRED after PAID of one order; an older number after a newer",
         _GUIDE + "order-and-repetition", _late,
         verdicts.acknowledged("Acknowledge what comes late and change nothing by it: an event that is sent again by hand"
                                 " may be older than what you know."), needs=(ACKNOWLEDGE, "kinds")),
    Duty("together", "takes several at once", "many events of different orders at the same moment", _HERE, _together,
         verdicts.acknowledged("Take as many requests at a time as we send: 32 to one receiver.", is_timed=True),
         needs=(ACKNOWLEDGE, "late")),
    Duty("slow", "bears a slow connection", "an event whose body takes some seconds to arrive", _HERE, _slow,
         verdicts.acknowledged("Wait for a body for as long as 10 seconds, in whatever stands in front of the receiver"
                                 " too.")),
    Duty("cut", "bears a connection that is cut", "half of an event, then the connection ends, then the whole event", _HERE,
         _cut, verdicts.acknowledged("Begin with an event only when its whole body is there, so that the next try finds"
                                       " nothing half done."), needs=(ACKNOWLEDGE, "repeat")),
    Duty("recovery", "acknowledges at last what failed once", "an event after a forged copy of it, and whatever had failed",
         _GUIDE + "retries", _recovers, verdicts.recovered, needs=(ACKNOWLEDGE, "repeat", "cut")),
)  # fmt: skip
