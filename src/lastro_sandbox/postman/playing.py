"""The collection of the document, put into the order of the run: values handed on, answers held against the document."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lastro.web import openapi
from lastro_sandbox.api_explorer_forms import filled
from lastro_sandbox.postman import scripts
from lastro_sandbox.postman.run import RUN, Preparation, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lastro_sandbox.postman.run import Run

BY_HAND: Final = "Only by hand"
_HOOK: Final = "{{simulatorUrl}}/merchant/webhooks/postman"
# What stands in place of the examples' values, by the name of the field.
_FRESH: Final = {
    "externalId": "{{$guid}}", "accountId": "{{accountId}}", "pixKey": "{{pixKey}}", "orderId": "{{orderId}}",
    "notificationUrl": _HOOK, "webhookUrl": _HOOK, "url": _HOOK, "startDate": "{{tomorrow}}", "dueDate": "{{dueDate}}",
    "from": "{{today}}", "to": "{{today}}", "clientId": "{{clientId}}", "clientSecret": "{{clientSecret}}",
}  # fmt: skip
# A text of a body that is a variable's JSON.
_RAW: Final = re.compile(r'"raw:(\w+)"')
_OK, _ERRORS, _UNCHANGED = 200, 400, 304


def collection(document: Mapping[str, Any], run: Run = RUN) -> dict[str, Any]:
    """Returns the collection in the order of the run. An operation without a place in it stands last, and is left out."""
    made = openapi.collection(document)
    items = {item["id"]: item for folder in made["item"] for item in folder["item"]}
    said = {one["operationId"]: one for item in document["paths"].values() for one in item.values()}
    folders = [
        {
            "name": chapter.name,
            "description": chapter.description,
            "item": [
                _played(items.pop(step.operation), step, said[step.operation], document)
                for step in chapter.steps
                if step.operation in items
            ],
        }
        for chapter in run.chapters
    ]
    event = [{"listen": "prerequest", "script": _script(scripts.BY_HAND.split("\n"))}]
    left = [
        _played(item, Step(name), said[name], document)
        | {"description": run.by_hand.get(name, ""), "event": [*event, *_events(None, said[name], document)]}
        for name, item in items.items()
    ]
    about = "The run leaves these out. To send one, set the variable `byHand` to `yes`."
    variables = [*made["variable"], {"key": "byHand", "value": "no"}]
    return made | {
        "variable": variables,
        "item": [*folders, {"name": BY_HAND, "description": about, "item": left}],
    }


def _played(item: Mapping[str, Any], step: Step, said: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    request = dict(item["request"])
    request["url"] = _url(request["url"], step)
    body = request.get("body")
    if body is not None and body["mode"] == "raw":
        request["body"] = body | {"raw": _body(json.loads(body["raw"]), step)}
    return {
        **item, "request": request, "event": _events(step, said, document),
        "protocolProfileBehavior": {"followRedirects": False},
    }  # fmt: skip


def _events(step: Step | None, said: Mapping[str, Any], document: Mapping[str, Any]) -> list[dict[str, Any]]:
    expected = {int(status): one.get("content", {}) for status, one in said["responses"].items() if status.isdigit()}
    fine = {status: one for status, one in expected.items() if _OK <= status < _ERRORS and status != _UNCHANGED}
    found = [{"listen": "test", "script": _script(scripts.after(step, fine, document))}]
    before = [] if step is None else scripts.before(replace(step, first=tuple(map(_act, step.first))))
    return ([{"listen": "prerequest", "script": _script(before)}] if before else []) + found


def _act(act: Preparation) -> Preparation:
    """Encodes the body of an act. form: the parts of a form with a file."""
    if isinstance(act.body, dict) and act.body.keys() == {"form"}:
        return replace(act, body=scripts.form(act.body["form"]))
    return act


def _script(lines: list[str]) -> dict[str, Any]:
    return {"type": "text/javascript", "exec": lines}


def _url(url: Mapping[str, Any], step: Step) -> dict[str, Any]:
    """Fills a step's values into its address."""
    known = {"accountId": "{{accountId}}"} | dict(step.path)
    made = dict(url)
    if "variable" in url:
        made["variable"] = [one | {"value": known.get(one["key"], one["value"])} for one in url["variable"]]
    if "query" in url:
        given = step.query
        made["query"] = [
            one | {"value": given.get(one["key"], one["value"]), "disabled": one["disabled"] and one["key"] not in given}
            for one in url["query"]
        ]
        asked = "&".join(f"{one['key']}={one['value']}" for one in made["query"] if not one["disabled"])
        made["raw"] = url["raw"].partition("?")[0] + (f"?{asked}" if asked else "")
    return made


def _body(example: Any, step: Step) -> str:
    """Returns the body as it is sent: the example with values of this sandbox, or the step's own."""
    body = filled(example, _FRESH) if step.sends is None else step.sends
    for path, value in step.body.items():
        _put(body, path.split("."), value)
    return _RAW.sub(r"{{\1}}", json.dumps(body, indent=2, ensure_ascii=False))


def _put(body: Any, path: list[str], value: Any) -> None:
    for name in path[:-1]:
        body = body[int(name)] if isinstance(body, list) else body.setdefault(name, {})
    body[int(path[-1]) if isinstance(body, list) else path[-1]] = value


def operations(run: Run = RUN) -> Iterator[str]:
    """Lists the operations in the run's order, then those left out."""
    yield from (step.operation for chapter in run.chapters for step in chapter.steps)
    yield from run.by_hand
