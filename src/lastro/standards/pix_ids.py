"""The identifiers of Pix: how ours are made and how anyone's are recognised.

Ours begin, after the parts a standard fixes, with the company's number in base 62, so that a reference that comes back
from the network finds its company without an index over all companies. All of them are case-sensitive.
Source: API Pix 2.9.0 (TxId, EndToEndId); SPI message catalogue 5.13.1 (pacs.008, pacs.004).
"""

import re
from datetime import UTC, datetime

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ENTROPY_BYTES = 24
COMPANY_NUMBERS = 62**5
SEQUENCES = 62**6

_VALUES = {character: value for value, character in enumerate(ALPHABET)}
_PAIRS = [left + right for left in ALPHABET for right in ALPHABET]
_COMPANY_DIGITS = 5
_HALF = 62**3

_ISPB = re.compile(r"[0-9A-Z]{8}")

_TXID_DYNAMIC = re.compile(r"[a-zA-Z0-9]{26,35}")
_TXID_STATIC = re.compile(r"[a-zA-Z0-9]{1,25}")
_DATED = r"[0-9A-Z]{8}[0-9]{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?:[01][0-9]|2[0-3])[0-5][0-9][a-zA-Z0-9]{11}"
_END_TO_END_ID = re.compile("E" + _DATED)
_RETURN_ID = re.compile("D" + _DATED)
# Of a message that orders something: one made of the id of a payment or of a return has a digit of its date for the R.
_ORDER_MESSAGE = re.compile(r"M[0-9A-Z]{8}(?P<company>[a-zA-Z0-9]{5})[a-zA-Z0-9]{6}R[a-zA-Z0-9]{11}")


