"""The words of refusals: the interface's issues, and its English sentences in Portuguese; operations that an audit names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ISSUES: Mapping[str, tuple[str, str]] = {
    "issue.CONFLICT": ("não cabe na situação atual", "does not fit the present state"),
    "issue.DUPLICATE": ("já existe ou já foi enviado", "is there or was sent already"),
    "issue.EXPIRED": ("o prazo passou", "its time is over"),
    "issue.INSUFFICIENT_FUNDS": ("saldo insuficiente", "too little balance"),
    "issue.INVALID": ("valor não aceito", "value not accepted"),
    "issue.LIMIT_EXCEEDED": ("passa do limite", "passes the limit"),
    "issue.MISMATCH": ("não confere", "does not match"),
    "issue.MUTUALLY_EXCLUSIVE": ("um exclui o outro", "one excludes the other"),
    "issue.NOT_ALLOWED": ("não é permitido", "is not allowed"),
    "issue.NOT_SUPPORTED": ("não é suportado", "is not supported"),
    "issue.OUT_OF_RANGE": ("fora dos limites", "out of range"),
    "issue.REQUIRED": ("falta preencher", "is required"),
    "issue.TOO_LONG": ("longo demais", "too long"),
    "operation.accept_difference": ("Aceitar a diferença", "Accept the difference"),
    "operation.add_client": ("Novo cliente da API", "New client of the API"),
    "operation.bind_client_certificates": ("Certificados do cliente da API", "Certificates of the API client"),
    "operation.bind_client_networks": ("Redes do cliente da API", "Networks of the API client"),
    "operation.set_webhook": ("Destino de webhooks", "Where webhooks go"),
    "operation.limit_client": ("Limite do cliente da API", "Limit of the API client"),
    "operation.permit_client": ("Permissões do cliente da API", "Permissions of the API client"),
    "operation.resend_webhook_events": ("Mandar webhooks de novo", "Send webhooks again"),
    "operation.revoke_client": ("Revogar o cliente da API", "Turn the API client away"),
    "operation.revoke_client_tokens": ("Invalidar tokens do cliente da API", "End tokens of the API client"),
    "operation.rotate_client_secret": ("Novo segredo do cliente da API", "New secret of the API client"),
    "operation.rotate_webhook_secret": ("Novo segredo de webhooks", "New secret of webhooks"),
    "operation.test_webhook": ("Webhook de teste", "A test webhook"),
}
REFUSALS: Mapping[str, str] = {
    "is required": "falta preencher",
}
