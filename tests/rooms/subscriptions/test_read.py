"""GET /order/v1/banking/subscriptions, one and all, and the location of a recurrence; on real rows."""

from datetime import date
from typing import Any
from uuid import UUID, uuid4

import msgspec
from tests.cast import BENTO, INSTITUTION, Cast
from tests.in_one import in_one_test

from lastro.core.errors import Kind, Refused
from lastro.standards import brcode, recurrence_payload
from lastro.web.public_tokens import OrdersByToken

from .bank import Bank
from .desk import HOOK, JOURNEY_2, JOURNEY_3, Desk, brl

LIST = "list_subscriptions"


async def test_a_subscription_is_read_with_all_that_was_asked_for(desk: Desk) -> None:
    made = await desk.make(
        JOURNEY_3, externalId="contract-3", description="Jornal", endDate=desk.day(400), fixedAmount=brl("29.9"),
        frequencyType="QUARTERLY", autoSchedule=True, payer={"name": "Bento", "document": {"type": "CPF", "number": "52998224725"}},
    )  # fmt: skip
    read = await desk.read(made["id"])
    assert read["qrcode"] == {"imageBase64": made["qrcodeImageBase64"], "data": made["qrcodeData"]}
    assert read["initialCharge"] == made["initialCharge"]
    assert [one["status"] for one in read["statusHistory"]] == ["INITIAL", "PENDING_AUTHORIZATION"]
    assert {one["createdAt"] for one in read["statusHistory"]} == {read["createdAt"]} == {read["updatedAt"]}
    expected = {
        "id": made["id"], "providerId": made["providerId"], "type": JOURNEY_3, "status": "PENDING_AUTHORIZATION",
        "allowChargeAfterDueDate": True, "allowAdjustToBusinessDay": False, "frequencyType": "QUARTERLY",
        "startDate": desk.day(1), "endDate": desk.day(400), "fixedAmount": brl("29.90"), "autoSchedule": True,
        "debtor": {"document": {"type": "CPF", "number": "11144477735"}, "name": "Bento Braga"},
        "receiver": {
            "id": str(desk.ana.account_id), "fullName": "Ana Flores Ltda",
            "document": {"type": "CNPJ", "number": "11222333000181"},
        },
        "description": "Jornal", "webhookUrl": HOOK, "externalId": "contract-3",
    }  # fmt: skip
    assert {name: read[name] for name in expected} == expected
    assert "payer" not in read, "nobody has authorized it"
    assert read["cancellations"] == []


async def test_what_was_not_given_is_left_out(desk: Desk) -> None:
    read = await desk.read((await desk.make(maxAmountFloor=brl("5")))["id"])
    assert read["maxAmountFloor"] == brl("5.00")
    assert not read.keys() & {"endDate", "fixedAmount", "description", "initialCharge", "payer"}


async def accepted(desk: Desk, made: dict[str, Any]) -> None:
    """As its payer's bank says it."""
    assert await Bank(desk, msgspec.structs.replace(BENTO, ibge_code="3550308")).authorizes(made) is None


async def test_its_payer_is_shown_once_it_is_accepted(desk: Desk) -> None:
    made = await desk.make(fixedAmount=brl("1"), externalId="contract-5")
    await accepted(desk, made)
    read = await desk.read(made["id"])
    bank = {"ispb": "87654321", "accountNumber": "123456", "branchNumber": "0002"}
    document = {"type": "CPF", "number": "11144477735"}
    assert read["payer"] == {"name": "Bento Braga", "document": document, "bankData": bank}
    assert [one["status"] for one in read["statusHistory"]] == ["INITIAL", "PENDING_AUTHORIZATION", "ACCEPTED"]
    assert [one["action"] for one in read["nextActions"]] == ["SCHEDULE_PAYMENT"]
    (listed,) = (await desk.done(LIST, query={"status": "ACCEPTED"}))["data"]
    assert listed["payer"] == read["payer"]


