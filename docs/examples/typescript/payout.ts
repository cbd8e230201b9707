// A payout by Pix key; its receipt as a PDF.

import { randomUUID } from "node:crypto";

import { createClient } from "@lastro/client";
import { ACCESS, setting, soon } from "./settings.js";

const lastro = createClient(ACCESS);
const made = await lastro.create_payout({
  body: {
    externalId: `salary-${randomUUID()}`, accountId: setting("LASTRO_ACCOUNT_ID"), paymentMethod: "PIX",
    paymentData: { pixKey: "fabio@fora.example" }, amount: { currency: "BRL", value: "12.34" }, description: "Salary",
  },
});
console.log("payout", made.status);
const path = { id: made.id };
let now = await lastro.read_payout({ path });
for (; now.status === "PENDING"; now = await lastro.read_payout({ path })) await soon();
console.log("payout", now.status);
const receipt = await lastro.bytes("read_payout_receipt", { path, accept: "application/pdf" });
console.log("receipt", new TextDecoder().decode(receipt.subarray(0, 4)));
