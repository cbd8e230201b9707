"""First charges of subscriptions at a connection's bank: paid with the authorization, or ended before anybody has paid."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

import pytest
from tests.cast import PLACE
from tests.rooms.rails.api_pix_bank import instant
from tests.rooms.rails.test_api_pix_issuing import answers

from lastro import subscriptions
from lastro.core.commit import commit
from lastro.core.errors import Kind, NotYet, Refused
from lastro.core.runner import Done, RequestContext
from lastro.rails import port
from lastro.rails.api_pix.issuing import ApiPixIssuer

from .at_bank import PAYER, AtBank
from .desk import JOURNEY_3

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


async def test_one_whose_money_went_back_ends_all_the_same(at_bank: AtBank) -> None:
    made = await at_bank.desk.make(JOURNEY_3)
    at_bank.bank.became(made["providerId"], "APROVADA", pagador=PAYER)
    await at_bank.asks(port.AUTHORIZATION_MADE, made["providerId"])
    company, account_id = at_bank.desk.ana.company_id, at_bank.desk.ana.account_id
    await at_bank.desk.cast.account_becomes(company, "INACTIVE", account_id)
    charge = made["initialCharge"]["conciliationId"]
    assert await at_bank.money(charge, f"E12345678202611231300{charge[:5]}000001") == "handled"
    assert (await at_bank.read(made))["status"] == "PENDING_AUTHORIZATION"
    await at_bank.desk.cast.account_becomes(company, "ACTIVE", account_id)
    await at_bank.desk.done("cancel_subscription", {}, id=made["id"])
    assert (await at_bank.read(made))["status"] == "CANCELED"
