"""Code 128, the bar code of cash vouchers: printable ASCII, two digits to a symbol character where that is shorter.

Source: ISO/IEC 15417. Code set A is not used: it adds nothing but control characters.
"""

import re

# Bars and spaces of the symbol characters 0 to 105, six digits each, which make eleven modules (table 1).
_PATTERNS = (
    "212222222122222221121223121322131222122213122312132212221213221312231212112232122132122231113222"
    "123122123221223211221132221231213212223112312131311222321122321221312212322112322211212123212321"
    "232121111323131123131321112313132113132311211313231113231311112133112331132131113123113321133121"
    "313121211331231131213113213311213131311123311321331121312113312311332111314111221411431111111224"
    "111422121124121421141122141221112214112412122114122411142112142211241211221114413111241112134111"
    "111242121142121241114212124112124211411212421112421211212141214121412121111143111341131141114113"
    "114311411113411311113141114131311141411131211412211214211232"
)
_STOP = "2331112"
_TO_C, _TO_B, _START_B, _START_C = 99, 100, 104, 105
_TEXT = re.compile(r"[ -~]+")


def widths(text: str) -> list[int]:
    """Returns the bars and spaces of `text` in modules.

    They are for `bars`. ValueError unless `text` is printable ASCII, one character at least. No shorter symbol of code sets
    B and C holds it.
    """
    if _TEXT.fullmatch(text) is None:
        raise ValueError("Code 128 is written here for printable ASCII alone")
    values = _values(text)
    check = (values[0] + sum(place * value for place, value in enumerate(values))) % 103
    patterns = [_PATTERNS[6 * value : 6 * value + 6] for value in (*values, check)]
    return [int(width) for pattern in (*patterns, _STOP) for width in pattern]


def _values(text: str) -> list[int]:
    """Returns the shortest list of symbol values, without the check character. It begins with the start character."""
    # For every place in the text the shortest way there, to go on from in code set B, or in C with two digits a character.
    in_b, in_c = [[_START_B]], [[_START_C]]
    for at, character in enumerate(text, start=1):
        value = ord(character) - 32
        to_b = min([*in_b[-1], value], [*in_c[-1], _TO_B, value], key=len)
        to_c = [*to_b, _TO_C]
        pair = text[at - 2 : at] if at > 1 else ""
        if pair.isdigit():
            to_c = min([*in_c[at - 2], int(pair)], to_c, key=len)
        in_b.append(to_b)
        in_c.append(to_c)
    return min(in_b[-1], in_c[-1], key=len)
