"""Alerts and dashboard ask for series that are exported, and each alert has its runbook in both languages."""

import json
import re
from typing import Any

import msgspec
import pytest

from .exported import exported
from .test_docs import anchors
from .tree import ROOT

DOCS = ROOT / "docs"
# What Prometheus itself says of whatever it scrapes, and puts on every series.
TARGET = {"job": {"lastro-api", "lastro-worker"}, "instance": {"127.0.0.1:8080"}}
OF_PROMETHEUS = {"up"}
OPERATORS = {"and", "or", "unless", "offset", "bool"}
NAME = re.compile(r"(?<![\w:.])([a-zA-Z_:][\w:]*)\b(?!\s*\()")
SELECTED = re.compile(r"([a-zA-Z_:][\w:]*)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
GROUPED = re.compile(r"\bby\s*\(([^)]*)\)\s*(\(?)")
AGGREGATED = re.compile(r"\b(sum|max|min|avg|count)\b")


def alerts() -> list[dict[str, Any]]:
    (group,) = msgspec.yaml.decode((DOCS / "monitoring/alerts.yml").read_bytes())["groups"]
    return list(group["rules"])


def dashboard() -> list[dict[str, Any]]:
    told = json.loads((DOCS / "monitoring/grafana.json").read_text(encoding="utf-8"))
    return [target for panel in told["panels"] for target in panel["targets"]]


def expressions() -> list[str]:
    return [rule["expr"] for rule in alerts()] + [target["expr"] for target in dashboard()]


def series(expression: str) -> set[str]:
    """The names that stand for series: whatever is no function, operator, label or word."""
    bare = re.sub(r'"[^"]*"', "", expression)
    bare = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)|\{[^}]*\}|\[[^\]]*\]", " ", bare)
    return set(NAME.findall(bare)) - OPERATORS


def labels_of(name: str) -> dict[str, set[str]]:
    return {**TARGET, **exported().get(name, {})}


def grouped(expression: str) -> list[tuple[set[str], str]]:
    """By which labels each part of an expression is added up, and that part."""
    found = []
    for match in GROUPED.finditer(expression):
        assert match[2], f"the labels are written before what they group: {expression}"
        end, depth = match.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(expression[end], 0)
            end += 1
        found.append(({label.strip() for label in match[1].split(",")}, expression[match.end() : end - 1]))
    return found


def unknown(expression: str) -> set[str]:
    """What it asks for that nobody exports: series, labels of one, words that a label never has."""
    there = exported().keys() | OF_PROMETHEUS
    found = series(expression) - there
    for name, matchers in SELECTED.findall(expression):
        labels = labels_of(name)
        for label, sign, text in MATCHER.findall(matchers):
            patterns = text.split("|") if sign.endswith("~") else [re.escape(text)]
            if name in there and label not in labels:
                found.add(f"{name}.{label}")
            elif name in there:
                found |= {f"{label} {p}" for p in patterns if not any(re.fullmatch(p, word) for word in labels[label])}
    for wanted, part in grouped(expression):
        found |= {f"{name}.{label}" for name in series(part) & there for label in wanted - labels_of(name).keys()}
    return found


def shown(expression: str) -> set[str]:
    """The labels that its result has."""
    if AGGREGATED.search(expression):
        return set().union(*(labels for labels, _ in grouped(expression)))
    return set().union(*(labels_of(name) for name in series(expression)))


def test_what_they_ask_for_is_exported() -> None:
    assert len(alerts()) > 10
    assert len(dashboard()) > 10
    assert len({name for name in exported() if name.startswith("lastro_")}) > 30
    wrong = {expression: found for expression in expressions() if (found := unknown(expression))}
    assert not wrong


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("rate(lastro_no_such_total[5m]) / lastro_clock_offset_seconds", {"lastro_no_such_total"}),
        ("rate(lastro_refusals[5m])", {"lastro_refusals"}),  # without what a counter ends in
        ("lastro_due_total > 0 or node_load1 > 2", {"lastro_due_total", "node_load1"}),
        ("lastro_request_seconds > 1", {"lastro_request_seconds"}),  # a histogram has buckets, a count and a sum
        ('max by (lane, rail) (lastro_due{lain="inbox"})', {"lastro_due.lain", "lastro_due.rail"}),
        ('max by (lane) (lastro_due{lane=~"inbox|letters"})', {"lane letters"}),
        ('lastro_undelivered_events{status!="lost"} offset 1h', {"status lost"}),
        ('up{job="lastro"} == 0', {"job lastro"}),
    ],
)
def test_what_nobody_exports_is_seen(expression: str, found: set[str]) -> None:
    assert unknown(expression) == found


def test_what_they_say_is_in_the_result() -> None:
    """An alert or a line of the dashboard that names another label shows a gap there."""
    said = [(rule["expr"], re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])) for rule in alerts()]
    said += [(target["expr"], re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) for target in dashboard()]
    assert sum(len(labels) for _, labels in said) > 20
    assert not [(expression, labels) for expression, labels in said if not set(labels) <= shown(expression)]
    assert shown("sum(lastro_due)") == set()
    assert shown("max by (lane) (lastro_due) > 0") == {"lane"}


def test_each_has_its_runbook() -> None:
    rules = alerts()
    titles = [rule["alert"].lower() for rule in rules]
    for page in ("runbooks.md", "runbooks.pt.md"):
        text = (DOCS / page).read_text(encoding="utf-8")
        assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == [rule["alert"] for rule in rules], page
        assert set(titles) <= anchors(text)
    assert [rule["annotations"]["runbook"] for rule in rules] == [f"docs/runbooks.md#{title}" for title in titles]
