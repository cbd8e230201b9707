// Calls of a lastro: each with a token, a request id, a key where it may have one, and as many attempts as are safe.

import { type ApiError, refused, Unreachable } from "./errors.js";
import type { Answer, Calls, Input, Item, ListId, OperationId, Options } from "./operations.js";
import { OPERATIONS } from "./table.js";
import { Tokens } from "./tokens.js";

const FIRST_WAIT_SECONDS = 0.5;
const LONGEST_WAIT_SECONDS = 60;
// It may have been done. Under its key it is not done twice.
const UNSURE: ReadonlySet<number> = new Set([500, 502, 503, 504]);
// Node's words for a connection that never was.
const NEVER_SENT: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

export interface Settings {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** Of each call, the first included. 4 where nothing is said. */
  attempts?: number;
  /** Of each attempt. 30 where nothing is said. */
  timeoutSeconds?: number;
  fetch?: typeof fetch;
  sleep?: (seconds: number) => Promise<void>;
  /** A clock in seconds. */
  now?: () => number;
}

export interface More {
  /** The items of every page of a list. */
  all<O extends ListId>(operation: O, input?: Input<O>): AsyncGenerator<Item<O>, void, undefined>;
  /** An answer that is no JSON, such as a PDF. accept: its media type. */
  bytes<O extends OperationId>(operation: O, input: Input<O> & { accept: string }): Promise<Uint8Array>;
}

export type Lastro = Calls & More;

interface Given extends Options {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  media?: string;
  form?: FormData;
}

interface Call {
  operation: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array | FormData | undefined;
  key: string | undefined;
  signal: AbortSignal | undefined;
}

/** Returns a client. Every operation of the document is a method of it, by its id. */
export function createClient(settings: Settings): Lastro {
  const sender = new Sender(settings);
  const made: Record<string, unknown> = {
    async *all(operation: OperationId, input: Given = {}): AsyncGenerator<unknown, void, undefined> {
      let query = input.query ?? {};
      for (;;) {
        const page = (await sender.json(operation, { ...input, query })) as Page;
        yield* page.data;
        if (!page.hasNext || page.nextCursor === undefined) return;
        query = { ...query, cursor: page.nextCursor };
      }
    },
    async bytes(operation: OperationId, input: Given & { accept: string }): Promise<Uint8Array> {
      return new Uint8Array(await (await sender.sent(operation, input, input.accept)).arrayBuffer());
    },
  };
  for (const operation of Object.keys(OPERATIONS) as OperationId[]) {
    made[operation] = (input?: Given) => sender.json(operation, input ?? {});
  }
  return made as unknown as Lastro;
}

interface Page {
  data: unknown[];
  hasNext: boolean;
  nextCursor?: string;
}

class Sender {
  private readonly base: string;
  private readonly tokens: Tokens;
  private readonly now: () => number;

  constructor(private readonly settings: Settings) {
    this.base = settings.baseUrl.replace(/\/+$/, "");
    this.now = settings.now ?? (() => performance.now() / 1000);
    this.tokens = new Tokens(() => this.tokenAnswer(), this.now);
  }

  async json(operation: OperationId, input: Given): Promise<Answer<OperationId>> {
    const text = await (await this.sent(operation, input, "application/json")).text();
    return (text === "" ? undefined : JSON.parse(text)) as Answer<OperationId>;
  }

  async sent(operation: OperationId, input: Given, accept: string): Promise<Response> {
    const call = this.call(operation, input, accept);
    let renewed = false;
    const answer = await this.attempts(call, async () => {
      const token = await this.tokens.fresh();
      const found = await this.once(call, { ...call.headers, authorization: `Bearer ${token}` });
      if (found.status !== 401 || renewed) return found;
      renewed = true;
      this.tokens.forget(token);
      return this.once(call, { ...call.headers, authorization: `Bearer ${await this.tokens.fresh()}` });
    });
    if (answer.ok) return answer;
    throw await errorOf(call, answer);
  }

