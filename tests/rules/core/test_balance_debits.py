from datetime import UTC, datetime
from uuid import UUID

import pytest

from lastro.core.balance_debits import draws
from lastro.core.money import Money
from lastro.core.write import LedgerAccount, Transfer, Watch

AT = datetime(2026, 1, 1, tzinfo=UTC)
NET = LedgerAccount(UUID(int=1), "NET", "BRL", floor=False)
ANA = LedgerAccount(UUID(int=2), "CUST", "BRL", floor=True)
BENTO = LedgerAccount(UUID(int=3), "CUST", "BRL", floor=True)
LOSS = LedgerAccount(UUID(int=4), "LOSS", "BRL", floor=False, debtor=ANA.id)


def transfer(kind: str, debit: LedgerAccount, credit: LedgerAccount, minor: int) -> Transfer:
    return Transfer(UUID(int=9), kind, debit, credit, Money(minor, "BRL"), "TEST", UUID(int=8), AT)


@pytest.mark.parametrize(
    ("transfers", "expected"),
    [
        ([], ([], [], [], [])),
        ([("moved", NET, ANA, 100)], ([], [], [], [])),
        ([("held", NET, ANA, 100)], ([], [], [], [])),
        ([("moved", ANA, NET, 100)], ([ANA.id], [100], [0], [0])),
        ([("held", ANA, NET, 100)], ([ANA.id], [0], [100], [0])),
        ([("posted", ANA, NET, 100)], ([ANA.id], [100], [-100], [0])),
        ([("voided", ANA, NET, 100)], ([ANA.id], [0], [-100], [0])),
        ([("moved", ANA, NET, 100), ("held", ANA, NET, 7)], ([ANA.id], [100], [7], [0])),
        ([("voided", ANA, NET, 100), ("held", ANA, NET, 60)], ([ANA.id], [0], [-40], [0])),
        ([("moved", ANA, BENTO, 5)], ([ANA.id], [5], [0], [0])),
        ([("moved", BENTO, NET, 1), ("moved", ANA, NET, 2)], ([ANA.id, BENTO.id], [2, 1], [0, 0], [0, 0])),
        ([("moved", ANA, BENTO, 1), ("moved", BENTO, ANA, 2)], ([ANA.id, BENTO.id], [1, 2], [0, 0], [0, 0])),
        ([("moved", LOSS, NET, 100)], ([ANA.id], [0], [0], [100])),
        ([("moved", ANA, LOSS, 100)], ([ANA.id], [100], [0], [-100])),
        ([("moved", ANA, NET, 40), ("moved", LOSS, NET, 60)], ([ANA.id], [40], [0], [60])),
        ([("held", ANA, LOSS, 5), ("voided", ANA, LOSS, 5)], ([ANA.id], [0], [0], [0])),
        ([("posted", LOSS, NET, 5), ("moved", BENTO, NET, 1)], ([ANA.id, BENTO.id], [0, 1], [0, 0], [5, 0])),
    ],
)
def test_what_transfers_take_from_accounts_with_a_floor(
    transfers: list[tuple[str, LedgerAccount, LedgerAccount, int]],
    expected: tuple[list[UUID], list[int], list[int], list[int]],
) -> None:
    *found, watched = draws(transfer(*t) for t in transfers)
    assert (tuple(found), watched) == (expected, [0] * len(expected[0]))


def test_what_is_watched_goes_with_what_is_taken() -> None:
    """Of an account that gives nothing it stands alone; a block by its watch gives up as much as it takes."""
    found = draws([transfer("moved", ANA, NET, 30)], [Watch(ANA, -30), Watch(BENTO, 7)])
    assert found == ([ANA.id, BENTO.id], [30, 0], [0, 0], [0, 0], [-30, 7])
