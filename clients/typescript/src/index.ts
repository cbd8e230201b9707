// Calls lastro: typed operations, with tokens, idempotency keys, retries, pages and webhooks.

export { createClient } from "./client.js";
export type { Lastro, More, Settings } from "./client.js";
export { ApiError, LastroError, Unreachable } from "./errors.js";
export type { Problem } from "./errors.js";
export type { Answer, Calls, Input, Item, ListId, OperationId, Options } from "./operations.js";
export type * as models from "./schema.js";
export { ACKNOWLEDGEMENT, TOLERANCE_SECONDS, verified, WebhookRefused } from "./webhooks.js";
export type { Event } from "./webhooks.js";
