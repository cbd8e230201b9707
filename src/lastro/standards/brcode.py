"""BR Code: the text behind a Pix QR ("Pix copia e cola"), written and read.

A payload is a run of `ID(2 digits) LENGTH(2 digits) VALUE`; templates hold the same structure inside their value.
Only printable ASCII is written, so that characters, bytes and LENGTH count the same thing. Others also print accents and
emoji: LENGTH then counts characters, bytes of UTF-8 or units of UTF-16, whichever fits, and all three are read.
Source: BR Code manual; API Pix 2.9.0 (locations, composite QR of Pix Automático).
"""

import re
import unicodedata
from binascii import crc_hqx
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

MAX_PAYLOAD = 512
MAX_VALUE = 99
MAX_KEY = 77
MAX_LOCATION = 77
MAX_NAME = 25
MAX_CITY = 15

Reason = Literal[
    "CHARACTER",  # something that is not printable, or where it is written not ASCII
    "TOO_LONG",  # a value, template or payload beyond its limit
    "CRC",  # field 63 is not the last one, or does not match what stands before it
    "STRUCTURE",  # a length that does not fit, an id that is no number, a first field other than 00
    "DUPLICATE",  # a single field, or a Pix template, that stands twice
    "MISSING",  # a mandatory field is absent
    "FIELD",  # a field with a value its form does not allow
    "PIX_TEMPLATE",  # no merchant template of Pix, so the code belongs to another arrangement
    "TARGET",  # key and location together, or none of key, location and recurrence location
]

_GUI = "br.gov.bcb.pix"
_GUI_FIELD = f"0014{_GUI}"
_NO_TXID = "***"
_PAYLOAD = re.compile(r"[ -~]+")
# Controls, ends of lines, halves of characters, and what turns the direction of a text.
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_AROUND = " \t\r\n\f\v\u00a0\u200b\u2028\u2029\ufeff"  # characters that come along when a code is pasted
_CRC_FIELD = re.compile(r"6304[0-9A-Fa-f]{4}")
_AMOUNT_WRITTEN = re.compile(r"[0-9]{1,10}\.[0-9]{2}")
_AMOUNT_READ = re.compile(r"([0-9]{1,10})(?:\.([0-9]{0,2}))?")
_CATEGORY = re.compile(r"[0-9]{4}")
_TXID_WRITTEN = re.compile(r"[A-Za-z0-9]{1,25}")
# A host with an optional port and a path: whoever fetches it later puts only the scheme before it, so neither
# a scheme nor a user name may hide inside.
_LOCATION = re.compile(r"[A-Za-z0-9.-]+(?::[0-9]{1,5})?/[!-~]+")


class BrCodeError(ValueError):
    """A payload that cannot be read, or a code that is invalid. `reason` is stable, the message is for people."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class BrCode:
    """The contents of a Pix QR code.

    A static code has `key`, a dynamic one `location`, journey 2 of Pix Automático neither. `location` and
    `recurrence_location` carry no scheme. `amount` is the text of field 54 with two decimals (`123.45`) and is only a hint
    in a dynamic code: there the signed payload decides. `txid` None prints `***`, and a dynamic code never carries one.
    `single_use` is field 01 = `12`. `facilitator` is the ISPB of the institution that hands out cash (26-03): such a static
    code is for a withdrawal, and no purchase.
    """

    merchant_name: str
    merchant_city: str
    key: str | None = None
    location: str | None = None
    recurrence_location: str | None = None
    description: str | None = None
    amount: str | None = None
    txid: str | None = None
    merchant_category: str = "0000"
    postal_code: str | None = None
    single_use: bool = False
    facilitator: str | None = None

    @property
    def label(self) -> str | None:
        """The txid, where a payment can carry it (pacs.008: letters and digits); others print what no payment can."""
        return self.txid if self.txid is not None and _TXID_WRITTEN.fullmatch(self.txid) else None


def crc16(text: str, encoding: str = "ascii") -> str:
    """Returns the check value of field 63: CRC-16/CCITT-FALSE of `text` as four upper-case hex digits."""
    return f"{crc_hqx(text.encode(encoding), 0xFFFF):04X}"


def ascii_text(text: str, limit: int) -> str:
    """Reduces `text` to printable ASCII and cuts it to `limit` characters.

    Accents are dropped, compatibility forms become their letters (`1º` is `1o`). Blanks at the ends are dropped, before and
    after the cut.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
    if not (text.isascii() and text.isprintable()):
        text = "".join(character for character in text if " " <= character <= "~")
    return text.strip()[:limit].rstrip()


