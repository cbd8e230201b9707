"""The directory's budgets by its own words: DICT API 2.12.1, "Limitação de requisições" and "Regras de contagem"."""

from typing import Any

import pytest
from tests.in_one import in_one_test

from lastro_sim.directory import buckets
from lastro_sim.settings import LASTRO_ISPB

from ..orders import payout
from ..stage import Institution, Sim
from .directory import FREE, ours

PERSON, COMPANY = "12345678909", "11222333000181"
MAIL, DOCUMENT = "fabio@fora.example", "98765432100"


async def look_up(sim: Sim, key: str, payer: str, end_to_end_id: str = "E" * 32) -> Any:
    headers = {"PI-RequestingParticipant": LASTRO_ISPB, "PI-PayerId": payer, "PI-EndToEndId": end_to_end_id}
    return await sim.ask("GET", f"/dict/v2/entries/{key}", **headers)


async def spent(sim: Sim, whose: str) -> int:
    """How many tokens a bucket lacks."""
    data = (await sim.http.get("/directory/limits")).json()["data"]
    return sum(one["capacity"] - one["tokens"] for one in data if one["whose"] == whose)


@pytest.mark.parametrize(
    ("key", "payer", "bucket", "costs", "participants"),
    [
        pytest.param(MAIL, PERSON, "contacts", 1, 1, id="ENTRIES_READ_USER_ANTISCAN-200"),
        pytest.param("+5511900000007", PERSON, "contacts", 20, 3, id="ENTRIES_READ_USER_ANTISCAN-404"),
        pytest.param(DOCUMENT, COMPANY, "others", 1, 1, id="ENTRIES_READ_USER_ANTISCAN_V2-200"),
        pytest.param("12345678909", COMPANY, "others", 20, 3, id="ENTRIES_READ_USER_ANTISCAN_V2-404"),
        pytest.param("13579246828", PERSON, "others", 0, 0, id="regras-400-subtracts-nothing"),
        pytest.param(FREE, PERSON, "contacts", 0, 0, id="regras-book-transfer-subtracts-nothing"),
    ],
)
async def test_what_a_look_up_costs(still: Sim, key: str, payer: str, bucket: str, costs: int, participants: int) -> None:
    await ours(still)
    await look_up(still, key, payer)
    assert (await spent(still, f"{payer}:{bucket}"), await spent(still, LASTRO_ISPB)) == (costs, participants)


@pytest.mark.parametrize(
    ("payer", "back"),
    [
        pytest.param(PERSON, 1, id="ordem-de-pagamento-enviada-PF-1"),
        pytest.param(COMPANY, 2, id="ordem-de-pagamento-enviada-PJ-2"),
    ],
)
async def test_what_a_payment_order_that_is_sent_gives_back(still: Sim, payer: str, back: int) -> None:
    """To the payer's bucket, and 1 to ENTRIES_READ_PARTICIPANT_ANTISCAN. Once, and for what was looked up alone."""
    lastro = Institution(still)
    message = payout(lastro)
    await look_up(still, "nobody@fora.example", payer)
    await look_up(still, MAIL, payer, message["endToEndId"])
    assert (await spent(still, f"{payer}:contacts"), await spent(still, LASTRO_ISPB)) == (21, 4)
    for _ in range(2):
        assert (await still.send(message | {"msgId": lastro.message("pacs.008")["msgId"]})).is_success
    assert (await spent(still, f"{payer}:contacts"), await spent(still, LASTRO_ISPB)) == (21 - back, 3)
    assert (await still.send(payout(lastro, 2))).is_success
    assert (await spent(still, f"{payer}:contacts"), await spent(still, LASTRO_ISPB)) == (21 - back, 3)
    left = still.network.store.rows("SELECT end_to_end_id FROM look_up")
    assert [one["end_to_end_id"] for one in left] == ["E" * 32], "what was given back is forgotten"


@in_one_test(
    ("letter", "refill", "capacity"),
    [
        pytest.param(letter, refill, capacity, id=f"ENTRIES_READ_PARTICIPANT_ANTISCAN-{letter}")
        for letter, refill, capacity in (
            ("A", 25_000, 50_000), ("B", 20_000, 40_000), ("C", 15_000, 30_000), ("D", 8_000, 16_000), ("E", 2_500, 5_000),
            ("F", 250, 500), ("G", 25, 250), ("H", 2, 50),
        )
    ],
)  # fmt: skip
def test_the_participants_categories(letter: str, refill: int, capacity: int) -> None:
    found = buckets.CATEGORIES[letter]
    assert (found.refill, found.capacity, found.missing, found.back) == (refill, capacity, 3, 1)


@in_one_test(
    ("person", "refill", "capacity", "back"),
    [
        pytest.param("NATURAL_PERSON", 2, 100, 1, id="categoria-PF"),
        pytest.param("LEGAL_PERSON", 20, 1_000, 2, id="categoria-PJ"),
    ],
)
def test_the_payers_categories(person: str, refill: int, capacity: int, back: int) -> None:
    found = buckets.PAYERS[person]
    assert (found.refill, found.capacity, found.missing, found.back) == (refill, capacity, 20, back)
