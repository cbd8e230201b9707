"""Days, hours and ends of Pix Automático, each row from the words of a document; the simulated payer's bank alone answers."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from tests.in_one import in_one_test

from ..collecting import DUE, NOW, STARTS_ON, at, go_to, holding, quiet, walk_to
from ..stage import Institution, Sim, Till

ADJUSTED: list[Any] = [
    # API Pix 2.9.0, CobRBase.ajusteDiaUtil: "ajuste da data prevista para liquidação para próximo dia útil caso o
    # vencimento corrente seja um dia não útil".
    pytest.param("2027-03-06", "2027-03-08", None, id="API Pix 2.9.0 ajusteDiaUtil: a Saturday, the Monday after"),
    pytest.param("2027-03-06", "2027-03-06", None, id="API Pix 2.9.0 ajusteDiaUtil false: its own day"),
    pytest.param("2027-03-26", "2027-03-29", None, id="API Pix 2.9.0 ajusteDiaUtil: Good Friday, the Monday after"),
    pytest.param("2027-03-26", "2027-03-26", None, id="API Pix 2.9.0 ajusteDiaUtil false: Good Friday itself"),
    pytest.param("2027-03-26", "2027-03-27", "DTED", id="API Pix 2.9.0 ajusteDiaUtil: Saturday is no next business day"),
    pytest.param("2027-04-21", "2027-04-22", None, id="API Pix 2.9.0 ajusteDiaUtil: Tiradentes, the day after"),
    pytest.param("2027-04-22", "2027-04-23", "DTED", id="API Pix 2.9.0 ajusteDiaUtil: a business day moves to no other"),
    pytest.param("2027-05-27", "2027-05-28", None, id="Res. CMN 4.880/2020: Corpus Christi is no business day"),
]


@in_one_test(("due", "settles", "code"), ADJUSTED)
async def test_a_due_date_moves_to_the_next_business_day_or_nowhere(
    sim: Sim, lastro: Institution, shop: Till, due: str, settles: str, code: str | None
) -> None:
    held = await holding(sim, lastro, shop)
    await go_to(sim, at(date.fromisoformat(due) - timedelta(days=5), "12:00"))
    told = await held.answered(held.instruction(dueDate=due, settlementDate=settles))
    assert told.get("code") == code


# Institutions (Woovi, Cielo, Ebanx): an instruction comes ten to two days before its settlement.
SECOND = timedelta(seconds=1)
AHEAD: list[Any] = [
    pytest.param(at(date(2027, 3, 9), "00:00") - SECOND, "FCD1", id="FCD1 more than ten days ahead: a second before D-10"),
    pytest.param(at(date(2027, 3, 9), "00:00"), None, id="FCD1: from D-10 00:00 it is taken"),
    pytest.param(at(date(2027, 3, 18), "00:00") - SECOND, None, id="FCD2: to the last second of D-2 it is taken"),
    pytest.param(at(date(2027, 3, 18), "00:00"), "FCD2", id="FCD2 less than two days ahead: from D-1 00:00"),
]


@in_one_test(("moment", "code"), AHEAD)
async def test_an_instruction_comes_ten_to_two_days_ahead(
    sim: Sim, lastro: Institution, shop: Till, moment: datetime, code: str | None
) -> None:
    held = await holding(sim, lastro, shop)
    await go_to(sim, moment)
    told = await held.answered(held.instruction(dueDate="2027-03-19", settlementDate="2027-03-19"))
    assert told.get("code") == code


RETRIES: list[Any] = [
    # Institutions (Woovi): DTNT is a new try from D+8 on, counted from the due date (D0), not from the day it moved to.
    pytest.param("2027-03-06", "2027-03-08", "2027-03-13", None, id="DTNT: due on a Saturday, D+7 is taken"),
    pytest.param("2027-03-06", "2027-03-08", "2027-03-14", "DTNT", id="DTNT: due on a Saturday, D+8 is not"),
    pytest.param("2027-03-26", "2027-03-29", "2027-04-02", None, id="DTNT: due on Good Friday, D+7 is taken"),
    pytest.param("2027-03-26", "2027-03-29", "2027-04-03", "DTNT", id="DTNT: due on Good Friday, D+8 is not"),
    pytest.param("2027-03-08", "2027-03-08", "2027-03-15", None, id="DTNT: due on a business day, D+7 is taken"),
    pytest.param("2027-03-08", "2027-03-08", "2027-03-16", "DTNT", id="DTNT: due on a business day, D+8 is not"),
]


@in_one_test(("due", "settles", "again", "code"), RETRIES)
async def test_a_new_try_is_within_seven_days_of_the_due_date(
    sim: Sim, lastro: Institution, shop: Till, due: str, settles: str, again: str, code: str | None
) -> None:
    held = await holding(sim, lastro, shop)
    await go_to(sim, at(date.fromisoformat(due) - timedelta(days=5), "12:00"))
    unpaid, _ = await held.scheduled(amount="7004.08", dueDate=due, settlementDate=settles)
    await walk_to(sim, at(date.fromisoformat(settles), "21:01"))
    told = await held.answered(
        held.instruction(amount="7004.08", txId=unpaid["txId"], kind="NTAG", dueDate=due, settlementDate=again)
    )
    assert told.get("code") == code


MOMENT = timedelta(seconds=30)  # the clock runs on, and a busy machine takes its time
WINDOWS: list[Any] = [
    # Celcoin, Asaas: settled from 00:00 to 08:00 of its day, and where there was no money again from 18:00 to 21:00.
    pytest.param(at(DUE, "00:00") - MOMENT, "SCHEDULED", id="two windows: before its day nothing is collected"),
    pytest.param(at(DUE, "08:00") - MOMENT, "SETTLED", id="two windows: until 08:00 it is"),
    pytest.param(at(DUE, "08:00"), "SCHEDULED", id="two windows: from 08:00 on it waits for the evening"),
    pytest.param(at(DUE, "18:00") - MOMENT, "SCHEDULED", id="two windows: until 18:00 it waits"),
    pytest.param(at(DUE, "18:00"), "SETTLED", id="two windows: from 18:00 on it is collected"),
    pytest.param(at(DUE, "21:00") - MOMENT, "SETTLED", id="two windows: until 21:00 it is collected"),
    pytest.param(at(DUE, "21:00"), "RJCT", id="two windows: nothing after 21:00"),
]


@in_one_test(("moment", "status"), WINDOWS)
async def test_a_charge_is_collected_in_two_windows_of_its_day(
    sim: Sim, lastro: Institution, shop: Till, moment: datetime, status: str
) -> None:
    held = await holding(sim, lastro, shop)
    message, _ = await held.scheduled()
    await go_to(sim, moment)
    await quiet(sim)
    assert (await held.ended(message))[0] == status


LAST_DAY = date(2027, 12, 31)


@in_one_test(
    ("ends_on", "moment", "status"),
    [
        # Staff in bacen/pix-api#629: the code of journey 2 may be read and authorized until dataFinal.
        pytest.param(LAST_DAY, at(LAST_DAY, "23:59"), "AUTHORIZED", id="pix-api#629: to the end of dataFinal, months later"),
        pytest.param(
            LAST_DAY, at(LAST_DAY + timedelta(days=1), "00:00") - SECOND, "AUTHORIZED", id="pix-api#629: a second before"
        ),
        pytest.param(
            LAST_DAY, at(LAST_DAY + timedelta(days=1), "00:00"), "REJECTED", id="pix-api#629: when dataFinal is over"
        ),
        pytest.param(None, at(date(2028, 3, 1), "12:00"), "AUTHORIZED", id="API Pix 2.9.0: without dataFinal, a year later"),
    ],
)
async def test_a_code_of_journey_2_lives_until_its_end_date(
    sim: Sim, lastro: Institution, shop: Till, ends_on: date | None, moment: datetime, status: str
) -> None:
    await go_to(sim, NOW)
    code, _ = shop.recurrence(starts_on=STARTS_ON, ends_on=ends_on)
    await go_to(sim, moment)
    done = await sim.act("/phone/authorize", {"qrcodeData": code})
    assert (done["status"], done.get("code")) == (status, None if status == "AUTHORIZED" else "RECURRENCE_ENDED")
