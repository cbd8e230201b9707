// A plan of payouts: checked whole, before anybody signs it.

import { randomUUID } from "node:crypto";

import { createClient } from "@lastro/client";
import { ACCESS, setting, soon } from "./settings.js";

const lastro = createClient(ACCESS);
const payouts = [["fabio@fora.example", "10.50"], ["98765432100", "20.25"]].map(([pixKey, value]) => ({
  externalId: `jan-${randomUUID()}`, accountId: setting("LASTRO_ACCOUNT_ID"), paymentMethod: "PIX",
  paymentData: { pixKey }, amount: { currency: "BRL", value }, description: "Salary",
}));
let plan = await lastro.create_payout_plan({ body: { payouts } });
for (; plan.status === "VALIDATING"; plan = await lastro.read_payout_plan({ path: { id: plan.id } })) await soon();
console.log("plan", plan.status, plan.lines);
for await (const line of lastro.all("list_payout_plan_lines", { path: { id: plan.id } })) {
  console.log("line", line.line, line.status);
}
