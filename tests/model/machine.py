"""How a model and the product are walked through the same acts.

An act is done twice: on the stage, where the product answers, and on the model, which says what it has to answer. Acts that
are done at once are right when their answers, and all that can be seen afterwards, are those of some order in which the
model does them one by one. Where more than one order fits, each is gone on with.
"""

from __future__ import annotations

import asyncio
import os
from abc import ABC, abstractmethod
from copy import deepcopy
from itertools import permutations
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.house.strangers import Answer
    from tests.model.stage import Stage


class Model(Protocol):
    """What a product is, in a few words. It is compared, and copied."""

    def seen(self) -> dict[str, Any]:
        """What can be seen of it from outside."""

    def rest(self) -> None:
        """What happens by itself once everybody has acted."""


M = TypeVar("M", bound=Model)
M_contra = TypeVar("M_contra", contravariant=True)
Said = tuple[Any, ...]  # status, and what the answer says: a name of ours, or field and issue; of the network its own word
Step = tuple[str, dict[str, Any]]  # which rule, and with what


class Act(Protocol[M_contra]):
    """Something that somebody does. may_write: where it has that and it is true, a no may be written down."""

    async def play(self, stage: Stage) -> Said:
        """Does it; what was said."""

    def on(self, model: M_contra) -> Said:
        """Does it to the model; what has to be said."""


def rule(often: int = 1, **arguments: st.SearchStrategy[Any]) -> Callable[[Any], Any]:
    """Marks a method of a walk as something that may happen next, so often as others do, with what is drawn for it."""

    def marked(method: Any) -> Any:
        method.drawn, method.often = arguments, often
        return method

    return marked


class Walk(ABC, Generic[M]):
    """One walk. A subclass has rules, which await `do`, and says how the product is looked at."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.models: list[M] = []
        self.done: list[tuple[Act[M], ...]] = []
        self._count = 0

    @property
    def model(self) -> M:
        """One of those that fit: enough to choose what is done next."""
        return self.models[0]

    def name(self, kind: str) -> str:
        """A name that nothing has yet."""
        self._count += 1
        return f"{kind}{self._count}"

    @abstractmethod
    async def begin(self) -> M:
        """Founds a company, and says what the model is of it."""

    @abstractmethod
    async def seen(self) -> dict[str, Any]:
        """All of the product that the model has an opinion of, as its `seen` has it."""

    async def go(self, steps: list[Step]) -> None:
        """The whole walk; at its end the laws hold of all that was made. What was done is noted at a failure."""
        self.models = [await self.begin()]
        try:
            for name, drawn in steps:
                await getattr(self, name)(**drawn)
            await self.stage.lawful()
        except Exception as error:
            error.add_note("done so far:\n" + "\n".join(f"  {', '.join(map(repr, acts))}" for acts in self.done))
            raise

    async def do(self, *acts: Act[M]) -> None:
        """One act, or several at once."""
        self.done.append(acts)
        before = await self.stage.digest() if len(acts) == 1 else None
        said = await asyncio.gather(*(act.play(self.stage) for act in acts))
        if before is not None and _is_no(said[0]) and not getattr(acts[0], "may_write", False):
            assert await self.stage.digest() == before, f"{acts[0]} was refused and something was written"
        await self.stage.rest()
        seen = await self.seen()
        fitting: list[M] = []
        told: list[tuple[Any, Any]] = []
        for model in self.models:
            for order in permutations(range(len(acts))):
                after = deepcopy(model)
                must = {n: acts[n].on(after) for n in order}
                after.rest()
                told.append((must, after.seen()))
                if told[-1] == (dict(enumerate(said)), seen) and after not in fitting:
                    fitting.append(after)
        assert fitting, _differs(acts, dict(enumerate(said)), seen, told)
        self.models = fitting


def _is_no(said: Said) -> bool:
    return bool(said) and isinstance(said[0], int) and said[0] >= 400


def _differs(acts: tuple[Any, ...], said: Any, seen: Any, told: list[tuple[Any, Any]]) -> str:
    lines = [f"no order of {acts} explains what was said and is seen", f"  said: {said}"]
    for must, after in told:
        lines.append(f"  must: {must}")
        both = sorted({*after, *seen})
        lines += [f"    {k}: is {seen.get(k)}, must be {after.get(k)}" for k in both if seen.get(k) != after.get(k)]
    return "\n".join(lines)


def outcome(answer: Answer, *made: Any) -> Said:
    """What an answer says: of a yes what is given, of a no field and issue of everything that stands in the way."""
    if answer.status < 400:
        again = ("again",) if answer.headers.get("idempotent-replayed") == "true" else ()
        return (answer.status, *made, *again)
    return (answer.status, *answer.problems)


def pick(names: list[str], which: int) -> str:
    """One of those there are, counted from the newest; where there is none, a name that nothing has."""
    return names[-1 - which % len(names)] if names else "nothing"


def walk(kind: type[Walk[Any]], stage: Stage, *, examples: int, steps: int) -> None:
    """Walks so often, the same way each time. MODEL_EXAMPLES says how often otherwise, and then no two runs are alike.

    All that a walk is going to try is drawn before it begins: who wins a race differs from run to run, and what is drawn
    must not.
    """
    wished = int(os.environ.get("MODEL_EXAMPLES") or 0)
    rules = [(name, method) for name, method in vars(kind).items() if hasattr(method, "drawn")]
    step = st.one_of([st.tuples(st.just(name), st.fixed_dictionaries(m.drawn)) for name, m in rules for _ in range(m.often)])
    most = steps * 2 if wished else steps

    @settings(
        max_examples=wished or examples, derandomize=not wished, deadline=None, database=None,
        phases=(Phase.generate,), suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.lists(step, min_size=most * 3 // 4, max_size=most))
    def walks(plan: list[Step]) -> None:
        if len({name for name, _ in plan}) > 2:  # the first that hypothesis tries is the same step again and again
            stage.run(kind(stage).go(plan))

    walks()


def follow(kind: type[Walk[M]], stage: Stage, *plan: Step) -> M:
    """A walk that is written down: what those that are drawn meet too seldom. The model at its end."""
    made = kind(stage)
    stage.run(made.go(list(plan)))
    return made.model
