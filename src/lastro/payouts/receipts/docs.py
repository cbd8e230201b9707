"""The documentation of the operation on receipts."""

from __future__ import annotations

from typing import Any

from lastro.api_kit.routes import Doc
from lastro.core.errors import Kind, Refusal, not_found
from lastro.core.media import PDF, Media
from lastro.payouts.receipts.rendering import PayoutReceipt

_SHOWN: dict[str, Any] = {
    "id": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21", "externalId": "salary-7", "status": "PARTIAL_REFUNDED",
    "paymentMethod": "PIX", "amount": "10.50", "paidAmount": "10.50", "fee": "0.40", "returnedAmount": "4.00",
    "currency": "BRL", "description": "Salary", "paidAt": "2026-01-31T12:00:01.412000Z",
    "endToEndId": "E9999901020260131120000001aBcDeF",
    "payer": {
        "name": "Ana Comercio Ltda", "document": {"type": "CNPJ", "number": "11222333000181"},
        "bank": {
            "ispb": "99999010", "name": "LASTRO SANDBOX IP", "branch": "0001", "account": "000000019",
            "accountType": "PAYMENT_ACCOUNT", "code": "990",
        },
    },
    "receiver": {
        "name": "Fabio de Fora", "document": {"type": "CPF", "number": "***.813.579-**"},
        "bank": {
            "ispb": "99999030", "name": "BANCO RECEBEDOR SIMULADO", "code": "992",
            "pix": {"type": "EMAIL", "key": "fabio@fora.example"},
        },
    },
    "returns": [{
        "returnId": "D9999903020260131123000002aBcDeF", "payoutId": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21", "amount": "4.00",
        "returnedAt": "2026-01-31T12:30:00.118000Z",
    }],
    "issuer": {"name": "LASTRO SANDBOX IP", "ispb": "99999010"}, "issuedAt": "2026-01-31T12:30:00.552017Z",
    "authenticationCode": "6F1C0A9D3B7E4258A1D0C3F2E5B49876",
}  # fmt: skip
RECEIPT = Doc(
    "Read a payout's receipt",
    "Proof of a payout whose money has left, for the people concerned: both parties, the network's id, what came back, and a"
    " code made of it all. It is had as `application/json` and, with `accept: application/pdf`, as a page in Portuguese to"
    " print or send on.\n\n"
    "Documents are shown as on any Brazilian receipt: of a CPF the six digits in its middle, a CNPJ whole. As long as"
    " nothing new happens to the payout, the receipt is the same, byte for byte; a return makes it another one.",
    None, PayoutReceipt,
    (
        not_found("No payout of your company has this id, or it is one transfer of a batch.",
            "Take the `id` that the create answered: the receipt of a batch has all of its transfers.",
        ),
        Refusal(
            Kind.CONFLICT, "status", "CONFLICT", "No money of it has left: it is on its way, or it ended unpaid.",
            "Wait for `ORDER-PAYOUT.PAID` or `.PARTIALLY_PAID`.",
        ),
    ),
    None, _SHOWN, ("content-disposition",), (Media(PDF),),
)  # fmt: skip
