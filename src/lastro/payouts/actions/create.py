"""Creates a payout: looks up, splits, holds and sends, in one write."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict

import msgspec

from lastro.api_kit.routes import present, render
from lastro.core.errors import Kind, OverQuota, Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Act, Done, Query, RequestContext
from lastro.core.write import Relied, Row, Unrepeated, Write
from lastro.payouts import rules, store
from lastro.payouts.actions.begin import begun, held
from lastro.payouts.actions.finding import by_account, find
from lastro.payouts.duplicates.store import sames
from lastro.payouts.model import MOST_CHILDREN, Payout
from lastro.payouts.problems import (
    ACCOUNT_ID_INVALID,
    ACCOUNT_ID_NOT_ALLOWED,
    ACCOUNT_ID_NOT_SUPPORTED,
    AMOUNT_LIMIT_EXCEEDED,
    EXTERNAL_ID_DUPLICATE,
)
from lastro.payouts.rendering import created
from lastro.payouts.states import PAYOUTS
from lastro.rails.port import BOOK, PIX, TED
from lastro.standards import pix_ids, ted_ids
from lastro.standards.calendar import brasilia_day, day_bounds

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from datetime import datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.accounts import Account, Institution
    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import Verb
    from lastro.payouts.actions.finding import Ways
    from lastro.payouts.model import Destination, Likeness, PayoutWish
    from lastro.standards.banks import BankList


class Ids(TypedDict, total=False):
    """A transfer's ids in its network, fixed before anything is sent."""

    end_to_end_id: str
    control_number: str


@dataclass(slots=True)
class Findings:
    """The findings of one request, kept across retries of its decision. A destination is looked up once."""

    destination: Destination | None = None
    end_to_end_id: str | None = None
    is_short: bool = False  # a first write failed for lack of funds


@dataclass(frozen=True, slots=True)
class CreatePayoutContext:
    """The facts of a create, and its destination once it is known. like: the likeness by which `same` was looked for."""

    ground: store.Ground
    same: UUID | None
    banks: BankList
    destination: Destination | None = None
    like: Likeness | None = None


