"""Claims of keys by the directory's own words: each row names the operation of DICT API 2.12.1 or the staff's answer."""

from typing import Any
from uuid import uuid4

import pytest

from lastro_sim.settings import LASTRO_ISPB, OUTSIDE_BANK_ISPB

from ..stage import Sim, until
from .directory import (
    DORA,
    ELISA,
    FREE,
    LOJA,
    PHONE,
    advance,
    claim,
    claimed,
    complete,
    delete,
    ours,
    outcome,
    pass_time,
    read,
    refusal,
    register,
    step,
    where,
)

OPERATION = (400, "ClaimOperationInvalid")
REASON = (400, "InvalidReason")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param({}, "WAITING_RESOLUTION", id="createClaim-table-PHONE-OWNERSHIP"),
        pytest.param({"Type": "PORTABILITY", "Claimer": ELISA}, "WAITING_RESOLUTION", id="createClaim-table-PHONE-PORTABILITY"),
        pytest.param({"Key": "fabio@fora.example", "KeyType": "EMAIL"}, (400, "ClaimInvalid"), id="createClaim-table-EMAIL"),
        pytest.param({"Key": "98765432100", "KeyType": "CPF"}, (400, "ClaimInvalid"), id="createClaim-table-CPF"),
        pytest.param(
            {"Key": "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20", "KeyType": "EVP", "Type": "PORTABILITY"},
            (400, "ClaimInvalid"), id="createClaim-table-EVP",
        ),
        pytest.param({"Claimer": ELISA}, (400, "ClaimTypeInconsistent"), id="errors-ClaimTypeInconsistent-a"),
        pytest.param({"Type": "PORTABILITY"}, (400, "ClaimTypeInconsistent"), id="errors-ClaimTypeInconsistent-b"),
        pytest.param({"Key": "+5511900000000"}, (404, "ClaimKeyNotFound"), id="errors-ClaimKeyNotFound"),
        pytest.param({"Key": "x"}, (400, "ClaimInvalid"), id="errors-ClaimInvalid"),
    ],
)  # fmt: skip
async def test_who_may_claim_what(sim: Sim, changes: Any, says: Any) -> None:
    assert outcome(await claim(sim, **changes)) == says


@pytest.mark.parametrize(
    ("kind", "claimer", "says"),
    [
        pytest.param("PORTABILITY", LOJA, (400, "ClaimResultingEntryAlreadyExists"), id="errors-ClaimResultingEntryAlreadyExists"),
        pytest.param("OWNERSHIP", LOJA, (400, "ClaimResultingEntryAlreadyExists"), id="errors-ClaimResultingEntryAlreadyExists-ownership"),
        pytest.param("OWNERSHIP", DORA, "OPEN", id="Reivindicacao-donor-and-claimer-can-be-the-same"),
    ],
)  # fmt: skip
async def test_a_claim_inside_one_participant(sim: Sim, kind: str, claimer: Any, says: Any) -> None:
    key = await ours(sim)
    assert outcome(await claim(sim, Key=key, Type=kind, Claimer=claimer)) == says


async def test_creating_a_claim_is_not_idempotent(sim: Sim) -> None:
    """pix-dict-api #24, perguntas #462: who does not know whether it was opened finds it in the list (listClaims)."""
    made = (await claim(sim)).json()
    assert refusal(await claim(sim)) == (400, "ClaimAlreadyExistsForKey")
    found = await sim.ask(
        "GET", f"/dict/v2/claims?Participant={LASTRO_ISPB}&IsClaimer=true&Status=OPEN&Status=WAITING_RESOLUTION"
    )
    assert found.json()["HasMoreElements"] is False
    assert [(one["Id"], one["Claimer"]["TaxIdNumber"]) for one in found.json()["Claims"]] == [(made["Id"], "52998224725")]


async def test_a_claim_of_a_key_that_has_no_entry_any_more(sim: Sim) -> None:
    """Errors, ClaimAlreadyExistsForKey: also while a claim is CONFIRMED, when the key is nobody's."""
    made = (await claim(sim)).json()["Id"]
    await advance(sim, made, "CONFIRMED")
    assert await where(sim, PHONE) is None
    assert refusal(await claim(sim)) == (400, "ClaimAlreadyExistsForKey")
    assert refusal(await register(sim, "PHONE", PHONE)) == (400, "EntryLockedByClaim")


