"""Registers clients, changes their permissions and limits, and revokes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import NOT_FOUND, present, render, stamp
from lastro.companies import problems as refusals
from lastro.companies import rules, store
from lastro.companies.model import PERMISSIONS, new_client_id, outside_client_id
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.secrets import Secret, hash_machine_secret, new_machine_secret, same
from lastro.core.write import Row, Touch, Write

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import timedelta

    from lastro.companies.model import Client
    from lastro.core.db import Session

SECRET_PREFIX = "lsk_"  # noqa: S105 what scanners look for
_GONE = refusals.CLIENT_REVOKED.refused()
_EVER = datetime.fromtimestamp(0, UTC)  # no token of a new id is older than the id, by any clock


@dataclass(frozen=True)
class AddClient(Act[int]):
    """A new client of the company; the answer holds its secret, which is shown this once.

    networks: where its requests may come from, none: anywhere.
    requests_per_minute None: what every client has.
    """

    name: str
    permissions: tuple[str, ...] = PERMISSIONS
    networks: tuple[str, ...] = ()
    requests_per_minute: int | None = None

    async def read(self, session: Session, context: RequestContext) -> int:
        """Reads the company's number."""
        return await store.number_of(session, context.company_id)

    def decide(self, known: int, context: RequestContext) -> Done | Refused:
        """Adds the client, with its secret's hash."""
        row = _new_row(self.name, self.permissions, self.networks, self.requests_per_minute)
        if isinstance(row, Refused):
            return row
        client_id = new_client_id(known, context.chance.bytes(24))
        secret = new_machine_secret(SECRET_PREFIX, context.chance.bytes)
        row |= {
            "client_id": client_id, "secret_hash": hash_machine_secret(secret), "tokens_valid_after": _EVER,
            "created_at": context.now,
        }  # fmt: skip
        body = render({"clientId": client_id, "clientSecret": secret.reveal()})
        return Done(Write(context.company_id, rows=(Row("clients", row),)), body)


@dataclass(frozen=True)
class TrustSubject(Act[None]):
    """Registers the client that the outside issuer calls `subject`.

    It has no secret here and cannot ask us for a token. tokens_valid_after: machine time; tokens from before it do not
    count.
    """

    subject: str
    name: str
    tokens_valid_after: datetime
    permissions: tuple[str, ...] = PERMISSIONS
    networks: tuple[str, ...] = ()
    requests_per_minute: int | None = None

    async def read(self, session: Session, context: RequestContext) -> None:
        """Reads nothing."""

    def decide(self, known: None, context: RequestContext) -> Done | Refused:
        """Adds the client. Its id is one that no client of ours can have."""
        row = _new_row(self.name, self.permissions, self.networks, self.requests_per_minute)
        problems = rules.subject_problems(self.subject)
        if isinstance(row, Refused):
            return Refused(Kind.INVALID, (*problems, *row.problems))
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        client_id = outside_client_id(self.subject)
        row |= {"client_id": client_id, "tokens_valid_after": self.tokens_valid_after, "created_at": context.now}
        return Done(Write(context.company_id, rows=(Row("clients", row),)), render({"clientId": client_id}))

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Refuses a subject that the company has already. A revoked subject is not let in again by the same name."""
        return refusals.SUBJECT_DUPLICATE.refused()


def _new_row(
    name: str, permissions: tuple[str, ...], networks: tuple[str, ...], requests_per_minute: int | None
) -> dict[str, Any] | Refused:
    kept, problems = rules.networks(networks)
    problems = [
        *rules.name_problems(name), *rules.permission_problems(permissions), *problems,
        *rules.limit_problems(requests_per_minute),
    ]  # fmt: skip
    if problems:
        return Refused(Kind.INVALID, tuple(problems))
    return {
        "name": name, "permissions": rules.in_order(permissions), "allowed_networks": kept,
        "requests_per_minute": requests_per_minute,
    }  # fmt: skip


@dataclass(frozen=True)
class _Change(Act["Client | None"], ABC):
    """A change of a client's row, under its next version. So every process sees it at once."""

    client_id: str

    async def read(self, session: Session, context: RequestContext) -> Client | None:
        """Reads the client as it is."""
        return await store.client(session, context.company_id, self.client_id)

    def decide(self, known: Client | None, context: RequestContext) -> Done | Refused:
        """Changes one row, unless nothing would change."""
        if known is None:
            return NOT_FOUND
        sets = self.sets(known)
        if isinstance(sets, Refused):
            return sets
        body = render({"clientId": self.client_id, **self.shown(known)})
        if not sets:
            return Done(None, body)
        touch = Touch("clients", self.client_id, known.version, {**sets, "version": known.version + 1}, key="client_id")
        return Done(Write(context.company_id, touches=(touch,)), body)

    @abstractmethod
    def sets(self, known: Client) -> Mapping[str, Any] | Refused:
        """Returns the columns to change; nothing where they are so already."""

    def shown(self, known: Client) -> Mapping[str, Any]:
        """Returns further fields of the answer."""
        return {}


