"""A table of cases in one test: all of them are tried, and all that failed are told.

A case is no test of its own: to collect, send and count thousands of them takes longer than to try them.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial, wraps
from typing import Any

import pytest
from _pytest.outcomes import OutcomeException

Test = Callable[..., Any]


def in_one_test(
    names: str | Sequence[str], cases: Iterable[Any], ids: Callable[[Any], object] | Iterable[str] = repr
) -> Callable[[Test], Test]:
    """As pytest.mark.parametrize, in one test; what the test asks for besides `names` is made once for all cases."""
    given = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    if callable(ids):
        table = [_case(case, len(given), ids) for case in cases]
    else:
        table = [(label, _case(case, len(given), repr)[1]) for label, case in zip(ids, cases, strict=True)]

    def over_all(test: Test) -> Test:
        if inspect.iscoroutinefunction(test):

            @wraps(test)
            async def run(**asked: Any) -> None:
                await all_tried(
                    (label, partial(test, **asked, **dict(zip(given, values, strict=True)))) for label, values in table
                )

        else:

            @wraps(test)
            def run(**asked: Any) -> None:
                failed: list[Exception] = []
                for label, values in table:
                    try:
                        test(**asked, **dict(zip(given, values, strict=True)))
                    except (Exception, OutcomeException) as error:  # noqa: BLE001 - the others are tried too
                        failed.append(_named(error, label))
                _hold(failed, len(table))

        whole = inspect.signature(test)
        missing = set(given) - whole.parameters.keys()
        assert not missing, f"{test.__name__} takes no {missing}"
        rest = [p.replace(kind=p.KEYWORD_ONLY) for name, p in whole.parameters.items() if name not in given]
        run.__signature__ = whole.replace(parameters=rest)  # type: ignore[attr-defined]
        del run.__wrapped__
        return run

    return over_all


async def all_tried(cases: Iterable[tuple[str, Callable[[], Awaitable[None]]]]) -> None:
    """Each case in turn, by its name; all that failed are told in the end."""
    failed: list[Exception] = []
    tried = 0
    for label, case in cases:
        tried += 1
        try:
            await case()
        except (Exception, OutcomeException) as error:  # noqa: BLE001 - the others are tried too
            failed.append(_named(error, label))
    _hold(failed, tried)


def _case(case: Any, width: int, ids: Callable[[Any], object]) -> tuple[str, tuple[Any, ...]]:
    """What a case is called, and its values."""
    if isinstance(case, type(pytest.param())):
        assert not case.marks, "a case has no marks: leave it out of the table, or make a test of it"
        values, label = tuple(case.values), case.id
    else:
        values, label = ((case,) if width == 1 else tuple(case)), None
    assert len(values) == width, f"{case!r:.100} has no {width} values"
    return str(label or " ".join(str(ids(value))[:60] for value in values)), values


def _named(error: BaseException, label: str) -> Exception:
    """The error with the name of its case. A case is not skipped: the others would go with it."""
    told = error if isinstance(error, Exception) else AssertionError(f"{type(error).__name__}: {error}")
    told.add_note(f"in the case {label}")
    return told if told is error else told.with_traceback(error.__traceback__)


def _hold(failed: Sequence[Exception], tried: int) -> None:
    assert tried, "a table without cases proves nothing"
    if failed:
        labels = ", ".join(note.removeprefix("in the case ") for error in failed for note in error.__notes__[-1:])
        raise ExceptionGroup(f"{len(failed)} of {tried} cases failed: {labels}", failed)