@pytest.mark.parametrize(
    ("days", "seconds", "at", "says"),
    [
        pytest.param(7, -1, "confirm", (400, "ClaimResolutionPeriodNotEnded"), id="confirmClaim-DEFAULT_OPERATION-before"),
        pytest.param(7, 0, "confirm", "CONFIRMED", id="confirmClaim-DEFAULT_OPERATION-after-ResolutionPeriodEnd"),
        pytest.param(14, -1, "complete", (400, "ClaimCompletionPeriodNotEnded"), id="completeClaim-before-CompletionPeriodEnd"),
        pytest.param(14, 0, "complete", "COMPLETED", id="completeClaim-after-CompletionPeriodEnd"),
        pytest.param(30, -1, "complete", "COMPLETED", id="completeClaim-until-day-30"),
        pytest.param(30, -1, "cancel", (400, "ClaimCompletionPeriodNotEnded"), id="cancelClaim-DEFAULT_OPERATION-before-day-30"),
        pytest.param(30, 0, "cancel", "CANCELLED", id="cancelClaim-DEFAULT_OPERATION-day-30-perguntas-270"),
    ],
)  # fmt: skip
async def test_the_times_of_an_ownership(still: Sim, days: int, seconds: int, at: str, says: Any) -> None:
    """All count from the opening, to the second: perguntas #197. Until a confirmation the entry is the donor's."""
    sim = still
    if at == "confirm":
        key = await ours(sim)
        made = await claimed(sim, key)
        await step(sim, made, "acknowledge")
        await pass_time(sim, days, seconds)
        assert outcome(await step(sim, made, "confirm", Reason="DEFAULT_OPERATION")) == says
        assert await where(sim, key) == (None if says == "CONFIRMED" else LASTRO_ISPB)
        return
    opened = (await claim(sim)).json()
    made = opened["Id"]
    await pass_time(sim, 7)
    await advance(sim, made, "CONFIRMED", "DEFAULT_OPERATION")
    assert (await read(sim, made))["CompletionPeriodEnd"] == opened["CompletionPeriodEnd"], "the default moves no period"
    await pass_time(sim, days - 7, seconds)
    answered = await complete(sim, made) if at == "complete" else await step(sim, made, at, Reason="DEFAULT_OPERATION")
    assert outcome(answered) == says
    assert await where(sim, PHONE) == (LASTRO_ISPB if says == "COMPLETED" else None)


async def test_what_the_donor_agrees_to_is_completed_at_once(still: Sim) -> None:
    """confirmClaim: USER_REQUESTED brings the end of the completion period forward; to that instant: perguntas #87."""
    sim = still
    opened = (await claim(sim)).json()
    await advance(sim, opened["Id"], "CONFIRMED", "USER_REQUESTED")
    shown = await read(sim, opened["Id"])
    assert (shown["ConfirmReason"], shown["CompletionPeriodEnd"]) == ("USER_REQUESTED", shown["LastModified"])
    assert outcome(await complete(sim, opened["Id"])) == "COMPLETED"


async def test_which_claims_have_a_completion_period(sim: Sim) -> None:
    """ExtendedClaim, CompletionPeriodEnd: "Apenas para reivindicação de posse"; there from the opening."""
    assert "CompletionPeriodEnd" in (await claim(sim)).json()
    key = await ours(sim)
    made = await claimed(sim, key, "PORTABILITY")
    assert "CompletionPeriodEnd" not in await read(sim, made)


async def test_a_claim_that_is_cancelled_brings_no_key_back(sim: Sim) -> None:
    """confirmClaim removes the donor's entry; cancelClaim creates none. Its holder registers it anew."""
    key = await ours(sim)
    made = await claimed(sim, key)
    await step(sim, made, "acknowledge")
    await step(sim, made, "confirm", Reason="USER_REQUESTED")
    assert await where(sim, key) is None
    assert outcome(await step(sim, made, "cancel", Reason="FRAUD")) == "CANCELLED", "the donor may until the end"
    assert await where(sim, key) is None
    assert (await register(sim, "PHONE", key)).status_code == 201


