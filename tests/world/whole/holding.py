"""What people do about accounts and keys: opened, blocked, closed; keys made, proved, claimed, given away and deleted."""

from typing import Any

from tests.world.whole.crowd import Crowd
from tests.world.whole.forms import MEDIA, form_of, picture

from lastro.accounts.opening.docs import CREATE
from lastro.standards.documents import is_cpf

_SCRIPTED = ("70000050172", "70000050253", "70000050334", "70000050415")
_SLOTS = ("documentHolder", "selfieHolder", "pepDeclaration")


async def makes_a_key(crowd: Crowd) -> None:
    """A random one at once, an e-mail address or phone by the code that is sent there."""
    chance, account = crowd.chance, crowd.chance.choice(crowd.accounts)["id"]
    kind = chance.choice(("RANDOM", "EMAIL", "EMAIL", "PHONE"))
    path, typed = {"accountId": account}, _address(crowd, kind)
    made = await crowd.write("create_key", {"type": kind, **({"key": typed} if typed else {})}, path=path)
    await crowd.read("list_keys", path=path)
    if made is None:
        return
    if "validationId" in made:
        if chance.random() < 0.2:
            await crowd.write("resend_key_code", {"validationId": made["validationId"]}, path=path)
        made = await _prove(crowd, "confirm_key", made["validationId"], typed, path)
    if made is None:
        return
    if typed and chance.random() < 0.5:
        await _leaves(crowd, account, typed)
    elif chance.random() < 0.6:
        await crowd.write("delete_key", path={"accountId": account, "keyId": made["id"]})


def _address(crowd: Crowd, kind: str) -> str:
    number = crowd.chance.getrandbits(40)
    return {"EMAIL": f"s{number:x}@example.com", "PHONE": f"+55119{number % 10**8:08d}"}.get(kind, "")


async def _code(crowd: Crowd, to: str, word: str = "") -> str | None:
    """The newest code that was sent there."""

    async def look() -> Any:
        sent = await crowd.act(f"/messages?to={to.replace('+', '%2B')}", method="GET")
        return next((one["code"] for one in (sent or {"data": []})["data"] if word in one["text"]), None)

    found: str | None = await crowd.soon(look)
    return found


async def _prove(crowd: Crowd, operation: str, validation_id: str, to: str, path: dict[str, str]) -> Any:
    """The code is typed: rightly, or wrongly first."""
    code = await _code(crowd, to)
    if code is None:
        return None
    if crowd.chance.random() < 0.2:
        wrong = {"validationId": validation_id, "token": "000000"}
        await crowd.write("confirm_key_claim" if operation == "confirm_key_claim" else "confirm_key", wrong, path=path)
    proof = {"validationId": validation_id, "token": code}
    if operation == "confirm_key_claim":
        return await crowd.write("confirm_key_claim", proof, path=path)
    return await crowd.write("confirm_key", proof, path=path)


async def claims_a_key(crowd: Crowd) -> None:
    """A key of the bank outside is to come here."""
    chance, account = crowd.chance, crowd.chance.choice(crowd.accounts)["id"]
    path = {"accountId": account}
    phone = _address(crowd, "PHONE")
    await crowd.act("/directory", {"type": "PHONE", "key": phone})
    asked = {"claimType": "CLAIM_OWNERSHIP", "type": "PHONE", "key": phone}
    begun = await crowd.write("create_key_claim", asked, path=path)
    await crowd.read("list_key_claims", path=path)
    if begun is None:
        return
    if "validationId" in begun:
        if chance.random() < 0.2:
            await crowd.write("resend_key_claim_code", {"validationId": begun["validationId"]}, path=path)
        begun = await _prove(crowd, "confirm_key_claim", begun["validationId"], phone, path)
    if begun is None:
        return
    path["claimId"] = begun["id"]
    if chance.random() < 0.3:
        await crowd.write("cancel_key_claim", {}, path=path)
        return

    # Of a bank that is silent the phone comes in a week, is to be completed from day 14 on, and is given up on day 30.
    if chance.random() < 0.7 and await _stands(crowd, path, "WAITING_RESOLUTION"):
        await crowd.act(f"/directory/claims/{begun['id']}/advance", {"status": "CONFIRMED"})
        if chance.random() < 0.8 and await _stands(crowd, path, "CONFIRMED"):
            await _decide(crowd, path, phone)


async def _stands(crowd: Crowd, path: dict[str, str], status: str) -> bool:
    """Whether the claim comes to stand there soon."""

    async def look() -> bool:
        shown = await crowd.read("read_key_claim", path=path)
        return bool(shown and shown["status"] == status)

    return bool(await crowd.soon(look))