@dataclass(frozen=True)
class MakePayout(Act[CreatePayoutContext]):
    """POST /order/v1/banking/order-payouts. key: of idempotency."""

    wish: PayoutWish
    key: str
    ways: Ways
    found: Findings = field(default_factory=Findings)

    def query(self) -> Query[CreatePayoutContext]:
        """Queries the account, its limits, the company's fees, and repetitions: of the code or of the whole payout."""
        banks, like = self.ways.banks, self._foreseen()
        query = store.standing_query(self.wish, like, rules.SAME_WITHIN, banks.number)

        def known(rows: list[Record]) -> CreatePayoutContext:
            standing = query.known(rows)
            return CreatePayoutContext(standing.ground, standing.same, banks.learn(standing.list), like=like)

        return Query(query.sql, query.arguments, known)

    async def call_out(self, known: CreatePayoutContext, context: RequestContext) -> CreatePayoutContext | Refused:
        """Asks the directory, or reads the QR's charge, with no connection held; not before what can be known here fits."""
        ground, account = known.ground, known.ground.account
        problems = rules.day_problem(self.wish.scheduled_on, brasilia_day(context.now))
        if account is None:
            problems.append(ACCOUNT_ID_INVALID.problem())
        elif not account.is_active:
            problems.append(ACCOUNT_ID_NOT_ALLOWED.problem(why="the account is not active"))
        elif ground.is_at_bank:
            problems.append(ACCOUNT_ID_NOT_SUPPORTED.problem())
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        if ground.is_taken:
            return _taken()
        assert account is not None
        if self.found.destination is None:
            name = pix_ids.end_to_end_id(self.ways.ispb, self._leaves_at(context), ground.setup.number, ground.numbers[0])
            self.found.end_to_end_id = name
            destination = await find(self.wish, account, known.banks, self.ways, context, name)
            if isinstance(destination, Refused):
                return destination
            self.found.destination = destination
        return replace(known, destination=self.found.destination)

    def read_after(
        self, known: CreatePayoutContext, context: RequestContext
    ) -> Callable[[Session], Awaitable[CreatePayoutContext]] | None:
        """Looks for an equal payout once the look-up has told the receiver."""
        assert known.destination is not None
        like = self.likeness(known.destination)
        if self.wish.allows_duplicate or like == known.like:
            return None

        async def read(session: Session) -> CreatePayoutContext:
            found = await sames(session, context.company_id, {0: like}, context.now - rules.SAME_WITHIN)
            # An equal payout may have come while the directory was asked, and have this one's code.
            taken = bool(found) and await store.is_taken(session, context.company_id, self.wish.external_id)
            return replace(known, same=found.get(0), like=like, ground=replace(known.ground, is_taken=taken))

        return read

    def likeness(self, to: Destination) -> Likeness:
        """Says by what another payout is like this one."""
        wish = self.wish
        is_charge = to.initiation == "DYNAMIC_QR"
        return rules.likeness(wish.account_id, wish.method, wish.amount, to.receiver, is_charge=is_charge)

    def _foreseen(self) -> Likeness | None:
        """Returns the likeness before any look-up: by a named account or an earlier finding."""
        if self.wish.allows_duplicate:
            return None
        to: Destination | Refused | None = self.found.destination
        if to is None and self.wish.place is not None:
            to = by_account(self.wish, self.ways.banks.known, self.ways.institution)
        return None if to is None or isinstance(to, Refused) else self.likeness(to)

    def decide(self, known: CreatePayoutContext, context: RequestContext) -> Done | Refused:
        """Makes the payout, or refuses it with all problems of one kind."""
        parts = self.judged(known)
        if isinstance(parts, Refused):
            return parts
        if known.ground.is_taken:
            return _taken()
        if known.same is not None and known.ground.refuses_duplicates:
            return rules.repeated(known.same)
        assert known.destination is not None
        assert known.ground.account is not None
        return self._made(known, known.ground.account, known.destination, parts, context)

    def judged(self, known: CreatePayoutContext) -> list[Money] | Refused:
        """Returns the transfers it is split into, or the refusal. Its destination is known by then."""
        destination, account = known.destination, known.ground.account
        assert destination is not None
        assert account is not None
        problems = rules.own_account_problem(self.wish, destination, self.ways.ispb, account.number)
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        parts = rules.split(self.wish.amount, known.ground.limits.transaction)
        problems = self._limit_problems(known, destination, len(parts))
        if problems:
            return Refused(Kind.INVALID, tuple(problems))
        return parts

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Refuses a taken code; a clash of ids is retried."""
        return _taken() if constraint == "payouts_external_id_key" else None

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Retries once, then refuses: an equal payout may have taken the money."""
        if not self.found.is_short:
            self.found.is_short = True
            return self
        return self.too_little(short)

    def too_little(self, short: InsufficientFunds) -> Refused:
        """Refuses for lack of funds or limit."""
        if isinstance(short, OverQuota):
            left = Money(short.left_minor, self.wish.amount.currency)
            what = "night" if short.kind.endswith("night") else "day"
            text = f"passes the account's limit of a {what}, of which {left} is left"
            return AMOUNT_LIMIT_EXCEEDED.refused(why=text)
        return Refused(Kind.INVALID, (short.problem,))

    def _limit_problems(self, known: CreatePayoutContext, to: Destination, parts: int) -> list[Problem]:
        if to.is_charge and parts > 1:
            limit = Money(known.ground.limits.transaction, self.wish.amount.currency)
            text = f"is more than {limit}, the account's limit of a transfer, and a charge is paid by one"
            return [AMOUNT_LIMIT_EXCEEDED.problem(why=text)]
        if parts <= MOST_CHILDREN:
            return []
        most = Money(known.ground.limits.transaction * MOST_CHILDREN, self.wish.amount.currency)
        text = f"is more than {MOST_CHILDREN} transfers of the account's limit: at most {most}"
        return [AMOUNT_LIMIT_EXCEEDED.problem(why=text)]

    def _made(
        self, known: CreatePayoutContext, account: Account, to: Destination, parts: list[Money], context: RequestContext
    ) -> Done:
        ground, wish = known.ground, self.wish
        to_bank = _bank_of(to.receiver.ispb, known.banks, self.ways.institution)
        receiver_id, ids = context.chance.uuid(context.now), self._ids(known, len(parts), context)
        fee, is_whole = ground.setup.fees.at(context.now).total(wish.amount), len(parts) == 1
        first = _payout(wish, account, to, to_bank, self.key, fee, self._rail(to), ids[0] if is_whole else {}, context)
        made = [first]
        if not is_whole:
            batch = replace(first, children=len(parts))
            made = [batch, *(_child(batch, part, n, ids[n - 1], context) for n, part in enumerate(parts, start=1))]
        starts = wish.scheduled_on is not None and wish.scheduled_on > brasilia_day(context.now)
        triggers = ["create", "accept"]
        relies = (
            Relied("companies", context.company_id, ground.setup.version),
            Relied("company_fees", context.company_id, ground.setup.fees_version),
            Relied("accounts", account.id, account.version),
        )
        # Of two equal creates at once neither finds the other: the one that is written later is retried, and does.
        is_guarded = ground.refuses_duplicates and not wish.allows_duplicate
        alone = (Unrepeated(first.id, rules.SAME_WITHIN),) if is_guarded else ()
        write = Write(
            context.company_id, relies=relies, rows=(_receiver_row(receiver_id, to, to_bank),), unrepeated=alone,
        )  # fmt: skip
        if starts:
            # A dynamic QR is read again on that day.
            qr = wish.qr if to.initiation == "DYNAMIC_QR" else None
            made = [replace(p, start_at=self._leaves_at(context), qr=qr) for p in made]
        elif rules.is_reviewed(wish.amount, ground.setup.review_above):
            triggers.append("review")
            made, holds = held([replace(p, state="ANALYSIS", version=3) for p in made], ground.limits, context)
            write += holds
        else:
            made, sent = begun(made, ground.limits, self.ways.institution, context)
            write += sent
        rows = tuple(row for p in made for row in PAYOUTS.born(_columns(p, receiver_id), context.now, triggers))
        body = render(created(made[0], made[1:]))
        done = Done(write + Write(context.company_id, rows=rows), body, made[0].id, keep="forever")
        if known.same is not None:
            return replace(done, headers=(("x-lastro-possible-duplicate", str(known.same)),))
        return done

    def _rail(self, to: Destination) -> str:
        if to.receiver.ispb == self.ways.ispb:
            return BOOK
        return PIX if self.wish.method == "PIX" else TED

    def _leaves_at(self, context: RequestContext) -> datetime:
        """Returns the planned time of sending: now, or the start of the scheduled day. It dates the Pix id."""
        day = self.wish.scheduled_on
        return context.now if day is None or day <= brasilia_day(context.now) else day_bounds(day)[0]

    def _ids(self, known: CreatePayoutContext, count: int, context: RequestContext) -> list[Ids]:
        """Makes an id for each transfer. The first Pix has the id of the directory's look-up; a TED has none."""
        number, numbers = known.ground.setup.number, known.ground.numbers
        if self.wish.method == "TED":
            return [{"control_number": ted_ids.control_number(context.now, number, n)} for n in numbers[:count]]
        at = self._leaves_at(context)
        made = [pix_ids.end_to_end_id(self.ways.ispb, at, number, n) for n in numbers[:count]]
        if self.found.end_to_end_id is not None:
            made[0] = self.found.end_to_end_id
        return [{"end_to_end_id": name} for name in made]


