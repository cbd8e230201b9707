"""The forms in which banks write an error: the document's, Efí's and Banco do Brasil's."""

from collections.abc import Callable, Mapping
from typing import Any

from .calls import JSON, Answer
from .dialects import Dialect
from .problems import MEDIA_TYPE, ProblemError


def problem(error: ProblemError, dialect: Dialect, correlation: str) -> Answer:
    """Returns an error as the dialect has it. correlation: its id."""
    shape = _SHAPES.get(dialect.errors)
    if shape is None:
        return Answer(error.status, error.body(correlation), MEDIA_TYPE, error.headers)
    return Answer(error.status, shape(error), JSON, error.headers)


def _said(error: ProblemError) -> str:
    return "; ".join(one.reason for one in error.violations) or error.detail or error.title


def _efi(error: ProblemError) -> dict[str, Any]:
    """Efí: a name in small letters, and a sentence."""
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in error.kind).lstrip("_")
    return {"nome": name, "mensagem": _said(error)}


def _bb(error: ProblemError) -> dict[str, Any]:
    """Banco do Brasil: the gateway's form for what never reached the API, a list of errors else."""
    if error.status in {401, 403}:
        return {"statusCode": error.status, "error": error.title, "message": _said(error)}
    return {"erros": [{"codigo": str(error.status), "versao": "1", "mensagem": _said(error), "ocorrencia": error.kind}]}


_SHAPES: Mapping[str, Callable[[ProblemError], dict[str, Any]]] = {"efi": _efi, "bb": _bb}
