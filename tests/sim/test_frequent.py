"""Frequent requests are answered ahead of Litestar, exactly as it would: a path with a slash behind it still goes through it."""

from tests.in_one import in_one_test

from lastro_sim.answers import LARGEST_BODY
from lastro_sim.frequent import MESSAGE_IN, PAY
from lastro_sim.settings import LASTRO_ISPB, PAYER_BANK_ISPB

from .stage import TOKEN, Sim

MESSAGES = MESSAGE_IN.format(ispb=LASTRO_ISPB)
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}
ASKED = {
    "another name": (PAY, b"{}", {"Host": "evil.example"}, 403),
    "another site": (PAY, b"{}", {"Origin": "http://evil.example"}, 403),
    "nothing": (PAY, b"", {}, 400),
    "no code": (PAY, b"{}", {}, 400),
    "no JSON": (PAY, b"{", {}, 400),
    "too long": (PAY, b" " * (LARGEST_BODY + 1), {}, 413),
    "no token": (MESSAGES, b"{}", {}, 401),
    "another token": (MESSAGES, b"{}", {"Authorization": "Bearer x"}, 401),
    "token of another name": (MESSAGES, b"{}", AUTHORIZED | {"Host": "evil.example"}, 403),
    "no message": (MESSAGES, b"{}", AUTHORIZED, 400),
    "a played bank": (MESSAGE_IN.format(ispb=PAYER_BANK_ISPB), b"{}", AUTHORIZED, 403),
    "no bank": (MESSAGE_IN.format(ispb="bank"), b"{}", AUTHORIZED, 400),
}


@in_one_test("way", list(ASKED))
async def test_both_ways_answer_the_same(sim: Sim, way: str) -> None:
    path, body, headers, status = ASKED[way]
    ahead, through = [await sim.http.post(to, content=body, headers=headers) for to in (path, f"{path}/")]
    assert (ahead.status_code, ahead.content) == (through.status_code, through.content)
    assert ahead.headers["content-type"] == through.headers["content-type"]
    assert ahead.status_code == status


async def test_other_methods_are_litestars(sim: Sim) -> None:
    assert [(await sim.http.get(path)).status_code for path in (PAY, MESSAGES)] == [405, 405]