# (type, who cancels, status): which reasons are taken there, by cancelClaim's tables and its exceptions.
CLAIMERS = {"USER_REQUESTED", "ACCOUNT_CLOSURE", "FRAUD"}
CANCELLED: dict[tuple[str, str, str], set[str]] = {
    ("PORTABILITY", "DONOR", "OPEN"): {"USER_REQUESTED", "FRAUD"},
    ("PORTABILITY", "DONOR", "WAITING_RESOLUTION"): {"USER_REQUESTED", "FRAUD"},
    ("PORTABILITY", "DONOR", "CONFIRMED"): set(),
    ("PORTABILITY", "CLAIMER", "OPEN"): CLAIMERS | {"RECONCILIATION", "RFB_VALIDATION"},
    ("PORTABILITY", "CLAIMER", "WAITING_RESOLUTION"): CLAIMERS | {"RFB_VALIDATION"},
    ("PORTABILITY", "CLAIMER", "CONFIRMED"): {"FRAUD", "RECONCILIATION", "RFB_VALIDATION"},
    ("OWNERSHIP", "DONOR", "OPEN"): {"FRAUD"},
    ("OWNERSHIP", "DONOR", "WAITING_RESOLUTION"): {"FRAUD"},
    ("OWNERSHIP", "DONOR", "CONFIRMED"): {"FRAUD"},
    ("OWNERSHIP", "CLAIMER", "OPEN"): CLAIMERS,
    ("OWNERSHIP", "CLAIMER", "WAITING_RESOLUTION"): CLAIMERS,
    ("OWNERSHIP", "CLAIMER", "CONFIRMED"): CLAIMERS,
}
REASONS = ("USER_REQUESTED", "ACCOUNT_CLOSURE", "FRAUD", "RECONCILIATION", "RFB_VALIDATION")


@pytest.mark.parametrize(
    ("kind", "side", "status"), [pytest.param(*of, id="cancelClaim-" + "-".join(of)) for of in CANCELLED]
)
async def test_for_what_a_claim_is_cancelled(sim: Sim, kind: str, side: str, status: str) -> None:
    taken = set()
    for number, reason in enumerate(REASONS):
        key = f"+55119000001{number:02d}"
        made = await _standing(sim, key, kind, side, status)
        answered = await step(sim, made, "cancel", Reason=reason)
        if answered.is_success:
            assert (answered.json()["CancelReason"], answered.json()["CancelledBy"]) == (reason, side)
            again = await step(sim, made, "cancel", Reason=reason)  # idempotent with the same parameters
            assert outcome(again) == "CANCELLED"
            assert (
                refusal(await step(sim, made, "cancel", Reason="FRAUD" if reason != "FRAUD" else "USER_REQUESTED"))
                == OPERATION
            )
            taken.add(reason)
        else:
            assert refusal(answered) in (REASON, OPERATION)
    assert taken == CANCELLED[kind, side, status]


async def _standing(sim: Sim, key: str, kind: str, side: str, status: str) -> str:
    """A claim that stands there, in which the participant has this side."""
    ownership = kind == "OWNERSHIP"
    if side == "DONOR":
        made = await claimed(sim, await ours(sim, key), "CLAIM_OWNERSHIP" if ownership else "PORTABILITY")
        if status == "OPEN":
            return made
        await step(sim, made, "acknowledge")
        if status == "CONFIRMED":
            if not ownership:
                await sim.act("/faults", {"operation": "claim", "behaviour": "timeout", "match": {"key": key}})
            assert outcome(await step(sim, made, "confirm", Reason="USER_REQUESTED")) == "CONFIRMED"
        return made
    await sim.act("/directory", {"type": "PHONE", "key": key, "owner": {"name": "Elisa", "document": "98765432100"}})
    if status == "OPEN":
        await sim.act("/faults", {"operation": "claim", "behaviour": "timeout", "match": {"key": key}})
    made = str((await claim(sim, Key=key, Type=kind, Claimer=DORA if ownership else ELISA)).json()["Id"])
    if status == "CONFIRMED":
        await advance(sim, made, "CONFIRMED")
    return made


@pytest.mark.parametrize(
    ("act", "status", "says"),
    [
        pytest.param("acknowledge", "WAITING_RESOLUTION", "WAITING_RESOLUTION", id="acknowledgeClaim-idempotent"),
        pytest.param("acknowledge", "CONFIRMED", OPERATION, id="acknowledgeClaim-only-while-WAITING_RESOLUTION"),
        pytest.param("confirm", "OPEN", OPERATION, id="confirmClaim-must-be-WAITING_RESOLUTION"),
        pytest.param("confirm", "CONFIRMED", "CONFIRMED", id="confirmClaim-idempotent"),
        pytest.param("confirm", "COMPLETED", OPERATION, id="confirmClaim-idempotent-only-while-CONFIRMED"),
        pytest.param("cancel", "COMPLETED", OPERATION, id="cancelClaim-not-COMPLETED"),
        pytest.param("complete", "WAITING_RESOLUTION", (403, "Forbidden"), id="completeClaim-by-the-claimer"),
    ],
)
async def test_what_a_donor_may_say_when(sim: Sim, act: str, status: str, says: Any) -> None:
    made = await _standing(sim, FREE, "OWNERSHIP", "DONOR", status if status != "COMPLETED" else "CONFIRMED")
    if status == "COMPLETED":
        assert (await advance(sim, made, "COMPLETED"))["status"] == "COMPLETED"
    if act == "complete":
        assert outcome(await complete(sim, made)) == says
        return
    reason = {"confirm": {"Reason": "USER_REQUESTED"}, "cancel": {"Reason": "FRAUD"}}.get(act, {})
    assert outcome(await step(sim, made, act, **reason)) == says


