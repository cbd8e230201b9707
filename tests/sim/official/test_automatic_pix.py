"""Pix Automático by its own texts: given, when and then of each row are the document's, and the simulator plays alone.

*API Pix 2.9.0* is openapi.yaml of github.com/bacen/pix-api (tag CobR, schema CobRTentativas); *IN 614* is IN BCB 614/2025,
art. 5 §4; *CELCOIN*, *WOOVI*: tables of institutions, for what the Central Bank does not publish.
"""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from tests.in_one import in_one_test

from ..collecting import DUE, Held, at, go_to, holding, quiet, walk_to
from ..stage import Institution, Message, Sim, Till

DAY = timedelta(days=1)
LATER_DAY = {"dueDate": "2027-03-11", "settlementDate": "2027-03-11"}  # in the cycle of DUE


def second(day: date, clock: str) -> datetime:
    """A second by Brasilia's clock."""
    return datetime.fromisoformat(f"{day}T{clock}-03:00")


# API Pix 2.9.0, CobRTentativas.rejeicao.codigo: the whole enum, and which of it "causam a rejeição da cobrança recorrente
# correspondente".
REJECTS_THE_CHARGE = {
    "AB10": False, "AC05": True, "AC06": False, "AM02": False, "AM09": True, "DENC": True, "DS27": True, "DTED": True,
    "DTNT": False, "FBRD": False, "IRNT": False, "MIDI": True, "MSUC": True, "NIEC": False, "NIPA": False, "NITX": True,
    "QUNT": False, "RC09": True, "UDEI": False,
}  # fmt: skip


@in_one_test(("code", "rejects"), REJECTS_THE_CHARGE.items(), ids=lambda one: f"API29-CobRTentativas-{one}")
async def test_a_code_that_rejects_the_charge_leaves_no_try_of_it(
    sim: Sim, lastro: Institution, shop: Till, code: str, *, rejects: bool
) -> None:
    """Given a first try refused with the code, when the charge is instructed again, then only another charge is scheduled."""
    held = await holding(sim, lastro, shop)
    await sim.act("/faults", {"operation": "charge", "behaviour": "reject", "code": code})
    first = held.instruction()
    assert (await held.answered(first))["code"] == code
    again = await held.answered(held.instruction(txId=first["txId"], kind="RIFL" if code == "AB10" else "AGND"))
    assert (again["status"], again.get("code")) == (("RJCT", "NITX") if rejects else ("ACCP", None))
    if rejects:
        await held.scheduled(**LATER_DAY)


async def _expired(held: Held) -> None:
    await held.scheduled(amount="7004.08")
    await walk_to(held.sim, at(DUE, "21:01"))


async def _settled(held: Held) -> None:
    await held.scheduled()
    await walk_to(held.sim, at(DUE, "12:00"))


async def _rejected_on_its_day(held: Held) -> None:
    await held.scheduled(amount="7004.11")
    await walk_to(held.sim, at(DUE, "12:00"))


async def _refused_for_its_amount(held: Held) -> None:
    assert (await held.answered(held.instruction(amount="7004.10")))["code"] == "AM02"


async def _scheduled(held: Held) -> None:
    await held.scheduled()


async def _called_off_by_its_receiver(held: Held) -> None:
    message, _ = await held.scheduled()
    assert (await held.sim.send(held.cancellation(message))).status_code == 201
    await quiet(held.sim)


async def _called_off_by_its_payer(held: Held) -> None:
    _, name = await held.scheduled()
    await held.sim.act("/phone/cancel-charge", {"endToEndId": name})


CYCLE = {
    "ATIVA": (_scheduled, False), "CONCLUIDA": (_settled, False), "EXPIRADA": (_expired, False),
    "REJEITADA-on-its-day": (_rejected_on_its_day, True), "REJEITADA-at-scheduling": (_refused_for_its_amount, True),
    "CANCELADA-SLCR": (_called_off_by_its_receiver, True), "CANCELADA-SLBD": (_called_off_by_its_payer, True),
}  # fmt: skip


