"""The kinds of objects, by page: the API's path, facts and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.console.lists import Column

if TYPE_CHECKING:
    from lastro.timeline.shapes import Thing

_ID, _STATUS, _CODE = (
    Column("id", "id", "code"),
    Column("status", "status", "state"),
    Column("externalId", "externalId", "code"),
)
_CREATED, _UPDATED = Column("createdAt", "createdAt", "moment"), Column("updatedAt", "updatedAt", "moment")
_AMOUNT, _ACCOUNT = Column("amount", "amount", "money"), Column("accountId", "accountId", "account", "accounts")
_END_TO_END, _ERROR = Column("endToEndId", "endToEndId", "code"), Column("errorMessage", "errorMessage")
_PAID, _METHOD = Column("paidAt", "paidAt", "moment"), Column("paymentMethod", "paymentMethod", "word")
_DESCRIPTION = Column("description", "description")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows within an object. path: of their list in its answer. link: where the page of a row is; key: its id.

    within: the list in each of these rows whose rows are shown instead, each with the row it is in as `of`. before_acts:
    shown on the page before each act, too.
    """

    title: str
    path: str
    columns: tuple[Column, ...]
    link: str | None = None
    key: str = "id"
    within: str | None = None
    before_acts: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of object. name: of its pages; thing: of its term.

    path: of the API's operation that reads it; empty: there is none. root: of its timeline; None: it is part of another's,
    which its id finds. title: the field that it is called by.
    """

    name: str
    thing: str
    path: str
    facts: tuple[Column, ...]
    root: Thing | None = None
    tables: tuple[Table, ...] = ()
    title: str = "externalId"

    @property
    def is_of_account(self) -> bool:
        """True where the API's path names the account, too."""
        return "{accountId}" in self.path


