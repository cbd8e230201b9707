"""Changes of an answer's fields, for dialects and faults. Banks are seen to make them; each returns a new value."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

_TIMES = frozenset({"criacao", "horario", "solicitacao", "liquidacao", "data", "dataExpiracaoSolicitacao"})
_BEHIND_UTC = timedelta(hours=3)
_UTC = re.compile(r"[0-9-]{10}T[0-9:.]{8,}Z")
# The optional fields of the objects that have the first one.
_OPTIONAL: Mapping[str, tuple[str, ...]] = {
    "revisao": ("devedor", "solicitacaoPagador", "infoAdicionais", "pix"),
    "endToEndId": ("txid", "chave", "infoPagador", "devolucoes"),
    "rtrId": ("descricao", "motivo"),
    "vinculo": ("valor", "loc", "pagador", "encerramento", "solicitacao", "ativacao"),
    "ajusteDiaUtil": ("infoAdicional", "devedor", "tentativas", "encerramento", "pix"),
    "dataLiquidacao": ("rejeicao",),
}
Change = Callable[[dict[str, Any]], dict[str, Any]]


def local_times(body: dict[str, Any]) -> dict[str, Any]:
    """Writes times of Brasilia, marked Z all the same (bacen/pix-api#573)."""
    return _each(body, lambda one: {name: _local(value) if name in _TIMES else value for name, value in one.items()})


def nulls(body: dict[str, Any]) -> dict[str, Any]:
    """Writes absent fields as null."""

    def filled(one: dict[str, Any]) -> dict[str, Any]:
        for mark, names in _OPTIONAL.items():
            if mark in one:
                one = dict.fromkeys(names) | one
        return one

    return _each(body, filled)


def unknown_fields(body: dict[str, Any]) -> dict[str, Any]:
    """Adds fields and a list that the document does not know. It allows banks to do so."""
    return _each(body, lambda one: one | {"extrasDoPSP": {"tarifa": "0.10", "itens": [1, None, {"a": "b"}]}})


def code_as(name: str) -> Change:
    """Returns the change that puts the BR Code under another name."""

    def renamed(body: dict[str, Any]) -> dict[str, Any]:
        def change(one: dict[str, Any]) -> dict[str, Any]:
            return {name if field == "pixCopiaECola" else field: value for field, value in one.items()}

        return _each(body, change)

    return renamed


def without(name: str) -> Change:
    """Returns the change that leaves out a field of each Pix."""

    def changed(body: dict[str, Any]) -> dict[str, Any]:
        def change(one: dict[str, Any]) -> dict[str, Any]:
            return {field: value for field, value in one.items() if field != name or "endToEndId" not in one}

        return _each(body, change)

    return changed


def _each(body: dict[str, Any], change: Change) -> dict[str, Any]:
    """Changes an object and every one in it, the inner ones first."""
    return change({name: _inner(value, change) for name, value in body.items()})


def _inner(value: Any, change: Change) -> Any:
    if isinstance(value, dict):
        return _each(value, change)
    return [_inner(one, change) for one in value] if isinstance(value, list) else value


def _local(value: Any) -> Any:
    if not isinstance(value, str) or _UTC.fullmatch(value) is None:
        return value
    return f"{(datetime.fromisoformat(value) - _BEHIND_UTC).isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"
