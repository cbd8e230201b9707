"""Who gets a token: by which secret, from where, and for how long after a rotation."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any

import asyncpg
import pytest
from tests.cast import Cast, Client, Seller

from lastro.companies import (
    BindCertificates,
    BindNetworks,
    Login,
    Revoke,
    RotateSecret,
    SigningKeys,
    TrustSubject,
    Verifier,
    public_keys,
)
from lastro.companies.model import new_client_id
from lastro.companies.tokens import new_signing_key
from lastro.core.errors import Refused
from lastro.core.rights import Peer
from lastro.core.secrets import Secret, hash_machine_secret, new_machine_secret

ISSUER = "https://lastro.test"
HOME, ELSEWHERE = ip_address("203.0.113.7"), ip_address("198.51.100.7")


@dataclass
class Door:
    cast: Cast
    login: Login
    keys: SigningKeys

    async def admits(self, client_id: str, secret: str, source: Any = HOME) -> bool:
        token = await self.login.token(client_id, secret, source if isinstance(source, Peer) else Peer(source))
        if token is None:
            return False
        claims = Verifier(public_keys(self.keys.tokens), ISSUER).verify(token, time.time())
        assert claims.client_id == client_id
        return True

    async def rotate(self, client: Client, overlap: timedelta) -> str:
        secret = new_machine_secret("lsk_", self.cast.chance.bytes)
        made = await self.cast.act(client.company_id, RotateSecret(client.client_id, secret, overlap))
        assert made["clientSecret"] == secret.reveal()
        return secret.reveal()


@pytest.fixture
async def door(cast: Cast) -> Door:
    keys = SigningKeys((new_signing_key(cast.chance.bytes),), (), b"")
    return Door(cast, Login(cast.database, lambda: keys, ISSUER, cast.chance.bytes), keys)


async def test_the_secret_admits_and_nothing_else_does(door: Door, ana: Seller) -> None:
    client = ana.client
    assert await door.admits(client.client_id, client.secret)
    for wrong in ("", "lsk_", client.secret + "x", client.secret[:-1], client.secret.lower(), "nobody", "\ud800"):
        assert not await door.admits(client.client_id, wrong)
    stored = await _secret_hash(door, client)
    assert stored == hash_machine_secret(client.secret)
    assert not await door.admits(client.client_id, stored.hex())


@pytest.mark.parametrize("secret", ["nobody", ""])
async def test_who_is_not_there_is_nobody(door: Door, ana: Seller, secret: str) -> None:
    number = ana.number
    for client_id in (
        new_client_id(number, door.cast.chance.bytes(24)), new_client_id(916_132_831, door.cast.chance.bytes(24)),
        "", "lc_", "nobody", ana.client.client_id.lower(), ana.client.client_id + "0", f"outside:{ana.client.client_id}",
        "lc_" + "é" * 22, "lc_" + "\x00" * 22,
    ):  # fmt: skip
        assert not await door.admits(client_id, secret), client_id


async def test_two_secrets_admit_until_the_overlap_ends(door: Door, ana: Seller, inside: Any) -> None:
    old = ana.client.secret
    new = await door.rotate(ana.client, timedelta(hours=24))
    assert await door.admits(ana.client.client_id, old)
    assert await door.admits(ana.client.client_id, new)
    until = await inside.fetchval("SELECT secret_previous_until FROM clients WHERE client_id = $1", ana.client.client_id)
    assert timedelta(hours=23) < until - datetime.now(UTC) <= timedelta(hours=24, minutes=1)
    await inside.execute(
        "UPDATE clients SET secret_previous_until = machine_now(), version = version + 1 WHERE client_id = $1",
        ana.client.client_id,
    )
    assert not await door.admits(ana.client.client_id, old)
    assert await door.admits(ana.client.client_id, new)


async def test_without_overlap_the_old_secret_ends_at_once(door: Door, ana: Seller) -> None:
    new = await door.rotate(ana.client, timedelta(0))
    assert not await door.admits(ana.client.client_id, ana.client.secret)
    assert await door.admits(ana.client.client_id, new)


async def test_a_third_secret_ends_the_first(door: Door, ana: Seller) -> None:
    second = await door.rotate(ana.client, timedelta(hours=1))
    third = await door.rotate(ana.client, timedelta(hours=1))
    assert [await door.admits(ana.client.client_id, s) for s in (ana.client.secret, second, third)] == [False, True, True]


async def test_the_same_rotation_twice_is_one(door: Door, ana: Seller) -> None:
    """As when the connection was lost after the first had been written: the first secret must not lose its overlap."""
    secret = Secret("lsk_the_same")
    for _ in range(2):
        await door.cast.act(ana.company_id, RotateSecret(ana.client.client_id, secret, timedelta(hours=1)))
    assert await door.admits(ana.client.client_id, ana.client.secret)
    assert await door.admits(ana.client.client_id, "lsk_the_same")


async def test_a_revoked_client_gets_nothing(door: Door, ana: Seller) -> None:
    new = await door.rotate(ana.client, timedelta(hours=1))
    await door.cast.act(ana.company_id, Revoke(ana.client.client_id))
    assert not await door.admits(ana.client.client_id, new)
    assert not await door.admits(ana.client.client_id, ana.client.secret)


async def test_a_client_bound_to_networks_is_admitted_from_there_alone(door: Door, ana: Seller) -> None:
    client = ana.client
    await door.cast.act(ana.company_id, BindNetworks(client.client_id, ("203.0.113.0/24", "2001:db8::/32")))
    assert await door.admits(client.client_id, client.secret, HOME)
    assert await door.admits(client.client_id, client.secret, ip_address("2001:db8::1"))
    assert not await door.admits(client.client_id, client.secret, ELSEWHERE)
    assert not await door.admits(client.client_id, client.secret, None)
    await door.cast.act(ana.company_id, BindNetworks(client.client_id, ()))
    assert await door.admits(client.client_id, client.secret, ELSEWHERE)
    assert await door.admits(client.client_id, client.secret, None)


async def test_a_client_bound_to_certificates_is_admitted_with_one_of_them(door: Door, ana: Seller) -> None:
    client, (first, second, third) = ana.client, ("A" * 43, "b" * 43, "-" * 43)
    bound = await door.cast.act(ana.company_id, BindCertificates(client.client_id, (first, second, first)))
    assert bound["certificates"] == [first, second]
    assert [await door.admits(client.client_id, client.secret, Peer(HOME, one)) for one in (first, second, third, None)] == [
        True, True, False, False,
    ]  # fmt: skip
    token = await door.login.token(client.client_id, client.secret, Peer(HOME, second))
    assert Verifier(public_keys(door.keys.tokens), ISSUER).verify(token or "", time.time()).certificate == second
    await door.cast.act(ana.company_id, BindCertificates(client.client_id, remove=(first, second), stays_bound=False))
    assert await door.admits(client.client_id, client.secret, Peer(HOME, None))
    token = await door.login.token(client.client_id, client.secret, Peer(HOME, second))
    assert Verifier(public_keys(door.keys.tokens), ISSUER).verify(token or "", time.time()).certificate is None


@pytest.mark.parametrize(
    ("verb", "problem"),
    [
        ({"add": ("short",)}, "INVALID"), ({"add": ("é" * 43,)}, "INVALID"), ({"remove": ("B" * 43,)}, "INVALID"),
        ({"remove": ("A" * 43,)}, "NOT_ALLOWED"), ({"add": tuple(f"{n:043d}" for n in range(20))}, "TOO_LONG"),
    ],
)  # fmt: skip
async def test_what_certificates_cannot_be(door: Door, ana: Seller, verb: Any, problem: str) -> None:
    await door.cast.act(ana.company_id, BindCertificates(ana.client.client_id, ("A" * 43,)))
    refused = await door.cast.runner.act(ana.company_id, BindCertificates(ana.client.client_id, **verb))
    assert isinstance(refused, Refused)
    assert [p.issue for p in refused.problems] == [problem]


async def test_whom_an_outside_issuer_vouches_for_has_no_secret(door: Door, ana: Seller) -> None:
    epoch = datetime.fromtimestamp(0, UTC)
    await door.cast.act(ana.company_id, TrustSubject("shop", "Shop", epoch))
    for secret in ("", "nobody", "None", ana.client.secret):
        assert not await door.admits("outside:shop", secret)


async def test_ours_have_a_secret_and_outsiders_have_none(door: Door, ana: Seller, inside: Any) -> None:
    await door.cast.act(ana.company_id, TrustSubject("shop", "Shop", datetime.fromtimestamp(0, UTC)))
    for client_id, secret in (("outside:shop", b"x" * 32), (ana.client.client_id, None)):
        with pytest.raises(asyncpg.CheckViolationError):
            await inside.execute("UPDATE clients SET secret_hash = $1 WHERE client_id = $2", secret, client_id)


async def _secret_hash(door: Door, client: Client) -> bytes:
    async with door.cast.database.session(client.company_id) as session:
        return bytes(await session.value("SELECT secret_hash FROM clients WHERE client_id = $1", client.client_id))
