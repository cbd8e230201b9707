"""What administration may change of a client, and that whoever remembers the client sees it with the next request."""

import asyncio
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any

import msgspec
import pytest
from tests.cast import PLACE, Cast, Client, Seller

from lastro import companies, orders
from lastro.api_kit import forms
from lastro.api_kit.routes import Incoming
from lastro.companies import (
    PERMISSIONS,
    AddClient,
    BindNetworks,
    ChooseAccount,
    FoundCompany,
    LimitRequests,
    Permit,
    Revoke,
    RevokeTokens,
    RotateSecret,
    TrustSubject,
)
from lastro.core.errors import Kind, Refused, Stale
from lastro.core.rights import Peer
from lastro.core.runner import Done, Reply
from lastro.core.secrets import Secret

EPOCH = datetime.fromtimestamp(0, UTC)


async def told(cast: Cast, client: Client) -> companies.Client:
    async with cast.database.session(client.company_id) as session:
        found = await companies.client(session, client.company_id, client.client_id)
    assert found is not None
    return found


async def read(
    cast: Cast, client: Client, source: str | None = "203.0.113.7", permission: str = "orders:read"
) -> Kind | None:
    """How the client's request for an order that is not there ends; NOT_FOUND means that it was let in."""
    call = replace(client.call(permission=permission), peer=Peer(None if source is None else ip_address(source)))
    outcome = await cast.runner.run(call, orders.ReadOrder(None, PLACE))
    assert isinstance(outcome, Refused)
    return outcome.kind


async def test_permissions_change_with_the_next_request(cast: Cast, ana: Seller) -> None:
    assert await read(cast, ana.client) is Kind.NOT_FOUND
    said = await cast.act(ana.company_id, Permit(ana.client.client_id, ("webhooks:read", "orders:write")))
    assert said["permissions"] == ["orders:write", "webhooks:read"]
    assert await read(cast, ana.client) is Kind.FORBIDDEN
    assert await read(cast, ana.client, permission="orders:write") is Kind.NOT_FOUND
    await cast.act(ana.company_id, Permit(ana.client.client_id, PERMISSIONS))
    assert await read(cast, ana.client) is Kind.NOT_FOUND


async def test_networks_change_with_the_next_request(cast: Cast, ana: Seller) -> None:
    await cast.act(ana.company_id, BindNetworks(ana.client.client_id, ("203.0.113.0/24", "2001:db8::/64")))
    sources = ("203.0.113.7", "2001:db8::9", "203.0.114.1", "2001:db8:1::9", None)
    assert [await read(cast, ana.client, s) for s in sources] == [
        Kind.NOT_FOUND, Kind.NOT_FOUND, Kind.FORBIDDEN, Kind.FORBIDDEN, Kind.FORBIDDEN,
    ]  # fmt: skip
    await cast.act(ana.company_id, BindNetworks(ana.client.client_id, ()))
    assert await read(cast, ana.client, None) is Kind.NOT_FOUND


async def test_tokens_are_revoked_by_an_instant(cast: Cast, ana: Seller) -> None:
    assert await read(cast, ana.client) is Kind.NOT_FOUND
    await cast.act(ana.company_id, RevokeTokens(ana.client.client_id))
    assert await read(cast, ana.client) is Kind.UNAUTHORIZED
    assert await read(cast, replace(ana.client, token_issued_at=time.time() + 1)) is Kind.NOT_FOUND


async def test_a_revoked_client_stays_revoked(cast: Cast, ana: Seller) -> None:
    first = await cast.act(ana.company_id, Revoke(ana.client.client_id))
    assert await read(cast, replace(ana.client, token_issued_at=time.time() + 1)) is Kind.UNAUTHORIZED
    before = await told(cast, ana.client)
    again = await cast.act(ana.company_id, Revoke(ana.client.client_id))
    assert (again, (await told(cast, ana.client)).version) == (first, before.version)
    outcome = await cast.runner.act(ana.company_id, RotateSecret(ana.client.client_id, Secret("x"), timedelta(0)))
    assert isinstance(outcome, Refused)
    assert outcome.kind is Kind.CONFLICT


