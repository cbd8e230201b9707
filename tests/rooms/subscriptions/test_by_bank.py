"""Subscriptions on an account at a connection: its bank makes, authorizes and collects; lastro orders, asks and books.

On real rows, and against a small bank whose every exchange is held against the official document.
"""

from dataclasses import replace

import pytest
from tests.cast import PLACE
from tests.rooms.rails.test_api_pix_issuing import LOST, answers, refuses

from lastro import subscriptions
from lastro.core.due_work import both
from lastro.core.errors import Kind, Refused
from lastro.orders.connections.store import LEFT_OUT
from lastro.rails import port
from lastro.standards import brcode

from .at_bank import PAYER, AtBank
from .charging import day
from .desk import JOURNEY_3, brl

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


async def test_no_bank_speaks_for_what_another_has(at_bank: AtBank) -> None:
    made = await at_bank.desk.make()
    at_bank.bank.became(made["providerId"], "APROVADA", pagador=PAYER)
    assert await replace(at_bank, rail="other1").asks(port.AUTHORIZATION_MADE, made["providerId"]) == port.ALARMED
    assert (await at_bank.read(made))["status"] == "PENDING_AUTHORIZATION"


async def test_a_bank_with_a_subscription_is_not_left_out_of_the_file(at_bank: AtBank) -> None:
    work = at_bank.desk.cast.database

    async def needed() -> list[bool]:
        async with work.session(at_bank.desk.ana.company_id) as session:
            return [row["is_needed"] for row in await session.fetch(LEFT_OUT, []) if row["rail"] == at_bank.rail]

    assert await needed() == [False]
    made = await at_bank.desk.make()
    assert await needed() == [True]
    at_bank.bank.became(made["providerId"], "REJEITADA")
    await at_bank.asks(port.AUTHORIZATION_MADE, made["providerId"])
    assert await needed() == [False]


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


async def test_our_own_cancellation_heard_by_a_bell_is_one_record_with_our_reason(at_bank: AtBank) -> None:
    made = await at_bank.accepted()
    await at_bank.desk.done("cancel_subscription", {"reason": "FRAUD_SUSPECTED"}, id=made["id"])
    await at_bank.sends()
    (told,) = await at_bank.recurring.told(made["providerId"])
    assert await at_bank.hears(told) == "handled"
    read = await at_bank.read(made)
    assert [(one["reason"], one["status"]) for one in read["cancellations"]] == [("FRAUD_SUSPECTED", "ACCEPTED")]


async def test_an_authorization_of_what_has_ended_here_is_ended_there(at_bank: AtBank) -> None:
    made = await at_bank.desk.make()
    await at_bank.desk.done("cancel_subscription", {}, id=made["id"])
    at_bank.bank.became(made["providerId"], "APROVADA", pagador=PAYER)
    assert await at_bank.asks(port.AUTHORIZATION_MADE, made["providerId"]) == "answered"
    assert await at_bank.sends() == [port.RECURRENCE_CLOSE] * 2
    assert at_bank.bank.recurrences[made["providerId"]]["status"] == "CANCELADA"


async def test_the_end_of_what_the_bank_does_not_know_is_no_failure(at_bank: AtBank) -> None:
    made = await at_bank.desk.make()
    await at_bank.desk.done("cancel_subscription", {}, id=made["id"])
    at_bank.bank.recurrences.clear()
    assert await at_bank.sends() == [port.RECURRENCE_CLOSE]


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


@pytest.mark.parametrize("is_charged", [False, True])
async def test_a_last_day_is_due_once_no_charge_is_unfinished(at_bank: AtBank, is_charged: bool) -> None:
    made = await at_bank.accepted(endDate=at_bank.desk.day(40))
    if is_charged:
        await at_bank.charge(made)
    (work,) = (one for one in subscriptions.DUE_WORK if one.name == "end")
    async with at_bank.desk.cast.database.session(at_bank.desk.ana.company_id) as session:
        await session.fetch("UPDATE subscriptions SET ends_at = business_now() WHERE company_id = tenant() RETURNING 1")
        due = both(work.may_begin(), work.ready)
        rows = await session.fetch(f"SELECT 1 FROM subscriptions w WHERE company_id = tenant() AND {due}")
    assert len(rows) == (0 if is_charged else 1)
