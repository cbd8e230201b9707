"""The console's texts in Portuguese and English. Formats amounts, numbers and moments."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lastro.api_kit.catalogue import Speech, read_texts
from lastro.api_kit.paging import read_timestamp
from lastro.console.form_problems import above
from lastro.core.money import DECIMALS, Money
from lastro.standards import documents
from lastro.standards.calendar import BRASILIA

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lastro.console.choosing import Choice

LANGUAGES: Final = ("pt", "en")
_FOLDER: Final = Path(__file__).with_name("texts")
FRAME: Final = read_texts(_FOLDER / "frame.toml")
_OF_TERMS: Final = (
    "pages",
    "actions",
    "charging",
    "paying",
    "planning",
    "resending",
    "developing",
    "eras",
    "fields",
    "states",
    "words",
    "triggers",
    "messages",
    "issues",
)
TERMS: Final = read_texts(*(_FOLDER / f"{name}.toml" for name in _OF_TERMS))
# In Portuguese alone: the database and the interface have them in English, and English has one form of a status.
LAWS: Final = read_texts(_FOLDER / "laws.toml")
REFUSALS: Final = read_texts(_FOLDER / "refusals.toml")
FEMININE: Final = read_texts(_FOLDER / "feminine.toml")
# Things, and tables of things, whose Portuguese names are feminine: a cobrança is paga, a pagamento is pago.
_FEMININE_THINGS: Final = frozenset(
    {
        "account", "chargeAttempt", "delivery", "difference", "dispute", "key", "keyClaim", "keyValidation", "order",
        "refund", "scheduledPayment", "subscription", "table.charges", "table.related", "table.transfers", "table.tries",
    }
)  # fmt: skip
_GOOD = (
    "ACCEPTED ACTIVE APPLIED APPROVED AUTHENTICATED CAPTURED COMPLETED CONFIRMED CREDITED DELIVERED PAID SETTLED TAKEN "
    "VALID holds"
)
_BAD = "BROKEN CONFLICT DECLINED ERROR FAILED INVALID REFUSED REJECTED REPROVED STRANDED TIMEOUT broken unread"
_WAITING = (
    "ANALYSIS APPLYING AUTHENTICATING CHALLENGE_REQUIRED HELD HALF_OPEN INITIAL OPEN PENDING PENDING_AUTHORIZATION "
    "PENDING_DOCUMENTS READY RECEIVED REQUESTED RETRYING RETURNING SCHEDULED TAKING VALIDATING WAITING_ANALYSIS "
    "WAITING_REFUND WAITING_RESOLUTION"
)
# A word in neither has ended, neither well nor badly.
TONES: Mapping[str, str] = {
    **dict.fromkeys(_GOOD.split(), "good"),
    **dict.fromkeys(_BAD.split(), "bad"),
    **dict.fromkeys(_WAITING.split(), "waiting"),
}
_SIGNS = {"BRL": "R$", "USD": "US$", "MXN": "MX$"}
_SPACE = "\N{NO-BREAK SPACE}"
_AMOUNT = re.compile(r"\d+\.\d\d")  # as the interface writes it
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# `{}` in an English sentence is any text, which `{0}`, `{1}` … of the Portuguese one repeat. The longest that fits counts.
_REFUSALS = tuple(
    (re.compile(re.escape(sentence).replace(r"\{\}", "(.*)"), re.DOTALL), text["pt"])
    for sentence, text in sorted(REFUSALS.items(), key=lambda one: -len(one[0]))
)


class Terms(Speech):
    """The terms in one of LANGUAGES, with its amounts and moments. thing: of which statuses are said."""

    def __init__(self, language: str, thing: str = "") -> None:
        super().__init__(language, TERMS)
        self._thing = thing
        self._is_feminine = language == "pt" and thing in _FEMININE_THINGS

    def about(self, thing: str) -> Terms:
        """Returns the terms with the statuses of a thing. thing: `order`, or the title of a table."""
        return Terms(self.language, thing)

    def state(self, word: str) -> str:
        """Returns a status in words, else the interface's word."""
        if self._is_feminine and word in FEMININE:
            return FEMININE[word][self.language]
        said = self.known(f"state.{word}", self.known(f"word.{word}", word))
        return self.known(f"state.{self._thing}.{word}", said)

    def word(self, word: str) -> str:
        """Returns a choice in words, else the interface's word; of a brand of crypto its own name: `Binance Pay`."""
        said = self.known(f"word.{word}", self.state(word))
        return word.replace("_", " ").title() if said == word and word.endswith("_PAY") else said

    def trigger(self, word: str) -> str:
        """Returns what moved an object, in words."""
        return self.known(f"trigger.{self._thing}.{word}", self.known(f"trigger.{word}", word))

    def message(self, kind: str) -> str:
        """Returns a message to or from a network in words."""
        return self.known(f"networkMessage.{kind}", kind)

    def outcome(self, word: str) -> str:
        """Returns what became of a message, in words."""
        return self.known(f"outcome.{word}", word)

    def count(self, name: str, number: int, **values: object) -> str:
        """Returns the text of a count: of `name.one` where there is one, else of `name`.

        {count} in it is the number.
        """
        chosen = f"{name}.one" if number == 1 and f"{name}.one" in TERMS else name
        return self(chosen, count=self.number(number), **values)

    def document(self, number: str) -> str:
        """Formats a CPF or a CNPJ: `123.456.789-09`, `12.ABC.678/0001-95`; another document is left as it is."""
        return documents.printed(number)

    def field(self, name: str) -> str:
        """Returns a field's name for forms and columns.

        A path takes the name of a field that contains it. One without words of its own is the interface's name, with its
        parts set apart.
        """
        found = next((TERMS[f"field.{one}"] for one in above(name) if f"field.{one}" in TERMS), None)
        if found is not None:
            return found[self.language]
        return _HUMPS.sub(" ", name).capitalize()

    def refusal(self, issue: str, sentence: str) -> str:
        """Returns a field's problem in the user's language.

        issue: the interface's word; sentence: its English one. Without a translation of the sentence it is that of the
        issue, with the sentence as the interface has it.
        """
        if self.language == "en":
            return sentence
        for pattern, text in _REFUSALS:
            if (found := pattern.fullmatch(sentence)) is not None:
                of = self.about("order" if "cobrança" in text else "")
                return text.format(*(of.in_refusal(word) for word in found.groups()))
        return f"{self.issue(issue)} ({sentence})" if issue else sentence

    def in_refusal(self, word: str) -> str:
        """Returns what an English sentence names, as a Portuguese one does: an amount, a status in words, else itself."""
        return word.replace(".", ",") if _AMOUNT.fullmatch(word) else self.date(self.word(word))

    def issue(self, word: str) -> str:
        """Returns an issue of the interface in words."""
        return self.known(f"issue.{word}", word)

    def law(self, name: str, sentence: str) -> str:
        """Returns a law's sentence. sentence: as the database has it, in English."""
        return LAWS[name]["pt"] if self.language == "pt" and name in LAWS else sentence

    def operation(self, name: str) -> str:
        """Returns an operation of the audit in words, or the interface's name."""
        return self.known(f"operation.{name}", name)

    def account(self, one: Choice) -> str:
        """Returns an account as it is read: `Bento Braga · 000012345`; a closed or blocked one says so."""
        state = "" if one.status == "ACTIVE" else f" ({self.about('account').state(one.status).lower()})"
        return f"{one.name} \N{MIDDLE DOT} {one.number}{state}"

    def tone(self, word: str) -> str:
        """Returns the tone of a status: good, bad, waiting or calm."""
        return TONES.get(word, "calm")

    def money(self, amount: Money) -> str:
        """Formats an amount: `R$ 1.234,56`, in English `R$ 1,234.56`. Below zero with a minus before it."""
        sign = "\N{MINUS SIGN}" if amount.minor < 0 else ""
        whole, _, decimals = str(Money(abs(amount.minor), amount.currency)).partition(".")
        point = self._point if decimals else ""
        return f"{sign}{_SIGNS.get(amount.currency, amount.currency)}{_SPACE}{self.number(int(whole))}{point}{decimals}"

    def paid(self, value: str | Mapping[str, str] | None, currency: str = "BRL") -> str:
        """Formats an amount of an answer; nothing where there is none.

        value: `{currency, value}`, or the decimal text alone.
        """
        if value is None:
            return ""
        text, currency = (value, currency) if isinstance(value, str) else (value["value"], value["currency"])
        whole, _, decimals = text.removeprefix("-").partition(".")
        minor = int(whole + decimals.ljust(DECIMALS[currency], "0"))
        return self.money(Money(-minor if text.startswith("-") else minor, currency))

    def number(self, number: int) -> str:
        """Formats a whole number, in groups of three."""
        grouped = f"{number:,}"
        return grouped.replace(",", ".") if self.language == "pt" else grouped

    def percent(self, part: int, whole: int) -> str:
        """Formats a share with one decimal, rounded half up; a dash for no whole."""
        if not whole:
            return "\N{EM DASH}"
        tenths = (2000 * part + whole) // (2 * whole)
        return f"{tenths // 10}{self._point}{tenths % 10}%"

    def decimal(self, text: str) -> str:
        """Formats a decimal text of the interface with the language's point."""
        return text.replace(".", self._point)

    def share(self, basis_points: int) -> str:
        """Formats hundredths of a percent: `0,99%`."""
        return f"{basis_points // 100}{self._point}{basis_points % 100:02d}%"

    def span(self, milliseconds: int) -> str:
        """Writes a duration in the unit that fits: milliseconds to days."""
        for size, unit in ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s")):
            if milliseconds >= size:
                tenths = (20 * milliseconds + size) // (2 * size)
                return f"{tenths // 10}{self._point}{tenths % 10}{_SPACE}{unit}"
        return f"{milliseconds}{_SPACE}ms"

    def moment(self, at: datetime | str | None) -> str:
        """Formats an instant by Brasilia's clock, to the second.

        `22/11/2026 21:04:07`, in English `2026-11-22 21:04:07`.
        """
        if isinstance(at, str):
            at = read_timestamp(at)
        if at is None:
            return ""
        local = at.astimezone(BRASILIA)
        return f"{local:%d/%m/%Y %H:%M:%S}" if self.language == "pt" else f"{local:%Y-%m-%d %H:%M:%S}"

    def hour(self, at: datetime) -> str:
        """Formats an hour of Brasilia's day."""
        return f"{at.astimezone(BRASILIA):%H}h" if self.language == "pt" else f"{at.astimezone(BRASILIA):%H:00}"

    def date(self, text: str) -> str:
        """Formats a day of the interface as people write it: `03/12/2026`; in English it stays as it is."""
        found = _DAY.fullmatch(text)
        return text if found is None or self.language != "pt" else f"{found[3]}/{found[2]}/{found[1]}"

    def day(self, at: datetime) -> str:
        """Formats a day of Brasilia's calendar, without its year."""
        return f"{at.astimezone(BRASILIA):%d/%m}" if self.language == "pt" else f"{at.astimezone(BRASILIA):%m-%d}"

    @property
    def _point(self) -> str:
        return "," if self.language == "pt" else "."