class Shop:
    """Orders as the API makes them, with what it remembers between two of them."""

    def __init__(self, ana: Seller) -> None:
        self._ana = ana
        self._route = next(r for r in orders.routes(PLACE) if r.operation == "create_order")
        self._codes = iter(range(100))

    def create(self) -> Any:
        order = {
            "externalId": f"code-{next(self._codes)}", "paymentMethod": "PIX", "description": "Bread",
            "amount": {"currency": "BRL", "value": "10.50"}, "notificationUrl": "https://shop.example.com/hook",
            "accountId": str(self._ana.account_id),
        }  # fmt: skip
        document = {"type": "CPF", "number": "52998224725"}
        customer = {"name": "Bento", "entityType": "INDIVIDUAL", "document": document, "email": "bento@example.com"}
        raw = msgspec.json.encode({"order": order, "customer": customer})
        return self._route.parse(Incoming(self._ana.company_id, {}, {}, raw, forms.parsed(raw), None))


async def test_what_is_remembered_is_not_believed_after_a_change(cast: Cast, ana: Seller) -> None:
    """The one path that decides from memory relies on the client's version: the write itself is refused."""
    client, shop = ana.client, Shop(ana)

    async def order(source: str = "203.0.113.7") -> Kind | None:
        """None: it was made."""
        verb = shop.create()
        outcome = await cast.runner.run(replace(client.call(), peer=Peer(ip_address(source))), verb)
        assert verb.from_cache() is not None
        return None if isinstance(outcome, Reply) else outcome.kind

    assert [await order() for _ in range(3)] == [None] * 3
    assert cast.runner.remembered["act"] == 2
    await cast.act(ana.company_id, BindNetworks(client.client_id, ("198.51.100.0/24",)))
    assert await order() is Kind.FORBIDDEN
    assert [await order("198.51.100.7") for _ in range(2)] == [None] * 2
    await cast.act(ana.company_id, Permit(client.client_id, ("orders:read",)))
    assert await order("198.51.100.7") is Kind.FORBIDDEN
    await cast.act(ana.company_id, Permit(client.client_id, PERMISSIONS))
    assert [await order("198.51.100.7") for _ in range(2)] == [None] * 2
    assert await order() is Kind.FORBIDDEN  # from elsewhere, though all is remembered
    await cast.act(ana.company_id, RevokeTokens(client.client_id))
    assert await order("198.51.100.7") is Kind.UNAUTHORIZED
    client = replace(client, token_issued_at=time.time() + 1)
    assert [await order("198.51.100.7") for _ in range(2)] == [None] * 2
    await cast.act(ana.company_id, Revoke(client.client_id))
    assert await order("198.51.100.7") is Kind.UNAUTHORIZED


@pytest.mark.parametrize("limit", [1, 600, None])
async def test_a_limit_of_its_own(cast: Cast, ana: Seller, limit: int | None) -> None:
    await cast.act(ana.company_id, LimitRequests(ana.client.client_id, limit))
    await read(cast, ana.client)
    assert cast.runner.requests_per_minute(ana.company_id, ana.client.client_id) == limit


