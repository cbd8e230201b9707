// Tokens, keys, retries, pages and errors, against a server that says what a test lets it say.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";

import { ApiError, createClient, type Lastro, Unreachable } from "../src/index.js";

type Said = { status: number; body?: unknown; headers?: Record<string, string> } | Error;

class Server {
  readonly asked: { url: string; headers: Headers; body: string | undefined }[] = [];
  readonly waits: number[] = [];
  tokens = 0;
  time = 0;
  readonly lastro: Lastro;

  constructor(private readonly answers: Said[], attempts = 4) {
    this.lastro = createClient({
      baseUrl: "https://pay.example/", clientId: "lc_1", clientSecret: "lsk_1", attempts,
      fetch: (url, init) => this.answer(String(url), init ?? {}), now: () => this.time,
      sleep: async (seconds) => void this.waits.push(seconds),
    });
  }

  private async answer(url: string, init: RequestInit): Promise<Response> {
    if (url.endsWith("/oauth2/token")) {
      this.tokens += 1;
      return Response.json({ access_token: `token-${this.tokens}`, expires_in: 3600 });
    }
    this.asked.push({ url, headers: new Headers(init.headers), body: init.body as string | undefined });
    const said = (this.answers.length > 1 ? this.answers.shift() : this.answers[0]) as Said;
    if (said instanceof Error) throw said;
    return Response.json(said.body ?? {}, { status: said.status, headers: said.headers ?? {} });
  }
}

const ID = { path: { id: "1" } };
const REFUND = { body: { orderId: "1", externalId: "2", refundCode: "MD06", amount: { currency: "BRL" as const, value: "1.00" } } };
const lost = new TypeError("fetch failed");
const refusedAtTheDoor = new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }) });

test("a token is kept and renewed before its end", async () => {
  const server = new Server([{ status: 200 }]);
  await Promise.all(["1", "2", "3"].map((id) => server.lastro.read_order({ path: { id } })));
  server.time = 3539;
  await server.lastro.read_order(ID);
  assert.equal(server.tokens, 1);
  server.time = 3541;
  await server.lastro.read_order(ID);
  assert.equal(server.asked.at(-1)?.headers.get("authorization"), "Bearer token-2");
});

test("a revoked token is fetched anew once", async () => {
  const server = new Server([{ status: 401 }]);
  await assert.rejects(server.lastro.read_order(ID), { status: 401 });
  assert.deepEqual([server.tokens, server.asked.length, server.waits], [2, 2, []]);
});

test("a key is made and kept over attempts", async () => {
  const server = new Server([lost, { status: 502 }, { status: 500 }, { status: 201 }]);
  await server.lastro.create_refund(REFUND);
  const keys = new Set(server.asked.map((one) => one.headers.get("idempotency-key")));
  assert.deepEqual([server.asked.length, keys.size], [4, 1]);
  await server.lastro.create_refund({ ...REFUND, idempotencyKey: "mine" });
  assert.equal(server.asked.at(-1)?.headers.get("idempotency-key"), "mine");
});

test("only what is safe is sent again", async () => {
  const table: [Said, number, number][] = [
    [{ status: 503 }, 4, 1], [{ status: 429, headers: { "retry-after": "2" } }, 4, 4], [{ status: 409 }, 1, 1],
    [{ status: 409, headers: { "retry-after": "1" } }, 4, 1], [{ status: 400 }, 1, 1],
    [{ status: 429, headers: { "retry-after": "3600" } }, 1, 1], [lost, 4, 1], [refusedAtTheDoor, 4, 4],
  ];
  for (const [said, safe, unsafe] of table) {
    for (const [call, times] of [
      [(l: Lastro) => l.read_order(ID), safe],
      [(l: Lastro) => l.create_refund(REFUND), safe],
      [(l: Lastro) => l.delete_key({ path: { accountId: "1", keyId: "2" } }), unsafe],
    ] as const) {
      const server = new Server([said]);
      await assert.rejects(call(server.lastro));
      assert.equal(server.asked.length, times, JSON.stringify(said));
    }
  }
});

test("a refusal names field and cure and keeps the request", async () => {
  const details = [{ field: "amount.value", issue: "OUT_OF_RANGE", description: "must be above zero" }];
  const body = { error: "INVALID_REQUEST", message: "Request is not valid", details };
  const server = new Server([{ status: 400, body, headers: { "x-request-id": "r-1" } }]);
  const error: unknown = await server.lastro.create_refund({ ...REFUND, idempotencyKey: "k" }).catch((e: unknown) => e);
  assert.ok(error instanceof ApiError);
  assert.deepEqual([error.status, error.field, error.issue], [400, "amount.value", "OUT_OF_RANGE"]);
  assert.ok(error.cure);
  assert.deepEqual([error.requestId, error.idempotencyKey], ["r-1", "k"]);
  assert.match(error.message, /^400 INVALID_REQUEST: Request is not valid: amount.value OUT_OF_RANGE: must be above zero → .* \(request r-1\)$/);
});

test("no answer says with which key to go on", async () => {
  const server = new Server([lost], 1);
  const error: unknown = await server.lastro.create_refund(REFUND).catch((e: unknown) => e);
  assert.ok(error instanceof Unreachable);
  assert.equal(error.idempotencyKey, server.asked[0]?.headers.get("idempotency-key"));
});

test("what nobody answers says why", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, "close");
  const away = createClient({ baseUrl: `http://127.0.0.1:${port}`, clientId: "c", clientSecret: "s", attempts: 1 });
  const error: unknown = await away.read_order({ path: { id: "1" } }).catch((e: unknown) => e);
  assert.ok(error instanceof Unreachable);
  assert.match(error.message, /fetch failed: ECONNREFUSED/);
});

test("a list is walked page by page", async () => {
  const page = { limit: 1, sort: "asc", hasNext: true, nextCursor: "c1", data: [{ id: "1" }] };
  const server = new Server([{ status: 200, body: page }, { status: 200, body: { ...page, hasNext: false, data: [{ id: "2" }] } }]);
  const found: string[] = [];
  for await (const one of server.lastro.all("list_orders", { query: { status: "PAID" } })) found.push(one.id);
  assert.deepEqual(found, ["1", "2"]);
  assert.deepEqual(server.asked.map((one) => new URL(one.url).search), ["?status=PAID", "?status=PAID&cursor=c1"]);
});

test("an id cannot lead elsewhere", async () => {
  const server = new Server([{ status: 200 }]);
  await server.lastro.read_order({ path: { id: "../accounts?x=1" } });
  assert.equal(server.asked[0]?.url, "https://pay.example/order/v2/transparent/..%2Faccounts%3Fx%3D1");
});

test("what the caller gives up is not tried again", async () => {
  const server = new Server([lost]);
  await assert.rejects(server.lastro.read_order({ ...ID, signal: AbortSignal.abort() }));
  assert.equal(server.asked.length, 1);
});

test("what the document does not have is not compiled", () => {
  // Never called: the compiler reads it, and every line below it has to be wrong.
  const wrong = (lastro: Lastro): unknown[] => [
    // @ts-expect-error there is no such operation
    lastro.read_ordr(ID),
    // @ts-expect-error an id is needed
    lastro.read_order({}),
    // @ts-expect-error there is no such status
    lastro.list_orders({ query: { status: "PAYED" } }),
    // @ts-expect-error a refund needs its order
    lastro.create_refund({ body: { externalId: "2" } }),
    // @ts-expect-error it is no list
    lastro.all("read_order", ID),
  ];
  assert.equal(wrong.length, 1);
});
