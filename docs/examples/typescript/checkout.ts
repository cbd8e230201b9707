// An order whose customer is sent to its page, and comes back to yours.

import { randomUUID } from "node:crypto";

import { createClient } from "@lastro/client";
import { ACCESS, setting } from "./settings.js";

const lastro = createClient(ACCESS);
const order = await lastro.create_order({
  body: {
    customer: {
      name: "Bento", entityType: "INDIVIDUAL", email: "bento@example.com",
      document: { type: "CPF", number: "12345678909" },
    },
    order: {
      externalId: `book-${randomUUID()}`, paymentMethod: "PIX", description: "A book",
      amount: { currency: "BRL", value: "10.50" }, returnUrl: "https://shop.example.com/thanks",
      notificationUrl: `${setting("LASTRO_SIMULATOR_URL")}/merchant/webhooks/sdk`,
    },
  },
});
const page = `${order.checkoutUrl}?lang=pt`;
console.log("page", page.startsWith(`${setting("LASTRO_API_URL")}/checkout/`));
