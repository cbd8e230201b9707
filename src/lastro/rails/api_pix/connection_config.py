"""Connections: bank accounts that lastro reaches by API Pix. Each is also the rail of its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lastro.core.secrets import Secret
    from lastro.rails.api_pix.dialects import Dialect
    from lastro.rails.api_pix.tls import CertificateFiles

_SCOPED = (
    "cob", "cobv", "lotecobv", "cobr", "rec", "solicrec", "pix", "webhook", "webhookrec", "webhookcobr", "payloadlocation",
    "payloadlocationrec",
)  # fmt: skip
# API Pix 2.9.0, securitySchemes.
SCOPES = tuple(f"{name}.{act}" for name in _SCOPED for act in ("read", "write"))
ORDINARY_SCOPES = ("cob.read", "cob.write", "pix.read", "pix.write", "webhook.read", "webhook.write")
CAPABILITIES = ("cob", "refund")  # of a connection whose table names none
SUBSCRIPTIONS = "rec"
KNOWN_CAPABILITIES = (*CAPABILITIES, SUBSCRIPTIONS)
# Asked for beside, where subscriptions are made.
RECURRING_SCOPES = (
    "cobr.read", "cobr.write", "payloadlocationrec.read", "payloadlocationrec.write", "rec.read", "rec.write",
    "webhookcobr.read", "webhookcobr.write", "webhookrec.read", "webhookrec.write",
)  # fmt: skip
# The webhooks of subscriptions and of their charges, which belong to the account and to none of its keys.
RECURRING_WEBHOOKS = ("webhookrec", "webhookcobr")
# The kinds of an account at a bank (API Pix 2.9.0, DadosBancariosRecebedor).
ACCOUNT_KINDS = ("CORRENTE", "POUPANCA", "PAGAMENTO")


@dataclass(frozen=True, slots=True)
class Connection:
    """A bank account of a company of ours, reached by API Pix.

    name: `^[a-z][a-z0-9]{1,15}$`, the name of its rail. company: its number here. base_url, token_url: with no final slash.
    keys: each Pix key, in the directory's form, and the account here that it pays, nine digits; none where no order is made.
    scopes: asked for. is_issuing: as the file says. capabilities: what it is used for.
    """

    name: str
    company: int
    dialect: Dialect
    base_url: str
    token_url: str
    client_id: str
    client_secret: Secret | None
    certificate: CertificateFiles | None
    ca_file: Path | None
    keys: Mapping[str, str]
    scopes: tuple[str, ...] = ORDINARY_SCOPES
    capabilities: frozenset[str] = frozenset(CAPABILITIES)
    is_issuing: bool = True
    # Of webhooks. The address that the bank is given is webhook + /rails/{name}/{secret}; the bank appends /pix.
    webhook: str | None = None
    secret: Secret | None = None
    # SHA-256 of the bank's client certificates, base64url without padding (RFC 8705 §3.1); empty: none is looked at.
    peers: frozenset[str] = frozenset()
    # Of polling.
    poll_seconds: int = 20
    window_days: int = 5
    requests_per_minute: int = 600
    # What some banks want beside: their dialect says so.
    app_key: Secret | None = None
    bank_account: str | None = None
    # Of the charges of subscriptions, which name the receiver's account: its branch, four digits, and its kind.
    bank_branch: str | None = None
    account_kind: str = ACCOUNT_KINDS[0]
    # Of the bank, which events about orders name; None: it is not known, and they name none.
    ispb: str | None = None
    # Whether x-request-id and traceparent are sent; some gateways refuse what they do not know.
    is_traced: bool = False
    # Whether charges without an order are removed. Charges of another lastro at the same bank account look like them.
    is_removing_orphans: bool = False

    @property
    def makes_orders(self) -> bool:
        """True where new orders are made by it; else it is polled on for those that it has made."""
        return self.is_issuing and "cob" in self.capabilities

    @property
    def gives_refunds(self) -> bool:
        """True where money is given back by it."""
        return "refund" in self.capabilities

    @property
    def makes_subscriptions(self) -> bool:
        """True where new subscriptions are made by it."""
        return self.makes_orders and SUBSCRIPTIONS in self.capabilities

    @property
    def webhooks(self) -> tuple[str, ...]:
        """Returns for what the bank may have a webhook of it: each key, subscriptions, their charges."""
        return (*self.keys, *(RECURRING_WEBHOOKS if SUBSCRIPTIONS in self.capabilities else ()))

    @property
    def receiver_account(self) -> dict[str, str] | None:
        """Returns the account that a subscription's charge names; None: the table has none."""
        if self.bank_account is None:
            return None
        branch = {} if self.bank_branch is None else {"agencia": self.bank_branch}
        return {**branch, "conta": self.bank_account, "tipoConta": self.account_kind}

    @property
    def webhook_url(self) -> str | None:
        """Returns the address to register at the bank; None: it tells us nothing, and is polled. It holds a secret."""
        if self.webhook is None or self.secret is None:
            return None
        return f"{self.webhook}/rails/{self.name}/{self.secret.reveal()}"
