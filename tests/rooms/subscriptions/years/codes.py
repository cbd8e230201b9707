"""Every code of a charge as the documents have it, and how a charge must end on which it falls. No code of ours is read here.

The codes and those that reject the charge are of API Pix 2.9.0 (CobRTentativas.rejeicao and CobR.encerramento); what failed,
IN BCB 614/2025, art. 5 §4; what cannot heal and when each is said, the tables of institutions (domain.md §3.6 and §3.7).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# S: the instruction is refused; X: what was scheduled is dropped; D: on the due day; R: the instruction of a retry is refused;
# T: on the day of a retry.
Moment = Literal["S", "X", "D", "R", "T"]
# kills: rejects the whole charge; fails: nobody said no, it is sent again the same day; for good: cannot heal, is not sent
# again; may pass: once or twice again before the day, by retries after it.
Kind = Literal["kills", "fails", "for good", "may pass", "called off", "dropped"]


@dataclass(frozen=True, slots=True)
class Row:
    """A code, what the documents say of it, and the moments at which it can be said."""

    code: str
    meaning: str
    kind: Kind
    moments: str


ROWS = (
    Row("AB03", "the network had no answer in time", "fails", "SDRT"),
    Row("AB09", "error at the receiver's institution", "fails", "SDRT"),
    Row("AB10", "error at the payer's PSP", "fails", "SDRT"),
    Row("AB11", "the payer's PSP did not answer in time", "fails", "SDRT"),
    Row("ED05", "the settlement failed", "fails", "SDRT"),
    Row("AC05", "payer's account closed", "kills", "SDR"),
    Row("AM09", "differs from the fixed amount agreed", "kills", "SDR"),
    Row("DENC", "payer document differs", "kills", "SDR"),
    Row("DS27", "participant not registered", "kills", "SDR"),
    Row("DTED", "due date does not fit the periodicity", "kills", "SDR"),
    Row("MIDI", "idRec missing or wrong", "kills", "SDR"),
    Row("MSUC", "authorisation not confirmed", "kills", "SDR"),
    Row("NITX", "new instruction does not match the earlier charge", "kills", "SDR"),
    Row("RC09", "payer ISPB invalid", "kills", "SDR"),
    Row("AG12", "payer and receiver in the same institution", "for good", "SR"),
    Row("AM02", "above the payer's maximum or limit: comes at scheduling", "for good", "SR"),
    Row("CRNC", "receiver CNPJ differs from the authorisation", "for good", "SR"),
    Row("NIPA", "already paid", "for good", "SR"),
    Row("UDEI", "debtor document wrong", "for good", "SR"),
    Row("FCD2", "instruction arrived less than 2 days ahead", "for good", "S"),
    Row("DTNT", "post-due attempt beyond the limit", "for good", "R"),
    Row("IRNT", "retries not allowed by the authorisation", "for good", "R"),
    Row("QUNT", "more than 3 attempts in 7 days", "for good", "R"),
    Row("AC06", "payer's account blocked", "may pass", "SDRT"),
    Row("EXPR", "no funds through the last window", "may pass", "DT"),
    Row("FBRD", "meaning not found", "may pass", "SDRT"),
    Row("FCD1", "instruction arrived more than 10 days ahead", "may pass", "S"),
    Row("GRER", "generic", "may pass", "SDRT"),
    Row("NIEC", "a pending order already exists", "may pass", "SR"),
    Row("ZZ99", "one that the Central Bank may add", "may pass", "SDRT"),
    Row("ACCT", "account", "dropped", "X"),
    Row("BLCK", "blocked", "dropped", "X"),
    Row("FAIL", "failure at the payer's PSP", "fails", "X"),
    Row("OTHR", "other", "dropped", "X"),
    Row("SLBD", "the payer asked", "called off", "X"),
    Row("SLCR", "the receiver asked", "called off", "X"),
    Row("CCLD", "authorisation cancelled", "called off", "X"),
)
# The payment's status, and its attempts: AGND the first scheduling, RIFL sent again after a failure, NTAG a retry. Of
# failures each kind once. A failure of the due day goes on all day, and one of a retry passes by the next window.
ENDS: dict[tuple[Kind, Moment], tuple[str, tuple[str, ...]]] = {
    ("kills", "S"): ("ERROR", ("AGND",)),
    ("kills", "D"): ("ERROR", ("AGND",)),
    ("kills", "R"): ("ERROR", ("AGND", "NTAG")),
    ("fails", "S"): ("ERROR", ("AGND", "RIFL")),
    ("fails", "X"): ("PAID", ("AGND", "RIFL")),
    ("fails", "D"): ("PAID", ("AGND", "RIFL", "NTAG")),
    ("fails", "R"): ("PAID", ("AGND", "NTAG", "RIFL")),
    ("fails", "T"): ("PAID", ("AGND", "NTAG", "RIFL")),
    ("for good", "S"): ("ERROR", ("AGND",)),
    ("for good", "R"): ("EXPIRED", ("AGND", "NTAG")),
    ("may pass", "S"): ("ERROR", ("AGND", "AGND", "AGND")),
    ("may pass", "D"): ("EXPIRED", ("AGND", "NTAG", "NTAG", "NTAG")),
    ("may pass", "R"): ("EXPIRED", ("AGND", "NTAG", "NTAG", "NTAG")),
    ("may pass", "T"): ("EXPIRED", ("AGND", "NTAG", "NTAG", "NTAG")),
    ("dropped", "X"): ("PAID", ("AGND", "AGND")),
    ("called off", "X"): ("CANCELED", ("AGND",)),
}
