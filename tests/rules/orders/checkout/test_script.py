"""What the script of a hosted page does, run by Node.js with a page and a clock of our own: how often it asks, and when it stops."""

import shutil
import subprocess
from typing import Any

import msgspec
import pytest
from tests.cast import PLACE

from lastro.orders.checkout.page import CheckoutPages

# A page that waits, with one button; the script; then what happens to it, step by step. Timers go off when a step says so.
_STAGE = """
const said = [], timers = [], listeners = {}, answers = JSON.parse(process.argv[1]);
const button = { textContent: "Copy", hidden: true, dataset: { copies: "value-1", copied: "Copied" },
  addEventListener: (_, act) => { button.press = act; } };
const value = { textContent: " 000201 " };
globalThis.location = { pathname: "/checkout/T", reload: () => said.push("reload") };
globalThis.document = {
  hidden: false,
  querySelectorAll: () => [button],
  querySelector: () => answers.waits ? { dataset: { waits: '"INITIAL"' } } : null,
  getElementById: () => value,
  addEventListener: (name, act) => { listeners[name] = act; },
  execCommand: (name) => { said.push(name); return true; },
};
globalThis.getSelection = () => ({ selectAllChildren: (one) => said.push(["select", one.textContent]) });
Object.defineProperty(globalThis, "navigator", { value: answers.clipboard
  ? { clipboard: { writeText: async (text) => { said.push(["write", text]); } } } : {} });
globalThis.setTimeout = (act, pause) => timers.push([act, pause]);
globalThis.fetch = async (path, asked) => {
  said.push([path, asked.headers["if-none-match"], asked.credentials]);
  const status = answers.statuses.shift();
  if (status === 0) throw new TypeError("no line");
  return { status, ok: status >= 200 && status < 300 };
};
"""
_STEPS = """
const turn = () => new Promise((done) => setImmediate(done));
(async () => {
  for (const step of answers.steps) {
    if (step === "tick") { const [act, pause] = timers.shift(); said.push(Math.round(pause)); act(); }
    if (step === "hide") document.hidden = true;
    if (step === "show") { document.hidden = false; listeners.visibilitychange(); }
    if (step === "press") button.press();
    await turn();
  }
  said.push(["left", timers.length, button.hidden, button.textContent]);
  console.log(JSON.stringify(said));
})();
"""
ASKED = ["/checkout/T/state", '"INITIAL"', "omit"]


def played(*steps: str, statuses: tuple[int, ...] = (), waits: bool = True, clipboard: bool = True) -> list[Any]:
    """What it did, in order: pauses in milliseconds, questions, and what it left behind."""
    if shutil.which("node") is None:
        pytest.skip("node is not on this machine")
    answers = msgspec.json.encode({"steps": steps, "statuses": statuses, "waits": waits, "clipboard": clipboard}).decode()
    script = CheckoutPages(PLACE).script.decode()
    ended = subprocess.run(
        ["node", "-e", _STAGE + script + _STEPS, answers], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    said: list[Any] = msgspec.json.decode(ended.stdout)
    return said


def test_it_asks_slower_and_slower_and_reloads_once_there_is_news() -> None:
    said = played(*["tick"] * 4, statuses=(304, 304, 0, 200))
    assert said == [3000, ASKED, 3300, ASKED, 3630, ASKED, 3993, ASKED, "reload", ["left", 0, False, "Copy"]]


def test_it_never_waits_longer_than_a_page_without_a_script() -> None:
    said = played(*["tick"] * 30, statuses=(304,) * 10 + (503,) * 20)
    pauses = [one for one in said if isinstance(one, int)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (3000, 15_000)
    assert "reload" not in said


def test_it_asks_nothing_out_of_sight_and_at_once_when_it_is_back() -> None:
    assert played("hide", "tick") == [3000, ["left", 0, False, "Copy"]]
    assert played("hide", "tick", "show", statuses=(304,)) == [3000, ASKED, ["left", 1, False, "Copy"]]


@pytest.mark.parametrize(("clipboard", "did"), [(True, [["write", "000201"]]), (False, [["select", " 000201 "], "copy"])])
def test_a_button_copies_the_value_and_says_so(clipboard: bool, did: list[Any]) -> None:
    assert played("press", waits=False, clipboard=clipboard) == [*did, ["left", 1, False, "Copied"]]
    assert played("press", "tick", waits=False, clipboard=clipboard) == [*did, 2000, ["left", 0, False, "Copy"]]
