// The check of webhooks, by the vectors that receivers in every language are given.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { verified, WebhookRefused } from "../src/index.js";

interface Vector {
  name: string;
  form: string;
  secret: string;
  headers: Record<string, string>;
  body: string;
  now: number;
  valid: boolean;
}

const file = process.env["LASTRO_VECTORS"] ?? "../../docs/examples/webhooks/vectors.json";
const vectors = (JSON.parse(readFileSync(file, "utf8")) as { vectors: Vector[] }).vectors.filter((one) => one.form === "standard");
const good = vectors.find((one) => one.valid) as Vector;

test("the good are believed and the forged refused", async () => {
  assert.ok(vectors.length > 30);
  for (const one of vectors) {
    const believed = await verified(one.secret, one.headers, Buffer.from(one.body), { now: one.now }).then(() => true, () => false);
    assert.equal(believed, one.valid && isJson(one.body), one.name);
  }
});

test("a body written again is refused, a parsed one is not taken, an old one is refused", async () => {
  const again = Buffer.from(JSON.stringify(JSON.parse(good.body), null, 2));
  await assert.rejects(verified(good.secret, good.headers, again, { now: good.now }), WebhookRefused);
  const parsed = JSON.parse(good.body) as unknown as Uint8Array;
  await assert.rejects(verified(good.secret, good.headers, parsed, { now: good.now }), TypeError);
  const old = { now: good.now + 301 };
  await assert.rejects(verified(good.secret, good.headers, Buffer.from(good.body), old), /too far from now/);
  const event = await verified(good.secret, new Headers(good.headers), Buffer.from(good.body), { ...old, tolerance: 600 });
  assert.equal(event.id, good.headers["webhook-id"]);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
