import re
from pathlib import Path
from typing import Any

import pytest

from lastro.webhooks.signatures import sign

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "webhooks.md"
SECRET, OLD = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_plJ3nmyCDGBKInavdOK15jsl"
SNIPPETS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
BODY = b'{"id":"1"}'


def test_the_guide_shows_both_forms() -> None:
    assert len(SNIPPETS) == 2


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_receiver_that_copies_the_guide_verifies_what_we_send(snippet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1_800_000_100.5)
    room: dict[str, Any] = {}
    exec(snippet, room)
    verify = room["is_from_lastro"]
    for secrets in ([SECRET], [SECRET, OLD]):
        headers = {name.lower(): value for name, value in sign(secrets, "event-1", 1_800_000_000, BODY).items()}
        assert verify(SECRET, headers, BODY)
        assert not verify(SECRET, headers, BODY + b" ")
        assert not verify("whsec_AAAA", headers, BODY)
    if "webhook-timestamp" in snippet:
        assert not verify(SECRET, {**headers, "webhook-timestamp": "1800000001"}, BODY)
        monkeypatch.setattr("time.time", lambda: 1_800_000_301)
        assert not verify(SECRET, headers, BODY)
