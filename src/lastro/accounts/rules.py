"""The rules for the holder of an account, as administration names it."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from email_validator import EmailNotValidError, validate_email

from lastro.accounts.problems import DOCUMENT_INVALID, EMAIL_INVALID, HOLDER_TYPE_INVALID, NAME_INVALID, PHONE_INVALID
from lastro.standards.documents import is_document

if TYPE_CHECKING:
    from lastro.accounts.model import Holder
    from lastro.core.errors import Problem

_DOCUMENTS: Final = {"INDIVIDUAL": "CPF", "ORGANIZATION": "CNPJ"}
_LONGEST_NAME: Final = 140
_LONGEST_EMAIL: Final = 77
_PHONE: Final = re.compile(r"\+[1-9][0-9]{7,14}")  # ITU-T E.164, with the country


def holder_problems(holder: Holder) -> list[Problem]:
    """Lists the problems of a holder. A person has a CPF, an organization a CNPJ, each with right check digits."""
    problems = []
    kind = _DOCUMENTS.get(holder.type)
    if kind is None:
        problems.append(HOLDER_TYPE_INVALID.problem(types=" or ".join(_DOCUMENTS)))
    name = holder.full_name
    if not name.strip() or len(name) > _LONGEST_NAME or any(unicodedata.category(c)[0] == "C" for c in name):
        problems.append(NAME_INVALID.problem(longest=_LONGEST_NAME))
    if kind is not None and (holder.document_type != kind or not is_document(kind, holder.document_number)):
        problems.append(DOCUMENT_INVALID.problem(kind=kind))
    if len(holder.email) > _LONGEST_EMAIL or not is_email(holder.email):
        problems.append(EMAIL_INVALID.problem(longest=_LONGEST_EMAIL))
    if _PHONE.fullmatch(holder.phone) is None:
        problems.append(PHONE_INVALID.problem())
    return problems


def is_email(text: str) -> bool:
    """Tells whether a text has the form of an e-mail address; deliverability is not checked."""
    try:
        validate_email(text, check_deliverability=False)
    except EmailNotValidError:
        return False
    return True
