"""Subscriptions on an account at a connection: its bank makes, authorizes and collects; lastro orders, asks and books.

On real rows, and against a small bank whose every exchange is held against the official document.
"""

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

import pytest
from tests.cast import PLACE, Cast, Seller
from tests.rooms.rails.api_pix_bank import instant, serving
from tests.rooms.rails.api_pix_recurring import RecurringBank
from tests.rooms.rails.test_api_pix_issuing import LOST, answers, refuses

from lastro import orders, subscriptions
from lastro.app import inbox_handlers
from lastro.core.commit import commit
from lastro.core.errors import Kind, NotYet, Refused
from lastro.core.money import Money
from lastro.core.runner import Done, RequestContext
from lastro.core.write import Row, Write
from lastro.rails import port
from lastro.rails.api_pix.exchange import Line
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.api_pix.polling import settled
from lastro.rails.api_pix.recurrence_making import ApiPixRecurrences
from lastro.rails.api_pix.recurring import Recurring
from lastro.rails.api_pix.wire import BankPayment
from lastro.standards import brcode

from .charging import day
from .desk import JOURNEY_3, Desk, brl

VERBS = inbox_handlers.inbox_verbs(PLACE)
PAYER = {"cpf": "75633122216", "ispbParticipante": "81102623", "codMun": "2673833"}


@dataclass
class AtBank:
    """Ana's desk, whose account has a key at a bank."""

    desk: Desk
    bank: RecurringBank
    rail: str
    recurring: Recurring
    line: Line

    async def sends(self) -> list[str]:
        """A worker tells the bank what waits to be told; the kinds."""
        company = self.desk.ana.company_id
        async with self.desk.cast.database.session(company) as session:
            rows = await session.fetch(
                "UPDATE outbox SET due_at = NULL, done_at = business_now(), outcome = 'sent', sends = sends + 1"
                " WHERE company_id = $1 AND rail = $2 AND due_at IS NOT NULL RETURNING kind, body",
                company, self.rail,
            )  # fmt: skip
        for row in rows:
            if row["kind"] != port.COLLECTION_CLOSE:
                await self.recurring.send(row["kind"], bytes(row["body"]))
        return sorted(row["kind"] for row in rows)

    async def asks(self, kind: str, name: str) -> str | None:
        """The bank is asked, and its word is handled; None: it has none."""
        said = await self.recurring.status_of(kind, name)
        return None if not isinstance(said, port.NetworkMessage) else await self.hears(said)

    async def hears(self, told: port.NetworkMessage) -> str:
        cast, company, at = self.desk.cast, self.desk.ana.company_id, datetime.now(UTC)
        row_id, token = cast.id(), cast.id()
        values = {
            "id": row_id, "rail": self.rail, "kind": told.kind, "network_id": str(row_id), "subject": told.subject,
            "txid": told.txid, "body": told.body, "received_at": at, "due_at": at, "lease_token": token,
            "leased_until": at + timedelta(hours=1),
        }  # fmt: skip
        await commit(cast.database, Write(company, rows=(Row("inbox", values),)))
        row = port.InboxRow(
            port.Claimed(row_id, token), company, self.rail, told.kind, str(row_id), told.subject, told.txid, told.body, at, 1
        )  # fmt: skip
        await cast.runner.act(company, VERBS[told.kind](row))
        (outcome,) = await self.desk.column("SELECT outcome FROM inbox WHERE id = $1", row_id)
        return str(outcome)

    async def accepted(self, **changes: Any) -> dict[str, Any]:
        """A monthly subscription of 29.90 that its payer has authorized at the bank."""
        made = await self.desk.make(fixedAmount=brl("29.90"), **changes)
        self.bank.became(made["providerId"], "APROVADA", pagador=PAYER)
        assert await self.asks(port.AUTHORIZATION_MADE, made["providerId"]) == "handled"
        return made

    async def charge(self, made: dict[str, Any], due: int = 5) -> tuple[dict[str, Any], str, str]:
        """A charge that the bank has; with its txid, and the name of its first attempt."""
        body = {"externalId": os.urandom(8).hex(), "dueDate": day(due).isoformat()}
        payment = await self.desk.done("create_subscription_payment", body, id=made["id"])
        assert await self.sends() == [port.CHARGE_SEND]
        (txid,) = await self.desk.column(
            "SELECT o.txid FROM orders o WHERE o.scheduled_payment_id = $1", UUID(payment["id"])
        )
        return payment, txid, f"{txid}.AGND"

    async def money(self, txid: str, end_to_end_id: str, minor: int = 2990) -> str:
        """Polling finds the Pix."""
        return await self.hears(settled(BankPayment(end_to_end_id, Money(minor, "BRL"), datetime.now(UTC), txid), txid))

    async def read(self, made: dict[str, Any]) -> dict[str, Any]:
        return await self.desk.read(made["id"])

    async def payment(self, payment: dict[str, Any]) -> dict[str, Any]:
        path = {"id": payment["subscriptionId"], "paymentId": payment["id"]}
        return await self.desk.done("read_subscription_payment", **path)


