// An order by card: charged at once, and paid once its payer is sure.

import { randomUUID } from "node:crypto";

import { createClient } from "@lastro/client";
import { ACCESS, setting, soon } from "./settings.js";

const lastro = createClient(ACCESS);
const order = await lastro.create_order({
  body: {
    customer: {
      name: "Benito", entityType: "INDIVIDUAL", email: "benito@example.com", phone: "+525512345678",
      document: { type: "RFC", number: "GODE561231GR8" },
      address: {
        state: "CDMX", city: "Ciudad de Mexico", street: "Reforma", number: "10", neighborhood: "Centro", postalCode: "06000",
      },
    },
    order: {
      externalId: `card-${randomUUID()}`, paymentMethod: "CREDIT_CARD", description: "A book",
      amount: { currency: "MXN", value: "123.45" },
      notificationUrl: `${setting("LASTRO_SIMULATOR_URL")}/merchant/webhooks/sdk`,
      paymentDetails: {
        creditCard: {
          holderName: "Benito", holderDocument: "GOD**********", number: "4000000000101008", cvv: "123", expiry: "12/49",
          installments: 3,
        },
        browser: {
          userAgent: "Mozilla/5.0", acceptHeader: "*/*", language: "es-MX", colorDepth: 24, screenHeight: 900,
          screenWidth: 1440, timeZoneOffset: 360, javascriptEnabled: true,
        },
      },
    },
  },
});
console.log("order", order.status, order.card?.lastFour);
const path = { id: order.id };
let now = await lastro.read_order({ path });
for (; ["INITIAL", "AUTHENTICATING"].includes(now.status); now = await lastro.read_order({ path })) await soon();
console.log("order", now.status);
