"""The scripts of the collection, for Postman's sandbox and newman's: what happens before a request, and what is asserted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lastro_sandbox.postman.run import Step

_BOUNDARY: Final = "lastro-postman-7a6f2a522f4e"
# Before a request of the folder that the run leaves out.
BY_HAND: Final = """
if (pm.variables.get("byHand") !== "yes") {
  console.log(pm.info.requestName + " is left out of the run. To send it, set the variable byHand to yes.");
  pm.execution.skipRequest();
}
""".strip()
_SET: Final = """
const set = (name, value) => pm.collectionVariables.set(name, typeof value === "string" ? value : JSON.stringify(value));
""".strip()
# Acts one after the other; one with `until` is asked for again until it holds.
_ACTS: Final = """
const filled = (text) => pm.variables.replaceIn(text);
const told = (answer) => { try { return answer.json(); } catch (_) { return null; } };
const holds = (act, body) => { try { return act.until(body); } catch (_) { return false; } };
function go(n, tries) {
  if (n === acts.length) { return; }
  const act = acts[n];
  const request = {url: filled(act.url), method: act.method, header: {"content-type": act.media || "application/json"}};
  if (act.url.startsWith("{{baseUrl}}")) {
    request.header.authorization = "Bearer " + pm.variables.get("token");
    request.header["idempotency-key"] = filled("{{$guid}}");
  }
  if (act.body) { request.body = {mode: "raw", raw: filled(act.body)}; }
  pm.sendRequest(request, (error, answer) => {
    const body = error ? null : told(answer);
    const fine = !error && answer.code < 300;
    if (fine && holds(act, body)) {
      act.keep(body);
      go(n + 1, 0);
    } else if ((fine || act.method === "GET") && act.waits && tries < 200) {
      setTimeout(() => go(n, tries + 1), 200);
    } else {
      pm.test("before it: " + act.method + " " + request.url, () => {
        throw new Error(error ? String(error) : answer.code + " " + answer.text());
      });
    }
  });
}
go(0, 0);
""".strip()
_KIND: Final = """
const kind = (value) => value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
""".strip()


def before(step: Step) -> list[str]:
    """Returns the lines of a step's script before its request; none: nothing is to be done."""
    lines = [f'set("{name}", {code});' for name, code in step.sets.items()]
    if step.file is not None:
        lines += _file(step.file)
    if step.first:
        acts = ",\n".join(f"  {_act(act.method, act.url, act.body, act.until, act.keep)}" for act in step.first)
        lines += [f"const acts = [\n{acts}\n];", _ACTS]
    return "\n".join([_SET, *lines]).split("\n") if lines else []


def _act(method: str, url: str, body: Any, until: str, keep: Mapping[str, str]) -> str:
    """Formats an act as JavaScript. body: a text goes as multipart form data, anything else as JSON."""
    is_form = isinstance(body, str)
    sent = body if is_form or body is None else json.dumps(body, ensure_ascii=False)
    said = {"method": method, "url": url, "waits": bool(until)} | ({} if sent is None else {"body": sent})
    said |= {"media": f"multipart/form-data; boundary={_BOUNDARY}"} if is_form else {}
    keeps = " ".join(f'set("{name}", {code});' for name, code in keep.items())
    plain = json.dumps(said, ensure_ascii=False)[1:-1]
    return f"{{{plain}, until: (body) => {until or 'true'}, keep: (body) => {{ {keeps} }}}}"


def after(step: Step | None, expected: Mapping[int, Mapping[str, Any]], document: Mapping[str, Any]) -> list[str]:
    """Returns the lines of the script after a request. expected: documented content by status, each by media type."""
    statuses = sorted(expected)
    named = " or ".join(map(str, statuses))
    medias = sorted({media for status, content in expected.items() if status < 300 for media in content})
    lines = [
        f"const good = {json.dumps(statuses)}.includes(pm.response.code);",
        f'pm.test("is answered {named}, as documented", () => {{',
        "  pm.expect(good, pm.response.code + ' ' + pm.response.text()).to.be.true;",
        "});",
    ]
    if medias:
        lines += [
            f'pm.test("comes as {" or ".join(medias)}", () => {{',
            "  const media = (pm.response.headers.get('content-type') || '').split(';')[0];",
            f"  if (pm.response.code < 300) {{ pm.expect({json.dumps(medias)}).to.include(media); }}",
            "});",
        ]
    shape = _shape([c["application/json"]["schema"] for c in expected.values() if "application/json" in c], document)
    if shape and medias == ["application/json"]:
        lines += _shaped(*shape)
    kept = {} if step is None else step.keep
    if kept:
        lines += [_SET, "if (good) {"]
        lines += ["  const body = pm.response.json();"] if medias == ["application/json"] else []
        lines += [*(f'  set("{name}", {code});' for name, code in kept.items()), "}"]
    return "\n".join(lines).split("\n")


