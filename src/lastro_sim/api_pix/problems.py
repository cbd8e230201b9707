"""Errors of API Pix: RFC 7807, with the official types and violations."""

from typing import Any, NamedTuple

TYPES = "https://pix.bcb.gov.br/api/v2/error/"
MEDIA_TYPE = "application/problem+json"


class Violation(NamedTuple):
    """A broken rule. property: the path of its field, as the document writes it."""

    reason: str
    property: str
    value: str | None = None


class ProblemError(Exception):
    """A refusal of the bank. kind: the last part of its `type`."""

    def __init__(
        self,
        status: int,
        kind: str,
        title: str,
        detail: str = "",
        violations: tuple[Violation, ...] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(f"{status} {kind}")
        self.status = status
        self.kind = kind
        self.title = title
        self.detail = detail
        self.violations = violations
        self.headers = headers or {}

    def body(self, correlation: str) -> dict[str, Any]:
        """Returns the Problema. correlation: the id under which support finds it."""
        said: dict[str, Any] = {"type": TYPES + self.kind, "title": self.title, "status": self.status}
        if self.detail:
            said["detail"] = self.detail
        said["correlationId"] = correlation
        if self.violations:
            said["violacoes"] = [_violation(one) for one in self.violations]
        return said


def invalid(kind: str, *violations: Violation) -> ProblemError:
    """Returns a 400: the request breaks the document's form or rules."""
    detail = "A requisição não respeita o schema ou está semanticamente errada."
    return ProblemError(400, kind, "Requisição inválida.", detail, violations)


def not_found(kind: str = "NaoEncontrado") -> ProblemError:
    """Returns a 404."""
    return ProblemError(404, kind, "Não Encontrado", "Entidade não encontrada.")


def denied(detail: str) -> ProblemError:
    """Returns a 403."""
    return ProblemError(403, "AcessoNegado", "Acesso Negado", detail)


def unauthorized(detail: str) -> ProblemError:
    """Returns a 401, which the document leaves to OAuth (RFC 6750)."""
    headers = {"WWW-Authenticate": 'Bearer realm="pix", error="invalid_token"'}
    return ProblemError(401, "AcessoNegado", "Não Autorizado", detail, headers=headers)


def unavailable() -> ProblemError:
    """Returns a 503."""
    return ProblemError(503, "ServicoIndisponivel", "Serviço Indisponível", "Serviço não está disponível no momento.")


def _violation(one: Violation) -> dict[str, str]:
    said = {"razao": one.reason, "propriedade": one.property}
    return said if one.value is None else said | {"valor": one.value[:200]}
