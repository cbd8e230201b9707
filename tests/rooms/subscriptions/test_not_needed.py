"""An instruction whose subscription has ended is not sent again: its payer's bank is asked whether it has it."""

import pytest

from lastro.rails import port
from lastro.rails.port import ARRIVES_WITHIN

from .charging import day
from .test_never_taken import World, world

__all__ = ["world"]
BENTO = port.Requester("BY_PAYER", "CPF", "11144477735", "Bento Braga")


async def ends(world: World, meets: str | None) -> None:
    """Its payer ends a subscription, while the first copy of an instruction to charge has met this."""
    payment = await world.bank.charge(await world.bank.accepted(), day(5))
    (now,) = await world.desk.column("SELECT business_now()")
    if meets is not None:
        world.rail.does = [meets]
        await world.send()
    assert await world.outcomes(port.CHARGE_SEND) == [(None, int(meets is not None), True)]
    recurrence_id = (await world.bank.attempt(payment))["recurrence_id"]
    said = port.AuthorizationCanceled("M" + "c" * 31, recurrence_id, "ACCL", BENTO, now)
    assert await world.bank.tell(port.AUTHORIZATION_CANCELED, said, now) == "handled"
    assert (await world.bank.read(payment))["status"] == "CANCELED"


async def test_what_nobody_has_tried_to_send_is_withdrawn(world: World) -> None:
    await ends(world, None)
    await world.goes_on()
    assert (await world.outcomes(port.CHARGE_SEND), world.rail.sent) == ([("withdrawn", 0, False)], [])


@pytest.mark.parametrize("has_it", [True, False])
async def test_a_copy_that_may_have_left_is_asked_about(world: World, has_it: bool) -> None:
    await ends(world, "keep" if has_it else "hang")
    await world.goes_on()
    if has_it:
        assert await world.outcomes(port.CHARGE_SEND) == [("sent", 2, False)]
    else:
        assert await world.outcomes(port.CHARGE_SEND) == [(None, 1, True)], "it may be on its way"
        await world.goes_on(ARRIVES_WITHIN)
        assert await world.outcomes(port.CHARGE_SEND) == [("withdrawn", 2, False)]
    await world.goes_on(ARRIVES_WITHIN)
    assert len(world.rail.sent) == 1, "nothing is sent again"


async def test_a_copy_that_comes_late_is_found(world: World) -> None:
    await ends(world, "hang")
    await world.goes_on()
    world.rail.taken += world.rail.sent
    await world.goes_on(ARRIVES_WITHIN)
    assert await world.outcomes(port.CHARGE_SEND) == [("sent", 2, False)]
    assert len(world.rail.sent) == 1


async def test_what_never_left_is_withdrawn_once_it_was_asked_about(world: World) -> None:
    await ends(world, "away")
    await world.goes_on()
    assert await world.outcomes(port.CHARGE_SEND) == [("withdrawn", 2, False)]
    assert len(world.rail.sent) == 1
