"""What a rail and the rooms say to each other: an adapter turns its network's wire types into these.

Inwards a network's message becomes an inbox row of a kind named here, whose body decodes to one of these values; outwards a
room writes an outbox message made by one of the `…_message` functions. Codes are the network's own, raw.
"""

from lastro.rails.port.charges import Charge, Charges, NoCharge
from lastro.rails.port.codec import encode
from lastro.rails.port.directory import (
    Asking,
    BudgetSpent,
    Directory,
    KeyAccount,
    KeyEntry,
    KeyOwner,
    NoEntry,
    Participants,
    Registry,
)
from lastro.rails.port.payments import (
    PAYMENT_DOUBTED,
    PAYMENT_FINAL,
    PAYMENT_NEVER,
    PAYMENT_PENDING,
    PAYMENT_RETURNED,
    PAYMENT_SEND,
    TED,
    TED_SEND,
    PaymentDoubted,
    PaymentFinal,
    PaymentNever,
    PaymentOrder,
    PaymentReturned,
    Receiver,
    TedOrder,
    payment_doubted,
    payment_final,
    payment_message,
    payment_never,
    payment_order,
    payment_returned,
    ted_message,
    ted_order,
)
from lastro.rails.port.pix import (
    BOOK,
    PIX,
    PIX_ANSWER,
    PIX_ASK,
    PIX_FINAL,
    PIX_SETTLED,
    RETURN_FINAL,
    RETURN_SEND,
    Payer,
    PixAnswer,
    PixArrival,
    PixFinal,
    ReturnFinal,
    ReturnOrder,
    answer_message,
    arrival,
    pix_answer,
    pix_final,
    return_final,
    return_message,
    return_order,
)
from lastro.rails.port.rail import (
    ALARMED,
    ASK_AGAIN,
    FIRST_ASK,
    OWN,
    REFUSED,
    UNKNOWN,
    Claimed,
    Closed,
    InboxRow,
    InboxVerb,
    Keep,
    MessageRefused,
    Pending,
    Permanent,
    Rail,
    Told,
    Transient,
    Unknown,
    Waiting,
    refused,
)
from lastro.rails.port.reasons import REFUSED_BY_NETWORK, Reason, ReasonRow, Reasons, Retry

__all__ = [
    "ALARMED", "ASK_AGAIN", "BOOK", "FIRST_ASK", "OWN", "PAYMENT_DOUBTED", "PAYMENT_FINAL", "PAYMENT_NEVER",
    "PAYMENT_PENDING", "PAYMENT_RETURNED", "PAYMENT_SEND", "PIX", "PIX_ANSWER", "PIX_ASK", "PIX_FINAL", "PIX_SETTLED",
    "REFUSED", "REFUSED_BY_NETWORK", "RETURN_FINAL", "RETURN_SEND", "TED", "TED_SEND", "UNKNOWN", "Asking", "BudgetSpent",
    "Charge", "Charges", "Claimed", "Closed", "Directory", "InboxRow", "InboxVerb", "Keep", "KeyAccount", "KeyEntry",
    "KeyOwner", "MessageRefused", "NoCharge", "NoEntry", "Participants", "Payer", "PaymentDoubted", "PaymentFinal",
    "PaymentNever", "PaymentOrder", "PaymentReturned", "Pending", "Permanent", "PixAnswer", "PixArrival", "PixFinal",
    "Rail", "Reason", "ReasonRow", "Reasons", "Receiver", "Registry", "Retry", "ReturnFinal", "ReturnOrder", "TedOrder",
    "Told", "Transient", "Unknown", "Waiting", "answer_message", "arrival", "encode", "payment_doubted", "payment_final",
    "payment_message", "payment_never", "payment_order", "payment_returned", "pix_answer", "pix_final", "refused",
    "return_final", "return_message", "return_order", "ted_message", "ted_order",
]  # fmt: skip
