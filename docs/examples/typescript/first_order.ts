// A first order: asked for, paid, and given back.

import { randomUUID } from "node:crypto";

import { ApiError, createClient } from "@lastro/client";
import { ACCESS, pay, setting, soon } from "./settings.js";

const lastro = createClient(ACCESS);
const externalId = `book-${randomUUID()}`;
const order = await lastro.create_order({
  body: {
    customer: {
      name: "Bento", entityType: "INDIVIDUAL", email: "bento@example.com",
      document: { type: "CPF", number: "12345678909" },
    },
    order: {
      externalId, paymentMethod: "PIX", description: "A book", amount: { currency: "BRL", value: "10.50" },
      notificationUrl: setting("NOTIFICATION_URL", `${setting("LASTRO_SIMULATOR_URL")}/merchant/webhooks/sdk`),
    },
  },
});
console.log("order", order.status);

await pay(order.pix?.qrcodeData ?? "");
const path = { id: order.id };
let now = await lastro.read_order({ path });
for (; now.status === "INITIAL"; now = await lastro.read_order({ path })) await soon();
console.log("order", now.status);

const back = (value: string) => ({
  orderId: order.id, externalId: `back-${randomUUID()}`, amount: { currency: "BRL" as const, value },
  refundCode: "MD06", refundReason: "Out of stock",
});
try {
  await lastro.create_refund({ body: back("99.00") });
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.log("refused", error.field, error.issue);
}
const { id } = await lastro.create_refund({ body: back("5.25") });
let refund = await lastro.read_refund({ path: { id } });
for (; refund.status === "PENDING"; refund = await lastro.read_refund({ path: { id } })) await soon();
console.log("refund", refund.status, (await lastro.read_order({ path })).status);

const mine: string[] = [];
for await (const one of lastro.all("list_orders", { query: { externalId } })) mine.push(one.id);
console.log("listed", mine.filter((one) => one === order.id).length);
