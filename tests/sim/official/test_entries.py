"""Entries of the directory by its own words: each row names the operation or the error of DICT API 2.12.1."""

from typing import Any
from uuid import uuid4

import pytest
from tests.in_one import in_one_test

from lastro_sim.settings import LASTRO_ISPB

from ..stage import ACCOUNT, OWNER, Sim
from .directory import FREE, PHONE, claimed, delete, entry, ours, refusal, register, where

ANA = {"name": "Ana", "document": {"type": "CPF", "number": "52998224725"}}
ELISA = {"name": "Elisa Externa", "document": {"type": "CPF", "number": "98765432100"}}
HEADERS = {"PI-RequestingParticipant": LASTRO_ISPB, "PI-PayerId": "11222333000181", "PI-EndToEndId": "E" * 32}


async def look_up(sim: Sim, key: str, **headers: str) -> Any:
    """getEntry."""
    return await sim.ask("GET", f"/dict/v2/entries/{key}", **(HEADERS | headers))


@pytest.mark.parametrize(
    ("kind", "key", "changes", "says"),
    [
        pytest.param("PHONE", FREE, {}, 201, id="createEntry"),
        pytest.param("PHONE", FREE, {"reason": "RECONCILIATION"}, 201, id="CreateEntryRequest-Reason-RECONCILIATION"),
        pytest.param("PHONE", FREE, {"reason": "FRAUD"}, "InvalidReason", id="CreateEntryRequest-Reason-no-other"),
        pytest.param("PHONE", FREE, {"reason": None}, "EntryInvalid", id="CreateEntryRequest-Reason-required"),
        pytest.param("PHONE", FREE, {"requestId": None}, "EntryInvalid", id="CreateEntryRequest-RequestId-required"),
        pytest.param("PHONE", "11999990000", {}, "EntryInvalid", id="errors-EntryInvalid"),
        pytest.param("CPF", "52998224725", {}, "EntryTaxIdNumberByDifferentOwner", id="errors-EntryTaxIdNumberByDifferentOwner"),
        pytest.param("CPF", "52998224725", {"owner": ANA}, 201, id="createEntry-CPF-of-its-owner"),
        pytest.param("PHONE", PHONE, {}, "EntryKeyOwnedByDifferentPerson", id="errors-EntryKeyOwnedByDifferentPerson"),
        pytest.param(
            "PHONE", PHONE, {"owner": ELISA}, "EntryKeyInCustodyOfDifferentParticipant",
            id="errors-EntryKeyInCustodyOfDifferentParticipant",
        ),
    ],
)  # fmt: skip
async def test_which_entries_are_registered(sim: Sim, kind: str, key: str, changes: Any, says: Any) -> None:
    answered = await register(sim, kind, key, **changes)
    assert (answered.status_code if answered.is_success else refusal(answered)) == (says if says == 201 else (400, says))


async def test_a_key_that_the_same_owner_has_here(sim: Sim) -> None:
    """Errors, EntryAlreadyExists: the same participant and owner."""
    await ours(sim)
    assert refusal(await register(sim, "PHONE", FREE)) == (400, "EntryAlreadyExists")
    assert refusal(await register(sim, "PHONE", FREE, owner=ANA)) == (400, "EntryKeyOwnedByDifferentPerson")


async def test_a_request_id_is_one_entrys(sim: Sim) -> None:
    """CreateEntry, Idempotência."""
    body = entry("PHONE", FREE)
    first, again = [await sim.ask("POST", "/dict/v2/entries", body) for _ in range(2)]
    assert (first.status_code, first.json()) == (201, again.json())
    other = await sim.ask("POST", "/dict/v2/entries", body | {"key": "+5511900000009"})
    assert refusal(other) == (400, "RequestIdAlreadyUsed")


@pytest.mark.parametrize(
    ("owner", "most"),
    [
        pytest.param(ANA, 5, id="errors-EntryLimitExceeded-a-person-5"),
        pytest.param(OWNER, 20, id="errors-EntryLimitExceeded-a-company-20"),
    ],
)
async def test_how_many_entries_lead_to_an_account(sim: Sim, owner: Any, most: int) -> None:
    """The code is official; the numbers are the regulation's, as institutions publish them."""
    for _ in range(most):
        await ours(sim, "", "EVP", owner=owner)
    assert refusal(await register(sim, "EVP", "", owner=owner)) == (400, "EntryLimitExceeded")
    assert (await register(sim, "EVP", "", owner=owner, account=ACCOUNT | {"account": "27"})).status_code == 201


