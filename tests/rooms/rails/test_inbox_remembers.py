"""Whose a message is, is looked for once: an account stays its company's, and a payment's end follows its question."""

from typing import Any
from uuid import UUID

import pytest
from tests.apart import EachApart

from lastro.core.db import Database, Lent
from lastro.rails import port
from lastro.rails.inbox import Inbox

from .conftest import AT, House, Scene
from .network import ISPB, end_to_end_id


class _Counted(Database):
    """How often somebody looked across companies."""

    looks = 0

    def session(self, company_id: UUID | None = None) -> Lent:
        self.looks += 1
        return super().session(company_id)


class _Way:
    """An inbox that knows the time, and what it has asked."""

    def __init__(self, scene: Scene, work: _Counted) -> None:
        self._scene, self._work = scene, work
        self.inbox = Inbox(scene.database, work, scene.chance, ISPB, now=lambda: AT)
        self._told = 0

    async def looks(self, kind: str, number: int, **more: Any) -> int:
        """Keeps a message about this payment; how many looks that took."""
        before = self._work.looks
        self._told += 1
        await self.inbox.keep([port.NetworkMessage(kind, f"M{self._told}", end_to_end_id(number), b"{}", **more)])
        return self._work.looks - before

    async def owners(self) -> list[UUID]:
        return [row["company_id"] for row in await self._scene.rows("SELECT company_id FROM inbox ORDER BY network_id")]


@pytest.fixture
async def way(scene: Scene, own_database: Any) -> Any:
    work = _Counted(own_database.work, size=2)
    yield _Way(scene, work)
    await work.close()


async def test_the_end_of_a_payment_and_the_next_of_its_account_need_no_look(way: _Way, house: House) -> None:
    assert await way.looks(port.PIX_ASK, 1, account=house.account) == 1
    assert await way.looks(port.PIX_FINAL, 1) == 0
    assert await way.looks(port.PIX_ASK, 2, account=house.account) == 0
    assert await way.looks(port.PIX_FINAL, 2) == 0
    assert await way.owners() == [house.ana] * 4


async def test_what_was_not_told_of_here_is_looked_for(way: _Way, scene: Scene, house: House) -> None:
    await scene.inbox.keep(
        [port.NetworkMessage(port.PIX_ASK, "by another worker", end_to_end_id(1), b"{}", account=house.account)]
    )
    assert await way.looks(port.PIX_FINAL, 1) == 1
    assert await way.owners() == [house.ana] * 2


async def test_a_company_number_is_looked_for_once(way: _Way, house: House) -> None:
    assert await way.looks(port.RETURN_FINAL, 1, company_number=7) == 1
    assert await way.looks(port.RETURN_FINAL, 2, company_number=7) == 0
    assert await way.owners() == [house.ana] * 2


async def test_nobodys_account_may_be_somebodys_later(way: _Way, scene: Scene, house: House) -> None:
    bento = await scene.company(8)
    account = "000000027"
    assert await way.looks(port.PIX_ASK, 1, account=account) == 1
    assert await scene.account(bento, "00000002") == account
    assert await way.looks(port.PIX_ASK, 2, account=account) == 1
    assert await way.owners() == [house.institution, bento]


async def test_the_end_is_of_whom_the_payment_was_told_first(way: _Way, scene: Scene, house: House) -> None:
    theirs = await scene.account(bento := await scene.company(8), "00000002")
    await way.looks(port.PIX_ASK, 1, account=house.account)
    await way.looks(port.PIX_ASK, 1, account=theirs)
    assert await way.looks(port.PIX_FINAL, 1) == 0
    assert await way.owners() == [house.ana, bento, house.ana]


async def test_what_another_worker_was_told_first_holds_against_what_is_told_here(
    way: _Way, scene: Scene, house: House
) -> None:
    theirs = await scene.account(bento := await scene.company(8), "00000002")
    await scene.inbox.keep(
        [port.NetworkMessage(port.PIX_ASK, "by another worker", end_to_end_id(1), b"{}", account=house.account)]
    )
    await way.looks(port.PIX_ASK, 1, account=theirs)
    assert await way.looks(port.PIX_FINAL, 1) == 0
    assert await way.owners() == [bento, house.ana, house.ana]


async def test_who_was_told_first_has_what_follows_if_each_company_has_a_server_of_its_own(
    scene: Scene, house: House, own_database: Any
) -> None:
    apart, told = EachApart(own_database), port.NetworkMessage(port.PIX_ASK, "M1", end_to_end_id(1), b"{}")
    bento = await scene.company(8)
    for company_id in (bento, house.ana):
        await scene.inbox.store(company_id, [told])
    final = port.NetworkMessage(port.PIX_FINAL, "M2", end_to_end_id(1), b"{}")
    _, owners = await Inbox(scene.database, apart, scene.chance, ISPB).owners([final])
    await apart.close()
    assert owners == {"M2": bento}


async def test_a_key_is_looked_for_each_time_since_it_changes_hands(way: _Way, scene: Scene, house: House) -> None:
    await scene.admin.execute("INSERT INTO own_keys VALUES ('k@example.com', $1, $1)", house.ana)
    assert await way.looks(port.CLAIM_NEWS, 1, key="k@example.com") == 1
    assert await way.looks(port.CLAIM_NEWS, 2, key="k@example.com") == 1
    assert await way.looks(port.CLAIM_NEWS, 2, key="k@example.com") == 0, "a claim stays whose it was at first"


async def test_one_that_is_not_known_has_all_of_them_looked_for(way: _Way, scene: Scene, house: House) -> None:
    await way.looks(port.PIX_ASK, 1, account=house.account)
    other = await scene.account(bento := await scene.company(8), "00000002")
    await way.inbox.keep(
        [
            port.NetworkMessage(port.PIX_FINAL, "M8", end_to_end_id(1), b"{}"),
            port.NetworkMessage(port.PIX_ASK, "M9", end_to_end_id(2), b"{}", account=other),
        ]
    )
    assert await way.owners() == [house.ana, house.ana, bento]


async def test_who_does_not_know_the_time_looks(scene: Scene, own_database: Any, house: House) -> None:
    work = _Counted(own_database.work, size=2)
    inbox = Inbox(scene.database, work, scene.chance, ISPB)
    for n in (1, 2):
        await inbox.keep([port.NetworkMessage(port.PIX_ASK, f"M{n}", end_to_end_id(n), b"{}", account=house.account)])
    assert work.looks == 2
    await work.close()