def base62(number: int, length: int) -> str:
    """`number` as exactly `length` base-62 digits, most significant first. ValueError if it does not fit."""
    if not 0 <= number < 62**length:
        raise ValueError(f"{number} does not fit in {length} base-62 digits")
    digits: list[str] = []
    for _ in range(length // 2):
        number, pair = divmod(number, 3844)
        digits.append(_PAIRS[pair])
    if length % 2:
        digits.append(ALPHABET[number])
    return "".join(reversed(digits))


def from_base62(text: str) -> int:
    """Returns the number that base-62 `text` writes. ValueError if it is empty or holds another character."""
    if not text:
        raise ValueError("no base-62 digits")
    number = 0
    for character in text:
        value = _VALUES.get(character)
        if value is None:
            raise ValueError(f"{character!r} is not a base-62 digit")
        number = number * 62 + value
    return number


def scramble(sequence: int) -> int:
    """Maps `sequence` to an unrelated-looking number below 62**6.

    Two sequences below 62**6 never share one. Four rounds of a Feistel network over the two halves of three base-62 digits:
    each round adds, modulo 62**3, a function of one half to the other, which `unscramble` subtracts again. So it is a
    bijection, whatever the function is. It hides the volume from a casual reader; it is no cipher. A sequence past 62**6
    starts over.
    """
    left, right = divmod(sequence % SEQUENCES, _HALF)
    for step in range(4):
        left, right = right, (left + _stir(right, step)) % _HALF
    return left * _HALF + right


def unscramble(number: int) -> int:
    """Returns the sequence below 62**6 of which `number` is the scramble. ValueError outside 0..62**6-1."""
    if not 0 <= number < SEQUENCES:
        raise ValueError(f"{number} is not the scramble of a sequence")
    left, right = divmod(number, _HALF)
    for step in reversed(range(4)):
        left, right = (right - _stir(left, step)) % _HALF, left
    return left * _HALF + right


def _stir(half: int, step: int) -> int:
    # Odd constants with well spread bits (the golden ratio's among them); any would keep the bijection.
    mixed = (half + 1) * 0x9E3779B97F4A7C15 + step * 0xD1B54A32D192ED03 & 0xFFFFFFFFFFFFFFFF
    return (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9 >> 24 & 0xFFFFFFFF


def dynamic_txid(company_number: int, entropy: bytes) -> str:
    """Returns a txid of 32 characters for a charge: 5 base-62 digits of the company, then 27 random ones (161 bits).

    `entropy` is at least 24 random bytes. ValueError for less, or for a company number outside 0..62**5-1.
    """
    return _company(company_number) + _random_digits(entropy, 27)


def static_txid(company_number: int, entropy: bytes) -> str:
    """Returns a txid of 25 characters for a static QR: 5 base-62 digits of the company, then 20 random ones (119 bits)."""
    return _company(company_number) + _random_digits(entropy, 20)


def location_token(entropy: bytes) -> str:
    """Returns 22 random base-62 characters (131 bits): the part of a location that nobody can guess."""
    return _random_digits(entropy, 22)


def message_id(ispb: str, entropy: bytes) -> str:
    """Returns the id of one network message: `M`, the sender's ISPB, 23 random characters. A re-sending may have another."""
    return f"M{checked_ispb(ispb)}{_random_digits(entropy, 23)}"


def order_message_id(ispb: str, company_number: int, entropy: bytes) -> str:
    """As `message_id`, of what has no other name there: behind the ISPB 5 base-62 digits of the company.

    17 more are random (101 bits). So a word that names the message alone finds its company. ValueError for a company
    number outside 0..62**5-1.
    """
    random = _random_digits(entropy, 17)
    return f"M{checked_ispb(ispb)}{_company(company_number)}{random[:6]}R{random[6:]}"


def end_to_end_id(ispb: str, at_utc: datetime, company_number: int, sequence: int) -> str:
    """Returns the id of a payment, 32 characters.

    They are `E`, ISPB, UTC minute, 5 digits of the company, 6 of the scrambled sequence. `at_utc` is aware (another zone is
    converted, since a local time would be refused as FF08); a naive one is a ValueError. Unique as long as a sequence number
    is used once in 62**6 (57 thousand million) for a company.
    """
    return "E" + _dated(ispb, at_utc, company_number, sequence)


def return_id(ispb: str, at_utc: datetime, company_number: int, sequence: int) -> str:
    """Returns the id of a return (rtrId): as `end_to_end_id`, with `D` in front."""
    return "D" + _dated(ispb, at_utc, company_number, sequence)


def minute_of(end_to_end_id: str) -> datetime:
    """Returns the minute of an endToEndId, in UTC. ValueError: it has not the form of one."""
    if not is_end_to_end_id(end_to_end_id):
        raise ValueError(f"{end_to_end_id!r} is no endToEndId")
    return datetime.strptime(end_to_end_id[9:21], "%Y%m%d%H%M").replace(tzinfo=UTC)


def redated(end_to_end_id: str, at_utc: datetime) -> str:
    """Returns the same id at another minute. It is as unique as the first: its eleven last characters are used once."""
    minute = at_utc.astimezone(UTC).strftime("%Y%m%d%H%M")
    return f"{end_to_end_id[:9]}{minute}{end_to_end_id[21:]}"


def own_suffix(company_number: int, sequence: int) -> str:
    """Returns the eleven characters that end an id of ours: 5 base-62 digits of the company, 6 of the scrambled sequence.

    ValueError for a company number outside 0..62**5-1 or a negative sequence.
    """
    return _company(company_number) + _scrambled(sequence)


def company_of_end_to_end_id(end_to_end_id: str) -> int | None:
    """Returns the company number in an endToEndId or return id, else None.

    It means something only when the ISPB inside is ours; the caller checks that, and that the company exists.
    """
    if not (is_end_to_end_id(end_to_end_id) or is_return_id(end_to_end_id)):
        return None
    return from_base62(end_to_end_id[21 : 21 + _COMPANY_DIGITS])


def company_of_message_id(message_id: str) -> int | None:
    """Returns the company number in an id of `order_message_id`, else None.

    One of `message_id` may look so by chance. As with an endToEndId, it means something only when the ISPB inside is ours.
    """
    found = _ORDER_MESSAGE.fullmatch(message_id)
    return None if found is None else from_base62(found["company"])


def is_ispb(text: str) -> bool:
    """Tells whether it is eight digits or upper-case letters. Since 2026 an ISPB may come from an alphanumeric CNPJ."""
    return _ISPB.fullmatch(text) is not None


def checked_ispb(ispb: str) -> str:
    """`ispb` itself. ValueError when it has not the form of one."""
    if not is_ispb(ispb):
        raise ValueError(f"{ispb!r} is not an ISPB")
    return ispb


def is_end_to_end_id(text: str) -> bool:
    """Tells whether `text` has the form of an endToEndId. ISPB and date count too (SPI catalogue 5.13.1)."""
    return _END_TO_END_ID.fullmatch(text) is not None


def is_return_id(text: str) -> bool:
    """Tells whether `text` has the form of a return id (rtrId)."""
    return _RETURN_ID.fullmatch(text) is not None


def is_txid_dynamic(text: str) -> bool:
    """Tells whether `text` may be the txid of a charge. It has 26 to 35 letters and digits."""
    return _TXID_DYNAMIC.fullmatch(text) is not None


def is_txid_static(text: str) -> bool:
    """Tells whether `text` may be the txid of a static QR. It has 1 to 25 letters and digits."""
    return _TXID_STATIC.fullmatch(text) is not None


def _dated(ispb: str, at_utc: datetime, company_number: int, sequence: int) -> str:
    if at_utc.tzinfo is None:
        raise ValueError("a naive datetime does not say which minute of UTC it is")
    minute = at_utc.astimezone(UTC).strftime("%Y%m%d%H%M")
    return f"{checked_ispb(ispb)}{minute}{own_suffix(company_number, sequence)}"


def _company(number: int) -> str:
    return base62(number, _COMPANY_DIGITS)


def _scrambled(sequence: int) -> str:
    if sequence < 0:
        raise ValueError("a sequence number is not negative")
    return base62(scramble(sequence), 6)


def _random_digits(entropy: bytes, length: int) -> str:
    # The bytes are one large number, taken modulo 62**length. 24 bytes exceed the longest id by 31 bits, so the
    # likeliest value is likelier than the rarest by less than one part in 2**31.
    if len(entropy) < ENTROPY_BYTES:
        raise ValueError(f"{ENTROPY_BYTES} random bytes are needed, not {len(entropy)}")
    return base62(int.from_bytes(entropy, "big") % 62**length, length)