def description_room(key: str) -> int:
    """Returns the most characters that a description beside `key` has. Both share a template of 99 (37 for an EVP key)."""
    return max(0, MAX_VALUE - len(_GUI_FIELD) - (4 + len(key)) - 4)


def encode(code: BrCode) -> str:
    """Writes `code` as a payload of at most 512 characters.

    The CRC is in upper case (BR Code manual; API Pix 2.9.0). Name, city, description and postal code are reduced to ASCII,
    name and city cut to 25 and 15 characters; nothing else is changed. Raises BrCodeError if a field is malformed, does not
    fit, or the targets contradict each other.
    """
    _check_targets(code)
    fields = ["000201"]
    if code.single_use:
        if code.key is None and code.location is None:
            raise BrCodeError("FIELD", "a code that only authorises a recurrence has no field 01, so it is not single-use")
        fields.append("010212")
    if code.description is not None and code.key is None:
        raise BrCodeError("FIELD", "only a static code carries a description; a dynamic one has it in the signed payload")
    fields.append(_field("26", _merchant_template(code)))
    _demand(_CATEGORY, code.merchant_category, "merchant_category")
    fields.append(f"5204{code.merchant_category}5303986")
    if code.amount is not None:
        _demand(_AMOUNT_WRITTEN, code.amount, "amount")
        fields.append(_field("54", code.amount))
    fields.append("5802BR")
    fields.append(_field("59", ascii_text(code.merchant_name, MAX_NAME)))
    fields.append(_field("60", ascii_text(code.merchant_city, MAX_CITY)))
    if code.postal_code is not None:
        postal_code = ascii_text(code.postal_code, MAX_VALUE)
        if len(postal_code) > 10:
            raise BrCodeError("TOO_LONG", "postal_code has more than 10 characters")
        fields.append(_field("61", postal_code))
    fields.append(_field("62", _field("05", _reference_label(code))))
    if code.recurrence_location is not None:
        fields.append(_field("80", _GUI_FIELD + _location_field(code.recurrence_location)))
    fields.append("6304")
    # The whole needs no check: these fields at their longest make 359 characters of the 512 allowed.
    text = "".join(fields)
    return text + crc16(text)


def decode(payload: str) -> BrCode:
    """Reads `payload`, after checks of CRC, lengths and mandatory fields.

    Templates of other arrangements are ignored, the GUI is compared without regard to case, a CRC in lower case is accepted,
    and an amount is completed to two decimals. Blanks around the payload are dropped, and free texts may hold any printable
    character. Raises BrCodeError. Source: BR Code manual; API Pix 2.9.0.
    """
    payload = payload.strip(_AROUND)
    _check_frame(payload)
    first: BrCodeError | None = None
    for text, plain in _counted(payload):
        try:
            return _decoded(text, plain)
        except BrCodeError as error:
            first = first or error
    assert first is not None
    raise first


def _decoded(payload: str, plain: Callable[[str], str]) -> BrCode:
    """Decodes a payload of which LENGTH counts the characters. plain: gives a value its own characters again."""
    fields = _split(payload, "payload")
    if next(iter(fields)) != "00":
        raise BrCodeError("STRUCTURE", "the first field is not 00")
    _expect(fields, "00", "01")
    _expect(fields, "53", "986")
    _expect(fields, "58", "BR")
    initiation = fields.get("01")
    if initiation not in (None, "11", "12"):
        raise BrCodeError("FIELD", f"field 01 is {initiation!r}, neither 11 nor 12")
    category = _mandatory(fields, "52")
    _demand(_CATEGORY, category, "field 52")
    merchant, recurrence = _pix_templates(fields)
    txid = _read_txid(fields)
    code = BrCode(
        # Its length needs no check: beside the GUI a template has room for 77 characters.
        key=merchant.get("01"),
        location=_read_location(merchant.get("25"), "field 26-25"),
        recurrence_location=_read_location(recurrence, "field 80-25"),
        description=None if "02" not in merchant else plain(merchant["02"]),
        amount=_read_amount(fields.get("54")),
        merchant_name=_within(plain(_mandatory(fields, "59")), "field 59", MAX_NAME),
        merchant_city=_within(plain(_mandatory(fields, "60")), "field 60", MAX_CITY),
        txid=txid if "01" in merchant else None,
        merchant_category=category,
        postal_code=_bounded(fields.get("61"), "field 61", 10),
        single_use=initiation == "12",
        facilitator=merchant.get("03"),
    )
    _check_targets(code)
    return code


