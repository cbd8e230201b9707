"""The types of orders, of their payments and of their destinations."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from lastro.banks import Banks
from lastro.orders.transfers import NO_TRANSFERS
from lastro.rails.port import BOOK, PIX, is_connection
from lastro.standards.pix_ids import is_end_to_end_id
from lastro.standards.ted_ids import is_control_number

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime
    from uuid import UUID

    from lastro.accounts import Institution
    from lastro.companies import FeePlan, Fees, Route
    from lastro.core.money import Money
    from lastro.orders.cards.model import CardPayment
    from lastro.orders.transfers import Transfers

STATUSES = ("INITIAL", "PENDING", "AUTHENTICATING", "PAID", "EXPIRED", "CANCELED", "ERROR", "REFUNDED", "PARTIAL_REFUNDED")


@dataclass(frozen=True, slots=True)
class CompanySetup:
    """A company's settings for creating an order, at the versions read. fees: of its method, now and later.

    route: of its method, where the company has chosen one. down: rails whose partners are known to be away.
    """

    number: int
    version: int
    fees_version: int
    fees: Fees
    customerless_partner: str | None
    default_account_id: UUID | None
    route: Route | None = None
    down: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PixKey:
    """A Pix key that leads to one of our accounts. type: CPF, CNPJ, EMAIL, PHONE, RANDOM.

    rail: of the connection at whose bank it is registered; `pix`: it is our own institution's.
    """

    id: UUID
    type: str
    key: str
    account_id: UUID
    version: int
    rail: str = PIX


@dataclass(frozen=True, slots=True)
class Party:
    """A customer, as the order names one. Everything but name and document may be missing."""

    id: UUID
    name: str
    document_type: str | None
    document_number: str | None
    bank: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Face:
    """The printed terms of a slip. code: 44 digits of its bars. payable_until: the last day on which it is taken."""

    code: str
    due: date
    payable_until: date


@dataclass(frozen=True, slots=True)
class Instrument:
    """The means of payment of an order that a partner collects. rail: the partner's.

    reference: ours, by which the partner names it. face: of a slip alone. details: further shown fields, by names of the
    method's own; they never change.
    """

    rail: str
    reference: str
    face: Face | None = None
    details: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """An order as it was read. amount None: open, the payer types it. state is the status of the interface.

    subscription_id: whose first charge, or charge of a cycle, it is; it ends with that. subscription_code: the client's code
    of the subscription. scheduled_payment_id: which charge of a cycle it is; None for a first charge, whose code is shown by
    the subscription. static_qrcode_id: the printed code by which the money came that made it. paid_txid: what that money
    carried as txid, printed by us or by anybody.
    order_token: what leads to its hosted page, where it has one.
    ends_at: when it ends unpaid, where money may be told of later than expires_at. instrument: where it is no PIX order.
    refunded: what was given back of it so far; None: nothing. card: how its payment by card stands.
    leads_here: whether the Pix key that it waits on still leads to its account.
    """

    id: UUID
    state: str
    version: int
    origin: Literal["TRANSPARENT", "SUBSCRIPTION", "UNASKED"]
    external_id: str
    account_id: UUID
    payment_method: str
    currency: str
    amount: Money | None
    final_amount: Money | None
    fees: FeePlan
    description: str
    notification_url: str | None
    return_url: str | None
    financial_partner: str | None
    pix_key: str | None
    pix_key_type: str | None
    txid: str | None
    location_token: str | None
    expires_at: datetime | None
    end_to_end_id: str | None
    paid: Money | None
    paid_at: datetime | None
    error_message: str | None
    created_at: datetime
    updated_at: datetime
    customer: Party | None
    payer: Party | None
    subscription_id: UUID | None = None
    subscription_code: str | None = None
    scheduled_payment_id: UUID | None = None
    order_token: str | None = None
    static_qrcode_id: UUID | None = None
    paid_txid: str | None = None
    ends_at: datetime | None = None
    instrument: Instrument | None = None
    refunded: Money | None = None
    card: CardPayment | None = None
    leads_here: bool = True

    @property
    def bank_code(self) -> str | None:
        """The text of the QR that a bank has made. None: it is not paid by a connection."""
        made = self.instrument
        return None if made is None or made.details is None or self.connection is None else made.details["qrcodeData"]

    @property
    def connection(self) -> str | None:
        """The rail of the connection that it is paid by. None: our own institution or a partner takes its money."""
        made = self.instrument
        return None if made is None or not is_connection(made.rail) else made.rail

    @property
    def refundable(self) -> Money | None:
        """The most that may be given back: the amount without the customer's fees; of an open one, the paid amount."""
        return self.amount or self.paid


@dataclass(frozen=True, slots=True)
class StaticCode:
    """A printed code, as it was made and stays. amount None: the payer types it. qrcode_data: its text.

    leads_here: whether its key still leads to its account.
    """

    id: UUID
    account_id: UUID
    pix_key: str
    txid: str
    amount: Money | None
    description: str | None
    qrcode_data: str
    created_at: datetime
    leads_here: bool = True


