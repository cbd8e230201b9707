"""A recurrence that the network took, and will not have after all. On real rows."""

from datetime import timedelta

import msgspec
import pytest
from tests.cast import BENTO

from lastro.core.errors import NotYet
from lastro.rails import port

from .bank import Bank
from .desk import JOURNEY_2, JOURNEY_3, Desk


@pytest.fixture
def bank(desk: Desk) -> Bank:
    return Bank(desk, msgspec.structs.replace(BENTO, ibge_code="3550308"))


async def names(desk: Desk) -> list[str]:
    return [event for event, _, _ in await desk.events()]


@pytest.mark.parametrize("journey", [JOURNEY_2, JOURNEY_3])
async def test_it_ends_in_error_with_its_first_charge_and_is_told_once(desk: Desk, bank: Bank, journey: str) -> None:
    made = await desk.make(journey)
    assert await bank.network_refuses(made["providerId"]) == "handled"
    assert await bank.network_refuses(made["providerId"]) == "known"
    read = await desk.read(made["id"])
    assert [one["status"] for one in read["statusHistory"]] == ["INITIAL", "PENDING_AUTHORIZATION", "ERROR"]
    first = ["ORDER-PAYIN.ERROR"] if journey == JOURNEY_3 else []
    assert sorted(await names(desk)) == [*first, "SUBSCRIPTION.ERROR"]
    errors = await desk.column("SELECT error_message FROM orders WHERE company_id = tenant()")
    assert [bool(error) for error in errors] == [True] * len(first)
    assert await bank.authorizes(made) == "AP13", "nobody authorizes it"


async def test_what_its_payer_has_authorized_is_for_people(desk: Desk, bank: Bank) -> None:
    made = await desk.make()
    assert await bank.authorizes(made) is None
    assert await bank.network_refuses(made["providerId"]) == port.ALARMED
    assert (await desk.read(made["id"]))["status"] == "ACCEPTED"
    assert await names(desk) == ["SUBSCRIPTION.ACCEPTED"]


async def test_it_waits_for_the_end_of_a_first_payment(desk: Desk, bank: Bank) -> None:
    made = await desk.make(JOURNEY_3)
    arrival = bank.paying(made)
    assert await bank.asks(arrival) is None
    with pytest.raises(NotYet):
        await bank.network_refuses(made["providerId"])
    assert await bank.drops(arrival) == "handled"
    assert await bank.network_refuses(made["providerId"]) == "handled"
    assert (await desk.read(made["id"]))["status"] == "ERROR"


async def test_what_is_not_there_yet_is_waited_for_and_not_for_ever(desk: Desk, bank: Bank) -> None:
    """A sandbox asks its network before the subscription is written."""
    made = await desk.make()
    another = made["providerId"][:-1] + ("a" if made["providerId"][-1] != "a" else "b")
    with pytest.raises(NotYet):
        await bank.network_refuses(another)
    assert await bank.network_refuses(another, ago=timedelta(minutes=2)) == "ignored"
    assert (await desk.read(made["id"]))["status"] == "PENDING_AUTHORIZATION"