@pytest.mark.parametrize(
    ("verb", "field"),
    [
        (lambda c: Permit(c, ("orders:delete",)), "permissions"),
        (lambda c: Permit(c, ()), "permissions"),
        (lambda c: BindNetworks(c, ("here",)), "networks"),
        (lambda c: LimitRequests(c, 0), "requestsPerMinute"),
        (lambda _: AddClient(""), "name"),
        (lambda _: AddClient("x", ("all",)), "permissions"),
        (lambda _: AddClient("x", PERMISSIONS, ("10.0.0.1/8",)), "networks"),
        (lambda _: AddClient("x", PERMISSIONS, (), -1), "requestsPerMinute"),
        (lambda _: TrustSubject("a b", "x", EPOCH), "subject"),
        (lambda _: TrustSubject("a", "x\n", EPOCH), "name"),
    ],
)
async def test_what_makes_no_sense_is_refused_and_changes_nothing(cast: Cast, ana: Seller, verb: Any, field: str) -> None:
    before = await _all(cast, ana)
    outcome = await cast.runner.act(ana.company_id, verb(ana.client.client_id))
    assert isinstance(outcome, Refused)
    assert [p.field for p in outcome.problems] == [field]
    assert await _all(cast, ana) == before


async def _all(cast: Cast, ana: Seller) -> Any:
    async with cast.database.session(ana.company_id) as session:
        return await session.fetch("SELECT * FROM clients WHERE company_id = $1", ana.company_id)


async def test_nobodys_client_is_not_found(cast: Cast, ana: Seller) -> None:
    dora = await cast.dora()
    for verb in (Permit(ana.client.client_id, PERMISSIONS), Revoke(ana.client.client_id), RevokeTokens("lc_none")):
        outcome = await cast.runner.act(dora.company_id, verb)
        assert isinstance(outcome, Refused)
        assert outcome.kind is Kind.NOT_FOUND
    assert await read(cast, ana.client) is Kind.NOT_FOUND


async def test_a_subject_is_trusted_once_and_apart_from_ours(cast: Cast, ana: Seller) -> None:
    made = await cast.act(ana.company_id, TrustSubject(ana.client.client_id, "Impostor", EPOCH, ("orders:read",)))
    assert made["clientId"] == f"outside:{ana.client.client_id}"
    again = await cast.runner.act(ana.company_id, TrustSubject(ana.client.client_id, "Again", EPOCH))
    assert isinstance(again, Refused)
    assert again.kind is Kind.CONFLICT
    rotated = await cast.runner.act(ana.company_id, RotateSecret(made["clientId"], Secret("x"), timedelta(0)))
    assert isinstance(rotated, Refused)
    assert (await told(cast, ana.client)).permissions == PERMISSIONS


async def test_a_number_that_is_taken_is_a_conflict(cast: Cast, ana: Seller) -> None:
    outcome = await cast.runner.act(cast.id(), FoundCompany("Second", cast.key_ring, {"pix": "BRL"}, ana.number))
    assert isinstance(outcome, Refused)
    assert outcome.kind is Kind.CONFLICT


async def test_the_account_that_is_credited_where_nothing_is_said(cast: Cast, ana: Seller, inside: Any) -> None:
    second = await cast.open_account(ana.company_id)
    account = await inside.fetchrow("SELECT id, version FROM accounts WHERE number = $1", second["number"])
    await cast.act(ana.company_id, ChooseAccount(account["id"], account["version"]))
    async with cast.database.session(ana.company_id) as session:
        company = await companies.company(session, ana.company_id)
    assert company is not None
    assert company.default_account_id == account["id"]
    await cast.account_becomes(ana.company_id, "INACTIVE", account["id"])
    with pytest.raises(Stale):
        await cast.runner.act(ana.company_id, ChooseAccount(account["id"], account["version"]))


async def test_two_changes_at_once_are_both_made(cast: Cast, ana: Seller) -> None:
    outcomes = await asyncio.gather(
        cast.runner.act(ana.company_id, Permit(ana.client.client_id, ("orders:read",))),
        cast.runner.act(ana.company_id, LimitRequests(ana.client.client_id, 5)),
        cast.runner.act(ana.company_id, BindNetworks(ana.client.client_id, ("10.0.0.0/8",))),
    )
    assert all(isinstance(o, Done) for o in outcomes)
    now = await told(cast, ana.client)
    assert (now.permissions, now.requests_per_minute, now.networks) == (("orders:read",), 5, ("10.0.0.0/8",))
