// Whether a webhook came from lastro. Node.js 18 or newer, nothing to install.
//
// secret: as printed, with whsec_. headers: by lower-case name, as request.headers has them. body: a Buffer of the bytes
// as they arrived, before any parsing (Express: express.raw({ type: "application/json" }), then request.body).

import { createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_SECONDS = 300;

// By the Standard Webhooks headers, which cover the time too. Throws when the secret is none.
export function isFromLastro(secret, headers, body, now = Date.now() / 1000) {
  const key = Buffer.from(checked(secret).slice("whsec_".length), "base64");
  const id = headers["webhook-id"] ?? "";
  const sentAt = headers["webhook-timestamp"] ?? "";
  if (id === "" || !/^[0-9]{1,12}$/.test(sentAt)) return false;
  if (Math.abs(now - Number(sentAt)) > TOLERANCE_SECONDS) return false; // recorded, and sent again by somebody
  const expected = "v1," + createHmac("sha256", key).update(`${id}.${sentAt}.`).update(body).digest("base64");
  // Two values stand there while a secret is being changed.
  return (headers["webhook-signature"] ?? "").split(" ").some((given) => same(expected, given));
}

// By X-Signature-SHA256, or the old secret's while it is being changed: the body alone. Throws as above.
export function isFromLastroShort(secret, headers, body) {
  const expected = "sha256=" + createHmac("sha256", checked(secret)).update(body).digest("hex");
  const names = ["x-signature-sha256", "x-signature-sha256-previous"];
  return names.some((name) => same(expected, headers[name] ?? ""));
}

// Takes as long for texts that begin alike as for others.
function same(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// An empty secret, of a variable that was never set, would let anybody sign.
function checked(secret) {
  if (!/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(secret ?? "")) throw new Error("the secret is whsec_ and base64");
  return secret;
}