@pytest.fixture
async def at_bank(cast: Cast, ana: Seller) -> AsyncIterator[AtBank]:
    rail, bank = f"bank{ana.number}", RecurringBank(now=datetime.now(UTC))
    key = f"loja{ana.number}@example.com"
    opened = await cast.open_account(ana.company_id)  # no key of our own directory leads to it
    ana = replace(ana, account_id=UUID(opened["id"]), account_number=opened["number"], pix_key=key)
    await cast.connect(ana, rail, key)
    async with serving(bank) as line:
        here = replace(
            PLACE, connections=frozenset({rail}), at_banks={rail: orders.AtBank(ana.number, None)}, has_network=False
        )
        issuers: dict[str, port.Issuer] = {rail: ApiPixIssuer(rail, line, "utc")}
        makes: dict[str, port.Recurrences] = {rail: ApiPixRecurrences(rail, line, ApiPixIssuer(rail, line, "utc"))}
        routes = (*subscriptions.routes(here, recurrences=makes, issuers=issuers), *orders.routes(here))
        account = {"conta": "107262", "tipoConta": "CORRENTE"}
        desk = Desk(cast, ana, {route.operation: route for route in routes})
        yield AtBank(desk, bank, rail, Recurring(rail, line, "utc", ana.number, account), line)
    assert not [one for one in bank.wrong if " request " in one]


# ── made ──