def _bank_of(ispb: str, banks: BankList, ours: Institution) -> dict[str, str]:
    """Returns the name and COMPE code of the receiver's bank, where known."""
    listed = banks.by_ispb(ispb)
    name = ours.name if ispb == ours.ispb else "" if listed is None else listed.short_name
    code = ours.compe if ispb == ours.ispb else None if listed is None else listed.compe
    return {**({"name": name} if name else {}), **({"code": code} if code else {})}


def _taken() -> Refused:
    return EXTERNAL_ID_DUPLICATE.refused()


def _payout(
    wish: PayoutWish, account: Account, to: Destination, bank: Mapping[str, str], key: str, fee: Money, rail: str, ids: Ids,
    context: RequestContext,
) -> Payout:  # fmt: skip
    return Payout(
        id=context.chance.uuid(context.now), state="PENDING", version=2, batch_id=None, sequence=None, children=0,
        account_id=account.id, external_id=wish.external_id, idempotency_key=key, method=wish.method, rail=rail,
        initiation=to.initiation, amount=wish.amount, fee=fee, returned=Money(0, wish.amount.currency),
        description=wish.description, receiver=to.receiver, bank_name=bank.get("name"), bank_code=bank.get("code"),
        key=to.key, key_type=to.key_type, txid=to.txid, end_to_end_id=ids.get("end_to_end_id"),
        control_number=ids.get("control_number"), str_control_number=None, message_id=None, hold_id=None,
        fee_hold_id=None, quota_period=None, is_at_night=False, scheduled_on=wish.scheduled_on, start_at=None,
        send_until=None, error_code=None, error_message=None, ask_at=None, paid_at=None, created_at=context.now,
        updated_at=context.now, account=account,
    )  # fmt: skip