def _shaped(required: Iterable[str], types: Mapping[str, list[str]]) -> list[str]:
    return [
        _KIND,
        'if (good) pm.test("has the fields of the document", () => {',
        "  const body = pm.response.json();",
        '  pm.expect(kind(body)).to.equal("object");',
        f"  for (const name of {json.dumps(sorted(required))}) {{ pm.expect(body).to.have.property(name); }}",
        f"  const types = {json.dumps(types)};",
        "  for (const [name, known] of Object.entries(types)) {",
        "    if (name in body) { pm.expect(known, name).to.include(kind(body[name])); }",
        "  }",
        "});",
    ]


def _shape(schemas: list[Any], document: Mapping[str, Any]) -> tuple[list[str], dict[str, list[str]]] | None:
    """Returns the required fields, and types by field; None: nothing is said of them."""
    options = [option for schema in schemas for option in _options(schema, document)]
    if not options or not all("properties" in option or option.get("type") == "object" for option in options):
        return None
    required = set.intersection(*(set(option.get("required", ())) for option in options))
    types: dict[str, set[str]] = {}
    for option in options:
        for name, schema in option.get("properties", {}).items():
            types.setdefault(name, set()).update(_types(schema, document))
    return sorted(required), {name: sorted(known) for name, known in sorted(types.items()) if "" not in known}


def _options(schema: Mapping[str, Any], document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns what a schema may be, each without references."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    either = schema.get("anyOf") or schema.get("oneOf")
    return [option for one in either for option in _options(one, document)] if either else [schema]


def _types(schema: Mapping[str, Any], document: Mapping[str, Any]) -> set[str]:
    """Returns the types of a field as JavaScript tells them apart; an empty one: it may be anything."""
    found: set[str] = set()
    for option in _options(schema, document):
        said = option.get("type", "object" if "properties" in option else "string" if "enum" in option else "")
        found |= {said} if isinstance(said, str) else set(said)
    return {"number" if one == "integer" else one for one in found}


def _file(parts: Mapping[str, str]) -> list[str]:
    """Returns the script of an empty page, where no file was chosen."""
    return [
        "const fields = pm.request.body.formdata ? pm.request.body.formdata.all() : [];",
        'if (!fields.some((field) => field.type === "file" && field.src && field.src.length)) {',
        f"  const form = {json.dumps(form(parts))};",
        '  pm.request.body.update({mode: "raw", raw: pm.variables.replaceIn(form)});',
        f'  pm.request.headers.upsert({{key: "content-type", value: "multipart/form-data; boundary={_BOUNDARY}"}});',
        "}",
    ]


def form(parts: Mapping[str, str]) -> str:
    """Formats text parts and an empty page as a form (RFC 7578).

    It is text alone, which a script can send.
    """
    begin = f"--{_BOUNDARY}\r\ncontent-disposition: form-data; name="
    texts = "".join(f'{begin}"{name}"\r\n\r\n{text}\r\n' for name, text in parts.items())
    head = f'{begin}"file"; filename="page.pdf"\r\ncontent-type: application/pdf\r\n\r\n'
    return f"{texts}{head}{_page()}\r\n--{_BOUNDARY}--\r\n"


def _page() -> str:
    """Returns an empty page as PDF. Another each time: its first comment is a UUID, of 36 letters as its cross-references
    count them.
    """
    name = "{{$guid}}"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
    )
    text, places = f"%PDF-1.4\n%{name}\n", []
    for number, said in enumerate(objects, 1):
        places.append(len(text) - len(name) + 36)
        text += f"{number} 0 obj\n{said}\nendobj\n"
    at = len(text) - len(name) + 36
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    table = f"xref\n0 {count}\n0000000000 65535 f \n{rows}trailer\n<< /Size {count} /Root 1 0 R >>\n"
    return f"{text}{table}startxref\n{at}\n%%EOF\n"
