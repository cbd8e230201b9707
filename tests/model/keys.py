"""What a Pix key is, in a few words: a model of states.md tables 9 and 10, as far as a bank is asked for keys, and of §5.

Time is in seconds since noon in Brasilia of the walk's first day, which no walk leaves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from tests.model.machine import Said, outcome
from tests.model.network import told

from lastro.keys import Codes
from lastro.rails import port

if TYPE_CHECKING:
    from tests.model.stage import Stage

MOST_KEYS = 5  # of a person
VALID, GRACE, BETWEEN = 600, 60, 60
MOST_SENDS = MOST_TRIES = MOST_TO_ONE = 5
MOST_CODES = 20
WAY = ("OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED")
ENDED = ("COMPLETED", "CANCELLED")
KINDS = {"CPF": "CPF", "another's CPF": "CPF", "ana@": "EMAIL", "loja@": "EMAIL", "random": "RANDOM"}


@dataclass
class Key:
    """A key. text: what it is called here. claim: the name of another bank's that is open."""

    text: str
    status: str = "ACTIVE"
    claim: str | None = None


@dataclass
class Proof:
    """A validation: a code was sent, and has to come back."""

    text: str
    sent_at: int
    status: str = "PENDING"
    number: int = 1
    tries: int = 0


@dataclass
class Claim:
    """What another bank wants with a key."""

    key: str
    status: str = "OPEN"


@dataclass
class Keys:
    """All of one person's account."""

    now: int = 0
    keys: dict[str, Key] = field(default_factory=lambda: {"first": Key("first")})
    proofs: dict[str, Proof] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)  # sent today, by where
    confirmed: dict[str, tuple[Any, str]] = field(default_factory=dict)  # by idempotency key: the request, and its key

    def seen(self) -> dict[str, Any]:
        """What can be seen of it from outside."""
        return {
            "newest first": tuple(name for name, key in reversed(self.keys.items()) if key.status == "ACTIVE"),
            **{name: (p.status, p.number, p.tries) for name, p in self.proofs.items()},
            **{name: c.status for name, c in self.claims.items()},
        }

    def rest(self) -> None:
        """What time alone does."""
        for proof in self.proofs.values():
            if proof.status == "PENDING" and self.now > proof.sent_at + VALID + GRACE:
                proof.status = "EXPIRED"

    def lacks_room(self, text: str) -> Said | None:
        """Why the account cannot have one more key."""
        active = [key for key in self.keys.values() if key.status == "ACTIVE"]
        if text != "random" and any(key.text == text for key in active):
            return 409, ("key", "DUPLICATE")
        return (400, ("key", "LIMIT_EXCEEDED")) if len(active) >= MOST_KEYS else None

    def sends(self, text: str) -> bool:
        """Uses up one code of the day; whether there was one."""
        if sum(self.codes.values()) >= MOST_CODES or self.codes.get(text, 0) >= MOST_TO_ONE:
            return False
        self.codes[text] = self.codes.get(text, 0) + 1
        return True


# ── what clients do ──


@dataclass(frozen=True)
class Create:
    """POST …/keys."""

    name: str
    text: str

    async def play(self, stage: Stage) -> Said:
        kind = KINDS[self.text]
        body = {"type": kind} | ({} if kind == "RANDOM" else {"key": text_of(stage, self.text)})
        answer = await stage.ask("POST", path(stage), body)
        if answer.status >= 400:
            return outcome(answer)
        made = answer.json.get("id") or answer.json["validationId"]
        return outcome(answer, stage.names.setdefault(made, self.name))

    def on(self, model: Keys) -> Said:
        if self.text == "another's CPF":
            return 400, ("key", "MISMATCH")
        if (no := model.lacks_room(self.text)) is not None:
            return no
        if KINDS[self.text] != "EMAIL":
            model.keys[self.name] = Key(self.text)
            return 201, self.name
        if not model.sends(self.text):
            return 400, ("key", "LIMIT_EXCEEDED")
        model.proofs[self.name] = Proof(self.text, model.now)
        return 202, self.name


