"""Query strings; unknown parameters are refused."""

from collections.abc import Collection

from lastro_sim.answers import Asked
from lastro_sim.refusals import Problem, malformed


def read(request: Asked, known: Collection[str]) -> dict[str, str]:
    """Reads the query's parameters, each at most once."""
    found: dict[str, str] = {}
    problems = []
    for name, value in request.query_params.multi_items():
        if name not in known:
            problems.append(Problem(name[:100], "NOT_ALLOWED", "This parameter is not known"))
        elif name in found:
            problems.append(Problem(name, "DUPLICATE", "This parameter stands twice"))
        else:
            found[name] = str(value)
    if problems:
        raise malformed(*problems)
    return found


def whole(found: dict[str, str], name: str, default: int, low: int, high: int) -> int:
    """Reads a whole number in a range."""
    text = found.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal()) or len(text) > 9:
        raise malformed(Problem(name, "INVALID", "A whole number is expected"))
    if not low <= int(text) <= high:
        raise malformed(Problem(name, "OUT_OF_RANGE", f"From {low} to {high}"))
    return int(text)
