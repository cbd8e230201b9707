"""The documentation of the room's operations, for callers."""

from __future__ import annotations

from typing import Any

from lastro.api_kit.paging import PAGE_REFUSALS, PERIOD_REFUSALS
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread, not_found
from lastro.webhooks import problems
from lastro.webhooks.catalogue import ERA_BEGAN, TEST, EventType
from lastro.webhooks.forms import ResendEvents, SendTest, SetWebhook
from lastro.webhooks.rendering import (
    EraNotification,
    Events,
    Feed,
    NewSecret,
    OneEvent,
    Resending,
    Resent,
    SetWebhooks,
    TestNotification,
    WebhookNow,
)

_ID = "0196a4f0-9b1c-7c55-8a01-5d1e8f3a7b20"
_ORDER_ID = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"
_URL = "https://shop.example.com/hooks/lastro"
_PAYLOAD: dict[str, Any] = {"id": _ORDER_ID, "code": "book-1", "event": "ORDER-PAYIN.PAID", "status": "PAID"}

LIST = Doc(
    "List webhook events that failed delivery",
    "Events that wait for their next attempt (RETRYING) or have none left (FAILED), with every attempt so far. One that is"
    " delivered leaves the list; `status=DELIVERED` shows those, `status=PENDING` those whose first attempt is to come."
    " Filters are combined: an event must fit all of them. A `referenceId` that is not one of yours finds nothing.\n\n"
    "An event is sent once and then, where your endpoint does not answer 200 with `returnCode: SUCCESS`, four times more:"
    " after a minute, ten minutes, an hour and six hours.\n\n"
    "With `event` and `url` together a page may have fewer rows than its `limit`, or none, and still have a next one: it"
    " looks at 5,000 events of the URL. What is told in the feed alone is never listed.",
    answer=Events,
    refusals=(
        *PAGE_REFUSALS,
        *PERIOD_REFUSALS,
        misread("status", "INVALID", "No event stands so.", "Give one of those that are named."),
        problems.EVENT_INVALID,
        misread("url", "INVALID", "It is empty or has control characters.", "Give one you were told at."),
        misread("url", "TOO_LONG", "No URL has more than 2,048 characters.", "Give one you were told at."),
    ),
    response={
        "limit": 20, "sort": "desc", "hasNext": False,
        "data": [
            {
                "id": _ID, "referenceId": _ORDER_ID,
                "webhookUrl": _URL, "status": "RETRYING",
                "createdAt": "2026-01-31T12:03:10.871204Z", "updatedAt": "2026-01-31T12:03:11.204518Z",
                "history": [
                    {"message": "out of order", "statusCode": 500, "requestTime": "2026-01-31T12:03:10.990412Z"},
                ],
            }
        ],
    },
)  # fmt: skip
RESEND = Doc(
    "Send a webhook event again",
    "Queues the event's original bytes under its original id, with a new plan of attempts. What was delivered may be sent"
    " again; one that is about to be sent stays as it is.",
    answer=Resent,
    refusals=(
        not_found("No event of your company has this id, or it was told in the feed alone.",
                "Take the `id` of the list, or the `x-event-id` of a delivery."),
        problems.EVENT_ID_EXPIRED,
    ),
    response={"id": _ID, "status": "PENDING"},
)  # fmt: skip
READ = Doc(
    "Read a webhook event",
    "One event with its body and every attempt to deliver it, whether it was sent to a URL or told in the feed alone"
    " (`status: NONE`).",
    answer=OneEvent,
    refusals=(
        not_found("No event of your company has this id.",
                "Take the `id` of the list or the feed, or the `x-event-id` of a delivery."),
    ),
    response={
        "id": _ID, "event": "ORDER-PAYIN.PAID", "referenceId": _ORDER_ID, "webhookUrl": _URL, "status": "RETRYING",
        "sequence": 42, "createdAt": "2026-01-31T12:03:10.871204Z", "updatedAt": "2026-01-31T12:03:11.204518Z",
        "nextAttemptAt": "2026-01-31T12:04:08.117900Z", "payload": _PAYLOAD,
        "history": [
            {"message": "out of order", "statusCode": 500, "requestTime": "2026-01-31T12:03:10.990412Z", "number": 1,
             "durationMs": 84, "failure": "BAD_STATUS"},
        ],
    },
)  # fmt: skip
RESEND_MANY = Doc(
    "Send webhook events again",
    "Queues the original bytes of all events that fit the filter, oldest first, each under its original id with a new plan"
    " of attempts. Of one object and URL they arrive in order, and a later event of the object waits until they are"
    " through.\n\n"
    "- With `dryRun: true` they are counted and nothing is sent; the status is then 200.\n"
    "- `perMinute` of them become due in a minute, so that your endpoint is not run over.\n"
    "- One call takes 10,000 at most. `hasMore` says that others may fit too: go on with `filter.from` = `nextFrom`, after"
    " the time that these take.\n"
    "- What is PENDING is about to be sent anyway and stays as it is; so does one whose attempt ends at this very moment.",
    ResendEvents, Resending,
    (
        *problems.EVENT_INVALID.of("filter.event"),
        misread("filter.from", "INVALID", "It is neither a date nor a timestamp with seconds and offset.",
                "Give one such as 2026-01-31 or 2026-01-31T12:00:00Z."),
        misread("filter.to", "INVALID", "It is neither a date nor a timestamp with seconds and offset.",
                "Give one such as 2026-01-31 or 2026-01-31T12:00:00Z."),
    ),
    {"filter": {"status": "FAILED", "from": "2026-01-31", "to": "2026-01-31"}, "dryRun": False, "perMinute": 600},
    {"count": 1284, "hasMore": False},
)  # fmt: skip
FEED = Doc(
    "Read the feed",
    "Every event of your company, those that were sent to a URL and those that were not, in the order of their numbers: 1,"
    " 2, 3 and so on without a gap, in the order in which things happened. Ask with `after` = the last `sequence` that you"
    " have; what comes begins with the number behind it. So you miss nothing, whatever became of your endpoint.\n\n"
    "With `wait` the answer comes as soon as there is something to tell, and after so many seconds with empty `data`; ask"
    " again then. Without `after` the feed begins with the first event that is kept.\n\n"
    "`era` changes when a backup was put back. Numbers then go on far above those of before, so that none means two events;"
    " the first event of an era says in `follows` which number it comes behind. Events that you had, and that are lost here,"
    " are not told again.",
    answer=Feed,
    refusals=(
        *problems.NUMBER_INVALID.of("after", "limit", "wait"), *problems.NUMBER_OUT_OF_RANGE.of("after", "limit", "wait"),
        problems.AFTER_EXPIRED,
    ),
    response={
        "limit": 100, "hasNext": False, "era": "2026-01-02T03:04:05.678901Z", "lastSequence": 42,
        "data": [
            {"sequence": 42, "id": _ID, "event": "ORDER-PAYIN.PAID", "referenceId": _ORDER_ID,
             "createdAt": "2026-01-31T12:03:10.871204Z", "payload": _PAYLOAD},
        ],
    },
)  # fmt: skip
_WEBHOOK = {
    "events": [
        {"event": "ORDER-PAYIN.PAID", "url": _URL, "active": True},
        {"event": "ORDER-PAYIN.EXPIRED", "active": True},
    ],
    "status": "ACTIVE", "updatedAt": "2026-01-31T12:00:00.120945Z",
}  # fmt: skip
SETTINGS = Doc(
    "Read where events are sent",
    "Every type of event, and where your company has it sent when its object names no URL of its own.\n\n"
    "`endpoints` tells of receivers that do not answer: after five events in a row without an answer nothing more is sent"
    " there, so that no event uses up its attempts. After a pause, 15 seconds at first and 5 minutes at most, one is sent;"
    " once it is answered, the others follow. An event waits for 6 hours at most, then it is attempted all the same.",
    answer=WebhookNow,
    response={
        **_WEBHOOK,
        "endpoints": [
            {"url": "https://shop.example.com", "state": "OPEN", "since": "2026-01-31T12:03:10.871204Z",
             "failure": "CONNECTION_REFUSED", "nextAttemptAt": "2026-01-31T12:03:25.871204Z"},
        ],
    },
)  # fmt: skip
CONFIGURE = Doc(
    "Set where events are sent",
    "Sets the types it names, each as a whole, and leaves the others (`mode: REPLACE`: unsets them). `changed` names the"
    " types that are set otherwise than before; with none nothing was written. An event goes to the URL of its object"
    " (`notificationUrl`, `webhookUrl`); else to the one that is set here for its type; else it is told in the feed"
    " alone.\n\n"
    "`active: false` stops the URL that is set here. For a type beyond the interface's own (such as"
    " `SUBSCRIPTION-PAYMENT.SCHEDULED`) it stops every URL, an object's too, so that a receiver which does not know it is"
    " left in peace. What was told before keeps the URL it has.",
    SetWebhook, SetWebhooks,
    (
        misread("events", "TOO_LONG", "There are not that many types.", "Name each type once."),
        *problems.EVENT_INVALID.of("events[].event"),
        problems.EVENT_DUPLICATE,
        *problems.URL_INVALID.of("events[].url"),
    ),
    {"events": [{"event": "ORDER-PAYIN.PAID", "url": _URL, "active": True}]},
    {**_WEBHOOK, "changed": ["ORDER-PAYIN.PAID"]},
)  # fmt: skip
ROTATE = Doc(
    "Rotate the webhook secret",
    "Makes a new secret and shows it, this once. It signs at once; for 24 hours the old one signs beside it, as a second"
    " value in `webhook-signature` and in `X-Signature-SHA256-Previous`. A second rotation within that time ends the oldest"
    " one.\n\n"
    "Under the same `idempotency-key` the same secret comes again, for 7 days.",
    answer=NewSecret, response={"secret": "whsec_" + "K5" * 21 + "o="},
)  # fmt: skip
TRY = Doc(
    "Send a test event",
    "Sends an event of the type `WEBHOOK.TEST` to the URL you give, or to the one that your company has set for the type you"
    " name, switched on or off. Its body shows the example of that type. It is signed, retried, listed and told in the feed"
    " as any other, and `GET /order/v1/webhook/events/{id}` shows what became of it.",
    SendTest, Resent,
    (
        problems.EVENT_INVALID,
        *problems.URL_INVALID.of("url"),
        problems.URL_REQUIRED,
    ),
    {"event": "ORDER-PAYIN.PAID", "url": _URL},
    {"id": _ID, "status": "PENDING"},
)  # fmt: skip

EVENT_TYPES = (
    EventType(
        ERA_BEGAN, "An era began",
        "A backup was put back: what happened between `lostFrom` and now may be unknown here, and events with numbers above"
        " `lastSequence` that you have are of that time. Handle them no further: read your objects anew. What was sent"
        " and not yet acknowledged in the backup comes again under the same `x-event-id`; what was lost never does.",
        EraNotification, {"event": ERA_BEGAN},
        {
            "event": ERA_BEGAN, "era": "2026-01-31T12:00:00.000000Z", "occurredAt": "2026-01-31T12:00:04.000000Z",
            "data": {"lostFrom": "2026-01-31T03:00:00.000000Z", "lastSequence": 41, "firstSequence": 33400042},
        },
    ),
    EventType(
        TEST, "Test event", "You asked for it to see whether it arrives. Nothing has happened.", TestNotification,
        {"event": TEST},
        {
            "event": TEST, "occurredAt": "2026-01-31T12:00:00.000000Z",
            "data": {"event": "ORDER-PAYIN.PAID", "payload": _PAYLOAD},
        },
    ),
)  # fmt: skip
