"""People's decisions about a refund request of Pix Automático. They reimburse or reject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Write
from lastro.med import rules, store
from lastro.med.actions.time import rejected
from lastro.med.actions.writing import freed, moved, payee
from lastro.med.model import REJECTIONS
from lastro.med.problems import MONEY_GONE, MORE_THAN_LEFT, REJECTION_INVALID
from lastro.orders import Party, anew_for, disputed
from lastro.rails.port import REFU

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext, Verb
    from lastro.med.model import MedObject, Reimbursement, Stand
    from lastro.orders import Disputed


@dataclass(frozen=True, slots=True)
class ReimburseContext:
    """The request, and the money that it is about."""

    own: MedObject | None
    disputed: Disputed | None = None


@dataclass(frozen=True)
class Reimburse(Act[ReimburseContext]):
    """Pays the payer's institution by a pacs.008 of purpose REFU. It has paid its customer already.

    API Pix 2.9.0, DevolucaoNatureza MED_PIX_AUTOMATICO. why: by whom and for what reason, for the history.
    """

    object_id: UUID
    wish: Reimbursement
    stand: Stand
    why: str | None = None

    async def read(self, session: Session, context: RequestContext) -> ReimburseContext:
        """Reads the request, and the rest of its payment."""
        own = await store.found(session, context.company_id, self.object_id)
        return ReimburseContext(own, None if own is None else await disputed(session, context.company_id, own.end_to_end_id))

    def decide(self, known: ReimburseContext, context: RequestContext) -> Done | Refused:
        """Pays out of the blocked money, and releases the rest."""
        problems = rules.reimbursement_problems(known.own, self.wish)
        if problems or known.own is None or known.disputed is None:
            return _refused(problems or [MONEY_GONE.problem()])
        own, one, wish = known.own, known.disputed, self.wish
        if wish.amount > one.left:
            return _refused([MORE_THAN_LEFT.problem(left=one.left)])
        assert own.requester is not None, "a request names who asks"
        document = ("CNPJ", wish.document)
        row = payee(own.requester, document, own.requester, wish.branch, wish.account, wish.account_type, context)
        bank = {
            "ispb": own.requester, "branch": wish.branch, "account": wish.account, "accountType": wish.account_type,
        }  # fmt: skip
        to = Party(row.values["id"], own.requester, *document, bank)
        refund_id, write = anew_for(one, own.id, wish.amount, REFU, to, self.stand.institution.ispb, context)
        _, back = moved(
            own, "request return", context, why=self.why, blocked=wish.amount, refund_id=refund_id, due_at=None
        )  # fmt: skip
        write += back + freed(own, own.blocked - wish.amount, context)
        shown = {"referenceId": str(own.id), "amount": str(wish.amount), "requestingBank": own.requester}
        return Done(Write(context.company_id, rows=(row,)) + write, render(shown), own.id)

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Retries with the rest of the payment. Others gave back of it meanwhile."""
        return self


@dataclass(frozen=True)
class Reject(Act["MedObject | None"]):
    """Rejects a refund request of Pix Automático. rejection: the directory's code. details: in words, for the directory."""

    object_id: UUID
    rejection: str
    details: str | None = None
    why: str | None = None

    async def read(self, session: Session, context: RequestContext) -> MedObject | None:
        """The request."""
        return await store.found(session, context.company_id, self.object_id)

    def decide(self, known: MedObject | None, context: RequestContext) -> Done | Refused:
        """Moves it to ANALYSED and REJECTED, and releases its blocked money."""
        problems = rules.reimbursement_problems(known, None)
        if self.rejection not in REJECTIONS:
            problems.append(REJECTION_INVALID.problem())
        if (words := rules.details_problem(self.details)) is not None:
            problems.append(words)
        if problems or known is None:
            return _refused(problems)
        shown = render({"referenceId": str(known.id), "analysisResult": "REJECTED", "rejectionReason": self.rejection})
        return Done(rejected(known, self.rejection, context, self.details, self.why), shown, known.id)


def _refused(problems: list[Problem]) -> Refused:
    is_conflict = any(problem.issue == "CONFLICT" for problem in problems)
    return Refused(Kind.CONFLICT if is_conflict else Kind.INVALID, tuple(problems))
