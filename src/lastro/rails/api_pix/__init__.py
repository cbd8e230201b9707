"""The adapter of banks that speak API Pix: connections to them, how each is reached, and what is asked there.

Rooms do not see it. app, config, cli, ops and observability use the names here.
"""

from lastro.rails.api_pix.banks_file import read
from lastro.rails.api_pix.checking import Finding, certificate, check
from lastro.rails.api_pix.client import ApiPix
from lastro.rails.api_pix.connection_config import Connection
from lastro.rails.api_pix.dialects import DIALECTS, Dialect
from lastro.rails.api_pix.exchange import Line, SetUpWrongly
from lastro.rails.api_pix.files import FileUnfit, settings_text
from lastro.rails.api_pix.issuing import ApiPixIssuer
from lastro.rails.api_pix.line import Ambient, BankLine
from lastro.rails.api_pix.nightly import Nightly
from lastro.rails.api_pix.opening import (
    PAYMENTS,
    Stores,
    cursor_of,
    issuer_of,
    rail_of,
    recurrences_of,
    statements_of,
    sweeps_of,
)
from lastro.rails.api_pix.recurrence_making import ApiPixRecurrences
from lastro.rails.api_pix.rehearsal import Rehearsal, ReturnEnd
from lastro.rails.api_pix.sweep import InboxTakings
from lastro.rails.api_pix.webhooks import BankWebhook, RegisteredWebhook, WebhookRefused
from lastro.rails.api_pix.wire import BankPayment

__all__ = [
    "DIALECTS", "PAYMENTS", "Ambient", "ApiPix", "ApiPixIssuer", "ApiPixRecurrences", "BankLine", "BankPayment",
    "BankWebhook", "Connection", "Dialect", "FileUnfit", "Finding", "InboxTakings", "Line", "Nightly", "RegisteredWebhook",
    "Rehearsal", "ReturnEnd", "SetUpWrongly", "Stores", "WebhookRefused", "certificate", "check", "cursor_of", "issuer_of",
    "rail_of", "read", "recurrences_of", "settings_text", "statements_of", "sweeps_of",
]  # fmt: skip
