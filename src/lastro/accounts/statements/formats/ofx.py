"""A statement as OFX 1.0.2, which accounting programs in Brazil read: SGML in Windows-1252, times in Brasilia.

Source: Open Financial Exchange Specification 1.0.2, §2 (headers), §11.4 (bank statements). Readers turn times into UTC or
leave the offset out, so that an evening would be the next day's: entries and bounds have noon of their day in Brasilia, and
DTUSER the instant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.accounts.statements.formats.printing import decimal_of, escaped
from lastro.accounts.statements.model import BRASILIA, day_of
from lastro.accounts.statements.types import TYPES, title_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from asyncpg import Record

    from lastro.accounts.statements.model import Statement

_HEAD = (
    "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\nCHARSET:1252\r\nCOMPRESSION:NONE\r\n"
    "OLDFILEUID:NONE\r\nNEWFILEUID:NONE\r\n\r\n"
)
_LONGEST_NAME, _LONGEST_MEMO = 32, 255  # §11.4.3
_CODEC = "cp1252"


class Ofx:
    """A statement as OFX. It has no opening balance: that is LEDGERBAL less all entries."""

    def __init__(self, statement: Statement) -> None:
        self._statement = statement
        self._decimal = decimal_of(statement.currency)

    def head(self) -> bytes:
        """Returns the headers, the account and the period."""
        s = self._statement
        bank, branch, number = s.institution.compe or s.institution.ispb, s.account.branch, s.account.number
        return _encoded(
            f"{_HEAD}<OFX>\r\n<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS>"
            f"<DTSERVER>{_at(s.made_at)}</DTSERVER><LANGUAGE>POR</LANGUAGE><FI><ORG>{escaped(s.institution.name[:32])}</ORG>"
            f"<FID>{bank}</FID></FI></SONRS></SIGNONMSGSRSV1>\r\n"
            "<BANKMSGSRSV1><STMTTRNRS><TRNUID>0</TRNUID><STATUS><CODE>0</CODE><SEVERITY>INFO</SEVERITY></STATUS><STMTRS>"
            f"<CURDEF>{s.currency}</CURDEF><BANKACCTFROM><BANKID>{bank}</BANKID><BRANCHID>{branch}</BRANCHID>"
            f"<ACCTID>{number}</ACCTID><ACCTTYPE>CHECKING</ACCTTYPE></BANKACCTFROM>\r\n"
            f"<BANKTRANLIST><DTSTART>{_day(s.since)}</DTSTART><DTEND>{_day(s.until)}</DTEND>\r\n"
        )

    def entries(self, rows: Sequence[Record]) -> bytes:
        """Returns a STMTTRN for each entry. FITID is the entry's id."""
        decimal, parts = self._decimal, []
        for side, at, id_, kind, minor, _, description, _, end_to_end_id, name, _, _ in rows:
            known = TYPES.get(kind)
            memo = " - ".join(text for text in (title_of(kind), description, end_to_end_id) if text)
            party = "" if name is None else f"<NAME>{escaped(name[:_LONGEST_NAME].strip())}</NAME>"
            parts.append(
                f"<STMTTRN><TRNTYPE>{('CREDIT' if side > 0 else 'DEBIT') if known is None else known.ofx}</TRNTYPE>"
                f"<DTPOSTED>{_day(at)}</DTPOSTED><DTUSER>{_at(at)}</DTUSER><TRNAMT>{decimal(side * minor)}</TRNAMT>"
                f"<FITID>{id_}</FITID>{party}"
                f"<MEMO>{escaped(memo[:_LONGEST_MEMO].strip())}</MEMO></STMTTRN>\r\n"
            )
        return _encoded("".join(parts))

    def foot(self) -> bytes:
        """Returns the closing balance."""
        s = self._statement
        return _encoded(
            f"</BANKTRANLIST>\r\n<LEDGERBAL><BALAMT>{self._decimal(s.closing.minor)}</BALAMT><DTASOF>{_day(s.until)}</DTASOF>"
            "</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1>\r\n</OFX>\r\n"
        )


def _at(at: datetime) -> str:
    return at.astimezone(BRASILIA).strftime("%Y%m%d%H%M%S.") + f"{at.microsecond // 1000:03d}[-3:BRT]"


def _day(at: datetime) -> str:
    """Returns noon of the day in Brasilia: the same day in UTC and in every zone of Brazil."""
    return f"{day_of(at):%Y%m%d}120000.000[-3:BRT]"


def _encoded(text: str) -> bytes:
    return text.encode(_CODEC, "replace")
