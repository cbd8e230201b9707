"""Creates a request for an account, and names the documents it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from lastro.accounts.opening import notifications, rules
from lastro.accounts.opening.model import SLOTS, UPLOADS_FOR
from lastro.accounts.opening.problems import EXTERNAL_ID_DUPLICATE, HOLDER_HAS_REQUEST
from lastro.accounts.opening.rendering import OpeningTaken
from lastro.accounts.opening.states import ACCOUNT_REQUESTS
from lastro.api_kit import forms
from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Row, Write

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts.opening.forms import OpeningForm, RepresentativeForm
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext


@dataclass(frozen=True)
class MakeRequest(Act[None]):
    """POST /order/v1/banking/accounts. problems: of the form, found by its rules."""

    form: OpeningForm
    problems: tuple[Problem, ...] = ()

    async def read(self, session: Session, context: RequestContext) -> None:
        """Reads nothing: the database's constraints keep requests unique."""

    def decide(self, known: None, context: RequestContext) -> Done | Refused:
        """Makes the request, PENDING_DOCUMENTS, with every slot of such a holder missing."""
        del known
        problems = (*self.problems, *rules.dated_problems(self.form, context.now))
        if problems:
            return Refused(Kind.INVALID, forms.first_of_each(problems))
        form, request_id = self.form, context.chance.uuid(context.now)
        accepted = rules.accepted(form, context.now)
        holder = _holder(context, form, accepted.ip)
        others = tuple(_representative(context, one) for one in form.representatives or ())
        missing = SLOTS[form.holder_type]
        values = {
            "id": request_id, "external_id": form.external_id or str(request_id), "holder_type": form.holder_type,
            "party_id": holder.values["id"], "representative_ids": [one.values["id"] for one in others],
            "trade_name": form.trade_name, "alias": form.alias, "open_document": form.document.number,
            "terms_version": accepted.version, "terms_accepted_at": accepted.at,
            "missing": list(missing), "expires_at": context.now + UPLOADS_FOR, "created_at": context.now,
            "updated_at": context.now,
        }  # fmt: skip
        write = Write(
            context.company_id,
            rows=(holder, *others, *ACCOUNT_REQUESTS.born(values, context.now, ("create", "ask"))),
            events=(notifications.pending(context, request_id, missing),),
        )
        taken = OpeningTaken(account_request_id=str(request_id), status="PENDING_DOCUMENTS")
        return Done(write, render(taken), request_id)

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Refuses a second request."""
        return taken(constraint)


def taken(constraint: str) -> Refused | None:
    """Returns the refusal for a violated unique constraint; None: another constraint."""
    if constraint == "account_requests_external_id_key":
        return EXTERNAL_ID_DUPLICATE.refused()
    if constraint == "account_requests_one_open":
        return HOLDER_HAS_REQUEST.refused()
    return None


def _holder(context: RequestContext, form: OpeningForm, ip: str | None) -> Row:
    address = msgspec.json.encode(_present(form.address)).decode()
    values = _person(context, form.full_name, (form.document.type, form.document.number), form, form.holder_type)
    return Row("parties", {**values, "address": address, "ip": ip})


def _representative(context: RequestContext, one: RepresentativeForm) -> Row:
    return Row(
        "parties", {**_person(context, one.name, ("CPF", rules.cpf_of(one)), one, "INDIVIDUAL"), "address": None, "ip": None}
    )


def _person(
    context: RequestContext, name: str, document: tuple[str, str], of: OpeningForm | RepresentativeForm, entity_type: str
) -> dict[str, Any]:
    party_id: UUID = context.chance.uuid(context.now)
    return {
        "id": party_id, "name": name, "document_type": document[0], "document_number": document[1],
        "entity_type": entity_type, "email": of.email, "phone": of.phone, "birth_date": of.birth_date, "country": "BR",
    }  # fmt: skip


def _present(form: forms.Form) -> dict[str, str]:
    """Returns the form's fields under the interface's names, without absent ones."""
    found: dict[str, str] = {name: value for name, value in msgspec.to_builtins(form).items() if value is not None}
    return found
