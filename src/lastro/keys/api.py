"""The HTTP operations of keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit import forms
from lastro.api_kit.paging import PAGING, read_page
from lastro.api_kit.routes import NOT_FOUND, Incoming, Route, as_id
from lastro.core.errors import Kind, Problem, Refused
from lastro.keys import docs
from lastro.keys.actions.create import CreateKey
from lastro.keys.actions.delete import EndKey
from lastro.keys.actions.list import ListKeys
from lastro.keys.actions.prove import ConfirmKey, ResendCode
from lastro.keys.claims.api import routes as claim_routes
from lastro.keys.forms import ConfirmKey as ConfirmForm
from lastro.keys.forms import CreateKey as CreateForm
from lastro.keys.forms import ResendCode as ResendForm
from lastro.keys.model import USER_REQUESTED
from lastro.keys.rules import form_problems
from lastro.standards.pix_keys import canonical

if TYPE_CHECKING:
    from lastro.core.runner import Verb
    from lastro.keys.codes import Codes
    from lastro.rails.port import Claims, Registry

_PATH = "/order/v1/banking/accounts/{accountId}/keys"


@dataclass(frozen=True)
class _KeyHandlers:
    registry: Registry
    codes: Codes
    reached: frozenset[str]

    def create(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST …/keys."""
        form, problems = forms.read(incoming.raw, CreateForm)
        key = None if form.key is None else canonical(form.key)
        problems += form_problems(form.type, key, form.channel, self.reached)
        account_id = incoming.id("accountId")
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, CreateForm))
        return NOT_FOUND if account_id is None else CreateKey(
            account_id, form.type, key, incoming.key, self.registry, self.codes
        )  # fmt: skip

    def confirm(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST …/keys/confirm."""
        form, problems = forms.read(incoming.raw, ConfirmForm)
        account_id = incoming.id("accountId")
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, ConfirmForm))
        if account_id is None:
            return NOT_FOUND
        return ConfirmKey(account_id, as_id(form.validation_id), form.token, self.registry, self.codes)

    def resend(self, incoming: Incoming) -> Verb[Any] | Refused:
        """POST …/keys/resend."""
        form, problems = forms.read(incoming.raw, ResendForm)
        account_id = incoming.id("accountId")
        if problems:
            return Refused(Kind.INVALID, forms.in_order(problems, ResendForm))
        return NOT_FOUND if account_id is None else ResendCode(account_id, as_id(form.validation_id))

    def list(self, incoming: Incoming) -> Verb[Any] | Refused:
        """GET …/keys."""
        problems: list[Problem] = []
        page = read_page(incoming.query, problems)
        account_id = incoming.id("accountId")
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        return NOT_FOUND if account_id is None else ListKeys(account_id, page)

    def delete(self, incoming: Incoming) -> Verb[Any] | Refused:
        """DELETE …/keys/{keyId}."""
        account_id, key_id = incoming.id("accountId"), incoming.id("keyId")
        if account_id is None or key_id is None:
            return NOT_FOUND
        return EndKey(account_id, key_id, USER_REQUESTED, self.registry)


def routes(registry: Registry, claims: Claims, codes: Codes, reached: frozenset[str]) -> tuple[Route, ...]:
    """The room's operations. registry, claims: the directory. reached: the types of keys to whose holders a code can go."""
    handlers = _KeyHandlers(registry, codes, reached)
    return (
        Route(
            "POST", _PATH, "create_key", "keys:write", handlers.create, docs.CREATE, success=202, key="optional",
            also=(201,), needs_network=True,
        ),
        Route("GET", _PATH, "list_keys", "keys:read", handlers.list, docs.LIST, queries=PAGING),
        Route(
            "POST", _PATH + "/confirm", "confirm_key", "keys:write", handlers.confirm, docs.CONFIRM, success=201,
            key="required",
            key_longest=64, key_is_uuid=True, needs_network=True,
        ),
        Route(
            "POST", _PATH + "/resend", "resend_key_code", "keys:write", handlers.resend, docs.RESEND, success=202,
            key="optional", needs_network=True,
        ),
        *claim_routes(claims, codes, reached),
        Route(
            "DELETE", _PATH + "/{keyId}", "delete_key", "keys:write", handlers.delete, docs.DELETE, success=204,
            needs_network=True,
        ),
    )  # fmt: skip
