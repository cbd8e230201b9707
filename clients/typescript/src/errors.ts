// What a call can end with. Each error keeps the request's id; a refusal says what is wrong and what to do.

import { cureOf } from "./cures.js";

export interface Problem {
  readonly field: string;
  readonly issue: string;
  readonly description: string;
  /** What to do about it; empty where nothing is known. */
  readonly cure: string;
}

/** Anything that a client throws by itself. */
export class LastroError extends Error {
  constructor(
    text: string,
    /** As the server's logs have it. */
    readonly requestId: string,
    /** Call again with it after an `Unreachable`: nothing is done twice. */
    readonly idempotencyKey: string | undefined,
    options?: ErrorOptions,
  ) {
    super(`${text} (request ${requestId})`, options);
    this.name = new.target.name;
  }
}

/** No answer came. */
export class Unreachable extends LastroError {}

/** A refusal. */
export class ApiError extends LastroError {
  /** The first field at fault, and the word for what is wrong with it; empty where there is none. */
  readonly field: string;
  readonly issue: string;

  constructor(
    readonly status: number,
    /** The interface's word, such as `INVALID_REQUEST`. */
    readonly code: string,
    text: string,
    readonly problems: readonly Problem[],
    readonly cure: string,
    requestId: string,
    idempotencyKey: string | undefined,
    /** Seconds to wait, where the server says so. */
    readonly retryAfter: number | undefined,
  ) {
    const told = problems.map((p) => `${p.field} ${p.issue}: ${p.description}${p.cure && ` → ${p.cure}`}`).join("; ") || cure;
    super(`${status} ${code}: ${text}${told && `: ${told}`}`, requestId, idempotencyKey);
    this.field = problems[0]?.field ?? "";
    this.issue = problems[0]?.issue ?? "";
  }
}

/** The error of an answer, whoever gave it. operation: method and path as the document has them. */
export function refused(
  operation: string,
  status: number,
  body: string,
  about: { requestId: string; idempotencyKey?: string | undefined; retryAfter?: number | undefined; cure?: string },
): ApiError {
  const said = object(body);
  const details = Array.isArray(said["details"]) ? said["details"] : [];
  const problems = details.map((one: unknown): Problem => {
    const detail = typeof one === "object" && one !== null ? (one as Record<string, unknown>) : {};
    const [field, issue] = [String(detail["field"] ?? ""), String(detail["issue"] ?? "")];
    const cure = cureOf(operation, status, field.replace(/\[\d+\]/g, "[]"), issue);
    return { field, issue, description: String(detail["description"] ?? ""), cure };
  });
  const own = about.cure || cureOf(operation, status, "", "");
  const cure = problems.length > 0 ? (problems.find((p) => p.cure)?.cure ?? "") : own;
  const text = String(said["message"] ?? (said["error"] === undefined ? "The answer is not lastro's" : "Refused"));
  const code = String(said["error"] ?? "UNKNOWN");
  return new ApiError(status, code, text, problems, cure, about.requestId, about.idempotencyKey, about.retryAfter);
}

function object(body: string): Record<string, unknown> {
  try {
    const said: unknown = JSON.parse(body);
    return typeof said === "object" && said !== null && !Array.isArray(said) ? (said as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