@dataclass(frozen=True)
class Permit(_Change):
    """Replaces the client's permissions."""

    permissions: tuple[str, ...]

    def sets(self, known: Client) -> Mapping[str, Any] | Refused:
        """Returns the permissions."""
        problems = rules.permission_problems(self.permissions)
        return Refused(Kind.INVALID, tuple(problems)) if problems else {"permissions": rules.in_order(self.permissions)}

    def shown(self, known: Client) -> Mapping[str, Any]:
        """Returns the permissions as they are kept."""
        return {"permissions": rules.in_order(self.permissions)}


@dataclass(frozen=True)
class BindNetworks(_Change):
    """Replaces the networks that the client's requests may come from. No network: anywhere."""

    networks: tuple[str, ...]

    def sets(self, known: Client) -> Mapping[str, Any] | Refused:
        """Returns the networks."""
        kept, problems = rules.networks(self.networks)
        return Refused(Kind.INVALID, tuple(problems)) if problems else {"allowed_networks": kept}

    def shown(self, known: Client) -> Mapping[str, Any]:
        """Returns the networks as they are kept."""
        return {"allowedNetworks": rules.networks(self.networks)[0]}


@dataclass(frozen=True)
class BindCertificates(_Change):
    """Adds or removes certificates, of which the client must show one.

    They are named by `x5t#S256`. A client whose last one is removed needs none any more; with `stays_bound` that is
    refused.
    """

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    stays_bound: bool = True

    def sets(self, known: Client) -> Mapping[str, Any] | Refused:
        """Returns the certificates."""
        kept = self._kept(known)
        problems = rules.certificate_problems(kept)
        if set(self.remove) - set(known.certificates):
            problems.append(refusals.CERTIFICATE_UNKNOWN.problem())
        elif not kept and self.stays_bound and known.certificates:
            problems.append(refusals.CERTIFICATE_IS_LAST.problem())
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        return {} if kept == known.certificates else {"certificates": list(kept)}

    def shown(self, known: Client) -> Mapping[str, Any]:
        """Returns the certificates as they are kept."""
        return {"certificates": self._kept(known)}

    def _kept(self, known: Client) -> tuple[str, ...]:
        together = dict.fromkeys((*known.certificates, *self.add))
        return tuple(one for one in together if one not in self.remove)


@dataclass(frozen=True)
class LimitRequests(_Change):
    """Sets the client's requests a minute; None: the default of every client."""

    requests_per_minute: int | None

    def sets(self, known: Client) -> Mapping[str, Any] | Refused:
        """Returns the limit."""
        problems = rules.limit_problems(self.requests_per_minute)
        return Refused(Kind.INVALID, tuple(problems)) if problems else {"requests_per_minute": self.requests_per_minute}

    def shown(self, known: Client) -> Mapping[str, Any]:
        """Returns the limit."""
        return present(requestsPerMinute=self.requests_per_minute)


@dataclass(frozen=True)
class RotateSecret(_Change):
    """A new secret for the client; the one it had admits for `overlap` more, one before that no longer.

    secret: made by the caller and told in the answer, so that a second try of the same rotation is the same rotation.
    """

    secret: Secret = field(repr=False)
    overlap: timedelta

    def sets(self, known: Client) -> Mapping[str, Any] | Refused:
        """Returns both secrets' hashes, and until when the older one admits."""
        if known.secret_hash is None:
            return refusals.CLIENT_OF_OUTSIDE.refused()
        if known.revoked_at is not None:
            return _GONE
        fresh = hash_machine_secret(self.secret)
        if same(fresh, known.secret_hash):
            return {}  # an earlier try was written after all
        return {
            "secret_hash": fresh, "secret_hash_previous": known.secret_hash,
            "secret_previous_until": known.read_at + self.overlap,
        }  # fmt: skip

    def shown(self, known: Client) -> Mapping[str, Any]:
        """Returns the secret, which is shown this once."""
        return {"clientSecret": self.secret.reveal(), "previousUntil": stamp(known.read_at + self.overlap)}


@dataclass(frozen=True)
class Revoke(_Change):
    """Revokes the client for good: its secrets and its tokens count no more, from the next request on."""

    def sets(self, known: Client) -> Mapping[str, Any] | Refused:
        """Returns the time by the database's clock, which requests compare with."""
        return {} if known.revoked_at is not None else {"revoked_at": known.read_at}

    def shown(self, known: Client) -> Mapping[str, Any]:
        """Returns the time of the revocation."""
        return {"revokedAt": stamp(known.revoked_at or known.read_at)}


@dataclass(frozen=True)
class RevokeTokens(_Change):
    """The client's tokens up to now count no more; it may ask for new ones."""

    def sets(self, known: Client) -> Mapping[str, Any] | Refused:
        """Returns the time from which its tokens count."""
        return {"tokens_valid_after": known.read_at}

    def shown(self, known: Client) -> Mapping[str, Any]:
        """Returns the time from which its tokens count."""
        return {"tokensValidAfter": stamp(known.read_at)}