@dataclass(frozen=True)
class Confirm:
    """POST …/keys/confirm. A wrong code is counted, although it is refused. key: of idempotency."""

    name: str
    proof: str
    is_right: bool
    key: str
    may_write: bool = True

    async def play(self, stage: Stage) -> Said:
        proof_id = stage.id_of(self.proof)
        rows = await stage.look("SELECT number, sealed_by FROM pix_key_validations WHERE id = $1::text::uuid", proof_id)
        right = Codes(stage.cast.key_ring).code(UUID(proof_id), *rows[0]) if rows else "000000"
        assert right is not None
        token = right if self.is_right else f"{(int(right) + 1) % 1_000_000:06}"
        body = {"validationId": proof_id, "token": token}
        key = str(uuid5(NAMESPACE_URL, f"{self.key} {stage.ana.company_id}"))
        answer = await stage.ask("POST", f"{path(stage)}/confirm", body, key)
        if answer.status >= 400:
            return outcome(answer)
        return outcome(answer, stage.names.setdefault(answer.json["id"], self.name))

    def on(self, model: Keys) -> Said:
        proof = model.proofs.get(self.proof)
        request = (self.proof, self.is_right, proof and proof.number)
        if self.key in model.confirmed:
            known, name = model.confirmed[self.key]
            return (201, name, "again") if known == request else (409, ("idempotency-key", "CONFLICT"))
        if proof is None:
            return 400, ("validationId", "INVALID")
        if proof.status == "CONFIRMED":
            return 400, ("validationId", "EXPIRED")
        if proof.status == "EXPIRED" or model.now > proof.sent_at + VALID:
            return 400, ("token", "EXPIRED")
        if not self.is_right:
            proof.tries += 1
            proof.status = "EXPIRED" if proof.tries == MOST_TRIES else "PENDING"
            return 400, ("token", "EXPIRED" if proof.tries == MOST_TRIES else "INVALID")
        if (no := model.lacks_room(proof.text)) is not None:
            return no
        proof.status = "CONFIRMED"
        model.keys[self.name] = Key(proof.text)
        model.confirmed[self.key] = (request, self.name)
        return 201, self.name


@dataclass(frozen=True)
class Resend:
    """POST …/keys/resend."""

    proof: str

    async def play(self, stage: Stage) -> Said:
        return outcome(await stage.ask("POST", f"{path(stage)}/resend", {"validationId": stage.id_of(self.proof)}))

    def on(self, model: Keys) -> Said:
        proof = model.proofs.get(self.proof)
        if proof is None:
            return 400, ("validationId", "INVALID")
        if proof.status != "PENDING" or model.now > proof.sent_at + VALID:
            return 400, ("validationId", "EXPIRED")
        if proof.number == MOST_SENDS:
            return 400, ("validationId", "LIMIT_EXCEEDED")
        if model.now < proof.sent_at + BETWEEN:
            return 409, ("status", "CONFLICT")
        if not model.sends(proof.text):
            return 400, ("key", "LIMIT_EXCEEDED")
        proof.number, proof.sent_at = proof.number + 1, model.now
        return (202,)


@dataclass(frozen=True)
class Delete:
    """DELETE …/keys/{keyId}."""

    key: str

    async def play(self, stage: Stage) -> Said:
        return outcome(await stage.ask("DELETE", f"{path(stage)}/{stage.id_of(self.key)}"))

    def on(self, model: Keys) -> Said:
        key = model.keys.get(self.key)
        if key is None:
            return (404,)
        if key.status != "ACTIVE" or key.claim is not None:
            return 409, ("status", "CONFLICT")
        key.status = "DELETED"
        return (204,)


# ── what the directory and time do ──


@dataclass(frozen=True)
class Claimed:
    """The directory says how another bank's claim of a key stands; of a claim that is new, that there is one."""

    name: str
    key: str
    status: Any

    async def play(self, stage: Stage) -> Said:
        claim_id, at = UUID(stage.names.setdefault(f"id of {self.name}", str(uuid4()))), await stage.now()
        stage.names[str(claim_id)] = self.name
        ((kind, text),) = await stage.look("SELECT type, key FROM pix_keys WHERE id = $1::text::uuid", stage.id_of(self.key))
        news = port.ClaimNews(
            claim_id=claim_id, claim_type="PORTABILITY", key_type=kind, key=text, status=self.status, role="DONOR",
            other_bank="99999030", at=at, resolution_at=at + timedelta(days=7),
        )  # fmt: skip
        return (await stage.tell(told(port.CLAIM_NEWS, news, str(claim_id), key=text, rail=port.CLAIMS)),)

    def on(self, model: Keys) -> Said:
        claim, key = model.claims.get(self.name), model.keys[self.key]
        if claim is None:
            model.claims[self.name], key.claim = Claim(self.key), self.name
            return ("handled",)
        if claim.status in ENDED:
            return ("known",)
        if self.status != "CANCELLED" and (steps := WAY.index(self.status) - WAY.index(claim.status)) != 1:
            return ("alarmed" if steps > 1 else "known",)
        claim.status = self.status
        if self.status in ("CONFIRMED", "COMPLETED"):
            key.status = "DELETED"
        if key.status == "DELETED" or self.status == "CANCELLED":
            key.claim = None
        return ("handled",)


@dataclass(frozen=True)
class Later:
    """Time passes."""

    seconds: int

    async def play(self, stage: Stage) -> Said:
        await stage.advance(timedelta(seconds=self.seconds))
        return ()

    def on(self, model: Keys) -> Said:
        model.now += self.seconds
        return ()


def path(stage: Stage) -> str:
    """Of the keys of Ana's account."""
    return f"/order/v1/banking/accounts/{stage.ana.account_id}/keys"


def text_of(stage: Stage, text: str) -> str:
    """The key itself: no two walks have the same, since one key leads to one account."""
    if text == "CPF":
        return stage.ana.holder.document_number
    return "11144477735" if text == "another's CPF" else f"{text}{stage.ana.company_id}.example"
