"""A read and a list say who is paid, where and at what cost; a first payment to a receiver is found as such."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import msgspec

from lastro.api_kit.paging import Page
from lastro.core.runner import Done, Verb
from lastro.payouts import ReadPayout, first_to_receiver
from lastro.payouts.actions.list import ListPayouts
from lastro.payouts.model import PayoutFilter

from .office import FABIO, FORA, KEY, Office, entry_of


async def answered(office: Office, verb: Verb[Any]) -> Any:
    done = await office.cast.runner.act(office.ana.company_id, verb)
    assert isinstance(done, Done), done
    return msgspec.json.decode(done.body)


async def firsts(office: Office, *made: dict[str, Any]) -> list[bool]:
    async with office.cast.database.session(office.ana.company_id) as session:
        found = await first_to_receiver(session, office.ana.company_id, [UUID(one["id"]) for one in made])
    return [UUID(one["id"]) in found for one in made]


async def test_a_read_and_a_list_name_the_receiver(office: Office) -> None:
    typed, by_key = await office.make(1_000), await office.make(2_000, key=KEY)
    document = {"type": FABIO.document_type, "number": FABIO.document_number}
    place = {"ispb": FORA.ispb, "branch": FORA.branch, "account": FORA.account, "accountType": FORA.account_type}
    read = await answered(office, ReadPayout(UUID(typed["id"])))
    assert (read["receiver"]["name"], read["receiver"]["document"]) == (FABIO.name, document)
    assert place.items() <= read["receiver"]["bank"].items()
    read = await answered(office, ReadPayout(UUID(by_key["id"])))
    assert read["receiver"]["bank"]["pix"] == {"type": "EMAIL", "key": KEY}
    listed = await answered(office, ListPayouts(PayoutFilter(), Page()))
    assert next(one["receiver"] for one in listed["data"]) == read["receiver"]


async def test_the_first_payment_to_a_receiver_is_found(office: Office) -> None:
    first, second = await office.make(1_000), await office.make(1_100)
    assert await firsts(office, first, second) == [True, True], "nothing has reached it yet"
    await office.settle(first)
    third = await office.make(1_200, key=KEY)
    assert await firsts(office, first, second, third) == [True, False, False], "by its key it is the same receiver"
    elsewhere = await office.make(1_300, place=replace(FORA, account="300099"), person=FABIO)
    padded = await office.make(1_400, place=replace(FORA, account="000300003"), person=FABIO)
    assert await firsts(office, elsewhere, padded) == [True, False], "another account is another receiver"


async def test_what_came_back_as_a_whole_has_reached_nobody(office: Office) -> None:
    office.outside.entries[KEY] = entry_of(KEY, account="300777")
    first = await office.make(1_000, key=KEY)
    await office.settle(first)
    await office.give_back(first, 1_000)
    assert await firsts(office, await office.make(1_000, key=KEY)) == [True]
