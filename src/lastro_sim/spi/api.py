"""Endpoints of the SPI for participants: messages, streams, statuses, the clock."""

import asyncio
from contextlib import suppress

from litestar import Response, delete, get, post, put
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.types import Receive

from lastro.standards import pix_ids
from lastro_sim import faults, logs, partners, queries, timer
from lastro_sim.analysis import requests as analyses
from lastro_sim.answers import Asked, Encoded, answer, body, hung_up, nothing
from lastro_sim.clock import FURTHEST_OFFSET, printed, printed_or_none
from lastro_sim.collecting import movements
from lastro_sim.directory import claims
from lastro_sim.forms import Form
from lastro_sim.guard import PARTICIPANT_ONLY
from lastro_sim.med.objects import EVENTS
from lastro_sim.network import Network
from lastro_sim.refusals import Problem, RefusedError, forbidden, found, malformed, not_found
from lastro_sim.settings import SIMULATED_BANKS

from . import authorizations, instructions, intake, mailbox, original, payments, returns

LONGEST_WAIT = 30
LARGEST_BATCH = 100
LOOK_AGAIN_SECONDS = 0.5
# The tables whose due rows lastro's clock stops at. A dispute's late event is no such row.
DATED = tuple(kind.table for kind in timer.BY_BUSINESS_TIME if kind.table != "med_late")


@post("/spi/v1/in/{ispb:str}/msgs", opt=PARTICIPANT_ONLY)
async def message_in(request: Asked, network: NamedDependency[Network], ispb: FromPath[str]) -> Response[bytes]:
    """Posts one message."""
    return await taken(network, ispb, request.receive)


async def taken(network: Network, ispb: str, receive: Receive) -> Encoded:
    """Takes the message in a request's body."""
    _checked_ispb(ispb)
    return answer({"resourceId": intake.receive(network, ispb, await body(receive))}, 201)


@put("/spi/v1/recurrences/{recurrence_id:str}", opt=PARTICIPANT_ONLY)
async def recurrence_put(request: Asked, network: NamedDependency[Network], recurrence_id: FromPath[str]) -> Response[None]:
    """Takes a recurrence that its receiver registers. A fault refuses it for good, at once or afterwards, or answers 503."""
    form = Form.read(await request.body())
    document = form.text("debtorDocument", 14)
    form.check()
    logs.about(recurrence_id)
    about = {"idRec": recurrence_id, "document": document}
    fault = faults.strike(network, "recurrence", about, faults.BEHAVIOURS["recurrence"])
    if fault is not None and fault.behaviour == "down":
        raise RefusedError(503, "DOWN", "Nobody is there")
    if fault is not None and fault.behaviour == faults.UNPROCESSED:
        authorizations.unregister(network, recurrence_id, fault)
    elif fault is not None:
        raise RefusedError(422, fault.code or "MD01", "The recurrence is not taken")
    return nothing()


@get("/spi/v1/out/{ispb:str}/stream/start", opt=PARTICIPANT_ONLY)
async def stream_start(
    request: Asked, network: NamedDependency[Network], ispb: FromPath[str]
) -> Response[bytes] | Response[None]:
    """Opens a stream and pull its first batch."""
    _checked_ispb(ispb)
    given = queries.read(request, {"wait", "limit", "stream"})
    wait, limit = _wait_and_limit(given)
    name = given.get("stream")
    if name is not None and not 1 <= len(name) <= 64:
        raise malformed(Problem("stream", "INVALID", "A stream's name has 1 to 64 characters"))
    return await _pull(request, network, ispb, mailbox.start(network, ispb, name), wait, limit)


@get("/spi/v1/out/{ispb:str}/stream/{cursor:str}", opt=PARTICIPANT_ONLY)
async def stream_next(
    request: Asked, network: NamedDependency[Network], ispb: FromPath[str], cursor: FromPath[str]
) -> Response[bytes] | Response[None]:
    """Confirms all up to the cursor and pulls the next batch."""
    _checked_ispb(ispb)
    wait, limit = _wait_and_limit(queries.read(request, {"wait", "limit"}))
    position = mailbox.Cursor.read(cursor)
    with network.store.sharing():
        if position is None or not mailbox.confirm(network, ispb, position):
            raise not_found()
    network.bells.ring(f"stream:{position.stream}")
    return await _pull(request, network, ispb, position, wait, limit)


@delete("/spi/v1/out/{ispb:str}/stream/{cursor:str}", opt=PARTICIPANT_ONLY, status_code=204)
async def stream_end(network: NamedDependency[Network], ispb: FromPath[str], cursor: FromPath[str]) -> None:
    """Confirms all up to the cursor and closes the stream."""
    _checked_ispb(ispb)
    position = mailbox.Cursor.read(cursor)
    if position is None or not mailbox.end(network, ispb, position):
        raise not_found()


@get("/spi/v1/payments/{end_to_end_id:str}", opt=PARTICIPANT_ONLY)
async def payment_status(network: NamedDependency[Network], end_to_end_id: FromPath[str]) -> Response[bytes]:
    """Returns one payment and its status."""
    payment = payments.find(network, end_to_end_id)
    if payment is None or payments.is_unseen(payment):
        raise not_found()
    payments.release(network, payment)
    return answer(payments.shown(payment) | original.of_payment(payment))


@get("/spi/v1/returns/{return_id:str}", opt=PARTICIPANT_ONLY)
async def return_status(network: NamedDependency[Network], return_id: FromPath[str]) -> Response[bytes]:
    """Returns one return and its status."""
    known = found(returns.find(network, return_id))
    returns.release(network, known)
    return answer(returns.shown(known))