@pytest.mark.parametrize(
    ("kind", "reason", "says"),
    [
        pytest.param("PORTABILITY", "USER_REQUESTED", "CONFIRMED", id="confirmClaim-PORTABILITY-USER_REQUESTED"),
        pytest.param("PORTABILITY", "ACCOUNT_CLOSURE", "CONFIRMED", id="confirmClaim-PORTABILITY-ACCOUNT_CLOSURE"),
        pytest.param("PORTABILITY", "DEFAULT_OPERATION", REASON, id="confirmClaim-PORTABILITY-DEFAULT_OPERATION"),
        pytest.param("OWNERSHIP", "ACCOUNT_CLOSURE", REASON, id="confirmClaim-OWNERSHIP-ACCOUNT_CLOSURE"),
        pytest.param("OWNERSHIP", "FRAUD", REASON, id="confirmClaim-OWNERSHIP-FRAUD"),
    ],
)
async def test_for_what_a_claim_is_confirmed(sim: Sim, kind: str, reason: str, says: Any) -> None:
    await sim.act("/faults", {"operation": "claim", "behaviour": "timeout", "match": {"key": FREE}})
    made = await _standing(sim, FREE, kind, "DONOR", "WAITING_RESOLUTION")
    assert outcome(await step(sim, made, "confirm", Reason=reason)) == says


async def test_only_the_donor_confirms_and_acknowledges(sim: Sim) -> None:
    """The table of confirmClaim; acknowledgeClaim, "pelo participante doador"."""
    made = (await claim(sim)).json()["Id"]
    assert refusal(await step(sim, made, "confirm", Reason="USER_REQUESTED")) == (403, "Forbidden")
    assert refusal(await step(sim, made, "acknowledge")) == (403, "Forbidden")


async def test_completing_is_idempotent_by_its_request_id(sim: Sim) -> None:
    """completeClaim, Idempotência; with another RequestId it is ClaimOperationInvalid: perguntas #123."""
    made, request_id = (await claim(sim)).json()["Id"], str(uuid4())
    await advance(sim, made, "CONFIRMED")
    first, again = await complete(sim, made, request_id), await complete(sim, made, request_id)
    assert (first.json(), first.json()["Status"]) == (again.json(), "COMPLETED")
    assert refusal(await complete(sim, made)) == OPERATION
    lacking = await step(sim, made, "complete")
    assert refusal(lacking) == (400, "ClaimInvalid"), "CompleteClaimRequest requires a RequestId"


@pytest.mark.parametrize(
    ("kind", "keeps"),
    [
        pytest.param("PORTABILITY", True, id="KeyOwnershipDate-same-owner-without-a-break"),
        pytest.param("OWNERSHIP", False, id="KeyOwnershipDate-another-owner"),
    ],
)
async def test_since_when_a_claimed_key_is_owned(still: Sim, kind: str, keeps: bool) -> None:
    """CompleteClaimResponse has EntryCreationDate and KeyOwnershipDate; the latter is the owner's, at whichever bank."""
    sim = still
    key = await ours(sim)
    registered = sim.network.clock.business()
    await pass_time(sim, 3)
    made = await claimed(sim, key, "CLAIM_OWNERSHIP" if kind == "OWNERSHIP" else kind)
    await step(sim, made, "acknowledge")
    await step(sim, made, "confirm", Reason="USER_REQUESTED")
    if kind == "OWNERSHIP":
        await advance(sim, made, "COMPLETED")
    found = await sim.ask(
        "GET", f"/dict/v2/entries/{key}",
        **{"PI-RequestingParticipant": LASTRO_ISPB, "PI-PayerId": "11222333000181", "PI-EndToEndId": "E" * 32},
    )  # fmt: skip
    assert found.json()["createdAt"] > found.json()["keyOwnershipDate"] if keeps else True
    since = sim.network.store.row("SELECT since FROM possession WHERE key = ?", key)
    assert since is not None
    assert (since["since"] == registered) is keeps


