"""The output of `lastro run` when everything runs: addresses to open, lines to paste."""

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def next_step(sandbox: Mapping[str, Any]) -> str:
    """Returns the text for a first user. sandbox: the content of sandbox.json."""
    base, sim = sandbox["baseUrl"], sandbox["simulatorUrl"]
    login = json.dumps({"clientId": sandbox["clientId"], "clientSecret": sandbox["clientSecret"]})
    order = {
        "customer": {
            "name": "Bento",
            "entityType": "INDIVIDUAL",
            "document": {"type": "CPF", "number": "12345678909"},
            "email": "bento@example.com",
        },
        "order": {
            "externalId": "BOOK-1",
            "paymentMethod": "PIX",
            "amount": {"currency": "BRL", "value": "10.50"},
            "description": "A book",
            "notificationUrl": f"{sim}/merchant/webhooks/book",
        },
    }
    as_json = "-H 'content-type: application/json'"
    return "\n".join(
        [
            "",
            "lastro runs. Nothing in it is real money.",
            "",
            f"  Start      {base}/start      a first order in the browser, step by step",
            f"  Console    {sandbox['consoleUrl']}",
            f"  Phone      {sim}/phone      pays a QR code",
            f"  Merchant   {sim}/merchant   shows the webhooks as they arrive",
            f"  Reference  {base}/docs       every operation and event of the API",
            f"  Guide      {base}/docs/guide how to do what with it",
            "",
            "Paste this in another terminal: it takes a token, asks 10.50 BRL and prints the QR code's text.",
            "",
            f"  TOKEN=$(curl -s {base}/auth/v1/token {as_json} \\",
            f'    -d {shlex.quote(login)} | sed \'s/.*"token":"\\([^"]*\\)".*/\\1/\')',
            f'  curl -s -X PUT {base}/order/v2/transparent -H "authorization: Bearer $TOKEN" {as_json} \\',
            f'    -d {_pasted(order)} | sed \'s/.*"qrcodeData":"\\([^"]*\\)".*/\\1/\'; echo',
            "",
            "Pay that text on the phone, watch the webhook at the merchant, then see the balance:",
            "",
            f'  curl -s {base}/order/v2/account/balance -H "authorization: Bearer $TOKEN"; echo',
            "",
            f"Or watch all of it at once: {_at_home(sandbox)}make demo. Ctrl-C stops everything; the data stays.",
        ]
    )


def _pasted(order: Mapping[str, Any]) -> str:
    """Quotes the order for a shell, with a code new each time."""
    return shlex.quote(json.dumps(order)).replace("BOOK-1", "BOOK-'$(date +%s)-$$'")


def _at_home(sandbox: Mapping[str, Any]) -> str:
    """Returns the shell prefix that sets an unusual home; else nothing."""
    home = sandbox.get("home")
    return "" if home is None or home == str(Path(".lastro").absolute()) else f"LASTRO_HOME={shlex.quote(home)} "