  private call(operation: OperationId, input: Given, accept: string): Call {
    const [method, path, takesKey] = OPERATIONS[operation];
    const key = takesKey ? (input.idempotencyKey ?? crypto.randomUUID()) : undefined;
    const headers: Record<string, string> = { accept, "x-request-id": crypto.randomUUID() };
    if (key !== undefined) headers["idempotency-key"] = key;
    let body: Call["body"] = input.form;
    if (input.body instanceof Uint8Array) body = input.body;
    else if (input.form === undefined && method !== "GET" && method !== "DELETE") body = JSON.stringify(input.body ?? {});
    if (body !== undefined && input.form === undefined) headers["content-type"] = input.media ?? "application/json";
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input.path?.[name])));
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(input.query ?? {})) {
      if (value !== undefined && value !== null) query.set(name, String(value));
    }
    const asked = query.size > 0 ? `?${query}` : "";
    const url = this.base + filled + asked;
    return { operation: `${method} ${path}`, method, url, headers, body, key, signal: input.signal };
  }

  /** Tries until there is an answer to go on with. Unreachable: none came. */
  private async attempts(call: Call, attempt: () => Promise<Response>): Promise<Response> {
    for (let number = 1; ; number += 1) {
      const found = await attempt().catch((error: unknown) => lost(call, error));
      const wait = number < (this.settings.attempts ?? 4) ? waitAfter(call, number, found) : undefined;
      if (wait !== undefined) await this.sleep(wait);
      else if (found instanceof Response) return found;
      else throw found;
    }
  }

  private tokenAnswer(): Promise<Response> {
    const basic = btoa(`${this.settings.clientId}:${this.settings.clientSecret}`);
    const headers = { authorization: `Basic ${basic}`, "content-type": "application/x-www-form-urlencoded", "x-request-id": crypto.randomUUID() };
    const call: Call = {
      operation: "POST /oauth2/token", method: "POST", url: `${this.base}/oauth2/token`, headers,
      body: "grant_type=client_credentials", key: undefined, signal: undefined,
    };
    // Asked again as a GET is: a second token changes nothing.
    return this.attempts({ ...call, method: "GET" }, () => this.once(call, headers));
  }

  private once(call: Call, headers: Record<string, string>): Promise<Response> {
    const timeout = AbortSignal.timeout((this.settings.timeoutSeconds ?? 30) * 1000);
    const init: RequestInit = { method: call.method, headers, signal: any(timeout, call.signal), redirect: "error" };
    if (call.body !== undefined) init.body = call.body;
    return (this.settings.fetch ?? fetch)(call.url, init);
  }

  private sleep(seconds: number): Promise<void> {
    if (this.settings.sleep !== undefined) return this.settings.sleep(seconds);
    return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

function any(timeout: AbortSignal, own: AbortSignal | undefined): AbortSignal {
  return own === undefined ? timeout : AbortSignal.any([timeout, own]);
}

/** The error of an attempt without an answer. What the caller gave up, and errors with an answer, go on as they are. */
function lost(call: Call, error: unknown): Unreachable {
  if (call.signal?.aborted === true || !(error instanceof Error) || "requestId" in error) throw error;
  const why = codeOf(error); // Node says "fetch failed", and keeps the reason inside
  return new Unreachable(why === undefined ? String(error) : `${String(error)}: ${why}`, call.headers["x-request-id"] ?? "", call.key, { cause: error });
}

/** Seconds to wait before the next attempt; undefined: there is to be none. */
function waitAfter(call: Call, attempt: number, found: Response | Unreachable): number | undefined {
  const isSafe = call.method === "GET" || call.key !== undefined;
  const backoff = FIRST_WAIT_SECONDS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
  if (!(found instanceof Response)) return isSafe || neverSent(found) ? backoff : undefined;
  const told = toldToWait(found);
  // A conflict with a time is one with itself: the first attempt is still being worked on.
  const may = found.status === 429 || (isSafe && (UNSURE.has(found.status) || (found.status === 409 && told !== undefined)));
  if (!may || (told ?? 0) > LONGEST_WAIT_SECONDS) return undefined;
  return told === undefined ? backoff : told + backoff / 10;
}

function neverSent(error: Unreachable): boolean {
  return NEVER_SENT.has(error.cause instanceof Error ? codeOf(error.cause) : undefined);
}

function codeOf(error: Error): string | undefined {
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

function toldToWait(answer: Response): number | undefined {
  const text = answer.headers.get("retry-after") ?? "";
  return /^[0-9]+$/.test(text) ? Number(text) : undefined;
}

async function errorOf(call: Call, answer: Response): Promise<ApiError> {
  const requestId = answer.headers.get("x-request-id") ?? call.headers["x-request-id"] ?? "";
  const about = { requestId, idempotencyKey: call.key, retryAfter: toldToWait(answer) };
  return refused(call.operation, answer.status, await answer.text(), about);
}