@pytest.mark.parametrize(
    ("key", "changes", "says"),
    [
        pytest.param(FREE, {}, 200, id="deleteEntry"),
        *(
            pytest.param(FREE, {"reason": reason}, 200, id=f"DeleteEntryRequest-Reason-{reason}")
            for reason in ("ACCOUNT_CLOSURE", "RECONCILIATION", "FRAUD", "RFB_VALIDATION")
        ),
        pytest.param(FREE, {"reason": "BRANCH_TRANSFER"}, (400, "InvalidReason"), id="DeleteEntryRequest-Reason-no-other"),
        pytest.param(FREE, {"reason": None}, (400, "BadRequest"), id="DeleteEntryRequest-Reason-required"),
        pytest.param(FREE, {"participant": None}, (400, "BadRequest"), id="DeleteEntryRequest-Participant-required"),
        pytest.param(PHONE, {}, (403, "Forbidden"), id="deleteEntry-of-another-participant"),
        pytest.param("+5511900000008", {}, (404, "NotFound"), id="deleteEntry-of-nobody"),
    ],
)
async def test_which_entries_are_deleted(sim: Sim, key: str, changes: Any, says: Any) -> None:
    await ours(sim)
    answered = await delete(sim, key, **changes)
    assert (answered.status_code if answered.is_success else refusal(answered)) == says
    assert (await where(sim, FREE) is None) is (says == 200)


@pytest.mark.parametrize(
    ("key", "says"),
    [
        pytest.param(PHONE, 200, id="getEntry"),
        pytest.param("+5511900000008", (404, "NotFound"), id="getEntry-NotFound"),
        pytest.param("13579246828", (400, "EntryBlocked"), id="errors-EntryBlocked"),
        pytest.param(FREE, (400, "EntryCannotBeQueriedForBookTransfer"), id="errors-EntryCannotBeQueriedForBookTransfer"),
    ],
)
async def test_what_is_answered_about_a_key(sim: Sim, key: str, says: Any) -> None:
    await ours(sim)
    answered = await look_up(sim, key)
    assert (answered.status_code if answered.is_success else refusal(answered)) == says


@in_one_test("header", [pytest.param(name, id=f"getEntry-{name}-required") for name in HEADERS])
async def test_a_look_up_says_for_whom_it_is(sim: Sim, header: str) -> None:
    assert refusal(await look_up(sim, PHONE, **{header: ""})) == (400, "BadRequest")


async def test_an_entry_says_since_when_it_is_claimed(sim: Sim) -> None:
    """ExtendedEntry, OpenClaimCreationDate."""
    await sim.ask(
        "POST", "/dict/v2/claims",
        {
            "Type": "PORTABILITY", "Key": PHONE, "KeyType": "PHONE",
            "Claimer": {"Type": "NATURAL_PERSON", "TaxIdNumber": "98765432100", "Name": "Elisa Externa"},
            "ClaimerAccount": {
                "Participant": LASTRO_ISPB, "Branch": "0001", "AccountNumber": "19", "AccountType": "TRAN",
                "OpeningDate": "2026-01-01T00:00:00Z",
            },
        },
    )  # fmt: skip
    assert "openClaimCreationDate" in (await look_up(sim, PHONE)).json()
    assert "openClaimCreationDate" not in (await look_up(sim, "fabio@fora.example")).json()


@in_one_test(
    "code",
    [
        pytest.param(one, id=f"errors-{one}")
        for one in ("TaxIdNumberBlocked", "UserOrAccountWithFraudRelatedRestriction", "EntryWithFraudRelatedRestriction")
    ],
)
async def test_what_the_directory_refuses_for_reasons_of_its_own(sim: Sim, code: str) -> None:
    """A fault says so: nobody here is blocked by a court or restricted for suspicion of fraud."""
    await sim.act("/faults", {"operation": "directory", "behaviour": "reject", "code": code})
    assert refusal(await register(sim, "PHONE", FREE)) == (400, code)
    assert await where(sim, FREE) is None


async def test_a_portability_says_where_the_key_is_until_it_is_confirmed(sim: Sim) -> None:
    """CreateClaim: "O vínculo atual permanece inalterado, até que haja a confirmação pelo PSP doador"."""
    key = await ours(sim, f"{uuid4()}@example.com", "EMAIL")
    await claimed(sim, key, "PORTABILITY")
    assert await where(sim, key) == LASTRO_ISPB
