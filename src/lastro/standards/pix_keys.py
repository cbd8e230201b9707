"""Canonical forms and types of Pix keys. Source: DICT API 2.12.1."""

import re
from collections.abc import Callable
from typing import Literal

from .documents import is_cnpj, is_cpf

KeyType = Literal["CPF", "CNPJ", "PHONE", "EMAIL", "EVP"]

MAX_KEY = 77

_FOURTEEN = re.compile(r"[0-9A-Za-z]{14}")
_PHONE = re.compile(r"\+[1-9][0-9]{1,14}")
_EVP = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PUNCTUATION = re.compile(r"[^0-9a-z]")
_EMAIL = re.compile(rf"[a-z0-9.!#$'*+/=?^_`{{|}}~-]+@{_LABEL}(?:\.{_LABEL})*")

_FORMS: tuple[tuple[KeyType, Callable[[str], object]], ...] = (
    ("EVP", _EVP.fullmatch),
    ("PHONE", _PHONE.fullmatch),
    ("CPF", is_cpf),
    ("CNPJ", is_cnpj),
    ("EMAIL", _EMAIL.fullmatch),
)


def canonical(key: str) -> str:
    """Returns a key in the directory's form.

    E-mail and EVP are in small letters, CNPJ in capitals; any other text stays as it is. Nothing is dropped: a text with
    blanks or punctuation around or in it is no key. key_type tells whether the outcome is a key.
    """
    if not key.isascii():
        return key
    lower = key.lower()
    if "@" in key or _EVP.fullmatch(lower):
        return lower
    return key.upper() if _FOURTEEN.fullmatch(key) else key


def names_key(text: str, key: str) -> bool:
    """Tells whether a bank's text names a canonical key. It may spell it with punctuation, in capitals, without `+55`."""
    given = canonical(text.strip())
    if given == key or "@" in key:
        return given == key
    bare, wanted = _PUNCTUATION.sub("", given.lower()), _PUNCTUATION.sub("", key.lower())
    return bool(bare) and bare in {wanted, wanted.removeprefix("55") if key.startswith("+55") else wanted}


def is_key(key: str) -> bool:
    """Tells whether a text is a key, canonical or as typed."""
    return key_type(canonical(key)) is not None


def key_type(key: str) -> KeyType | None:
    """Returns the type of a canonical `key`, else None.

    At most 77 characters. CPF: 11 digits with right check digits; CNPJ: 14 in upper case; phone: `+` and E.164; e-mail:
    lower case, with neither `%` nor `&`; EVP: lower-case UUID. A bare mobile number of 11 digits is no phone: it lacks its
    `+55`.
    """
    if len(key) > MAX_KEY:
        return None
    for name, is_one in _FORMS:
        if is_one(key):
            return name
    return None