async def test_one_that_is_not_there_and_anothers_are_the_same(desk: Desk) -> None:
    made, dora = await desk.make(), await desk.cast.dora()
    for client, one in ((dora.client, made["id"]), (None, str(uuid4())), (None, "x"), (None, made["id"].upper())):
        assert await desk.ask("read_subscription", client=client, id=one) == Refused(Kind.NOT_FOUND)
    assert (await desk.done(LIST, client=dora.client))["data"] == []


async def test_who_may_only_read_may_read(desk: Desk) -> None:
    made, caio = await desk.make(), await desk.cast.caio(desk.ana)
    assert (await desk.done("read_subscription", client=caio, id=made["id"]))["id"] == made["id"]
    blind = await desk.cast.add_client(desk.ana.company_id, "blind", ("orders:read",))
    for operation, path in (("read_subscription", {"id": made["id"]}), (LIST, {})):
        assert await desk.ask(operation, client=blind, **path) == Refused(Kind.FORBIDDEN)


async def test_a_list_shows_each_as_it_is_read_without_the_blocks(desk: Desk) -> None:
    made = [await desk.make(journey) for journey in (JOURNEY_2, JOURNEY_3)]
    answer = await desk.done(LIST)
    assert {name: value for name, value in answer.items() if name != "data"} == {
        "limit": 20,
        "sort": "desc",
        "hasNext": False,
    }
    assert [one["id"] for one in answer["data"]] == [made[1]["id"], made[0]["id"]]
    for one in answer["data"]:
        read = await desk.read(one["id"])
        blocks = {"statusHistory", "qrcode", "initialCharge", "cancellations", "payments", "nextActions"}
        assert one == {name: value for name, value in read.items() if name not in blocks}


async def test_every_filter_finds_what_it_says_and_all_of_them_together(desk: Desk) -> None:
    other = await desk.cast.open_account(desk.ana.company_id)
    made = {
        "first": await desk.make(externalId="first", startDate=desk.day(5), endDate=desk.day(50)),
        "second": await desk.make(externalId="second", startDate=desk.day(5)),
        "third": await desk.make(externalId="third", accountId=other["id"], endDate=desk.day(50)),
    }
    await desk.done("cancel_subscription", {}, id=made["second"]["id"])

    async def found(**query: str) -> set[str]:
        return {one["externalId"] for one in (await desk.done(LIST, query=query))["data"]}

    assert await found(startDate=desk.day(5)) == {"first", "second"}
    assert await found(endDate=desk.day(50)) == {"first", "third"}
    assert await found(status="CANCELED") == {"second"}
    assert await found(externalId="third") == {"third"}
    assert await found(externalId="Third") == set()
    assert await found(accountId=str(desk.ana.account_id)) == {"first", "second"}
    assert await found(accountId="x") == await found(accountId=str(uuid4())) == set()
    everything = {
        "startDate": desk.day(5), "endDate": desk.day(50), "status": "PENDING_AUTHORIZATION", "externalId": "first",
        "accountId": str(desk.ana.account_id),
    }  # fmt: skip
    assert await found(**everything) == {"first"}
    assert await found(**{**everything, "status": "ACCEPTED"}) == set()


@in_one_test(
    ("name", "value", "issue"),
    [
        ("startDate", "2027-02-30", "INVALID"), ("startDate", "", "INVALID"), ("endDate", "10/01/2027", "INVALID"),
        ("endDate", "2027-01-10T00:00:00Z", "INVALID"), ("status", "accepted", "INVALID"), ("status", "PAID", "INVALID"),
        ("externalId", "", "INVALID"), ("externalId", "x" * 65, "TOO_LONG"), ("limit", "0", "OUT_OF_RANGE"),
        ("sort", "up", "INVALID"), ("cursor", "1", "INVALID"), ("from", "x", "INVALID"),
    ],
)  # fmt: skip
async def test_a_value_that_cannot_be_is_refused(desk: Desk, name: str, value: str, issue: str) -> None:
    assert await desk.refused(LIST, query={name: value}) == [(name, issue)]


