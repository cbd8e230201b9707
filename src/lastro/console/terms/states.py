"""The words of statuses and how each looks, and those of other enumerations that pages show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

STATES: Mapping[str, tuple[str, str]] = {
    "state.ACCEPTED": ("Aceito", "Accepted"),
    "state.ACTIVE": ("Ativo", "Active"),
    "state.AGREED": ("Procedente", "Agreed"),
    "state.ANALYSED": ("Analisado", "Analysed"),
    "state.ANALYSIS": ("Em análise", "In review"),
    "state.APPLIED": ("Aplicado", "Applied"),
    "state.APPLYING": ("Aplicando", "Applying"),
    "state.APPROVED": ("Aprovado", "Approved"),
    "state.AUTHENTICATED": ("Autenticado", "Authenticated"),
    "state.AUTHENTICATING": ("Autenticando", "Authenticating"),
    "state.BOOKED": ("Registrado", "Booked"),
    "state.CANCELED": ("Cancelado", "Canceled"),
    "state.CANCELLED": ("Cancelado", "Cancelled"),
    "state.CAPTURED": ("Capturado", "Captured"),
    "state.CHALLENGE_REQUIRED": ("Aguarda desafio", "Challenge required"),
    "state.CLOSED": ("Encerrado", "Closed"),
    "state.COMPLETED": ("Concluído", "Completed"),
    "state.CONFIRMED": ("Confirmado", "Confirmed"),
    "state.CONFLICT": ("Em conflito", "In conflict"),
    "state.CREATED": ("Criado", "Created"),
    "state.CREDITED": ("Creditado", "Credited"),
    "state.DECLINED": ("Negado", "Declined"),
    "state.DELETED": ("Excluído", "Deleted"),
    "state.DELIVERED": ("Entregue", "Delivered"),
    "state.DISAGREED": ("Improcedente", "Disagreed"),
    "state.ERROR": ("Erro", "Error"),
    "state.EXPIRED": ("Expirado", "Expired"),
    "state.EXPLAINED": ("Explicado", "Explained"),
    "state.FAILED": ("Falhou", "Failed"),
    "state.HALF_OPEN": ("Em teste", "Being tried"),
    "state.HELD": ("Retido", "Held"),
    "state.INACTIVE": ("Inativo", "Inactive"),
    "state.INITIAL": ("Inicial", "Initial"),
    "state.INVALID": ("Inválido", "Invalid"),
    "state.NONE": ("Só no feed", "Feed only"),
    "state.OPEN": ("Aberto", "Open"),
    "state.PAID": ("Pago", "Paid"),
    "state.PAID_OUT": ("Pago por fora", "Paid out"),
    "state.PARTIALLY_APPLIED": ("Aplicado em parte", "Partially applied"),
    "state.PARTIALLY_PAID": ("Pago em parte", "Partially paid"),
    "state.PARTIAL_REFUNDED": ("Devolvido em parte", "Partially refunded"),
    "state.PENDING": ("Pendente", "Pending"),
    "state.PENDING_AUTHORIZATION": ("Aguarda autorização", "Awaiting authorization"),
    "state.PENDING_DOCUMENTS": ("Aguarda documentos", "Awaiting documents"),
    "state.READY": ("Pronto", "Ready"),
    "state.RECEIVED": ("Recebido", "Received"),
    "state.REFUNDED": ("Devolvido", "Refunded"),
    "state.REFUSED": ("Recusado", "Refused"),
    "state.REJECTED": ("Rejeitado", "Rejected"),
    "state.REPROVED": ("Reprovado", "Reproved"),
    "state.REQUESTED": ("Solicitado", "Requested"),
    "state.RETRYING": ("Tentando de novo", "Retrying"),
    "state.RETURNED": ("Retornado", "Returned"),
    "state.RETURNING": ("Retornando", "Returning"),
    "state.SCHEDULED": ("Agendado", "Scheduled"),
    "state.SETTLED": ("Liquidado", "Settled"),
    "state.STRANDED": ("Sem destino", "Stranded"),
    "state.TAKEN": ("Tomado", "Taken"),
    "state.TAKING": ("Sendo tomado", "Being taken"),
    "state.TIMEOUT": ("Sem resposta", "Timed out"),
    "state.TRACED": ("Rastreado", "Traced"),
    "state.VALID": ("Válido", "Valid"),
    "state.VALIDATING": ("Validando", "Validating"),
    "state.WAITING_ANALYSIS": ("Aguarda análise", "Awaiting analysis"),
    "state.WAITING_REFUND": ("Aguarda devolução", "Awaiting refund"),
    "state.WAITING_RESOLUTION": ("Aguarda resolução", "Awaiting resolution"),
    "state.holds": ("Vale", "Holds"),
    "state.broken": ("Violada", "Broken"),
    "state.unread": ("Não lida", "Not read"),
    "state.unchecked": ("Não conferida", "Not checked"),
}

_GOOD = (
    "ACCEPTED ACTIVE APPLIED APPROVED AUTHENTICATED CAPTURED COMPLETED CONFIRMED CREDITED DELIVERED PAID SETTLED TAKEN "
    "VALID holds"
)
_BAD = "BROKEN CONFLICT DECLINED ERROR FAILED INVALID REFUSED REJECTED REPROVED STRANDED TIMEOUT broken unread"
_WAITING = (
    "ANALYSIS APPLYING AUTHENTICATING CHALLENGE_REQUIRED HELD HALF_OPEN INITIAL OPEN PENDING PENDING_AUTHORIZATION "
    "PENDING_DOCUMENTS READY RECEIVED REQUESTED RETRYING RETURNING SCHEDULED TAKING VALIDATING WAITING_ANALYSIS "
    "WAITING_REFUND WAITING_RESOLUTION"
)
# What is in neither: it has ended, neither well nor badly.
TONES: Mapping[str, str] = {
    **dict.fromkeys(_GOOD.split(), "good"),
    **dict.fromkeys(_BAD.split(), "bad"),
    **dict.fromkeys(_WAITING.split(), "waiting"),
}

WORDS: Mapping[str, tuple[str, str]] = {
    "word.INFRINGEMENT_NOTIFICATION": ("Notificação de infração", "Infringement notification"),
    "word.REFUND_REQUEST": ("Pedido de devolução", "Refund request"),
    "word.RECOVERY_VALUE": ("Recuperação de valores", "Recovery of funds"),
    "word.PAYER": ("A conta pagou", "The account paid"),
    "word.RECEIVER": ("A conta recebeu", "The account was paid"),
    "word.FRAUD": ("Fraude", "Fraud"),
    "word.OPERATIONAL_FLAW": ("Falha operacional", "Operational flaw"),
    "word.PIX_AUTOMATICO": ("Pix Automático", "Pix Automático"),
    "word.SCAM": ("Golpe", "Scam"),
    "word.UNAUTHORIZED_TRANSACTION": ("Transação não autorizada", "Transaction not authorized"),
    "word.CRIME_OF_COERCION": ("Coação", "Coercion"),
    "word.FRAUDULENT_ACCESS_AND_AUTHORIZATION": ("Acesso fraudulento", "Fraudulent access"),
    "word.OTHERS": ("Outros", "Others"),
    "word.PORTABILITY": ("Portabilidade", "Portability"),
    "word.CLAIM_OWNERSHIP": ("Reivindicação de posse", "Ownership"),
    "word.CLAIMER": ("Quem reivindica", "Claimer"),
    "word.DONOR": ("Quem cede", "Donor"),
    "word.WEEKLY": ("Semanal", "Weekly"),
    "word.MONTHLY": ("Mensal", "Monthly"),
    "word.QUARTERLY": ("Trimestral", "Quarterly"),
    "word.SEMIANNUAL": ("Semestral", "Semiannual"),
    "word.ANNUAL": ("Anual", "Annual"),
}
