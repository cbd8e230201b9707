"""Mexico's clock, and the referencia numérica of its instant transfers (SPEI).

Source: Banco de México, MI-SPEI: it has up to seven digits and is chosen by the payer.
"""

from zoneinfo import ZoneInfo

MEXICO_CITY = ZoneInfo("America/Mexico_City")

_REFERENCES = 9_999_999


def numeric_reference(sequence: int) -> str:
    """Returns a referencia numérica of seven digits, never all zero.

    It is for a person to type. After 9,999,999 they begin anew, so it finds no payment by itself. ValueError for a negative
    sequence.
    """
    if sequence < 0:
        raise ValueError("a sequence number is not negative")
    return f"{sequence % _REFERENCES + 1:07d}"