def _check_targets(code: BrCode) -> None:
    if code.key is not None and code.location is not None:
        raise BrCodeError("TARGET", "a code has a key or a location, not both")
    if code.key is None and code.location is None and code.recurrence_location is None:
        raise BrCodeError("TARGET", "a code needs a key, a location or a recurrence location")


# Writing.


def _merchant_template(code: BrCode) -> str:
    parts = [_GUI_FIELD]
    if code.key is not None:
        if not 1 <= len(code.key) <= MAX_KEY:
            raise BrCodeError("TOO_LONG", f"a key has 1 to {MAX_KEY} characters, not {len(code.key)}")
        parts.append(_field("01", code.key))
    if code.description is not None:
        parts.append(_field("02", ascii_text(code.description, MAX_PAYLOAD)))
    if code.facilitator is not None:
        parts.append(_field("03", code.facilitator))
    if code.location is not None:
        parts.append(_location_field(code.location))
    return "".join(parts)


def _location_field(location: str) -> str:
    return _field("25", _checked_location(location, "location"))


def _reference_label(code: BrCode) -> str:
    if code.txid is None:
        return _NO_TXID
    if code.key is None:
        raise BrCodeError("FIELD", "only a static code carries its txid; a dynamic one has it in the signed payload")
    _demand(_TXID_WRITTEN, code.txid, "txid")
    return code.txid


def _field(field: str, value: str) -> str:
    if not value:
        raise BrCodeError("MISSING", f"field {field} is empty")
    if len(value) > MAX_VALUE:
        raise BrCodeError("TOO_LONG", f"field {field} has {len(value)} characters, {MAX_VALUE} are allowed")
    if _PAYLOAD.fullmatch(value) is None:
        raise BrCodeError("CHARACTER", f"field {field} holds something other than printable ASCII")
    return f"{field}{len(value):02d}{value}"


def _demand(form: re.Pattern[str], value: str, name: str) -> None:
    if form.fullmatch(value) is None:
        raise BrCodeError("FIELD", f"{name} is {value!r}, which its form does not allow")


# Reading.


def _check_frame(payload: str) -> None:
    if len(payload) > MAX_PAYLOAD:
        raise BrCodeError("TOO_LONG", f"payload has {len(payload)} characters, {MAX_PAYLOAD} are allowed")
    if not payload or _UNREADABLE.search(payload):
        raise BrCodeError("CHARACTER", "payload is empty or holds something that cannot be printed")
    if _CRC_FIELD.fullmatch(payload[-8:]) is None:
        raise BrCodeError("CRC", "payload does not end with field 63 of length 04")
    if payload[-4:].upper() not in _checks(payload[:-4]):
        reason: Reason = "CRC" if payload.isascii() else "CHARACTER"
        raise BrCodeError(reason, "the check digits do not match: a character was changed or lost")


def _checks(text: str) -> Iterator[str]:
    """Yields check values that a text may have: of its UTF-8, and where it has only Western letters, of its Latin-1."""
    yield crc16(text, "utf-8")
    if not text.isascii() and all(character <= "\xff" for character in text):
        yield crc16(text, "latin-1")


def _counted(payload: str) -> Iterator[tuple[str, Callable[[str], str]]]:
    """Yields the payload in each unit that LENGTH may count.

    A unit is a character, a UTF-8 byte or a UTF-16 unit; each is one character of the yielded text. With it comes the
    function that restores a value.
    """
    yield payload, str
    if payload.isascii():
        return
    yield payload.encode().decode("latin-1"), lambda value: _again(value.encode("latin-1"), "utf-8")
    units = payload.encode("utf-16-be")
    wide = "".join(chr(units[at] << 8 | units[at + 1]) for at in range(0, len(units), 2))
    yield wide, lambda value: _again(value.encode("utf-16-be", "surrogatepass"), "utf-16-be")


