"""The alerts and the dashboard that are shipped speak of figures there are, and each alert has its runbook in both languages."""

import json
import re
from typing import Any

import msgspec

from lastro.doors import gauges

from .test_docs import anchors
from .tree import ROOT

DOCS = ROOT / "docs"
NAME = re.compile(r"\b(?:lastro|process|python)_[a-z_]+")
OF_A_HISTOGRAM = re.compile(r"_(bucket|count|sum)$")
OF_EVERY_PROCESS = {"process_cpu_seconds_total", "process_resident_memory_bytes"}


def alerts() -> list[dict[str, Any]]:
    (group,) = msgspec.yaml.decode((DOCS / "monitoring/alerts.yml").read_bytes())["groups"]
    return list(group["rules"])


def dashboard() -> str:
    told = json.loads((DOCS / "monitoring/grafana.json").read_text(encoding="utf-8"))
    return "\n".join(target["expr"] for panel in told["panels"] for target in panel["targets"])


def figures() -> set[str]:
    """Those the code makes, as it spells them."""
    told = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src/lastro/doors").glob("*.py")))
    return {name + ending for name in re.findall(r'"(lastro_[a-z_]+)"', told) for ending in ("", "_total")}


def lacking(expressions: str) -> set[str]:
    return {name for name in NAME.findall(expressions) if OF_A_HISTOGRAM.sub("", name) not in figures() | OF_EVERY_PROCESS}


def test_what_they_ask_for_is_there() -> None:
    rules = alerts()
    assert len(rules) > 10
    assert len(figures()) > 15
    assert not lacking("\n".join(rule["expr"] for rule in rules))
    assert not lacking(dashboard())
    assert lacking("rate(lastro_no_such_total[5m]) / lastro_clock_offset_seconds") == {"lastro_no_such_total"}


def test_the_lanes_they_name_are_there() -> None:
    named = re.findall(r'lane[!=]~?"([a-z| ]+)"', "\n".join(rule["expr"] for rule in alerts()))
    assert named
    lanes = {lane for found in named for lane in found.split("|")}
    assert not [lane for lane in lanes - {"deliveries"} if f"'{lane}' AS lane" not in gauges.DUE]


def test_each_has_its_runbook() -> None:
    rules = alerts()
    titles = [rule["alert"].lower() for rule in rules]
    for page in ("runbooks.md", "runbooks.pt.md"):
        text = (DOCS / page).read_text(encoding="utf-8")
        assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == [rule["alert"] for rule in rules], page
        assert set(titles) <= anchors(text)
    assert [rule["annotations"]["runbook"] for rule in rules] == [f"docs/runbooks.md#{title}" for title in titles]
