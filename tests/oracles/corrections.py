"""What has to be corrected in the Central Bank's API Pix 2.9.0 before anything can be held against it.

A correction is a value: its name, its reason, and a pure function from a document to a document. `test_pix_api.py` holds how
many places each touches, and that each is still needed.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

Document = dict[str, Any]
Node = dict[str, Any]
METHODS = ("get", "put", "post", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Correction:
    """One fault of the document, wherever it stands. apply: gives a corrected copy and leaves what it is given."""

    name: str
    reason: str
    apply: Callable[[Document], Document]


def everywhere(rewrite: Callable[[Node], Node], document: Document) -> Document:
    """Copies a document with every object in it rewritten, the inner ones first."""

    def copied(part: Any) -> Any:
        if isinstance(part, dict):
            return rewrite({name: copied(value) for name, value in part.items()})
        return [copied(value) for value in part] if isinstance(part, list) else part

    rewritten: Document = copied(document)
    return rewritten


def at(path: str, change: Callable[[Any], Any], document: Any) -> Any:
    """Copies a document with one place changed. path: names and positions between slashes; KeyError where there is none."""
    name, _, rest = path.partition("/")
    if not name:
        return change(document)
    if isinstance(document, list):
        return [at(rest, change, part) if str(i) == name else part for i, part in enumerate(document)]
    return {**document, name: at(rest, change, document[name])}


def in_schemas(changes: Mapping[str, Callable[[Any], Any]], document: Document) -> Document:
    """Copies a document with schemas changed, each named by its path below components/schemas."""
    return reduce(lambda made, one: at(f"components/schemas/{one[0]}", one[1], made), changes.items(), document)


def operations(document: Document) -> Iterator[tuple[str, str, Node]]:
    """Yields method in lower case, path template and operation, in the document's order."""
    for template, item in document["paths"].items():
        yield from ((method, template, item[method]) for method in METHODS if method in item)


def _unslashed(node: Node) -> Node:
    pattern = node.get("pattern")
    is_slashed = isinstance(pattern, str) and pattern.startswith("/") and pattern.endswith("/")
    return {**node, "pattern": pattern[1:-1]} if is_slashed and isinstance(pattern, str) else node


def _anchored(node: Node) -> Node:
    pattern = node.get("pattern")
    is_open = isinstance(pattern, str) and not pattern.startswith(("^", "/"))
    return {**node, "pattern": f"^(?:{pattern})$"} if is_open else node


def _as_integers(node: Node) -> Node:
    if node.get("type") != "integer":
        return node
    texts = {key: int(node[key]) for key in ("default", "example") if isinstance(node.get(key), str)}
    return {**node, **texts}


def _without_scheme(node: Node) -> Node:
    """Of a URI whose own example is none: a text."""
    is_none = node.get("format") == "uri" and "://" not in node.get("example", "://")
    return {key: value for key, value in node.items() if key != "format"} if is_none else node


def _counted_items(node: Node) -> Node:
    if node.get("type") != "array" or "maximum" not in node:
        return node
    return {("maxItems" if key == "maximum" else key): value for key, value in node.items()}


def _demanding_not(*names: str) -> Callable[[Node], Node]:
    """Drops names that are demanded, and KeyError where one is not."""

    def changed(node: Node) -> Node:
        if missing := set(names) - set(node["required"]):
            raise KeyError(f"{missing} is not demanded")
        left = [name for name in node["required"] if name not in names]
        rest = {key: value for key, value in node.items() if key != "required"}
        return {**rest, "required": left} if left else rest

    return changed


def _demanding(*names: str) -> Callable[[Node], Node]:
    return lambda node: {**node, "required": list(names)}


def _told_apart(node: Node) -> Node:
    """Each branch of a oneOf that has one property and demands none demands that one."""
    if "oneOf" not in node:
        return node
    branches = [
        {**branch, "required": list(branch["properties"])}
        if len(branch.get("properties", ())) == 1 and "required" not in branch
        else branch
        for branch in node["oneOf"]
    ]
    return {**node, "oneOf": branches}


