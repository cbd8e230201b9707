// The token of a client: fetched once, kept, and renewed before it ends.

import { LastroError, refused } from "./errors.js";

const EARLY = 0.1; // of its life, but a minute at most
const MOST_EARLY_SECONDS = 60;
const CURE = "Look at the client's id and secret; a secret is shown once, a new one can be made.";

export class Tokens {
  private kept: { text: string; until: number } | undefined;
  private fetching: Promise<string> | undefined;

  /** send: asks for a token. now: a clock in seconds. */
  constructor(
    private readonly send: () => Promise<Response>,
    private readonly now: () => number,
  ) {}

  /** A token that holds for a while. One call fetches it, the others wait for it. */
  async fresh(): Promise<string> {
    if (this.kept !== undefined && this.now() < this.kept.until) return this.kept.text;
    this.fetching ??= this.fetched().finally(() => {
      this.fetching = undefined;
    });
    return this.fetching;
  }

  /** Lets go of a token that was refused. */
  forget(text: string): void {
    if (this.kept?.text === text) this.kept = undefined;
  }

  private async fetched(): Promise<string> {
    const answer = await this.send();
    const requestId = answer.headers.get("x-request-id") ?? "";
    const body = await answer.text();
    if (answer.status !== 200) {
      const cure = answer.status === 400 || answer.status === 401 ? CURE : "";
      throw refused("POST /oauth2/token", answer.status, body, { requestId, cure });
    }
    const said = parsed(body);
    if (typeof said?.access_token !== "string" || typeof said.expires_in !== "number") {
      throw new LastroError("The answer is no token: is this the address of a lastro?", requestId, undefined);
    }
    const early = Math.min(said.expires_in * EARLY, MOST_EARLY_SECONDS);
    this.kept = { text: said.access_token, until: this.now() + said.expires_in - early };
    return this.kept.text;
  }
}

function parsed(body: string): { access_token?: unknown; expires_in?: unknown } | undefined {
  try {
    return JSON.parse(body) as { access_token?: unknown; expires_in?: unknown };
  } catch {
    return undefined;
  }
}
