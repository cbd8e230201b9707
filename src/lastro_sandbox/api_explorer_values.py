"""The initial values of an operation's form: existing ids, unused codes, days ahead."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from lastro.console.company_page import session_of
from lastro_sandbox.api_explorer_forms import FORM, SECRET, names_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lastro.console.shell import User
    from lastro_sandbox.api_explorer_forms import Operation

_IN_PATH: Final = re.compile(r"/\{(\w+)\}")
_ORDERS: Final = "/order/v2/transparent"
_ACCOUNTS: Final = "/order/v1/banking/accounts"
# The lists of objects that a path names, unless the word before the name is the list.
_LISTED: Final = {
    "/order/v1/banking/order-payins": _ORDERS, "/order/v1/banking/med/accounts": _ACCOUNTS,
    "/public/v1/banking/med": "/order/v1/banking/med",
}  # fmt: skip
_CHARGED_IN_DAYS: Final = 10


async def values(
    user: User, operation: Operation, media: str, said: Mapping[str, Any], client: Mapping[str, str]
) -> dict[str, str]:
    """Returns initial values by the names of fields.

    A path's are named `path.` and the name. said: sandbox.json. client: the company's, empty where there is none.
    """
    example = operation.example(media) if media in operation.bodies and media != FORM else None
    wanted = names_in(example) if not isinstance(example, str) else {"accountId", "externalId"}
    app_context = user.console_context.app_context
    code = app_context.chance.bytes(5).hex()
    hooks = f"{said['simulatorUrl']}/merchant/webhooks/try"
    async with session_of(user) as session:
        now = await session.value("SELECT business_now()")
    tomorrow, today = (now + timedelta(days=1)).date().isoformat(), now.date().isoformat()
    found = {
        "externalId": f"try-{code}", "notificationUrl": hooks, "webhookUrl": hooks, "url": hooks, "startDate": tomorrow,
        "dueDate": (now + timedelta(days=_CHARGED_IN_DAYS)).date().isoformat(), "from": today, "to": today,
        "clientId": client.get("clientId", ""), "clientSecret": SECRET,
    }  # fmt: skip
    if {"accountId", "pixKey"} & wanted:
        # The demo's first account has money, and its holder is an organization, as some operations want.
        is_demo = said["companyId"] == str(user.company_id) and said["accounts"]
        account = said["accounts"][0] if is_demo else await _newest(user, _ACCOUNTS, status="ACTIVE")
        found["accountId"] = str(account.get("id", ""))
        key = await _newest(user, f"{_ACCOUNTS}/{account.get('id')}/keys") if "pixKey" in wanted else {}
        found |= {"pixKey": str(key["key"])} if "key" in key else {}
    if "orderId" in wanted:
        found["orderId"] = str((await _newest(user, _ORDERS, status="PAID")).get("id", ""))
    if operation.id == "play_order":
        found["id"] = str((await _newest(user, _ORDERS, status="INITIAL")).get("id", ""))
    found |= await _in_path(user, operation)
    return {name: text for name, text in found.items() if text}


async def _in_path(user: User, operation: Operation) -> dict[str, str]:
    """Returns the newest object's id for each name in the path.

    From the left: an object that a later one is listed below has an id by then.
    """
    found: dict[str, str] = {}
    path = operation.path
    for name in _IN_PATH.findall(operation.path):
        before = path[: path.index(f"/{{{name}}}")]
        status = {"status": "ACTIVE"} if _LISTED.get(before, before) == _ACCOUNTS else {}
        thing = await _newest(user, _LISTED.get(before, before.replace("/public/", "/order/")), **status)
        own = str(thing.get(name) or thing.get("id") or "")
        found |= {f"path.{name}": own} | ({"hash": str(thing["hash"])} if "hash" in thing else {})
        path = path.replace(f"{{{name}}}", own or "-")
    return found


async def _newest(user: User, path: str, **query: str) -> dict[str, Any]:
    """Returns the first object of a list of the API; nothing where there is none."""
    try:
        status, answer = await user.call("GET", path, {**query, "limit": "1"})
    except LookupError:
        return {}
    listed = answer.get("data") if status == 200 and isinstance(answer, dict) else None
    first = listed[0] if isinstance(listed, list) and listed else {}
    return first if isinstance(first, dict) else {}