async def _leaves(crowd: Crowd, account: str, typed: str) -> None:
    """The bank outside claims a key that is here: a phone also in somebody else's name."""
    chance = crowd.chance
    is_owned = typed.startswith("+") and chance.random() < 0.6
    claim = await crowd.act(
        "/directory/claims", {"key": typed, "claimType": "CLAIM_OWNERSHIP" if is_owned else "PORTABILITY"}
    )
    if claim is None or "claimId" not in claim:
        return
    path = {"accountId": account, "claimId": claim["claimId"]}
    if not await _stands(crowd, path, "WAITING_RESOLUTION"):
        return
    decided = await _decide(crowd, path, typed)
    if not is_owned or decided is None or decided["status"] != "CONFIRMED":
        return
    # The key has left. Its claimer takes it, or its holder calls that a fraud; else the claimer gives it up on day 30.
    if chance.random() < 0.5:
        await crowd.act(f"/directory/claims/{claim['claimId']}/advance", {"status": "COMPLETED"})
    elif chance.random() < 0.7:
        holder = await crowd.read("read_account", path={"id": account})
        if holder is not None:
            await _decide(crowd, path, holder["email"], ("CANCEL",))


async def _decide(
    crowd: Crowd, path: dict[str, str], to: str, decisions: tuple[str, ...] = ("CONFIRM", "CONFIRM", "CANCEL")
) -> Any:
    """The holder says yes or no by another code; the claim afterwards, where it was answered."""
    asked = await crowd.write("request_key_claim_code", {}, path=path)
    if asked is None or "validationId" not in asked:
        return None
    if crowd.chance.random() < 0.2:
        await crowd.write("resend_key_claim_answer_code", {"validationId": asked["validationId"]}, path=path)
    code = await _code(crowd, to, "decidir")
    if code is None:
        return None
    body = {"validationId": asked["validationId"], "token": code, "decision": crowd.chance.choice(decisions)}
    return await crowd.write("answer_key_claim", body, path=path)


async def opens_an_account(crowd: Crowd) -> None:
    """Somebody asks for an account and uploads what is wanted, or some of it."""
    terms = await crowd.read("read_account_terms", holderType="INDIVIDUAL")
    if terms is None:
        return
    cpf = crowd.chance.choice(_SCRIPTED) if crowd.chance.random() < 0.3 else _somebody(crowd)
    asked = {
        **(CREATE.request or {}), "externalId": crowd.code(), "document": {"type": "CPF", "number": cpf},
        "termsAccepted": {"version": terms["version"], "acceptedAt": "2026-01-01T00:00:00Z", "ip": "203.0.113.7"},
    }  # fmt: skip
    made = await crowd.write("open_account", asked)
    if made is None:
        return
    for slot in _SLOTS:
        if crowd.chance.random() < 0.9:
            shown, name = picture(crowd.chance.randrange(256)), made["accountRequestId"].encode()
            form = form_of({"documentType": slot.encode(), "accountRequestId": name, "file": shown})
            if crowd.chance.random() < 0.5:
                await crowd.write("upload_account_document", form, media=MEDIA)
            else:
                await crowd.write("upload_account_document_elsewhere", form, media=MEDIA)
    await crowd.read("read_account_request", path={"id": made["accountRequestId"]})


def _somebody(crowd: Crowd) -> str:
    base = crowd.chance.randrange(100_000_000, 700_000_000)
    return next(cpf for end in range(100) if is_cpf(cpf := f"{base}{end:02d}"))


async def is_blocked(crowd: Crowd) -> None:
    """An account is blocked for a while, and somebody pays to it meanwhile; in the end it may be closed."""
    chance = crowd.chance
    spare = chance.choice(crowd.town.people["spare"])
    await crowd.operator("account", "block", spare["number"], "--reason", "COURT_ORDER")
    crowd.meanwhile(crowd.act("/phone/transfer", {"key": spare["pixKey"], "amount": crowd.cents()}))
    await crowd.read("read_account", path={"id": spare["id"]})
    await crowd.operator("account", "unblock", spare["number"], "--reason", "COURT_ORDER")
    crowd.meanwhile(crowd.act("/phone/transfer", {"key": spare["pixKey"], "amount": crowd.cents()}))
    if chance.random() < 0.5:
        made = await crowd.write("request_account_close", {"closeRequestReason": "We are moving"}, path={"id": spare["id"]})
        if made is not None:
            await crowd.read("read_account_close", path={"id": made["id"]})
    await crowd.write("list_account_closes", {"take": 10, "requireTotalCount": True})
    await crowd.read("list_accounts", limit="10")