async def test_the_bank_makes_the_code_and_the_id(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(externalId="contract-1", fixedAmount=brl("29.90"), description="Jornal")
    ((name, known),) = at_bank.bank.recurrences.items()
    assert (made["providerId"], made["status"]) == (name, "PENDING_AUTHORIZATION")
    assert brcode.decode(made["qrcodeData"]).recurrence_location == at_bank.bank.locations[0]
    assert known["vinculo"] == {
        "contrato": "contract-1", "devedor": {"cpf": "11144477735", "nome": "Bento Braga"}, "objeto": "Jornal",
    }  # fmt: skip
    assert (await at_bank.read(made))["qrcode"]["data"] == made["qrcodeData"]
    assert await at_bank.sends() == []


async def test_a_first_charge_is_one_of_the_banks(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(JOURNEY_3, externalId="contract-3")
    charge = at_bank.bank.charges[made["initialCharge"]["conciliationId"]]
    assert (charge["valor"]["original"], charge["chave"]) == ("29.90", at_bank.desk.ana.pix_key)
    code = brcode.decode(made["qrcodeData"])
    assert (code.location, code.recurrence_location) == (charge["loc"]["location"], at_bank.bank.locations[0])
    assert (await at_bank.read(made))["initialCharge"]["conciliationId"] == charge["txid"]


async def test_a_bank_without_the_capability_is_asked_nothing(at_bank: AtBank) -> None:
    here = replace(PLACE, connections=frozenset({at_bank.rail}), has_network=False)
    desk = replace(at_bank.desk, routes={one.operation: one for one in subscriptions.routes(here, recurrences={})})
    assert await desk.refused("create_subscription", desk.body()) == [("accountId", "NOT_SUPPORTED")]
    assert at_bank.bank.asked == []


async def test_what_a_bank_does_not_take_is_refused_before_it_is_asked(at_bank: AtBank) -> None:
    desk = at_bank.desk
    payer = {"name": "Caio", "document": {"type": "CPF", "number": "11144477735"}}
    body = desk.body(JOURNEY_3, description="Jornal 🌷", payer=payer)
    assert await desk.refused("create_subscription", body) == [("description", "NOT_ALLOWED"), ("payer", "NOT_SUPPORTED")]
    assert at_bank.bank.asked == []


async def test_a_no_of_the_bank_is_told_at_the_clients_field(at_bank: AtBank) -> None:
    told = [{"razao": "no", "propriedade": "rec.calendario.dataInicial"}, {"razao": "no", "propriedade": "rec.nobody"}]
    at_bank.bank.next("POST recs", refuses(400, "RecOperacaoInvalida", violacoes=told))
    found = await at_bank.desk.refused("create_subscription", at_bank.desk.body())
    assert found == [("startDate", "NOT_ALLOWED"), ("type", "NOT_ALLOWED")]
    assert await at_bank.desk.column("SELECT count(*) FROM subscriptions WHERE company_id = tenant()") == [0]


async def test_silence_is_503_and_the_same_again_makes_no_second_one(at_bank: AtBank) -> None:
    desk, body = at_bank.desk, at_bank.desk.body(externalId="contract-7")
    at_bank.bank.next("POST recs", LOST)
    at_bank.bank.next("GET recs", lambda *_: None, answers(503))
    outcome = await desk.ask("create_subscription", body)
    assert isinstance(outcome, Refused)
    assert outcome.kind is Kind.UNAVAILABLE
    made = await desk.done("create_subscription", body)
    assert list(at_bank.bank.recurrences) == [made["providerId"]]


# ── authorized, refused, ended ──


async def test_an_authorization_at_the_bank_accepts_it(at_bank: AtBank) -> None:
    made = await at_bank.accepted()
    read = await at_bank.read(made)
    assert read["status"] == "ACCEPTED"
    assert read["payer"] == {"document": {"type": "CPF", "number": "75633122216"}}
    ((kind, event, _),) = await at_bank.desk.events()
    assert (kind, event["data"]["status"], "payer" in event["data"]) == ("SUBSCRIPTION.ACCEPTED", "ACCEPTED", False)
    assert await at_bank.asks(port.AUTHORIZATION_MADE, made["providerId"]) == "known"
    assert await at_bank.asks(port.AUTHORIZATION_CANCELED, made["providerId"]) is None


async def test_a_refusal_at_the_bank_rejects_it(at_bank: AtBank) -> None:
    made = await at_bank.desk.make()
    at_bank.bank.became(made["providerId"], "REJEITADA", encerramento={"rejeicao": {"codigo": "AP13", "descricao": "no"}})
    assert await at_bank.asks(port.AUTHORIZATION_MADE, made["providerId"]) == "handled"
    assert (await at_bank.read(made))["status"] == "REJECTED"
    assert await at_bank.sends() == []


async def test_a_payer_who_cancels_there_has_cancelled(at_bank: AtBank) -> None:
    made = await at_bank.accepted()
    reason = {"solicitante": "USUARIO_PAGADOR", "codigo": "SLDB", "descricao": "no more"}
    at_bank.bank.became(made["providerId"], "CANCELADA", encerramento={"cancelamento": reason})
    assert await at_bank.asks(port.AUTHORIZATION_CANCELED, made["providerId"]) == "handled"
    read = await at_bank.read(made)
    assert (read["status"], read["cancellations"][0]["reason"]) == ("CANCELED", "REQUESTED_BY_PAYER")


async def test_one_that_nobody_has_authorized_ends_at_the_bank_too(at_bank: AtBank) -> None:
    made = await at_bank.desk.make()
    await at_bank.desk.done("cancel_subscription", {}, id=made["id"])
    assert (await at_bank.read(made))["status"] == "CANCELED"
    assert await at_bank.sends() == [port.RECURRENCE_CLOSE]
    assert at_bank.bank.recurrences[made["providerId"]]["status"] == "CANCELADA"


async def test_the_receivers_cancellation_is_the_banks(at_bank: AtBank) -> None:
    made = await at_bank.accepted()
    asked = await at_bank.desk.done("cancel_subscription", {}, id=made["id"])
    assert asked["status"] == "PENDING"
    assert await at_bank.sends() == [port.CANCELLATION_SEND]
    (name,) = await at_bank.desk.column("SELECT message_id FROM subscription_cancellations WHERE company_id = tenant()")
    assert await at_bank.asks(port.CANCELLATION_SEND, name) == "handled"
    read = await at_bank.read(made)
    assert (read["status"], read["cancellations"][0]["status"]) == ("CANCELED", "ACCEPTED")


# ── the first charge ──


async def test_a_first_charge_ends_at_the_bank_before_it_is_cancelled(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(JOURNEY_3)
    charge = at_bank.bank.charges[made["initialCharge"]["conciliationId"]]
    at_bank.bank.next("PATCH cob", answers(503))
    outcome = await at_bank.desk.ask("cancel_subscription", {}, id=made["id"])
    assert isinstance(outcome, Refused)
    assert outcome.kind is Kind.UNAVAILABLE
    await at_bank.desk.done("cancel_subscription", {}, id=made["id"])
    assert charge["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert await at_bank.sends() == [port.RECURRENCE_CLOSE]
    order = await at_bank.desk.done("read_order", id=made["initialCharge"]["orderId"])
    assert order["status"] == "CANCELED"


async def test_a_first_charge_that_was_paid_there_is_not_cancelled(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(JOURNEY_3)
    charge = at_bank.bank.charges[made["initialCharge"]["conciliationId"]]
    charge |= {"status": "CONCLUIDA"}
    assert await at_bank.desk.refused("cancel_subscription", {}, id=made["id"]) == [("status", "CONFLICT")]
    assert (await at_bank.read(made))["status"] == "PENDING_AUTHORIZATION"


async def first_paid(at_bank: AtBank, made: dict[str, Any]) -> str:
    charge = made["initialCharge"]["conciliationId"]
    return await at_bank.money(charge, f"E12345678202611231300{charge[:5]}000001")


async def test_money_waits_for_the_authorization_and_both_are_one_write(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(JOURNEY_3)
    with pytest.raises(NotYet):
        await first_paid(at_bank, made)
    assert (await at_bank.read(made))["status"] == "PENDING_AUTHORIZATION"
    at_bank.bank.became(made["providerId"], "APROVADA", pagador=PAYER)
    assert await at_bank.asks(port.AUTHORIZATION_MADE, made["providerId"]) == "handled"
    read = await at_bank.read(made)
    assert (read["status"], "payer" in read) == ("PENDING_AUTHORIZATION", False)
    assert await first_paid(at_bank, made) == "handled"
    order = await at_bank.desk.done("read_order", id=made["initialCharge"]["orderId"])
    read = await at_bank.read(made)
    assert (read["status"], order["status"]) == ("ACCEPTED", "PAID")
    assert read["payer"]["document"]["number"] == "75633122216"
    assert await first_paid(at_bank, made) == "known"


async def test_money_of_what_was_refused_goes_back(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(JOURNEY_3)
    at_bank.bank.became(made["providerId"], "REJEITADA")
    assert await at_bank.asks(port.AUTHORIZATION_MADE, made["providerId"]) == "handled"
    order = await at_bank.desk.done("read_order", id=made["initialCharge"]["orderId"])
    assert order["status"] == "CANCELED"
    assert await first_paid(at_bank, made) == "handled"
    kinds = await at_bank.desk.column("SELECT kind FROM outbox WHERE company_id = tenant() ORDER BY kind")
    assert kinds == [port.COLLECTION_CLOSE, port.RETURN_SEND]


# ── the end of its window ──


async def lapses(at_bank: AtBank, made: dict[str, Any], after: timedelta = timedelta(hours=25)) -> bool:
    """A worker finds it so long after now; whether it has ended."""
    company, rail, line = at_bank.desk.ana.company_id, at_bank.rail, at_bank.line
    issuers: dict[str, port.Issuer] = {rail: ApiPixIssuer(rail, line, "utc")}
    verb = subscriptions.Lapse(UUID(made["id"]), PLACE, issuers, {rail: cast("port.Rail", at_bank.recurring)})
    context = RequestContext(company, datetime.now(UTC) + after, at_bank.desk.cast.chance)
    async with at_bank.desk.cast.database.session(company) as session:
        known = await verb.read(session, context)
    done = verb.decide(await verb.call_out(known, context), context)
    assert isinstance(done, Done)
    if done.write is not None:
        await commit(at_bank.desk.cast.database, done.write)
    return done.write is not None


async def test_who_agreed_in_time_is_heard_before_the_window_ends(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(JOURNEY_3)
    at_bank.bank.became(made["providerId"], "APROVADA", pagador=PAYER)
    assert not await lapses(at_bank, made)
    assert await at_bank.asks(port.AUTHORIZATION_MADE, made["providerId"]) == "handled"
    first_charge_of(at_bank, made)["status"] = "CONCLUIDA"
    assert not await lapses(at_bank, made)
    assert await first_paid(at_bank, made) == "handled"
    assert (await at_bank.read(made))["status"] == "ACCEPTED"


async def test_a_silent_bank_keeps_the_window_open(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(JOURNEY_3)
    at_bank.bank.next("GET recs", answers(503))
    at_bank.bank.next("GET rec", answers(503))
    assert not await lapses(at_bank, made)


@pytest.mark.parametrize("has_agreed", [False, True])
async def test_what_nobody_paid_ends_at_the_bank_with_its_first_charge(at_bank: AtBank, has_agreed: bool) -> None:
    made = await at_bank.desk.make(JOURNEY_3)
    if has_agreed:
        at_bank.bank.became(made["providerId"], "APROVADA", pagador=PAYER)
        assert await at_bank.asks(port.AUTHORIZATION_MADE, made["providerId"]) == "handled"
    assert await lapses(at_bank, made)
    order = await at_bank.desk.done("read_order", id=made["initialCharge"]["orderId"])
    assert ((await at_bank.read(made))["status"], order["status"]) == ("CANCELED", "EXPIRED")
    assert first_charge_of(at_bank, made)["status"] == "REMOVIDA_PELO_USUARIO_RECEBEDOR"
    assert await at_bank.sends() == [port.RECURRENCE_CLOSE]


async def test_money_that_authorizes_nothing_goes_back_when_the_bank_had_time_to_tell(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(JOURNEY_3)
    shows_payment(at_bank, made)
    with pytest.raises(NotYet):
        await first_paid(at_bank, made)
    assert not await lapses(at_bank, made)
    assert await lapses(at_bank, made, timedelta(hours=27))
    assert await first_paid(at_bank, made) == "handled"
    kinds = await at_bank.desk.column("SELECT kind FROM outbox WHERE company_id = tenant() ORDER BY kind")
    assert port.RETURN_SEND in kinds


async def test_who_paid_first_and_then_cancelled_has_paid(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(JOURNEY_3)
    at_bank.bank.became(made["providerId"], "APROVADA", pagador=PAYER)
    reason = {"solicitante": "USUARIO_PAGADOR", "codigo": "SLDB", "descricao": "no more"}
    at_bank.bank.became(made["providerId"], "CANCELADA", encerramento={"cancelamento": reason})
    agreed, canceled = await at_bank.recurring.told(made["providerId"])
    assert await at_bank.hears(agreed) == "handled"
    with pytest.raises(NotYet):
        await at_bank.hears(canceled)
    assert await at_bank.desk.refused("cancel_subscription", {}, id=made["id"]) != []
    assert await first_paid(at_bank, made) == "handled"
    assert await at_bank.hears(canceled) == "handled"
    order = await at_bank.desk.done("read_order", id=made["initialCharge"]["orderId"])
    assert ((await at_bank.read(made))["status"], order["status"]) == ("CANCELED", "PAID")


async def test_what_is_over_by_its_last_day_is_told_as_that(at_bank: AtBank) -> None:
    made, held = await at_bank.desk.make(), await at_bank.accepted()
    for one in (made, held):
        at_bank.bank.became(one["providerId"], "EXPIRADA")
    assert await at_bank.asks(port.AUTHORIZATION_MADE, made["providerId"]) == "handled"
    read = await at_bank.read(made)
    assert (read["status"], read["cancellations"][0]["reason"]) == ("CANCELED", "AUTHORIZATION_EXPIRED")
    assert await at_bank.asks(port.AUTHORIZATION_CANCELED, held["providerId"]) == "ignored"
    assert (await at_bank.read(held))["status"] == "ACCEPTED"


def first_charge_of(at_bank: AtBank, made: dict[str, Any]) -> dict[str, Any]:
    return at_bank.bank.charges[made["initialCharge"]["conciliationId"]]


def shows_payment(at_bank: AtBank, made: dict[str, Any]) -> None:
    """The bank has money for a first charge."""
    charge = first_charge_of(at_bank, made)
    one = {
        "endToEndId": f"E12345678202611231300{charge['txid'][:5]}000001", "txid": charge["txid"], "chave": charge["chave"],
        "valor": charge["valor"]["original"], "horario": instant(datetime.now(UTC)),
    }  # fmt: skip
    charge |= {"status": "CONCLUIDA", "pix": [one]}


# ── charges ──


async def test_a_charge_is_scheduled_collected_and_told(at_bank: AtBank) -> None:
    made = await at_bank.accepted()
    payment, txid, name = await at_bank.charge(made)
    assert at_bank.bank.recurring[txid]["idRec"] == made["providerId"]
    end_to_end_id = at_bank.bank.tried(txid, "AGND", day(5).isoformat(), "AGENDADA")
    assert await at_bank.asks(port.CHARGE_SEND, name) == "handled"
    assert (await at_bank.payment(payment))["attempts"][0]["status"] == "SCHEDULED"
    assert await at_bank.money(txid, end_to_end_id) == "handled"
    read = await at_bank.payment(payment)
    assert (read["status"], read["attempts"][0]["status"]) == ("PAID", "PAID")
    kinds = [kind for kind, *_ in await at_bank.desk.events()]
    assert kinds.count("ORDER-PAYIN.PAID") == 1


async def test_another_amount_is_for_people_and_moves_nothing(at_bank: AtBank) -> None:
    made = await at_bank.accepted()
    payment, txid, _ = await at_bank.charge(made)
    end_to_end_id = at_bank.bank.tried(txid, "AGND", day(5).isoformat(), "PAGA")
    assert await at_bank.money(txid, end_to_end_id, 2991) == port.ALARMED
    assert (await at_bank.payment(payment))["status"] == "SCHEDULED"
    assert await at_bank.desk.column("SELECT count(*) FROM transfers WHERE company_id = tenant()") == [0]


async def test_a_refusal_ends_the_charge_with_its_code(at_bank: AtBank) -> None:
    made = await at_bank.accepted()
    payment, txid, name = await at_bank.charge(made)
    refusal = {"codigo": "AC05", "descricao": "closed"}
    at_bank.bank.tried(txid, "AGND", day(5).isoformat(), "REJEITADA", rejeicao=refusal)
    assert await at_bank.asks(port.CHARGE_SEND, name) == "handled"
    read = await at_bank.payment(payment)
    assert (read["status"], read["errorCode"]) == ("ERROR", "AC05")


async def test_a_charge_is_called_off_at_the_bank(at_bank: AtBank) -> None:
    made = await at_bank.accepted()
    payment, txid, name = await at_bank.charge(made)
    at_bank.bank.tried(txid, "AGND", day(5).isoformat(), "AGENDADA")
    await at_bank.asks(port.CHARGE_SEND, name)
    path = {"id": made["id"], "paymentId": payment["id"]}
    await at_bank.desk.ask("cancel_subscription_payment", **path)
    assert await at_bank.sends() == [port.CHARGE_CANCEL_SEND]
    (asked,) = await at_bank.desk.column("SELECT cancel_message_id FROM subscription_payments WHERE company_id = tenant()")
    assert await at_bank.asks(port.CHARGE_CANCEL_SEND, asked) == "handled"
    assert (await at_bank.payment(payment))["status"] == "CANCELED"


@pytest.mark.parametrize("kind", [port.AUTHORIZATION_MADE, port.CHARGE_SEND])
async def test_what_is_waited_for_is_found_by_its_rail_alone(at_bank: AtBank, kind: str) -> None:
    made = await at_bank.accepted() if kind == port.CHARGE_SEND else await at_bank.desk.make()
    if kind == port.CHARGE_SEND:
        await at_bank.charge(made)
    company = at_bank.desk.ana.company_id
    async with at_bank.desk.cast.database.session(company) as session:
        for table in ("subscriptions", "payment_attempts"):
            await session.fetch(
                f"UPDATE {table} SET ask_at = business_now() - interval '1 s' WHERE company_id = $1 RETURNING 1", company
            )
        for rail, most in ((at_bank.rail, 1), ("pix", 0), ("other1", 0)):
            waits = [one for one in subscriptions.waiting_of(rail) if one.kind == kind]
            found = [row for one in waits for row in await session.fetch(one.claim_sql, company, 16, list(one.again))]
            assert len(found) == most, rail
