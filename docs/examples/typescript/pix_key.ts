// A random Pix key: made, found in the list, and deleted.

import { createClient } from "@lastro/client";
import { ACCESS, setting } from "./settings.js";

const lastro = createClient(ACCESS);
const path = { accountId: setting("LASTRO_ACCOUNT_ID") };
const made = await lastro.create_key({ path, body: { type: "RANDOM" } });
if (!("id" in made) || made.id === undefined) throw new Error("a random key is made at once");
console.log("key", made.type);
const listed: string[] = [];
for await (const one of lastro.all("list_keys", { path })) listed.push(one.id);
console.log("listed", listed.includes(made.id));
await lastro.delete_key({ path: { ...path, keyId: made.id } });
