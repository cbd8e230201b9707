"""The simulated bank is asked what one payment is now: it tells what a person there or a dispute gave back."""

import os
from typing import Any

import pytest

from lastro.app.banks import machine_now
from lastro.core.money import Money
from lastro.rails.api_pix import ApiPixIssuer
from lastro.rails.port import PaymentNow, Unknown

from .test_bank_trials import Desk, desk, line_of

__all__ = ["desk"]


@pytest.mark.parametrize("wish", [{"nature": "MED_FRAUDE"}, {"amount": "0.01"}])
async def test_what_went_back_at_the_simulated_bank_is_seen(desk: Desk, wish: dict[str, Any]) -> None:
    wanted = {"key": "loja@dora.example", "amount": "21.00"}
    name = (await desk.sim.act("/bank/company/payments", wanted))["endToEndId"]
    line = line_of(desk)
    try:
        bank = ApiPixIssuer(line.connection.name, line, line.connection.dialect.clock)
        seen = await bank.payment(name)
        assert isinstance(seen, PaymentNow)
        assert (seen.payment_id, seen.amount, seen.is_given_back) == (name, Money(2100, "BRL"), False)
        await desk.sim.act(f"/bank/company/pix/{name}/return", wish)
        seen = await bank.payment(name)
        assert isinstance(seen, PaymentNow)
        assert seen.is_given_back
        unknown = await bank.payment(f"E99999020{machine_now():%Y%m%d%H%M}{os.urandom(6).hex()[1:]}")
        assert isinstance(unknown, Unknown)
    finally:
        await line.close()
