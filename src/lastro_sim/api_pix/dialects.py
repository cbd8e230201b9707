"""The differences of banks that speak API Pix, as one value each.

Sources: their guides and SDKs, the adapters of ACBr and pypix-api, issues of bacen/pix-api (by number). A customer has one
dialect; `standard` is the official document.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

MINUTE = 60
_ANY = frozenset({"basic-form", "basic-json", "body", "certificate"})


def _is_v2(_path: str) -> str:
    return "v2"


def _is_v1(_path: str) -> str:
    return "v1"


def _of_sicredi(path: str) -> str:
    """Returns the version of a resource: Pix Automático is v1, a charge by its txid v3, all else v2."""
    if re.match(r"/(?:cobr|rec|locrec|solicrec|webhookcobr|webhookrec)(?:/|$)", path):
        return "v1"
    return "v3" if re.match(r"/cob/", path) else "v2"


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """A bank's way to speak API Pix."""

    name: str
    token_styles: frozenset[str] = _ANY
    token_lasts: int = 3600
    """Seconds."""
    version: Callable[[str], str] = _is_v2
    """Returns the version in the address of a resource."""
    created: int = 201
    """The status of a new charge."""
    returned: int = 201
    """The status of a new return."""
    posts: bool = True
    """True where the bank chooses a txid where none is given: POST /cob."""
    lists_webhooks: bool = True
    code_field: str = "pixCopiaECola"
    nulls: bool = False
    """True where absent fields stand there as null."""
    local_times: bool = False
    """True where times are those of Brasilia, marked Z."""
    milliseconds: bool = True
    """True where inicio and fim may have fractions of a second."""
    most_items: int = 1000
    tx_id_parameter: str = "txid"
    required_headers: tuple[str, ...] = ()
    required_parameters: tuple[str, ...] = ()
    errors: str = "bacen"
    """The form of its errors: bacen, efi or bb."""
    missing_scope: int = 403
    tests_webhooks: bool = False
    """True where a new webhook is called twice: without a certificate, which it must refuse, and with the bank's."""
    retries: tuple[int, ...] = ()
    """Seconds from each call of a webhook to the next, where it fails. Not in the standard (bacen/pix-api#72)."""


DIALECTS: Mapping[str, Dialect] = {
    one.name: one
    for one in (
        Dialect(name="standard"),
        Dialect(
            name="efi", token_styles=frozenset({"basic-json", "basic-form"}), errors="efi", tests_webhooks=True,
            retries=tuple(5 * MINUTE * 2**turn for turn in range(10)),
        ),
        Dialect(
            name="bb", token_styles=frozenset({"basic-form"}), created=200, posts=False, errors="bb",
            required_parameters=("gw-dev-app-key",),
        ),
        Dialect(name="inter", token_styles=frozenset({"body"}), tx_id_parameter="txId", lists_webhooks=False),
        Dialect(
            name="itau", token_styles=frozenset({"body"}), token_lasts=5 * MINUTE, local_times=True, most_items=100,
            required_headers=("x-correlationid",),
        ),
        Dialect(
            name="santander", token_styles=frozenset({"body"}), version=_is_v1, posts=False, milliseconds=False,
        ),
        Dialect(
            name="sicoob", token_styles=frozenset({"certificate"}), code_field="brcode", nulls=True, returned=200,
            required_headers=("client_id",),
        ),
        Dialect(name="sicredi", token_styles=frozenset({"basic-form"}), version=_of_sicredi, missing_scope=400),
        Dialect(name="bradesco", token_styles=frozenset({"basic-form"}), most_items=100),
    )
}  # fmt: skip
STANDARD = DIALECTS["standard"]