def _child(batch: Payout, amount: Money, sequence: int, ids: Ids, context: RequestContext) -> Payout:
    return replace(
        batch, id=context.chance.uuid(context.now), batch_id=batch.id, sequence=sequence, children=0, external_id=None,
        idempotency_key=rules.child_key(batch.idempotency_key, sequence), amount=amount,
        fee=Money(0, amount.currency), **ids,
    )  # fmt: skip


def _receiver_row(receiver_id: UUID, to: Destination, bank: Mapping[str, str]) -> Row:
    r = to.receiver
    bank = present(ispb=r.ispb, branch=r.branch, account=r.account, accountType=r.account_type, **bank)
    return Row(
        "parties",
        {
            "id": receiver_id, "name": r.name, "document_type": r.document_type, "document_number": r.document_number,
            "bank": msgspec.json.encode(bank).decode(),
        },
    )  # fmt: skip


def _columns(p: Payout, receiver_id: UUID) -> dict[str, object]:
    return {
        "id": p.id, "batch_id": p.batch_id, "sequence": p.sequence, "children": p.children, "account_id": p.account_id,
        "external_id": p.external_id, "idempotency_key": p.idempotency_key, "payment_method": p.method, "rail": p.rail,
        "initiation": p.initiation, "currency": p.amount.currency, "amount_minor": p.amount.minor, "fee_minor": p.fee.minor,
        "description": p.description, "receiver_id": receiver_id, "pix_key": p.key, "pix_key_type": p.key_type,
        "txid": p.txid, "end_to_end_id": p.end_to_end_id, "control_number": p.control_number, "message_id": p.message_id,
        "hold_id": p.hold_id, "fee_hold_id": p.fee_hold_id, "quota_period": p.quota_period, "is_at_night": p.is_at_night,
        "scheduled_on": p.scheduled_on, "start_at": p.start_at, "send_until": p.send_until, "ask_at": p.ask_at,
        "qr": p.qr, "created_at": p.created_at, "updated_at": p.updated_at, "likeness": None if p.batch_id else _likeness(p),
    }  # fmt: skip


def _likeness(p: Payout) -> int:
    return rules.likeness(p.account_id, p.method, p.amount, p.receiver, is_charge=p.initiation == "DYNAMIC_QR").number
