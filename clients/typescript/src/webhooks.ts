// Whether a webhook came from lastro, and what it says. Over the body's bytes as they arrived, before any parsing.

import type { webhooks } from "./schema.js";

export const TOLERANCE_SECONDS = 300;
/** What an endpoint answers, with status 200, once it has stored the event. */
export const ACKNOWLEDGEMENT = '{"returnCode":"SUCCESS"}';

type Body<N extends keyof webhooks> = webhooks[N]["post"]["requestBody"]["content"]["application/json"];

interface Told {
  /** The same on every attempt and resend. */
  id: string;
  /** Its number in the company, where the header says it. */
  sequence: number | undefined;
  attempt: number | undefined;
}

/** An event; its `type` says what its `body` is. */
export type Event = { [N in keyof webhooks]: Told & { type: N; body: Body<N> } }[keyof webhooks];

/** The request is not to be believed. Answer 400, and do nothing. */
export class WebhookRefused extends Error {
  override readonly name = "WebhookRefused";
}

type Given = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns the event of a webhook. Throws WebhookRefused: it is forged, changed or too old.
 * secret: whole, with `whsec_`. body: the bytes as they arrived; one that was parsed and written again is refused.
 */
export async function verified(
  secret: string,
  headers: Given,
  body: Uint8Array,
  { now = Date.now() / 1000, tolerance = TOLERANCE_SECONDS }: { now?: number; tolerance?: number } = {},
): Promise<Event> {
  if (!(body instanceof Uint8Array)) throw new TypeError("give the body's bytes as they arrived: Express express.raw()");
  const [id, sentAt] = [header(headers, "webhook-id"), header(headers, "webhook-timestamp")];
  const key = await keyOf(secret);
  if (id === "" || !/^[0-9]{1,12}$/.test(sentAt)) throw new WebhookRefused("webhook-id or webhook-timestamp is missing");
  if (Math.abs(now - Number(sentAt)) > tolerance) {
    throw new WebhookRefused("webhook-timestamp is too far from now: it was recorded and sent again, or a clock is wrong");
  }
  const signed = Buffer.concat([Buffer.from(`${id}.${sentAt}.`), body]);
  // Two values stand there while a secret is being changed. `subtle.verify` compares in constant time.
  const found = await Promise.all(header(headers, "webhook-signature").split(" ").map((one) => fits(key, one, signed)));
  if (!found.includes(true)) {
    throw new WebhookRefused("webhook-signature does not fit the body: another secret, or not the bytes as they arrived");
  }
  const told = { id, sequence: whole(header(headers, "x-event-sequence")), attempt: whole(header(headers, "x-delivery-attempt")) };
  return { ...told, type: header(headers, "x-event-type"), body: parsed(body) } as Event;
}

async function fits(key: CryptoKey, signature: string, signed: Uint8Array): Promise<boolean> {
  const text = signature.startsWith("v1,") ? signature.slice(3) : "";
  const given = Buffer.from(text, "base64");
  // Buffer takes what is no base64; only its one right spelling counts.
  if (given.toString("base64") !== text) return false;
  return crypto.subtle.verify("HMAC", key, given, signed);
}

/** An empty secret, of a variable that was never set, would let anybody sign. */
async function keyOf(secret: string): Promise<CryptoKey> {
  const text = secret.slice("whsec_".length);
  if (!/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(secret) || text.length % 4 !== 0) throw new Error("the secret is whsec_ and base64");
  return crypto.subtle.importKey("raw", Buffer.from(text, "base64"), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function header(headers: Given, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const found = headers[name] ?? Object.entries(headers).find(([one]) => one.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : (found?.[0] ?? "");
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new WebhookRefused("the body is no JSON");
  }
}

function whole(text: string): number | undefined {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}
