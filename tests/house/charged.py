"""A subscription that its payer has authorized, and payments of it in the states that the examples need."""

import os
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from tests.house.asking import Ask
from tests.house.examples import BESIDE, RETRY_DAYS, SUBSCRIPTION_OF, refund, schedule, weekly

from lastro.api_kit.routes import Route
from lastro.app import inbox_handlers
from lastro.core.commit import commit
from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.core.runner import RequestContext, Verb
from lastro.core.write import Row, Write
from lastro.orders import KeepForeign
from lastro.rails import port
from lastro.standards.calendar import instant
from lastro.subscriptions import Advance

if TYPE_CHECKING:
    from .strangers import Town

_PAYER = port.Payer("Bento", "CPF", "52998224725", "99999020", "0001", "123456", "CACC", "3550308")


async def furnish_payments(town: "Town", routes: Mapping[str, Route]) -> None:
    """An accepted subscription, and of another one payments: to read, to cancel, to try again."""
    accepted, charged, *beside = [await _accepted(town, routes) for _ in range(12)]
    town.objects |= {"accepted subscription": accepted, "charged subscription": charged}
    BESIDE[accepted] = tuple(beside)
    of = town.objects["charged subscription"]
    for kind in ("payment", "payment to cancel", "payment to try again"):
        ask = schedule(of)
        body = {**(ask.body or {}), "autoRetry": False}
        made = await town.send(routes["create_subscription_payment"], Ask(path=ask.path, body=body), town.token(town.ana))
        assert made.status_code == 200, made.text
        town.objects[kind] = made.json()["id"]
        SUBSCRIPTION_OF[made.json()["id"]] = of
    await _leave_unpaid(town, town.objects["payment to try again"], made.json())
    day = date.fromisoformat(made.json()["adjustedDueDate"]) + timedelta(days=1)
    RETRY_DAYS[town.objects["payment to try again"]] = day.isoformat()


async def furnish_foreign(town: "Town") -> None:
    """A Pix at Ana's own bank that no order asked for."""
    name = f"E99999020202601011200{os.urandom(6).hex()[1:]}"
    found = port.ForeignPayment("efi1", name, Money(700, "BRL"), datetime.now(UTC))
    await town.house.runner.act(town.ana.company_id, KeepForeign([found]))
    sql = "SELECT id FROM foreign_payments WHERE payment_id = $1"
    town.objects["foreign payment"] = str(await town.admin.fetchval(sql, name))


async def furnish_refunds(town: "Town", routes: Mapping[str, Route]) -> None:
    """An order that was paid, by money that came unasked, and a refund of it."""
    number = await town.admin.fetchval("SELECT number FROM accounts WHERE id = $1::text::uuid", town.objects["account"])
    now, name = datetime.now(UTC), f"E99999020202601011200{os.urandom(6).hex()[1:]}"
    arrival = port.PixArrival(
        name, name, None, Money(1_000_000, "BRL"), now, _PAYER, town.house.place.institution.branch, number, None, None, "MANU",
        settled_at=now,
    )  # fmt: skip
    await _tell(town, port.PIX_SETTLED, arrival, name, now)
    town.objects["paid order"] = str(await town.admin.fetchval("SELECT id FROM orders WHERE end_to_end_id = $1", name))
    made = await town.send(routes["create_refund"], refund(town.objects["paid order"]), town.token(town.ana))
    assert made.status_code == 201, made.text
    town.objects["refund"] = made.json()["id"]


async def _accepted(town: "Town", routes: Mapping[str, Route]) -> str:
    made = await town.send(routes["create_subscription"], weekly(town.objects["account"]), town.token(town.ana))
    assert made.status_code == 201, made.text
    said = port.Authorization("M" + os.urandom(15).hex(), made.json()["providerId"], _PAYER, datetime.now(UTC))
    await _tell(town, port.AUTHORIZATION_ASK, said, said.recurrence_id, datetime.now(UTC))
    return str(made.json()["id"])


async def _leave_unpaid(town: "Town", payment_id: str, made: Mapping[str, Any]) -> None:
    """Its day has gone by, as the clock of nobody else says, and the payer's bank had nothing to collect."""
    day = date.fromisoformat(made["adjustedDueDate"])
    name = f"E99999020{day:%Y%m%d}0300{os.urandom(6).hex()[:11]}"
    await _act(town, Advance(UUID(payment_id), town.house.place), instant(day - timedelta(days=9), time(1)))
    body = await town.admin.fetchval(
        "SELECT o.body FROM payment_attempts a JOIN outbox o ON o.company_id = a.company_id AND o.reference_id = a.id"
        " WHERE a.payment_id = $1", UUID(payment_id),
    )  # fmt: skip
    told = port.charge_instruction(bytes(body))
    named = (told.message_id, told.recurrence_id, told.txid)
    moment = instant(day, time(1))
    await _tell(town, port.CHARGE_SCHEDULED, port.ChargeScheduled(*named, name, moment), told.recurrence_id, moment)
    moment = instant(day, time(21))
    await _tell(town, port.CHARGE_REFUSED, port.ChargeRefused(*named, "EXPR", moment), told.recurrence_id, moment)


async def _tell(town: "Town", kind: str, value: msgspec.Struct, subject: str, moment: datetime) -> None:
    row_id, token, body = town.house.chance.uuid(moment), town.house.chance.uuid(moment), port.encode(value)
    values = {
        "id": row_id, "rail": "pix", "kind": kind, "network_id": str(row_id), "subject": subject, "body": body,
        "received_at": moment, "due_at": moment, "lease_token": token, "leased_until": moment + timedelta(hours=1),
    }  # fmt: skip
    company = town.ana.company_id
    await commit(town.house.database, Write(company, rows=(Row("inbox", values),)))
    row = port.InboxRow(port.Claimed(row_id, token), company, "pix", kind, str(row_id), subject, None, body, moment, 1)
    await _act(town, inbox_handlers.inbox_verbs(town.house.place)[kind](row), moment)


async def _act(town: "Town", verb: Verb[Any], moment: datetime) -> None:
    context = RequestContext(town.ana.company_id, moment, town.house.chance)
    async with town.house.database.session(town.ana.company_id) as session:
        known = await verb.read(session, context)
    outcome = verb.decide(known, context)
    assert not isinstance(outcome, Refused), outcome
    assert outcome.write is not None
    await commit(town.house.database, outcome.write)
