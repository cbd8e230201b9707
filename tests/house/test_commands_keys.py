"""lastro keys: what signs is listed and rotated, and an authority's certificate takes the place of a key's own."""

import asyncio

from cryptography import x509
from tests import signatures

from lastro.app import wiring
from lastro.core.db import Database

from .office import Office


def start_an_api(office: Office) -> None:
    """What the first API process does about keys."""

    async def started() -> None:
        database = Database(office.settings.app)
        try:
            await wiring.keychain_of(office.settings, database).load_or_make()
        finally:
            await database.close()

    asyncio.run(started())


def test_keys_are_listed_and_rotated(office: Office) -> None:
    assert office.types("keys", "list") == "none"
    assert "no API process has made keys" in office.declined("keys", "rotate", "token")
    start_an_api(office)
    states = [(k["purpose"], k["state"]) for k in office.asks("keys", "list")]
    assert states == [("token", "signs"), ("token", "signs next"), ("location", "signs"), ("location", "signs next")]
    listed = office.asks("keys", "list")
    assert office.asks("keys", "rotate", "token")["kid"] == listed[1]["kid"]
    assert [k["state"] for k in office.asks("keys", "list")[:3]] == ["published", "signs", "signs next"]
    office.types("keys", "rotate", "token", "--at-once")
    assert [k["state"] for k in office.asks("keys", "list")[:4]] == ["retired", "retired", "signs", "signs next"]
    office.types("keys", "rotate", "location")
    ends = [k["certificateEnds"] for k in office.asks("keys", "list") if k["purpose"] == "location"]
    assert len(ends) == 3
    assert all(ends)


def test_a_key_takes_an_authoritys_certificate(office: Office) -> None:
    start_an_api(office)
    waits = office.asks("keys", "list")[-1]
    assert (waits["state"], waits["keyKind"], waits["certificates"]) == ("signs next", "P-256", 1)
    file = office.settings.home / "location.csr"
    assert office.asks("keys", "request", waits["kid"], str(file))["file"] == str(file)
    csr = x509.load_pem_x509_csr(file.read_bytes())
    assert csr.is_signature_valid
    assert "no certificates" in office.declined("keys", "certify", waits["kid"], str(file))
    assert "cannot be read" in office.declined("keys", "certify", waits["kid"], str(file / "nothing"))
    assert "no key of locations" in office.declined("keys", "request", "nobody", str(file))
    assert "cannot be written" in office.declined("keys", "request", waits["kid"], str(office.settings.home))
    file.write_bytes(signatures.issued(csr, signatures.ec_private()))
    given = office.asks("keys", "certify", waits["kid"], str(file))
    assert (given["state"], given["certificates"], given["certificateEnds"][:4]) == (
        "signs next",
        2,
        str(signatures.END.year),
    )
    assert office.asks("keys", "list")[-1] == waits | {key: given[key] for key in ("certificates", "certificateEnds")}