async def test_a_key_with_an_open_claim_is_neither_deleted_nor_registered(sim: Sim) -> None:
    """Errors, EntryLockedByClaim: while the claim is neither completed nor cancelled."""
    key = await ours(sim)
    made = await claimed(sim, key, "PORTABILITY")
    assert refusal(await delete(sim, key)) == (400, "EntryLockedByClaim")
    await advance(sim, made, "CANCELLED")
    assert (await delete(sim, key)).status_code == 200


async def test_the_banks_played_here_keep_the_times_themselves(still: Sim) -> None:
    """Silence: a donor confirms an ownership and cancels a portability (perguntas #116); a claimer cancels on day 30."""
    sim = still
    here = await ours(sim)
    gone = await claimed(sim, here)
    await step(sim, gone, "acknowledge")
    await step(sim, gone, "confirm", Reason="USER_REQUESTED")
    owned = (await claim(sim)).json()["Id"]
    await sim.act(
        "/directory", {"type": "PHONE", "key": "+5511900000002", "owner": {"name": "E", "document": "98765432100"}}
    )
    ported = (await claim(sim, Key="+5511900000002", Type="PORTABILITY", Claimer=ELISA)).json()["Id"]

    async def at(claim_id: str, status: str, reason: str) -> None:
        sim.network.bells.ring("timer")
        found = "SELECT 1 FROM claim WHERE id = ? AND status = ? AND ? IN (cancel_reason, confirm_reason)"
        await until(lambda: sim.network.store.row(found, claim_id, status, reason))

    await pass_time(sim, 7)
    await at(owned, "CONFIRMED", "DEFAULT_OPERATION")
    await at(ported, "CANCELLED", "DEFAULT_OPERATION")
    await pass_time(sim, 22, 86_399)
    assert (await read(sim, gone))["Status"] == "CONFIRMED"
    await pass_time(sim, 0, 1)
    await at(gone, "CANCELLED", "DEFAULT_OPERATION")
    assert await where(sim, here) is None


async def test_reading_a_claim(sim: Sim) -> None:
    """getClaim requires PI-RequestingParticipant; NotFound for what is none."""
    made = (await claim(sim)).json()["Id"]
    assert refusal(await sim.ask("GET", f"/dict/v2/claims/{made}")) == (400, "BadRequest")
    header = {"PI-RequestingParticipant": LASTRO_ISPB}
    assert (await sim.ask("GET", f"/dict/v2/claims/{made}", **header)).json()["DonorParticipant"] == OUTSIDE_BANK_ISPB
    assert refusal(await sim.ask("GET", f"/dict/v2/claims/{uuid4()}", **header)) == (404, "NotFound")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param("", "ab", id="listClaims-no-role-is-either"),
        pytest.param("&IsDonor=true&IsClaimer=true", "ab", id="listClaims-disjunctive"),
        pytest.param("&IsDonor=true", "b", id="listClaims-IsDonor"),
        pytest.param("&IsClaimer=true", "a", id="listClaims-IsClaimer"),
        pytest.param("&Status=OPEN", "b", id="listClaims-Status"),
        pytest.param("&Type=PORTABILITY", "b", id="listClaims-Type"),
        pytest.param("&Limit=1", "a+", id="listClaims-Limit-HasMoreElements"),
        pytest.param("&Limit=201", (400, "BadRequest"), id="listClaims-Limit-200-at-most"),
        pytest.param("&ModifiedAfter=2100-01-01T00:00:00Z", "", id="listClaims-ModifiedAfter"),
    ],
)
async def test_the_list_of_claims(still: Sim, query: str, found: Any) -> None:
    """Ordered by LastModified, the first that was modified at the head."""
    sim = still
    first = (await claim(sim)).json()["Id"]
    await pass_time(sim, 0, 1)
    second = await claimed(sim, await ours(sim), "PORTABILITY")
    answered = await sim.ask("GET", f"/dict/v2/claims?Participant={LASTRO_ISPB}{query}")
    if not isinstance(found, str):
        assert refusal(answered) == found
        return
    names = {first: "a", second: "b"}
    said = "".join(names[one["Id"]] for one in answered.json()["Claims"]) + "+" * answered.json()["HasMoreElements"]
    assert said == found
