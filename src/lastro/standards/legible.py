"""Text that others wrote as a person may be shown it: nothing in it turns, hides or covers what stands beside it.

Characters that turn the direction of text (Unicode TR9, UTS 39), have no width, or pile up on one letter make a name look
like another one, or an amount like another amount. Requests that have them are refused; what networks say is kept, and
shown by this module.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MARK: Final = "\N{WHITE VERTICAL RECTANGLE}"  # ▯ stands for what cannot be shown
MOST_MARKS: Final = 3  # accents on one letter: Vietnamese and Yoruba write two
# No one sees them: controls of direction and format, fillers, selectors, tags. Without what joins and colours emoji.
FAR_UNSEEN: Final = "\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
UNSEEN: Final = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    f"\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffc{FAR_UNSEEN}"
)
FAR_EMOJI: Final = "\U0001f000-\U0001faff"
EMOJI: Final = f"\u00a9\u00ae\u203c-\u3299{FAR_EMOJI}"
JOINER, SELECTOR = r"\u200d", r"\ufe0f"
# Behind no picture they join and colour nothing.
ALONE: Final = rf"(?<![{EMOJI}]){SELECTOR}|(?<![{EMOJI}{SELECTOR}]){JOINER}"
ACCENTS: Final = r"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_CONTROLS: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_HIDES: Final = re.compile(rf"[{UNSEEN}{_CONTROLS}]|{ALONE}|(?<=[{ACCENTS}]{{{MOST_MARKS}}})[{ACCENTS}]+")


def legible(text: str) -> str:
    """Replaces each invisible or direction-changing character by ▯. The same goes for accents beyond three on a letter."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDES.sub(MARK, unicodedata.normalize("NFC", text))


def as_shown(value: object) -> object:
    """Makes a template's value legible; leaves escaped text as it is."""
    return legible(value) if type(value) is str else value