@in_one_test(("become", "is_free"), CYCLE.values(), ids=[f"API29-CobR-{name}" for name in CYCLE])
async def test_one_charge_of_a_cycle_unless_it_is_rejected_or_cancelled(
    sim: Sim, lastro: Institution, shop: Till, become: Any, *, is_free: bool
) -> None:
    """ "Existe uma CobR com status diferente de REJEITADA e CANCELADA ... no mesmo ciclo" is against another one."""
    held = await holding(sim, lastro, shop)
    await become(held)
    due = "2027-03-15"
    other = await held.answered(held.instruction(dueDate=due, settlementDate=due))
    assert (other.get("code") in {None, "FCD1"}) == is_free
    assert is_free or other["code"] == "DTED"


@in_one_test(
    ("asked_at", "of_new_try", "code"),
    [
        pytest.param(second(DUE - DAY, "21:59:59"), False, None, id="CIELO-a-second-before-22-of-the-eve"),
        pytest.param(second(DUE - DAY, "22:00:00"), False, "OTHR", id="CIELO-22-of-the-eve"),
        pytest.param(second(DUE, "00:00:00"), False, "OTHR", id="API29-PATCH-cobr-the-day-of-the-first-try"),
        pytest.param(second(DUE + DAY, "12:00:00"), True, "OTHR", id="API29-PATCH-cobr-after-the-first-try"),
    ],
)
async def test_until_when_a_receiver_cancels(
    sim: Sim, lastro: Institution, shop: Till, asked_at: datetime, code: str | None, *, of_new_try: bool
) -> None:
    """ "Não é possível cancelar ... em uma data igual ou maior que a data prevista da primeira tentativa de liquidação"."""
    held = await holding(sim, lastro, shop)
    message, _ = await held.scheduled(amount="7004.09")
    if of_new_try:
        await walk_to(sim, at(DUE, "21:01"))
        day = (DUE + 3 * DAY).isoformat()
        message, _ = await held.scheduled(amount="7004.09", txId=message["txId"], kind="NTAG", settlementDate=day)
    await go_to(sim, asked_at)
    cancel = held.cancellation(message)
    assert (await sim.send(cancel)).status_code == 201
    assert (await held.asked(cancel, "charge-cancellations"))[1].get("code") == code


@in_one_test(
    ("sent_at", "collected_at"),
    [
        pytest.param("07:59:59", "07:59", id="IN614-a-second-before-the-morning-closes"),
        pytest.param("08:00:00", "18:30", id="IN614-the-morning-has-closed"),
        pytest.param("17:59:59", "18:30", id="IN614-a-second-before-the-evening-opens"),
        pytest.param("18:00:00", "18:00", id="IN614-the-evening-has-opened"),
        pytest.param("20:59:59", "20:59", id="IN614-a-second-before-the-evening-closes"),
        pytest.param("21:00:00", None, id="IN614-the-evening-has-closed"),
    ],
)
async def test_what_failed_is_sent_again_the_same_day_inside_the_windows(
    sim: Sim, lastro: Institution, shop: Till, sent_at: str, collected_at: str | None
) -> None:
    """Given an operational failure on the day, when it is sent again (RIFL), then the window that is open collects it."""
    held = await holding(sim, lastro, shop)
    first, name = await held.scheduled(amount="7004.14")
    await walk_to(sim, at(DUE, "01:00"))
    assert await held.ended(first) == ("RJCT", "AB10")
    await go_to(sim, second(DUE, sent_at))
    again = held.instruction(amount="7004.14", txId=first["txId"], kind="RIFL")
    told = await held.answered(again)
    assert (told["status"], told.get("code")) == (("RJCT", "FCD2") if collected_at is None else ("ACCP", None))
    if collected_at is None:
        return
    assert told["endToEndId"] != name
    await walk_to(sim, second(DUE, "21:30:00"))
    assert await held.ended(again) == ("SETTLED", None)
    settled = datetime.fromisoformat((await sim.payment(told["endToEndId"]))["settledAt"])
    assert settled - at(DUE, collected_at) < timedelta(minutes=1)