def _any_of(node: Node) -> Node:
    return {("anyOf" if key == "oneOf" else key): value for key, value in node.items()}


def _without_branches(node: Node) -> Node:
    if "anyOf" not in node:
        raise KeyError("there is no anyOf")
    return {key: value for key, value in node.items() if key != "anyOf"}


def _with_its_key(node: Node) -> Node:
    """Of a webhook: the key in place of a number of companies, as the example and the path have it."""
    kept = {name: value for name, value in node["properties"].items() if name != "cnpj"}
    key = {"type": "string", "title": "Chave DICT do recebedor", "maxLength": 77}
    return {**node, "required": ["webhookUrl", "chave", "criacao"], "properties": {**kept, "chave": key}}


def _writable(node: Node) -> Node:
    return {key: value for key, value in node.items() if key != "readOnly"}


_STATIC_TXID = {"type": "string", "title": "Id da Transação", "pattern": "^[a-zA-Z0-9]{1,35}$"}


def _static_txid(node: Node) -> Node:
    """An identifier of up to 35 in place of one that is both of 1..35 and of 26..35."""
    parts = node.get("allOf", ())
    is_both = {"$ref": "#/components/schemas/TxId"} in parts and any("{1,35}" in p.get("pattern", "") for p in parts)
    return _STATIC_TXID if is_both else node


_VARIABLE = re.compile(r"\{(\w+)\}")


def _with_variables(node: Node) -> Node:
    """Of a server: a variable for each name in its URL; one that is left out may be empty."""
    url = node.get("url")
    if not isinstance(url, str) or "variables" not in node:
        return node
    missing = {name: {"default": ""} for name in _VARIABLE.findall(url) if name not in node["variables"]}
    return {**node, "variables": {**node["variables"], **missing}}


_GENERAL = {"400": "RequisicaoInvalida", "403": "AcessoNegado", "404": "NaoEncontrado", "410": "PermanentementeRemovido",
            "500": "ErroInternoDoServidor", "503": "ServicoIndisponivel", "504": "IndisponibilidadePorTempoEsgotado"}  # fmt: skip


def _in_operations(change: Callable[[Node], Node], document: Document) -> Document:
    """Copies a document with each operation changed."""
    paths = {
        template: {key: change(value) if key in METHODS else value for key, value in item.items()}
        for template, item in document["paths"].items()
    }
    return {**document, "paths": paths}


def _answering_in_general(operation: Node) -> Node:
    """Adds the errors of the text's section "Gerais" to those of an operation."""
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problema"}}}
    general = {status: {"description": name, "content": problem} for status, name in _GENERAL.items()}
    return {**operation, "responses": {**general, **operation["responses"]}}


def _answering_again(document: Document) -> Document:
    """Every PUT that answers 201 may answer 200 with the same; the examples stay with the first."""
    paths = {template: {**item} for template, item in document["paths"].items()}
    for item in paths.values():
        responses = item.get("put", {}).get("responses", {})
        if "201" in responses and "200" not in responses:
            content = {media: {"schema": one["schema"]} for media, one in responses["201"]["content"].items()}
            again = {"description": "O recurso já existia.", "content": content}
            item["put"] = {**item["put"], "responses": {"200": again, **responses}}
    return {**document, "paths": paths}


_NO_PROPERTIES = {
    "DadosRecebedor": ("logradouro", "cidade", "uf", "cep"),
    "DadosPagadorRec": ("ispbParticipante",),
    "RecBase": ("idRec", "retentativa"),
    "SolicRecBase": ("pagador",),
    "SolicRecCompleta": ("rec",),
    "CobGerada/allOf/2/properties/loc": ("txid",),
    "CobVGerada": ("location",),
    "CobVGerada/allOf/3/properties/loc": ("txid",),
    "PayloadLocationRecGerada": ("tipo",),
    "PayloadLocationCob": ("tipoCob",),
    "CobsConsultadas/properties/cobs/items/allOf/1": ("idCob",),
    "CobsVConsultadas/properties/cobs/items/allOf/1": ("idCob",),
}

