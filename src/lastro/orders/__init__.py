"""Orders: what a customer is asked to pay, the money that comes for it, and the money that goes back."""

from lastro.orders.actions.arrive import Ask, Final, Settled
from lastro.orders.actions.arrive_ted import TedArrived
from lastro.orders.actions.collect import Announced, CollectionSettled, Unregistered, Voided
from lastro.orders.actions.create import final_of
from lastro.orders.actions.destinations import CreateOrderContext as Destination
from lastro.orders.actions.destinations import Destinations
from lastro.orders.actions.end import CancelOrder, Expire, Fail, removed_at_bank, with_account
from lastro.orders.actions.end import EndOrderContext as Ending
from lastro.orders.actions.end import known_of as ending
from lastro.orders.actions.first_charge import FirstCharge, charged, first_request, with_subscription
from lastro.orders.actions.give_back import ReturnDoubted, ReturnEnded
from lastro.orders.actions.issuing import is_text as is_plain_text
from lastro.orders.actions.issuing import misfit
from lastro.orders.actions.order_owner import OrderOwner, OrderOwners
from lastro.orders.actions.pay import Paid
from lastro.orders.actions.payers import payer_of
from lastro.orders.actions.read import ReadOrder, charge, image
from lastro.orders.actions.scheduled_charge import ScheduledCharge, scheduled_charge, with_payment
from lastro.orders.api import routes
from lastro.orders.cards.authenticate import Authenticated, CardDeclined, CardOver
from lastro.orders.cards.chargeback import ChargedBack
from lastro.orders.cards.never import NeverCharged
from lastro.orders.cards.states import CARD_PAYMENTS
from lastro.orders.checkout.model import CheckoutState, Standing
from lastro.orders.checkout.model import OrderSeen as CheckoutSeen
from lastro.orders.checkout.page import CheckoutPages
from lastro.orders.checkout.store import seen_by_token as by_checkout
from lastro.orders.checkout.store import standing_by_token as standing_by_checkout
from lastro.orders.codes import merchant, picture
from lastro.orders.connections import (
    CONNECTIONS_COUNTED,
    DeclareConnection,
    ShownConnection,
    has_connection,
    left_out,
    shown_connections,
)
from lastro.orders.docs import EVENT_TYPES as _OF_ORDERS
from lastro.orders.due_work import DUE_WORK, EXPIRY_GRACE
from lastro.orders.foreign.claim import ClaimForeign
from lastro.orders.foreign.close import CloseForeign
from lastro.orders.foreign.keep import ForeignPayments, KeepForeign
from lastro.orders.foreign.model import ForeignFilter, KeptForeign
from lastro.orders.foreign.rendering import shown_foreign
from lastro.orders.foreign.states import FOREIGN_PAYMENTS
from lastro.orders.foreign.store import fitting_orders, foreign_in, order_named, read_foreign
from lastro.orders.methods import Method, method_of, methods_by
from lastro.orders.model import (
    AtBank,
    Authorized,
    CompanySetup,
    Installation,
    Order,
    OrderShown,
    Party,
    Refund,
)
from lastro.orders.partners import partner_name, route_problem
from lastro.orders.refunds.create import MakeRefund as GiveBack
from lastro.orders.refunds.create import RefundWish as RefundWish
from lastro.orders.refunds.disputes import (
    Disputed,
    Returning,
    anew_for,
    call_off,
    disputed,
    given_back,
    given_for,
    returning,
)
from lastro.orders.refunds.docs import EVENT_TYPES as _OF_REFUNDS
from lastro.orders.refunds.prove import Proved as ProvedRefund
from lastro.orders.refunds.read import ReadRefund as ReadRefund
from lastro.orders.refunds.reasons import may_help_later
from lastro.orders.refunds.rules import given_up_for
from lastro.orders.refunds.store import is_return, stranded_by_id, stranded_in
from lastro.orders.refunds.unmatched import Settle as SettleStranded
from lastro.orders.refunds.unmatched import Way as StrandedWay
from lastro.orders.refunds.unmatched import shown as shown_stranded
from lastro.orders.returns import EARLY, NEEDS, Sending
from lastro.orders.rules import fee_problem
from lastro.orders.silence import silent
from lastro.orders.slips import Slip, slip_of
from lastro.orders.slips import by_token as slip_by_token
from lastro.orders.slips import pdf as slip_pdf
from lastro.orders.states import ORDERS, PIX_PAYMENTS, REFUNDS
from lastro.orders.store import LEADS_HERE, destination, order_by_id, reservation
from lastro.orders.store import party as party_by_id
from lastro.orders.store.locations import shown_by_location, shown_by_picture
from lastro.orders.store.sending import sending
from lastro.orders.store.stories import related, root_of
from lastro.orders.transfers import DepositBank, Transfers
from lastro.orders.vouchers import Voucher, voucher_of
from lastro.orders.vouchers import by_token as voucher_by_token
from lastro.orders.vouchers import pdf as voucher_pdf
from lastro.orders.waiting import HELD_BACK, WAITING, WHOSE, on_statements, waiting_of

EVENT_TYPES = (*_OF_ORDERS, *_OF_REFUNDS)

__all__ = [
    "CARD_PAYMENTS", "CONNECTIONS_COUNTED", "DUE_WORK", "EARLY", "EVENT_TYPES", "EXPIRY_GRACE", "FOREIGN_PAYMENTS",
    "HELD_BACK", "LEADS_HERE", "NEEDS", "ORDERS", "PIX_PAYMENTS", "REFUNDS", "WAITING", "WHOSE", "Announced", "Ask",
    "AtBank", "Authenticated", "Authorized", "CancelOrder", "CardDeclined", "CardOver", "ChargedBack", "CheckoutPages",
    "CheckoutSeen", "CheckoutState", "ClaimForeign", "CloseForeign", "CollectionSettled", "CompanySetup",
    "DeclareConnection", "DepositBank", "Destination", "Destinations", "Disputed", "Ending", "Expire", "Fail", "Final",
    "FirstCharge", "ForeignFilter", "ForeignPayments", "GiveBack", "Installation", "KeepForeign", "KeptForeign", "Method",
    "NeverCharged", "Order", "OrderOwner", "OrderOwners", "OrderShown", "Paid", "Party", "ProvedRefund", "ReadOrder",
    "ReadRefund", "Refund", "RefundWish", "ReturnDoubted", "ReturnEnded", "Returning", "ScheduledCharge", "Sending",
    "SettleStranded", "Settled", "ShownConnection", "Slip", "Standing", "StrandedWay", "TedArrived", "Transfers",
    "Unregistered", "Voided", "Voucher", "anew_for", "by_checkout", "call_off", "charge", "charged", "destination",
    "disputed", "ending", "fee_problem", "final_of", "first_request", "fitting_orders", "foreign_in", "given_back",
    "given_for", "given_up_for", "has_connection", "image", "is_plain_text", "is_return", "left_out", "may_help_later",
    "merchant", "method_of", "methods_by", "misfit", "on_statements", "order_by_id", "order_named", "partner_name",
    "party_by_id", "payer_of", "picture", "read_foreign", "related", "removed_at_bank", "reservation", "returning",
    "root_of", "route_problem", "routes", "scheduled_charge", "sending", "shown_by_location", "shown_by_picture",
    "shown_connections", "shown_foreign", "shown_stranded", "silent", "slip_by_token", "slip_of", "slip_pdf",
    "standing_by_checkout", "stranded_by_id", "stranded_in", "voucher_by_token", "voucher_of", "voucher_pdf", "waiting_of",
    "with_account", "with_payment", "with_subscription",
]  # fmt: skip
