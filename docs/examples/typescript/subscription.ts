// A subscription by Pix Automático: made, authorized with its first charge, and canceled.

import { randomUUID } from "node:crypto";

import { createClient } from "@lastro/client";
import { ACCESS, pay, setting, soon } from "./settings.js";

const lastro = createClient(ACCESS);
const amount = { currency: "BRL", value: "29.90" } as const;
const in20Days = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
const made = await lastro.create_subscription({
  body: {
    accountId: setting("LASTRO_ACCOUNT_ID"), type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT", frequencyType: "MONTHLY",
    startDate: setting("START_DATE", in20Days), externalId: `contract-${randomUUID()}`,
    fixedAmount: amount, allowChargeAfterDueDate: true, allowAdjustToBusinessDay: true,
    webhookUrl: `${setting("LASTRO_SIMULATOR_URL")}/merchant/webhooks/sdk`,
    debtor: { name: "Bento Braga", document: { type: "CPF", number: "12345678909" } },
    initialCharge: { pixKey: setting("LASTRO_PIX_KEY"), amount },
  },
});
console.log("subscription", made.status);

await pay(made.qrcodeData);
console.log("subscription", await statusAfter("PENDING_AUTHORIZATION"));
await lastro.cancel_subscription({ path: { id: made.id }, body: { reason: "OTHER" } });
console.log("subscription", await statusAfter("ACCEPTED"));

async function statusAfter(before: string): Promise<string> {
  for (;;) {
    const { status } = await lastro.read_subscription({ path: { id: made.id } });
    if (status !== before) return status;
    await soon();
  }
}