KINDS: tuple[Kind, ...] = (
    Kind(
        "orders", "order", "/order/v2/transparent/{id}",
        (_STATUS, Column("amount", "amount", "money"), Column("finalAmount", "finalAmount", "money"),
         Column("paidAmount", "paidAmount", "money"), Column("fee", "fee", "money"),
         Column("refundedAmount", "refundedAmount", "money"), _METHOD, _DESCRIPTION,
         _CODE, _ACCOUNT, Column("customer", "customer"), Column("payer", "payer", "party"),
         _END_TO_END, Column("txid", "pix.conciliationId", "code"), Column("staticQrcodeId", "staticQrcodeId", "id"),
         Column("carriedTxid", "txid", "code"), Column("leadsHere", "leadsHere", "flag"), _ERROR,
         _ID, _CREATED, _PAID, _UPDATED),
        "order",
    ),
    Kind(
        "payouts", "payout", "/order/v1/banking/order-payouts/{id}",
        (_STATUS, _AMOUNT, Column("fee", "fee", "money"), Column("balanceAfter", "balanceAfter", "money"),
         Column("receiver", "receiver", "party"), Column("returnedAmount", "returnedAmount", "money"), _METHOD, _DESCRIPTION,
         _CODE, _ACCOUNT, _END_TO_END, Column("controlNumber", "controlNumber", "code"),
         Column("scheduledDate", "scheduledDate", "day"), Column("waitsFor", "waitsFor", "code"),
         Column("nextTryAt", "nextTryAt", "moment"), Column("errorCode", "errorCode", "code"), _ERROR, _ID, _CREATED, _PAID,
         _UPDATED),
        "payout",
        (Table("table.transfers", "batch.transactions",
               (Column("number", "sequence", "count"), _STATUS, _AMOUNT, _END_TO_END, _PAID, _ERROR), "payouts"),),
    ),
    Kind(
        "plans", "plan", "/order/v1/banking/payout-plans/{id}",
        (_STATUS, Column("totalAmount", "totals.amount", "money"), Column("fees", "totals.fees", "money"),
         Column("lines", "lines", "count"), Column("receivers", "totals.receivers", "count"),
         Column("transfers", "totals.transfers", "count"), Column("largestAmount", "totals.largest.amount", "money"),
         Column("largestLine", "totals.largest.line", "count"),
         Column("largestReceiver", "totals.largest.receiver", "party"),
         Column("approvalsRequired", "approvalsRequired", "count"), Column("createdBy", "createdBy", "caller"),
         Column("hash", "hash", "code"),
         Column("expiresAt", "expiresAt", "moment"), _ID, _CREATED, _UPDATED),
        "plan",
        (Table("table.accounts", "accounts",
               (_ACCOUNT, Column("available", "available", "money"), Column("availableAfter", "availableAfter", "money"),
                Column("isCovered", "isCovered", "flag"))),
         Table("table.approvals", "approvals",
               (Column("clientId", "clientId", "caller"), Column("when", "approvedAt", "moment")))),
        "id",
    ),
    Kind(
        "subscriptions", "subscription", "/order/v1/banking/subscriptions/{id}",
        (_STATUS, Column("amount", "fixedAmount", "money"), Column("frequencyType", "frequencyType", "word"),
         Column("startDate", "startDate", "day"), Column("endDate", "endDate", "day"), _DESCRIPTION, _CODE,
         Column("payer", "debtor.name"), Column("document", "debtor.document.number", "document"),
         Column("accountId", "receiver.id", "account", "accounts"), Column("providerId", "providerId", "code"),
         Column("leadsHere", "initialCharge.leadsHere", "flag"), _ID,
         _CREATED, _UPDATED),
        "subscription",
        (Table("table.charges", "payments", (Column("dueDate", "dueDate", "day"), _STATUS, _AMOUNT, _CODE, _CREATED)),
         Table("table.tries", "payments",
               (Column("externalId", "of.externalId", "code"), Column("when", "date", "day"),
                Column("tried", "kind", "word"), _STATUS, _END_TO_END, _ERROR, Column("cure", "errorCure")),
               within="attempts"),
         Table("table.cancellations", "cancellations", (_STATUS, Column("reason", "reason", "word"), _ERROR, _CREATED))),
    ),
    Kind(
        "refunds", "refund", "/order/v1/banking/order-refunds/{id}",
        (_STATUS, _AMOUNT, Column("orderId", "orderId", "id", "orders"), Column("refundCode", "refundCode", "word"),
         Column("refundReason", "refundReason"), _DESCRIPTION, _CODE, Column("returnId", "returnId", "code"),
         Column("errorCode", "errorCode", "code"), _ERROR, _ID, _CREATED, _UPDATED),
    ),
    Kind(
        "foreign", "foreignPayment", "/order/v1/banking/foreign-payments/{id}",
        (_STATUS, _AMOUNT, Column("connection", "connection", "code"), _END_TO_END, Column("txid", "txid", "code"),
         Column("key", "pixKey", "code"), Column("reason", "reason", "word"), _PAID,
         Column("orderId", "orderId", "id", "orders"), _ID, _CREATED, _UPDATED),
        title="endToEndId",
    ),
    Kind(
        "disputes", "dispute", "/order/v1/banking/med/{id}",
        (_STATUS, _AMOUNT, Column("blockedAmount", "blockedAmount", "money"),
         Column("returnedAmount", "returnedAmount", "money"), Column("lackingAmount", "lackingAmount", "money"),
         Column("laterReturnedAmount", "laterReturnedAmount", "money"),
         Column("monitoredUntil", "monitoredUntil", "moment"), Column("order", "orderId", "id", "orders"),
         Column("payment", "paymentId", "id", "payments"), Column("payout", "payoutId", "id", "payouts"),
         Column("payer", "payer", "party"), Column("customer", "customer", "party"), Column("receiver", "receiver", "party"),
         Column("holder", "holder"), Column("objectType", "objectType", "word"), Column("role", "role", "word"),
         Column("reason", "reason", "word"), Column("type", "type", "word"),
         Column("requestingBank", "requestingBank", "code"), Column("details", "details"),
         Column("analysisResult", "analysisResult", "state"),
         Column("awaitingOurAnalysis", "awaitingOurAnalysis", "flag"), Column("deadline", "deadline", "moment"),
         Column("defense", "defense"), Column("defendedAt", "defendedAt", "moment"),
         Column("defenseDueAt", "defenseDueAt", "moment"), _ACCOUNT,
         _END_TO_END, Column("id", "referenceId", "code"), _CREATED, _UPDATED),
        "dispute",
        (Table("table.hops", "transactions",
               (Column("number", "hop", "count"), _END_TO_END, _AMOUNT, Column("payerBank", "payerBank", "code"),
                Column("receiverBank", "receiverBank", "code"))),
         Table("table.documents", "defenseDocuments",
               (Column("file", "fileName", "code"), Column("type", "contentType", "word"),
                Column("bytes", "size", "count"), Column("sha256", "sha256", "code"), _CREATED),
               "disputes/{referenceId}/documents", "documentId", before_acts=True),
         Table("table.related", "related",
               (Column("objectType", "objectType", "word"), _STATUS, _AMOUNT, Column("deadline", "deadline", "moment")),
               "disputes", "referenceId")),
        "endToEndId",
    ),
    Kind(
        "accounts", "account", "/order/v1/banking/accounts/{id}",
        (_STATUS, Column("fullName", "fullName"), Column("holderType", "holderType", "word"),
         Column("document", "document.number", "document"), Column("email", "email"), Column("phone", "phone"),
         Column("accountNumber", "bankAccountData.accountNumber", "code"), Column("available", "available", "money"),
         Column("held", "held", "money"), Column("blocked", "blocked", "money"), _ID, _CREATED),
        "account", title="fullName",
    ),
    Kind(
        "requests", "accountRequest", "/order/v1/banking/accounts/requests/{id}",
        (_STATUS, Column("step", "step", "word"), _CODE, Column("reason", "reprovedReason"),
         Column("description", "reprovedDescription"), _ACCOUNT, Column("id", "accountRequestId", "code")),
        "accountRequest",
    ),
    Kind(
        "keys", "key", "/order/v1/banking/accounts/{accountId}/keys",
        (Column("type", "type", "word"), Column("key", "key", "code"), _ACCOUNT, _STATUS, _ID, _CREATED),
        "key", title="key",
    ),
    Kind(
        "claims", "keyClaim", "/order/v1/banking/accounts/{accountId}/keys/claims/{id}",
        (_STATUS, Column("claimType", "claimType", "word"), Column("role", "role", "word"), Column("key", "key", "code"),
         _ACCOUNT, Column("otherBank", "otherBank", "code"), Column("reason", "reason", "word"),
         Column("resolutionUntil", "resolutionUntil", "moment"), Column("completionFrom", "completionFrom", "moment"),
         Column("completionUntil", "completionUntil", "moment"), _ID, _CREATED, _UPDATED),
        "key", title="key",
    ),
    Kind(
        "events", "event", "/order/v1/webhook/events/{id}",
        (Column("event", "event", "word"), _STATUS, Column("sequence", "sequence", "count"),
         Column("referenceId", "referenceId", "code"), Column("webhookUrl", "webhookUrl", "code"),
         Column("nextAttemptAt", "nextAttemptAt", "moment"), _ID, _CREATED, _UPDATED),
        tables=(Table("table.attempts", "history",
                      (Column("number", "number", "count"), Column("requestTime", "requestTime", "moment"),
                       Column("statusCode", "statusCode", "code"), Column("durationMs", "durationMs", "span"),
                       Column("failure", "failure", "word"), Column("said", "message"))),),
        title="event",
    ),
    Kind(
        "payments", "payment", "",
        (_STATUS, _AMOUNT, Column("rail", "rail", "word"), _ACCOUNT, _END_TO_END, Column("txid", "txid", "code"),
         Column("errorCode", "errorCode", "code"), _ID, _CREATED, _PAID),
        "payment", title="endToEndId",
    ),
)  # fmt: skip
# Tables that other operations give of a plan and of an account.
LINES = Table(
    "table.lines", "data",
    (Column("number", "line", "count"), _STATUS, _CODE, Column("receiver", "receiver", "party"), _AMOUNT,
     Column("fee", "fee", "money"), Column("payout", "payoutId", "id", "payouts"),
     Column("payoutStatus", "payoutStatus", "state")),
)  # fmt: skip
MOVEMENTS = Table(
    "table.movements", "data",
    (_CREATED, Column("way", "operation", "word"), Column("type", "type", "word"), _AMOUNT,
     Column("balanceAfter", "balanceAfter", "money"),
     Column("counterparty", "counterparty.name"), Column("order", "orderId", "id", "orders"), _END_TO_END),
)  # fmt: skip
LIMITS = Table(
    "table.limits", "data",
    (_METHOD, Column("hours", "hours"), Column("mayGo", "limit", "money"), Column("used", "used", "money"),
     Column("left", "left", "money"), Column("raisedTo", "raisedTo", "money"), Column("raisedAt", "raisedAt", "moment")),
)  # fmt: skip
BY_NAME = {kind.name: kind for kind in KINDS}