@dataclass(frozen=True, slots=True)
class OrderFilter:
    """The filters of a list of orders; None: all."""

    status: str | None = None
    external_id: str | None = None
    account_id: UUID | None = None
    payment_method: str | None = None
    static_qrcode_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class OrderShown:
    """An order with name and city of the holder that it credits. Its code names both."""

    order: Order
    holder_name: str
    city: str


@dataclass(frozen=True, slots=True)
class Authorized:
    """The recurrence that a payer authorized by a first payment. recurrence_id: the idRec.

    maximum: the most of one charge; None where he set none. ibge_code: of the payer's city, where his bank said it.
    """

    recurrence_id: str
    maximum: Money | None = None
    ibge_code: str | None = None


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment as it was read: Pix, TED or of a partner. settled_at: the time when its money was in.

    gives_back: a bank pays a loss anew by it. end_to_end_id: of a TED its control number.
    """

    id: UUID
    state: str
    version: int
    end_to_end_id: str
    order_id: UUID | None
    account_id: UUID | None
    amount: Money
    payer_id: UUID | None
    code: str | None
    accepted_at: datetime
    pix_key: str | None
    remittance: str | None
    rail: str
    authorized: Authorized | None = None
    txid: str | None = None
    settled_at: datetime | None = None
    gives_back: bool = False

    @property
    def is_ted(self) -> bool:
        """True where it is a TED from another account here. A control number names it, no endToEndId."""
        return self.rail == BOOK and is_control_number(self.end_to_end_id)


@dataclass(frozen=True, slots=True)
class RefundAsked:
    """A client's refund, as it is shown. code: MD06. word: the client's name of it. reason: the client's, told to nobody."""

    id: UUID
    state: str
    order_id: UUID
    external_id: str
    return_id: str
    amount: Money
    code: str
    word: str | None
    reason: str | None
    description: str | None
    error_code: str | None
    error_message: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Refund:
    """Money being given back, as it was read. order_id: of which order; None where it fits none and goes back by itself.

    external_id: where a client asked for it. med_id: of what asks for it at the directory, called_off_at: until when.
    of_order: as much of it as the order gives back; the rest came beside it. paid_at: since when it is known to be settled.
    """

    id: UUID
    state: str
    version: int
    payment: Payment
    return_id: str
    amount: Money
    of_order: Money
    hold_id: UUID
    created_at: datetime
    order_id: UUID | None = None
    external_id: str | None = None
    med_id: UUID | None = None
    called_off_at: datetime | None = None
    rail: str = PIX
    paid_at: datetime | None = None

    @property
    def is_anew(self) -> bool:
        """True where a new payment, no return, gives the money back. It goes to somebody else than the payer."""
        return is_end_to_end_id(self.return_id)


class AtBank(NamedTuple):
    """A connection as the file of banks has it. company: the number of the company whose account it is.

    ispb: of its bank; None: the file does not say.
    """

    company: int
    ispb: str | None = None


@dataclass(frozen=True)
class Installation:
    """This installation of lastro: its institution, public address and mode. methods: with a configured partner.

    transfers: the destinations of transfers. partners: their rails; None: the usual one. connections: the rails of
    companies' own accounts at banks that make new codes. without_refunds: rails that give nothing back. has_network: an
    institution's; without one orders are made by banks and partners alone. at_banks: every connection, by its rail.
    """

    institution: Institution
    public_url: str
    sandbox: bool
    methods: frozenset[str] = frozenset({"PIX"})
    transfers: Transfers = NO_TRANSFERS
    partners: frozenset[str] | None = None
    connections: frozenset[str] = frozenset()
    without_refunds: frozenset[str] = frozenset()
    has_network: bool = True
    at_banks: Mapping[str, AtBank] = field(default_factory=dict, hash=False)

    @cached_property
    def banks(self) -> Banks:
        """The bank list as this process knows it, which names who pays; in a sandbox the simulated banks are in it."""
        return Banks(sandbox=self.sandbox)

    def location(self, token: str) -> str:
        """The address of a charge as a QR carries it: without scheme."""
        return f"{self.public_url.partition('://')[2]}/qr/v2/{token}"

    def recurrence_location(self, token: str) -> str:
        """The address of a recurrence as a QR carries it: without scheme."""
        return f"{self.public_url.partition('://')[2]}/qr/v2/rec/{token}"

    def checkout_url(self, token: str) -> str:
        """The address of an order's hosted page: unguessable, needs no token."""
        return f"{self.public_url}/checkout/{token}"

    def challenge_url(self, token: str) -> str:
        """Returns the address that leads a card's payer to his bank. It cannot be guessed, and needs no token."""
        return f"{self.public_url}/3ds/{token}"

    def slip_url(self, token: str) -> str:
        """The address of a slip's PDF: unguessable, needs no token."""
        return f"{self.public_url}/slip/{token}.pdf"

    def voucher_url(self, token: str) -> str:
        """The address of a cash voucher's PDF: unguessable, needs no token."""
        return f"{self.public_url}/voucher/{token}.pdf"

    def image_url(self, token: str) -> str:
        """The address of the QR's picture: unguessable, needs no token."""
        return f"{self.public_url}/qr/image/{token}.png"
