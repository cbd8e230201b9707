// A receiver of webhooks: verifies each, acknowledges it, and prints what it says.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { ACKNOWLEDGEMENT, verified, WebhookRefused } from "@lastro/client";
import { setting } from "./settings.js";

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    verified(setting("LASTRO_WEBHOOK_SECRET"), request.headers, Buffer.concat(parts)).then(
      (event) => {
        // Store the event by its id first; then answer; then work on it. The same one may come twice.
        if (event.type === "ORDER-PAYIN.PAID" || event.type === "ORDER-PAYIN.REFUNDED") {
          console.log("event", event.type, event.body.code);
        }
        response.writeHead(200, { "content-type": "application/json" }).end(ACKNOWLEDGEMENT);
      },
      (error: unknown) => {
        if (error instanceof WebhookRefused) console.log("refused", error.message);
        response.writeHead(error instanceof WebhookRefused ? 400 : 500).end();
      },
    );
  });
});
server.listen(Number(setting("PORT", "0")), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
