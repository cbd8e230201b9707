"""A key of a connection is at the company's own bank, and nobody here claims it."""

import pytest

from lastro.core.errors import Refused

from .test_claims import Desk, desk

__all__ = ["desk"]


@pytest.mark.parametrize("kind", ["CLAIM_OWNERSHIP", "PORTABILITY"])
async def test_a_key_at_a_companys_own_bank_is_not_claimed(desk: Desk, kind: str) -> None:
    """A claim would take it away from the bank whose charges are paid to it."""
    await desk.cast.connect(desk.ana, f"bank{desk.ana.number}", desk.phone)
    refused = await desk.open(kind)
    assert isinstance(refused, Refused)
    assert [(one.field, one.issue) for one in refused.problems] == [("key", "NOT_SUPPORTED")]
    assert desk.claims.made == {}
