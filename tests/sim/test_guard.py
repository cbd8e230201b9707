from tests.in_one import in_one_test

from .stage import Sim


@in_one_test("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", ""])
async def test_only_our_own_names_are_answered(sim: Sim, host: str) -> None:
    answered = await sim.http.get("/health", headers={"Host": host})
    assert answered.status_code == 403
    assert answered.json()["error"] == "FORBIDDEN_ERROR"


async def test_our_own_names(sim: Sim) -> None:
    port = sim.network.settings.port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}"):
        assert (await sim.http.get("/health", headers={"Host": host})).status_code == 200


@in_one_test("origin", ["http://evil.example", "null", "file://", "http://127.0.0.1:1", "http://[", ""])
async def test_other_sites_pages_may_not_act(sim: Sim, origin: str) -> None:
    answered = await sim.http.post("/phone/transfer", json={}, headers={"Origin": origin})
    assert answered.status_code == 403


async def test_our_own_pages_may(sim: Sim) -> None:
    origin = f"http://localhost:{sim.network.settings.port}"
    answered = await sim.http.post("/phone/transfer", json={}, headers={"Origin": origin})
    assert answered.status_code == 400
    crossed = await sim.http.post("/phone/transfer", json={}, headers={"Sec-Fetch-Site": "cross-site"})
    assert crossed.status_code == 403
    assert (await sim.http.get("/phone", headers={"Sec-Fetch-Site": "cross-site"})).status_code == 200