CORRECTIONS = (
    Correction(
        "patterns-in-slashes",
        "A pattern is an expression, not a literal of JavaScript: with its slashes no CPF and no municipality ever fits.",
        partial(everywhere, _unslashed),
    ),
    Correction(
        "static-codes",
        "The txid of a Pix is both TxId (26 to 35) and of 1 to 35: that of a static code (up to 25) is refused.",
        partial(everywhere, _static_txid),
    ),
    Correction(
        "patterns-open",
        "A pattern is searched for, not matched: without anchors the amount x10.00y fits.",
        partial(everywhere, _anchored),
    ),
    Correction(
        "integers-as-text",
        "The default and the example of calendario.expiracao are texts in an integer, which is no valid OpenAPI.",
        partial(everywhere, _as_integers),
    ),
    Correction(
        "locations-without-scheme",
        "A location has no scheme (pix.example.com/qr/v2/…), so it is no URI; validators that know formats refuse each.",
        partial(everywhere, _without_scheme),
    ),
    Correction(
        "servers-without-variable",
        "The servers of the three locations have {endpointOpcional} in their URL and no variable of that name.",
        partial(everywhere, _with_variables),
    ),
    Correction(
        "counted-with-maximum",
        "`maximum` says nothing of an array: at most 50 infoAdicionais is `maxItems`.",
        partial(everywhere, _counted_items),
    ),
    Correction(
        "demanded-but-no-property",
        "`required` names what the schema has no property for: parts of an inner object, or a name that was changed since.",
        partial(in_schemas, {path: _demanding_not(*names) for path, names in _NO_PROPERTIES.items()}),
    ),
    Correction(
        "pix-list-demands-cobs",
        "PixConsultados demands `cobs`, copied from the list of charges; its own list is `pix`.",
        partial(in_schemas, {"PixConsultados": _demanding("parametros", "pix")}),
    ),
    Correction(
        "stray-quote",
        'RecNotification demands `atualizacao"`: a quotation mark that was left behind.',
        partial(in_schemas, {"RecNotification": _demanding("idRec", "status", "atualizacao")}),
    ),
    Correction(
        "webhook-without-key",
        "WebhookCompleto demands a `cnpj`, whose text is that of a filter of lists; path and example have `chave`.",
        partial(in_schemas, {"WebhookCompleto": _with_its_key}),
    ),
    Correction(
        "location-is-sent",
        "loc.id is readOnly, and yet it is how a request names the location it wants.",
        partial(in_schemas, {"PayloadLocationId": _writable}),
    ),
    Correction(
        "branches-overlap",
        "Branches of a oneOf (saque or troco, rejeicao or cancelamento) demand nothing, so that each fits the other's too.",
        partial(everywhere, _told_apart),
    ),
    Correction(
        "branches-alike",
        "A revised recurrence's debtor is one of two branches that are the same, so that none fits just one.",
        partial(in_schemas, {"RecRevisada/allOf/1/properties/vinculo/properties/devedor": _any_of}),
    ),
    Correction(
        "amounts-as-objects",
        "The valor of a PixAutomatico is a text and, besides, one of five objects: no collected charge can show its Pix.",
        partial(in_schemas, {"PixAutomatico/properties/valor": _without_branches}),
    ),
    Correction(
        "general-errors",
        'The text says that any operation may answer with the errors of "Gerais"; most operations leave most of them out.',
        partial(_in_operations, _answering_in_general),
    ),
    Correction(
        "put-again",
        "The text lets a PUT alter what is there. That is answered with 200 (RFC 9110 §9.3.4); the document has 201 alone.",
        _answering_again,
    ),
)


def corrected(raw: Document, *, without: str = "") -> Document:
    """Applies the corrections to a copy. without: the name of one that is left out."""
    return reduce(lambda made, one: one.apply(made), (c for c in CORRECTIONS if c.name != without), raw)
