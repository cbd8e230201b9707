"""A statement as camt.053.001.08, BankToCustomerStatement of ISO 20022.

Source: the published schema of that message; tests hold every file against it. Our entry types are proprietary codes. Days
and times are Brasilia's: an entry is booked on a day, and its instant is the transaction's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.accounts.statements.formats.printing import decimal_of, escaped, moment
from lastro.accounts.statements.model import day_of
from lastro.accounts.statements.types import title_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from asyncpg import Record

    from lastro.accounts.statements.model import Statement

_NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"
_LONGEST_NAME, _LONGEST_TEXT = 140, 140  # Max140Text
_LONGEST_REFERENCE = 35  # Max35Text: a longer network id of a payment is left out, as a cut one would be another id


class Camt053:
    """A statement as camt.053, balances OPBD and CLBD before the entries."""

    def __init__(self, statement: Statement) -> None:
        self._statement = statement
        self._decimal = decimal_of(statement.currency)

    def head(self) -> bytes:
        """Returns the account's owner, the period, and both balances."""
        s = self._statement
        made, holder = moment(s.made_at), s.account.holder
        owner = (
            f"<Ownr><Nm>{escaped(holder.full_name[:_LONGEST_NAME])}</Nm><Id><OrgId><Othr><Id>{holder.document_number}</Id>"
            f"<SchmeNm><Prtry>{holder.document_type}</Prtry></SchmeNm></Othr></OrgId></Id></Ownr>"
        )
        institution = (
            f"<Svcr><FinInstnId><ClrSysMmbId><ClrSysId><Prtry>ISPB</Prtry></ClrSysId><MmbId>{s.institution.ispb}</MmbId>"
            f"</ClrSysMmbId><Nm>{escaped(s.institution.name[:_LONGEST_NAME])}</Nm></FinInstnId>"
            f"<BrnchId><Id>{s.account.branch}</Id></BrnchId></Svcr>"
        )
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="{_NAMESPACE}"><BkToCstmrStmt>'
            f"<GrpHdr><MsgId>{s.id.hex}</MsgId><CreDtTm>{made}</CreDtTm></GrpHdr>"
            f"<Stmt><Id>{s.name}</Id><CreDtTm>{made}</CreDtTm>"
            f"<FrToDt><FrDtTm>{moment(s.since)}</FrDtTm><ToDtTm>{moment(s.until)}</ToDtTm></FrToDt>"
            f"<Acct><Id><Othr><Id>{s.account.number}</Id></Othr></Id><Ccy>{s.currency}</Ccy>{owner}{institution}</Acct>"
            f"{self._balance('OPBD', s.opening.minor, s.since)}{self._balance('CLBD', s.closing.minor, s.until)}\n"
        ).encode()

    def entries(self, rows: Sequence[Record]) -> bytes:
        """Returns a Ntry for each entry, booked."""
        return "".join(self._entry(row) for row in rows).encode()

    def foot(self) -> bytes:
        """Returns the closing tags."""
        return b"</Stmt></BkToCstmrStmt></Document>\n"

    def _balance(self, code: str, minor: int, at: datetime) -> str:
        return (
            f"<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp>{self._amount(minor)}<Dt><Dt>{day_of(at)}</Dt></Dt></Bal>"
        )

    def _amount(self, minor: int) -> str:
        ccy = self._statement.currency
        return f'<Amt Ccy="{ccy}">{self._decimal(abs(minor))}</Amt><CdtDbtInd>{"DBIT" if minor < 0 else "CRDT"}</CdtDbtInd>'

    def _entry(self, row: Record) -> str:
        side, at, id_, kind, minor, _, description, _, end_to_end_id, name, _, _ = row
        amount = self._amount(side * minor)
        fits = end_to_end_id is not None and len(end_to_end_id) <= _LONGEST_REFERENCE
        tag = "ClrSysRef" if fits and end_to_end_id.startswith("STR") else "EndToEndId"  # the STR's number of a TED
        named = f"<{tag}>{escaped(end_to_end_id)}</{tag}>" if fits else ""
        party = "" if name is None else f"<Pty><Nm>{escaped(name[:_LONGEST_NAME])}</Nm></Pty>"
        role = "Dbtr" if side > 0 else "Cdtr"
        told = escaped((description or "")[:_LONGEST_TEXT])
        return (
            f"<Ntry><NtryRef>{id_.hex}</NtryRef>{amount}<Sts><Cd>BOOK</Cd></Sts>"
            f"<BookgDt><Dt>{day_of(at)}</Dt></BookgDt><ValDt><Dt>{day_of(at)}</Dt></ValDt>"
            f"<AcctSvcrRef>{id_.hex}</AcctSvcrRef><BkTxCd><Prtry><Cd>{kind}</Cd></Prtry></BkTxCd>"
            f"<NtryDtls><TxDtls><Refs><AcctSvcrRef>{id_.hex}</AcctSvcrRef>{named}</Refs>{amount}"
            f"{party and f'<RltdPties><{role}>{party}</{role}></RltdPties>'}"
            f"{told and f'<RmtInf><Ustrd>{told}</Ustrd></RmtInf>'}"
            f"<RltdDts><TxDtTm>{moment(at)}</TxDtTm></RltdDts></TxDtls></NtryDtls>"
            f"<AddtlNtryInf>{escaped(title_of(kind))}</AddtlNtryInf></Ntry>\n"
        )
