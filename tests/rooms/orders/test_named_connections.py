"""An order that names a connection: its company's own, another company's, and one that makes no new orders."""

from tests.rooms.lists import problems

from lastro import orders
from lastro.core.errors import Refused

from .collecting import BENTO
from .test_connections import KEY, Connected, at_bank

__all__ = ["at_bank"]


async def test_the_connection_of_another_company_is_a_name_that_nobody_has(at_bank: Connected) -> None:
    at_bank.others = {"dorabank": orders.AtBank(at_bank.shop.ana.number + 1)}
    for order in ({}, {"pixKey": None}, {"pixKey": "nobody@example.com"}, {"amount": None}):
        for customer in (BENTO, None):
            theirs, nobodys = [
                await at_bank.send(customer, financialPartner=name, **order) for name in ("DORABANK", "NOBANK")
            ]
            assert isinstance(theirs, Refused)
            assert theirs == nobodys
            assert problems(theirs) == [("order.financialPartner", "NOT_SUPPORTED")]
            assert [one.description for one in theirs.problems] == ["no such partner is configured"]
    assert at_bank.bank.exchanges == []


async def test_a_connection_that_makes_no_new_orders_says_so(at_bank: Connected) -> None:
    at_bank.is_issuing = False
    for key in (KEY, None):
        refused = await at_bank.send(pixKey=key, financialPartner=at_bank.rail.upper())
        assert isinstance(refused, Refused)
        assert problems(refused) == [("order.financialPartner", "NOT_SUPPORTED")]
        assert "makes no new orders: its file has issuing = false" in refused.problems[0].description
    assert at_bank.bank.exchanges == []