async def test_pages_skip_and_repeat_nothing_while_more_are_made(desk: Desk) -> None:
    made = [await desk.make() for _ in range(7)]
    shown: list[str] = []
    query: dict[str, Any] = {"limit": "2"}
    while True:
        page = await desk.done(LIST, query=query)
        shown += [one["id"] for one in page["data"]]
        if not page["hasNext"]:
            break
        assert page["nextCursor"] == page["data"][-1]["createdAt"]
        query["cursor"] = page["nextCursor"]
        await desk.make()
    assert shown == [one["id"] for one in reversed(made)]


async def location(desk: Desk, made: dict[str, Any]) -> str:
    return (brcode.decode(made["qrcodeData"]).recurrence_location or "").rpartition("/")[2]


async def test_the_location_says_what_the_payer_is_to_authorize(desk: Desk, cast: Cast) -> None:
    made = await desk.make(JOURNEY_3, externalId="contract-3", description="J" * 40, fixedAmount=brl("29.90"))
    located = OrdersByToken(cast.database, cast.chance)
    found = await located.recurrence(await location(desk, made), INSTITUTION.ispb)
    assert found is not None
    assert found[0] is not None
    says = recurrence_payload.decode(found[0])
    assert (says.recurrence_id, says.contract, says.purpose) == (made["providerId"], "contract-3", "J" * 35)
    assert (says.starts_on, says.ends_on, says.frequency) == (date.fromisoformat(desk.day(1)), None, "MONTHLY")
    assert (says.amount, says.floor, says.retries) == ("29.90", None, True)
    assert (says.receiver.name, says.receiver.cnpj, says.receiver.ispb) == (
        "Ana Flores Ltda", "11222333000181", INSTITUTION.ispb,
    )  # fmt: skip
    assert (says.debtor.name, says.debtor.document) == ("Bento Braga", "11144477735")
    assert [one.status for one in says.updates] == ["CRIADA"]


async def test_a_long_code_is_known_to_the_network_by_our_id(desk: Desk, cast: Cast) -> None:
    made = await desk.make(externalId="c" * 36)
    found = await OrdersByToken(cast.database, cast.chance).recurrence(await location(desk, made), INSTITUTION.ispb)
    assert found is not None
    assert found[0] is not None
    assert recurrence_payload.decode(found[0]).contract == UUID(made["id"]).hex


async def test_the_location_is_there_until_it_ends(desk: Desk, cast: Cast) -> None:
    located, one, other = OrdersByToken(cast.database, cast.chance), await desk.make(fixedAmount=brl("1")), await desk.make()
    await accepted(desk, one)
    found = await located.recurrence(await location(desk, one), INSTITUTION.ispb)
    assert found is not None
    assert found[0] is not None
    assert [u.status for u in recurrence_payload.decode(found[0]).updates] == ["CRIADA", "APROVADA"]
    await desk.done("cancel_subscription", {}, id=other["id"])
    assert await located.recurrence(await location(desk, other), INSTITUTION.ispb) == (None,)


@in_one_test("token", ["0" * 22, "z" * 22, "x", "", "é" * 22])
async def test_what_is_no_location_leads_nowhere(desk: Desk, cast: Cast, token: str) -> None:
    assert await OrdersByToken(cast.database, cast.chance).recurrence(token, INSTITUTION.ispb) is None


async def test_a_charge_is_no_recurrence_and_a_recurrence_no_charge(desk: Desk, cast: Cast) -> None:
    made, located = await desk.make(JOURNEY_3), OrdersByToken(cast.database, cast.chance)
    charge = (brcode.decode(made["qrcodeData"]).location or "").rpartition("/")[2]
    assert await located.recurrence(charge, INSTITUTION.ispb) is None
    assert await located.find(await location(desk, made)) is None
    assert await located.charge(charge) is not None