def _again(value: bytes, encoding: str) -> str:
    try:
        return value.decode(encoding)
    except UnicodeDecodeError as cut:
        raise BrCodeError("STRUCTURE", "a length ends in the middle of a character") from cut


def _split(text: str, where: str) -> dict[str, str]:
    """Splits `text` into its fields, in order. The frame implies that the last one is 63: its lengths must add up."""
    fields: dict[str, str] = {}
    at = 0
    while at < len(text):
        head = text[at : at + 4]
        if len(head) < 4 or not (head.isascii() and head.isdigit()):
            raise BrCodeError("STRUCTURE", f"{where}: no id and length at character {at + 1}")
        field, end = head[:2], at + 4 + int(head[2:])
        if end > len(text):
            raise BrCodeError("STRUCTURE", f"{where}: field {field} is longer than what is left")
        if end == at + 4:
            raise BrCodeError("STRUCTURE", f"{where}: field {field} is empty")
        if field in fields:
            raise BrCodeError("DUPLICATE", f"{where}: field {field} stands twice")
        fields[field] = text[at + 4 : end]
        at = end
    return fields


def _pix_templates(fields: dict[str, str]) -> tuple[dict[str, str], str | None]:
    """Returns the only Pix merchant template, and the recurrence location, if any."""
    if list(fields)[-1] != "63":
        raise BrCodeError("STRUCTURE", "field 63 is not the last one")
    merchant: dict[str, str] | None = None
    recurrence: str | None = None
    for field, value in fields.items():
        if not ("26" <= field <= "51" or field >= "80"):
            continue
        # The structure of every template is checked, also of those whose arrangement is not ours to know.
        template = _split(value, f"field {field}")
        if template.get("00", "").lower() != _GUI:
            continue
        if field <= "51":
            if merchant is not None:
                raise BrCodeError("DUPLICATE", "there are two merchant templates of Pix")
            merchant = template
        elif "25" in template:
            if recurrence is not None:
                raise BrCodeError("DUPLICATE", "there are two recurrence locations")
            recurrence = template["25"]
    if merchant is None:
        raise BrCodeError("PIX_TEMPLATE", "the code is not for Pix: no merchant template carries its name")
    return merchant, recurrence


def _read_txid(fields: dict[str, str]) -> str | None:
    # Official samples carry a hyphen here although the form has none, so reading is content with the length.
    template = _split(_mandatory(fields, "62"), "field 62")
    label = _within(_mandatory(template, "05"), "field 62-05", MAX_NAME)
    return None if label == _NO_TXID else label


def _read_amount(value: str | None) -> str | None:
    if value is None:
        return None
    match = _AMOUNT_READ.fullmatch(value)
    if match is None:
        raise BrCodeError("FIELD", f"field 54 is {value!r}, not an amount")
    return f"{match[1]}.{(match[2] or ''):0<2}"


def _read_location(value: str | None, name: str) -> str | None:
    return None if value is None else _checked_location(value, name)


def _checked_location(value: str, name: str) -> str:
    _within(value, name, MAX_LOCATION)
    if _LOCATION.fullmatch(value) is None:
        raise BrCodeError("FIELD", f"{name} is not a host and a path without a scheme")
    return value


def _mandatory(fields: dict[str, str], field: str) -> str:
    if field not in fields:
        raise BrCodeError("MISSING", f"field {field} is missing")
    return fields[field]


def _expect(fields: dict[str, str], field: str, value: str) -> None:
    if _mandatory(fields, field) != value:
        raise BrCodeError("FIELD", f"field {field} is {fields[field]!r}, not {value}")


def _within(value: str, name: str, limit: int) -> str:
    if len(value) > limit:
        raise BrCodeError("TOO_LONG", f"{name} has {len(value)} characters, {limit} are allowed")
    return value


def _bounded(value: str | None, name: str, limit: int) -> str | None:
    return None if value is None else _within(value, name, limit)
