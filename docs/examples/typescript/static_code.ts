// A static code: printed once, paid twice, and what came of it.

import { createClient } from "@lastro/client";
import { ACCESS, pay, setting, soon } from "./settings.js";

const lastro = createClient(ACCESS);
const code = await lastro.create_static_qrcode({
  body: {
    accountId: setting("LASTRO_ACCOUNT_ID"), pixKey: setting("LASTRO_PIX_KEY"),
    amount: { currency: "BRL", value: "7.50" }, description: "Coffee",
  },
});
console.log("code", code.qrcodeData.slice(0, 6));
await pay(code.qrcodeData);
await pay(code.qrcodeData);
const query = { staticQrcodeId: code.id };
while ((await lastro.list_orders({ query })).data.length < 2) await soon();
for await (const order of lastro.all("list_orders", { query: { staticQrcodeId: code.id } })) {
  console.log("order", order.status, order.amount?.value);
}
