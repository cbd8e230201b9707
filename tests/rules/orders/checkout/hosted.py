"""A reader of hosted pages that is stricter than browsers: what is not well-formed, or leads elsewhere, is seen."""

import re
from html.parser import HTMLParser

_VOID = frozenset({"meta", "link", "img"})
_KNOWN = _VOID | {
    "html", "head", "title", "noscript", "script", "body", "main", "footer", "nav", "section", "div", "p", "h1", "h2", "dl", "dt", "dd",
    "ol", "ul", "li", "a", "span", "strong", "time", "code", "button",
}  # fmt: skip
# Where each may stand; what is not named may stand in flow content.
_WITHIN = {
    "li": {"ol", "ul"}, "dt": {"div"}, "dd": {"div"}, "head": {"html"}, "body": {"html"}, "title": {"head"}, "main": {"body"},
    "footer": {"body"}, "noscript": {"head"}, "link": {"head"}, "script": {"head"}, "meta": {"head", "noscript"},
}  # fmt: skip
_ONLY_PHRASES = frozenset({"p", "h1", "h2", "dt", "span", "strong", "time", "code", "button", "a", "title"})
_PHRASES = frozenset({"a", "span", "strong", "time", "code", "button", "img"})
_REFERENCES = ("aria-labelledby", "aria-describedby", "data-copies")


class Page(HTMLParser):
    """A page that was read; AssertionError: it is not what HTML asks for."""

    def __init__(self, html: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, dict[str, str]]] = []
        self.text: dict[str, list[str]] = {}
        self._links: list[list[str]] = []
        text = html.decode()
        assert text.startswith("<!doctype html>\n<html lang=")
        self.feed(text)
        self.close()
        assert not self.open, self.open
        self._whole()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _KNOWN, tag
        parent = self.open[-1] if self.open else ""
        assert parent in _WITHIN.get(tag, {parent}), f"{tag} in {parent}"
        assert parent not in _ONLY_PHRASES or tag in _PHRASES, f"{tag} in {parent}"
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), names
        assert not [n for n in names if n.startswith("on") or n in ("style", "srcdoc", "ping", "target", "action")], names
        self.tags.append(tag)
        self.attributes.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        raise AssertionError(f"<{tag}/> is no HTML")

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.text.setdefault(self.open[-1], []).append(data.strip())

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment is for us, not for them: {data}")

    def of(self, tag: str) -> list[dict[str, str]]:
        """The attributes of every such element."""
        return [found for name, found in self.attributes if name == tag]

    @property
    def language(self) -> str:
        return self.of("html")[0]["lang"]

    @property
    def title(self) -> str:
        return " ".join(self.text["title"])

    @property
    def words(self) -> str:
        """Everything that a person may read."""
        return "\n".join(text for found in self.text.values() for text in found)

    @property
    def loads(self) -> set[str]:
        """What a browser fetches for it without being asked."""
        found = [
            v for _, attributes in self.attributes for k, v in attributes.items() if k in ("src", "srcset", "data", "poster")
        ]
        return {v for v in found if not v.startswith("data:")} | {
            one["href"] for one in self.of("link") if one["href"] != "data:,"
        }

    @property
    def ways(self) -> list[str]:
        """Where a person may go from it, but for its own languages."""
        return [one["href"] for one in self.of("a") if not re.fullmatch(r"\?lang=(pt|es|en)", one["href"])]

    @property
    def refresh(self) -> str | None:
        """After how many seconds it is loaded anew where no script runs."""
        return next((one["content"] for one in self.of("meta") if one.get("http-equiv") == "refresh"), None)

    def _whole(self) -> None:
        assert [self.tags.count(tag) for tag in ("html", "head", "title", "body", "main", "h1")] == [1] * 6
        ids = [attributes["id"] for _, attributes in self.attributes if "id" in attributes]
        assert len(set(ids)) == len(ids), ids
        named = {value for _, attributes in self.attributes for name, value in attributes.items() if name in _REFERENCES}
        assert named <= set(ids), named - set(ids)
        assert all(one.get("alt") for one in self.of("img"))
        assert all(one.get("type") == "button" for one in self.of("button"))
        assert {"viewport": "width=device-width, initial-scale=1"}.items() <= {
            one["name"]: one["content"] for one in self.of("meta") if "name" in one
        }.items()
