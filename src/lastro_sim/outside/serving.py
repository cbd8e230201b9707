"""The outside bank's locations and published keys, with their faults."""

import asyncio
import base64
import json
import sqlite3
from contextlib import suppress

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from lastro_sim import faults
from lastro_sim.answers import Asked, answer, hung_up
from lastro_sim.clock import SECOND
from lastro_sim.refusals import RefusedError, away, found

from . import charges, signing
from .acts import KEYS, LOCATIONS, OutsideBank

MEDIA_TYPE = "application/jose"
LONGEST_SILENCE = 60.0
TOO_MUCH = 100_000
ELSEWHERE = "https://keys.elsewhere.example/.well-known/pix-jwks.json"
INSIDE = "http://169.254.169.254/latest/meta-data/"


@get(LOCATIONS + "/{token:str}")
async def location(request: Asked, outside: NamedDependency[OutsideBank], token: FromPath[str]) -> Response[bytes]:
    """Serves a signed charge. An ended one is still shown, with its final status (API Pix 2.9.0 allows both)."""
    charge = found(outside.network.store.find("charge", token=token))
    about = {"location": outside.location(token), "txId": charge["tx_id"]}
    fault = faults.strike(outside.network, "location", about, faults.BEHAVIOURS["location"])
    if fault is None:
        return _signed(_good(outside, charge))
    if fault.behaviour in {"slow", "silent"}:
        await _hold(request, LONGEST_SILENCE if fault.behaviour == "silent" else fault.delay / SECOND)
        if fault.behaviour == "silent":
            raise away()
        # Meanwhile it may have been paid.
        return _signed(_good(outside, outside.network.store.get("charge", token=token)))
    return _misshapen(outside, charge, fault.behaviour)


@get(KEYS)
async def published_keys(outside: NamedDependency[OutsideBank]) -> Response[bytes]:
    """Returns the public halves of the keys, as JWKS."""
    return answer(outside.signer.published())


def _good(outside: OutsideBank, charge: sqlite3.Row) -> str:
    return outside.signer.signed(charges.encoded(outside.network, charge), charges.habit(outside.network, charge))


def _misshapen(outside: OutsideBank, charge: sqlite3.Row, behaviour: str) -> Response[bytes]:
    """Returns an answer that a careful reader refuses."""
    body = charges.encoded(outside.network, charge)
    signer, habit = outside.signer, charges.habit(outside.network, charge)
    if behaviour == "down":
        raise away()
    if behaviour == "gone":
        raise RefusedError(410, "NOT_FOUND", "Resource not found")
    if behaviour == "redirect":
        return Response(b"", status_code=302, headers={"Location": INSIDE})
    if behaviour == "unsigned":
        head = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JOSE"}').rstrip(b"=").decode()
        return _signed(f"{head}.{base64.urlsafe_b64encode(body).rstrip(b'=').decode()}.")
    if behaviour == "wrong-key":
        return _signed(signer.forged(body, habit, kid="outside-2"))
    if behaviour == "wrong-jku":
        return _signed(signer.signed(body, habit, jku=ELSEWHERE))
    if behaviour == "too-large":
        return _signed(signer.signed(json.dumps(json.loads(body) | {"padding": "x" * TOO_MUCH}).encode(), habit))
    if behaviour in signing.FAULTY:
        return _signed(signer.signed(body, signing.FAULTY[behaviour]))
    # The bank's own header and charge, and somebody else's signature.
    return _signed(_good(outside, charge).rpartition(".")[0] + "." + signer.forged(body, habit).rpartition(".")[2])


def _signed(compact: str) -> Response[bytes]:
    return Response(compact.encode(), media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})


async def _hold(request: Asked, seconds: float) -> None:
    """Waits so long, or until the caller disconnects."""
    gone = asyncio.ensure_future(hung_up(request))
    await asyncio.wait({gone}, timeout=seconds)
    gone.cancel()
    with suppress(asyncio.CancelledError):
        await gone
