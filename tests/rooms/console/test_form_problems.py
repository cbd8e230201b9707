"""The problems of every form: each beside the input that has it, with the way there from the top, and what was typed kept."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import pytest
from tests.cast import Cast, Seller
from tests.rooms.console.visiting import Building
from tests.rooms.orders.shop import Shop

from lastro.console.form_problems import FormProblems, above, elements, placed
from lastro.people import Role

_EVERY = (Role.OPERATE, Role.APPROVE, Role.ADMINISTER)


@dataclass
class Seen(HTMLParser):
    """What a page says of its problems."""

    ids: list[str] = field(default_factory=list)
    led: list[str] = field(default_factory=list)
    described: dict[str, list[str]] = field(default_factory=dict)
    invalid: list[str] = field(default_factory=list)
    focused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        own = given.get("id", "")
        self.ids += [own] if own else []
        if tag == "a" and given.get("href", "").startswith("#") and given["href"] != "#main":
            self.led.append(given["href"][1:])
        if "aria-describedby" in given:
            self.described[own] = given["aria-describedby"].split()
        self.invalid += [own] if given.get("aria-invalid") == "true" else []
        self.focused += [own] if "autofocus" in given else []


def seen(page: str) -> Seen:
    found = Seen()
    found.feed(page)
    return found


def said_beside(page: str, *inputs: str) -> None:
    """These inputs alone have problems; the first of them has the focus."""
    found = seen(page)
    assert 'role="alert"' in page
    assert len(found.ids) == len(set(found.ids)), "an id stands twice"
    assert found.led == list(inputs)
    assert found.focused == list(inputs[:1])
    for one in inputs:
        assert f"{one}-wrong" in found.described[one]
        assert f"{one}-wrong" in found.ids
    assert set(found.invalid) <= set(inputs)
    assert [one for one in found.ids if one.endswith("-wrong")] == [f"{one}-wrong" for one in inputs]
    assert all(one in found.ids for names in found.described.values() for one in names), "a description is not there"


_PAY = {"amount": "1,00", "description": "Aluguel", "paymentMethod": "PIX", "pixKey": "fabio@fora.example"}
_BANK = {
    "pixKey": "", "branchNumber": "0001", "accountNumber": "300001", "accountType": "CHECKING_ACCOUNT", "receiverName": "Fabio",
}  # fmt: skip
_CHARGE = {
    "amount": "1,00", "description": "Bolo", "name": "Bento", "document": "52998224725", "email": "bento@example.com",
    "notificationUrl": "https://shop.example.com/hook",
}  # fmt: skip
# Each form: its page, where it is sent, what is typed, and the inputs that have problems.
FORMS: dict[str, tuple[str, str, dict[str, Any], tuple[str, ...]]] = {
    "charge": ("/console/charge", "", {**_CHARGE, "document": "52998224726", "email": "bento"}, ("c-document", "c-email")),
    "charge, nothing": (
        "/console/charge", "", {},
        ("f-accountId", "c-amount", "c-description", "c-name", "c-document", "c-email", "c-notificationUrl"),
    ),
    "pay": ("/console/pay", "", {**_PAY, "amount": "0", "scheduledDate": "soon"}, ("p-amount", "p-scheduledDate")),
    "pay, two ways": ("/console/pay", "", {**_PAY, "qrcodeData": "000201"}, ("p-paymentData",)),
    "pay, a bank": (
        "/console/pay", "", {**_PAY, **_BANK, "bank": "x", "receiverDocument": "1"}, ("p-bank", "p-receiverDocument"),
    ),
    "plan": ("/console/plan", "", {}, ("p-file",)),
    "client": ("/console/developers/clients", "", {"name": "Loja", "networks": "here"}, ("permissions", "networks")),
    "client, nothing": ("/console/developers/clients", "", {}, ("name",)),
    "person": ("/console/people", "", {"email": "no", "name": "Rita", "scope": "all"}, ("email", "roles")),
    "webhook": (
        "/console/developers/webhooks", "/url", {"event": "ORDER-PAYIN.PAID", "url": "ftp://x.example"}, ("to-url",),
    ),
    "test of a webhook": (
        "/console/developers/webhooks", "/test", {"event": "ORDER-PAYIN.PAID", "url": "ftp://x.example"}, ("test-url",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
async def test_each_problem_stands_beside_its_input_and_what_was_typed_is_kept(
    house: Building, ana: Seller, name: str
) -> None:
    page, to, typed, inputs = FORMS[name]
    visit, _ = await house.inside(*_EVERY)
    account = {} if "f-accountId" in inputs else {"accountId": str(ana.account_id)}
    answer = await visit.send(page, page + to, files={"none": b""} if name == "plan" else None, **account, **typed)
    assert answer.status_code == 400, answer.text
    said_beside(answer.text, *inputs)
    kept = [
        text
        for field_name, text in typed.items()
        if field_name not in ("accountType", "event", "paymentMethod", "scope") and text
    ]
    assert [text for text in kept if f'value="{text}"' not in answer.text] == []


async def test_an_act_of_an_object_says_its_problems_beside_its_inputs(house: Building, cast: Cast, ana: Seller) -> None:
    order = await Shop(cast, ana).paid(4_500)
    visit, _ = await house.inside(Role.OPERATE)
    here = f"/console/orders/{order}/refund"
    said_beside((await visit.send(here, here)).text, "b-amount", "b-refundCode")
    answer = await visit.send(here, here, amount="99,00", refundCode="MD06", refundReason="Engano")
    said_beside(answer.text, "b-amount")
    assert all(text in answer.text for text in ('value="99,00"', 'value="MD06" required checked', 'value="Engano"'))


QUERIES = {
    "/console/orders?status=LOST": "f-status", "/console/resend?from=soon": "r-from",
    "/console/accounts/{account}/statement?startDate=soon": "startDate",
}  # fmt: skip


@pytest.mark.parametrize("path", QUERIES)
async def test_a_filter_says_so_beside_its_input(house: Building, ana: Seller, path: str) -> None:
    visit, _ = await house.inside(Role.OPERATE)
    page = await visit.get(path.format(account=ana.account_id))
    assert page.status_code == 400
    said_beside(page.text, QUERIES[path])


async def test_a_wrong_password_is_said_beside_it(house: Building) -> None:
    visit, _ = await house.inside(Role.READ)
    answer = await visit.send("/console/me", "/console/me/password", now="no", then="four other grey horses")
    found = seen(answer.text)
    assert (found.invalid, found.described["now"], found.focused) == (["now"], ["problem"], ["now"])


def test_a_problem_goes_to_the_nearest_input_and_none_is_lost() -> None:
    inputs = elements("i-", "amount", "name") | {"receiver.name": "i-receiver"}
    found = [
        ("customer.name", "TOO_LONG", "is too long"),
        ("path", "X", "y"),
        ("receiver.name", "A", "b"),
        ("order.amount.value", "I", "z"),
    ]
    made = placed(found, inputs)
    assert [one.input for one in made.found] == ["", "i-amount", "i-name", "i-receiver"]
    assert made.first == "i-amount"
    assert [one.field for one in made.found] == ["path", "amount", "name", "receiver.name"]
    assert [one.sentence for one in made.of("i-receiver")] == ["b"]
    assert (bool(made), bool(FormProblems()), FormProblems().first) == (True, False, "")
    assert above("a.b[0].c") == ["a.b[0].c", "a.b.c", "c", "a.b", "b", "a", "a"]