async def test_what_is_sent_again_counts_as_no_new_try(sim: Sim, lastro: Institution, shop: Till) -> None:
    """IN 614 beside PERMITE_3R_7D: a day that failed and was sent again leaves three new tries in seven days."""
    held = await holding(sim, lastro, shop)
    message, _ = await held.scheduled(amount="7004.15")
    same: Message = {"amount": "7004.15", "txId": message["txId"]}
    await walk_to(sim, at(DUE, "01:00"))
    for clock in ("02:00:00", "19:00:00"):
        await go_to(sim, second(DUE, clock))
        again = held.instruction(**same, kind="RIFL")
        await held.answered(again)
        await quiet(sim)
        assert await held.ended(again) == ("RJCT", "AB10")
    tried = await held.answered(held.instruction(**same, kind="NTAG", settlementDate=(DUE + DAY).isoformat()))
    assert tried["status"] == "ACCP"


@in_one_test(
    ("changes", "code"),
    [
        pytest.param({"kind": "NTAG", "settlementDate": "2027-03-08"}, "NITX", id="API29-retentativa-data-futura"),
        pytest.param({"kind": "RIFL", "settlementDate": "2027-03-09"}, "NITX", id="WOOVI-NITX-another-day"),
        pytest.param({"kind": "RIFL", "amount": "10.00"}, "NITX", id="WOOVI-NITX-another-amount"),
        pytest.param({"kind": "NTAG", "settlementDate": "2027-03-16"}, "DTNT", id="WOOVI-DTNT-from-the-eighth-day"),
        pytest.param({"kind": "NTAG", "settlementDate": "2027-03-15"}, None, id="API29-PERMITE_3R_7D-the-seventh-day"),
        pytest.param(
            {"kind": "NTAG", "settlementDate": "2027-03-09", "amount": "7004.07"}, "NITX", id="WOOVI-NITX-new-amount"
        ),
        pytest.param({"kind": "NTAG", "settlementDate": "2027-03-09", "dueDate": "2027-03-07"}, "NITX", id="WOOVI-NITX-due"),
        pytest.param({"kind": "AGND", "settlementDate": "2027-03-09"}, "DTED", id="API29-CobR-same-charge-as-a-new-one"),
    ],
)
async def test_what_may_follow_a_try_that_failed(
    sim: Sim, lastro: Institution, shop: Till, changes: Message, code: str | None
) -> None:
    held = await holding(sim, lastro, shop)
    message, _ = await held.scheduled(amount="7004.15")
    await walk_to(sim, at(DUE, "21:01"))
    after = {"amount": "7004.15", "txId": message["txId"]} | changes
    assert (await held.answered(held.instruction(**after))).get("code") == code


@in_one_test(
    ("maximum", "amount", "code"),
    [
        pytest.param("29.89", "29.90", "AM02", id="CELCOIN-AM02-above-the-maximum"),
        pytest.param("29.90", "29.90", None, id="CELCOIN-AM02-the-maximum"),
        pytest.param(None, "7004.10", "AM02", id="WOOVI-AM02-above-the-limit"),
    ],
)
async def test_an_amount_above_what_the_payer_allows_is_refused_when_it_is_scheduled(
    sim: Sim, lastro: Institution, shop: Till, maximum: str | None, amount: str, code: str | None
) -> None:
    """The payer's bank knows the maximum from the authorization on; money alone is looked for on the day."""
    held = await holding(sim, lastro, shop, maximum=maximum)
    assert (await held.answered(held.instruction(amount=amount))).get("code") == code
    if code is not None:
        await held.scheduled(amount="29.89", **LATER_DAY)
