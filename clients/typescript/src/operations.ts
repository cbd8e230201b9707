// The types of an operation's input and answer, read off the document's.

import type { OPERATIONS } from "./table.js";
import type { operations } from "./schema.js";

export type OperationId = keyof typeof OPERATIONS & keyof operations;

type Parameters<O extends OperationId, Place extends "path" | "query"> = operations[O]["parameters"] extends {
  [P in Place]: infer Found;
}
  ? { [P in Place]: Found }
  : operations[O]["parameters"] extends { [P in Place]?: infer Found }
    ? [Found] extends [undefined]
      ? unknown
      : { [P in Place]?: Exclude<Found, undefined> }
    : unknown;

type Content<O extends OperationId> = operations[O] extends { requestBody: { content: infer C } }
  ? C
  : operations[O] extends { requestBody?: { content: infer C } }
    ? C
    : never;

type Body<O extends OperationId> = [Content<O>] extends [never]
  ? unknown
  : Content<O> extends { "multipart/form-data": unknown }
    ? { form: FormData }
    : Content<O> extends { "application/json": infer Json }
      ? operations[O] extends { requestBody: unknown }
        ? { body: Json; media?: never } | { body: Uint8Array; media: string }
        : { body?: Json }
      : unknown;

export interface Options {
  /** Your idempotency key. Without one a new one is made, where the operation takes it. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** What an operation is given: its parameters by place, its body, and options. */
export type Input<O extends OperationId> = Parameters<O, "path"> & Parameters<O, "query"> & Body<O> & Options;

type Success<O extends OperationId> = operations[O]["responses"] extends infer R
  ? R[keyof R & (200 | 201 | 202 | 204)]
  : never;

/** What an operation answers: JSON as a value, else nothing here (`bytes` has the rest). */
export type Answer<O extends OperationId> =
  Success<O> extends { content: { "application/json": infer Json } } ? Json : undefined;

/** The operations that answer a page with a cursor. */
export type ListId = {
  [O in OperationId]: Answer<O> extends { hasNext: boolean; nextCursor?: string; data: unknown[] } ? O : never;
}[OperationId];

export type Item<O extends OperationId> = Answer<O> extends { data: (infer One)[] } ? One : never;

/** A client: every operation by its id in the document. */
export type Calls = {
  [O in OperationId]: Record<string, never> extends Input<O>
    ? (input?: Input<O>) => Promise<Answer<O>>
    : (input: Input<O>) => Promise<Answer<O>>;
};
