// Where the gateway is, and an answer of it that is an error.

/** Everything before `/console` or `/docs`, so that the pages work under the prefix of a proxy. */
export const base = new URL("../..", import.meta.url).href.replace(/\/$/, "");

/** An answer with an error, or none at all. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
  readonly requestId: string | null;
  constructor(message: string, at: { status: number; code: string; param?: string | null; requestId?: string | null }) {
    super(message);
    this.status = at.status;
    this.code = at.code;
    this.param = at.param ?? null;
    this.requestId = at.requestId ?? null;
  }
}