@get("/spi/v1/cancellations/{msg_id:str}", opt=PARTICIPANT_ONLY)
async def cancellation_status(network: NamedDependency[Network], msg_id: FromPath[str]) -> Response[bytes]:
    """Returns an authorization's cancellation by its message id."""
    known = found(authorizations.cancellation(network, msg_id))
    authorizations.release_cancellation(network, known)
    return answer(authorizations.shown_cancellation(network, known))


@get("/spi/v1/charges/{msg_id:str}", opt=PARTICIPANT_ONLY)
async def charge_status(network: NamedDependency[Network], msg_id: FromPath[str]) -> Response[bytes]:
    """Returns an instruction to collect by its message id."""
    known = found(instructions.find(network, msg_id))
    instructions.release(network, known)
    return answer(instructions.answered(network, known))


@get("/spi/v1/charge-cancellations/{msg_id:str}", opt=PARTICIPANT_ONLY)
async def charge_cancellation_status(network: NamedDependency[Network], msg_id: FromPath[str]) -> Response[bytes]:
    """Returns a charge's cancellation by its message id."""
    known = found(instructions.cancellation(network, msg_id))
    instructions.release_cancellation(network, known)
    return answer(instructions.answered_cancellation(network, known))


@put("/participants/{ispb:str}", opt=PARTICIPANT_ONLY)
async def participant_put(request: Asked, network: NamedDependency[Network], ispb: FromPath[str]) -> Response[bytes]:
    """Registers an institution with locations that the payer's bank may trust."""
    _checked_ispb(ispb)
    form = Form.read(await request.body())
    name, jku, host = form.text("name"), form.text("jku", 2048), form.text("host", 255)
    if jku and not jku.startswith(("http://", "https://")):
        form.refuse("jku", "INVALID", "An absolute http or https address is expected")
    if set(host) & set("/@?# "):
        form.refuse("host", "INVALID", "A host with an optional port is expected")
    form.check()
    participant = {"ispb": ispb, "name": name, "jku": jku, "host": host.lower()}
    network.store.put("participant", **participant)
    return answer(participant)


@get("/participants", opt=PARTICIPANT_ONLY)
async def participant_list(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Lists the institutions with trusted locations and the address of their keys."""
    queries.read(request, ())
    rows = network.store.rows("SELECT ispb, name, jku, host FROM participant ORDER BY ispb")
    return answer({"data": [dict(row) for row in rows]})


@get("/clock")
async def clock_get(network: NamedDependency[Network]) -> Response[bytes]:
    """Returns business time, the next due time, and pending work."""
    return answer(_clock(network))


@put("/clock", opt=PARTICIPANT_ONLY)
async def clock_put(request: Asked, network: NamedDependency[Network]) -> Response[bytes]:
    """Sets business time's offset from real time; lastro's clock decides."""
    form = Form.read(await request.body())
    offset = form.maybe_whole("offsetMicroseconds", -FURTHEST_OFFSET, FURTHEST_OFFSET)
    if form.given("offsetMicroseconds") is None:
        form.refuse("offsetMicroseconds", "REQUIRED", "This field is required")
    form.check()
    network.move_clock(offset or 0)
    return answer(_clock(network))


def _clock(network: Network) -> dict[str, object]:
    tellers: tuple[movements.Named, ...] = (*partners.PARTNERS.values(), analyses.ANALYST, EVENTS, claims.EVENTS)
    dues = [network.store.next_due(table) for table in DATED]
    due_now = any(due is not None and due <= network.clock.business() for due in dues)
    dues.append(mailbox.next_available(network))
    running = timer.earliest(network, timer.BY_MACHINE_TIME) is not None
    return {
        "now": printed(network.clock.business()),
        "nextDue": printed_or_none(min((due for due in dues if due is not None), default=None)),
        "quiet": not running
        and not due_now
        and mailbox.quiet(network)
        and all(movements.quiet(network, teller) for teller in tellers),
    }


def _checked_ispb(ispb: str) -> None:
    if not pix_ids.is_ispb(ispb):
        raise malformed(Problem("ispb", "INVALID", "An ISPB is eight digits or upper-case letters"))
    if ispb in SIMULATED_BANKS:
        raise forbidden()


def _wait_and_limit(given: dict[str, str]) -> tuple[int, int]:
    return queries.whole(given, "wait", 10, 0, LONGEST_WAIT), queries.whole(given, "limit", 10, 1, LARGEST_BATCH)


async def _pull(
    request: Asked, network: Network, ispb: str, cursor: mailbox.Cursor, wait: int, limit: int
) -> Response[bytes] | Response[None]:
    """Waits for messages until time-out, disconnection or the caller's next call."""
    loop = asyncio.get_running_loop()
    until = loop.time() + wait
    gone = asyncio.ensure_future(hung_up(request))  # so that no message is leased to a caller that is gone
    replaced = asyncio.ensure_future(network.bells.wait(f"stream:{cursor.stream}", wait + 60.0))
    await asyncio.sleep(0)
    try:
        while True:
            if gone.done() or replaced.done():
                return nothing(headers=_next(ispb, cursor))
            given = mailbox.take(network, ispb, cursor.stream, limit)
            if given is None:
                raise not_found()
            cursor, messages = given
            if messages:
                return answer({"messages": messages}, headers=_next(ispb, cursor))
            left = until - loop.time()
            if left <= 0:
                return nothing(headers=_next(ispb, cursor))
            bell = asyncio.ensure_future(network.bells.wait(f"out:{ispb}", min(left, LOOK_AGAIN_SECONDS)))
            await asyncio.wait({bell, gone, replaced}, return_when=asyncio.FIRST_COMPLETED)
            bell.cancel()
    finally:
        for task in (gone, replaced):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def _next(ispb: str, cursor: mailbox.Cursor) -> dict[str, str]:
    return {"PI-Pull-Next": f"/spi/v1/out/{ispb}/stream/{cursor}"}
