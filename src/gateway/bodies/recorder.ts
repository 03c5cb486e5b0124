// Records the bodies of one exchange in memory, each up to a limit; they are passed on once when it has ended.
import type { HttpDispatch, ObserveBody } from "../../providers/provider.ts";
import type { Redactor } from "../../providers/redaction.ts";
import { redactorFor, withRedactor } from "../../providers/redaction.ts";
import type { HttpResponse } from "../../providers/transport/response.ts";
import type { LedgerSettlement } from "../ledger/types.ts";
import type { Candidate } from "../routing/catalog.ts";
import type { BodyStage, RecordedBody } from "./types.ts";

type Bytes = Uint8Array | string;

/** One body that may arrive in pieces. */
class Body {
  readonly stage: BodyStage;
  readonly attempt: number | null;
  readonly candidate: Candidate | null;
  private readonly chunks: Uint8Array[] = [];
  private held = 0;
  size = 0;

  constructor(stage: BodyStage, attempt: number | null, candidate: Candidate | null) {
    this.stage = stage;
    this.attempt = attempt;
    this.candidate = candidate;
  }

  /** Copies, because the bytes may be overwritten, or belong to a larger buffer. */
  add(given: Bytes, maxBytes: number): void {
    const bytes = typeof given === "string" ? Buffer.from(given) : given;
    this.size += bytes.length;
    const part = bytes.slice(0, Math.max(0, maxBytes - this.held));
    if (part.length === 0) return;
    this.held += part.length;
    this.chunks.push(part);
  }

  done(redactors: readonly Redactor[], secrets: readonly Buffer[]): RecordedBody {
    const whole: Uint8Array =
      this.chunks.length === 1 ? (this.chunks[0] ?? new Uint8Array()) : Buffer.concat(this.chunks);
    const safe = redactors.reduce((bytes, redactor) => redactor.bytes(bytes, true), whole);
    const { stage, attempt, candidate, size } = this;
    return { stage, attempt, provider: candidate?.provider.entry.name ?? null, bytes: hidden(safe, secrets), size };
  }
}

/** Preserves the length, so that nothing has to be copied twice. */
function hidden(bytes: Uint8Array, secrets: readonly Buffer[]): Uint8Array {
  const copy = Buffer.from(bytes);
  for (const secret of secrets)
    for (let at = copy.indexOf(secret); at >= 0; at = copy.indexOf(secret, at + secret.length))
      copy.fill("*", at, at + secret.length);
  return new Uint8Array(copy.buffer, copy.byteOffset, copy.length).slice();
}

interface RecorderOptions {
  readonly maxBytes: number;
  /** Whether the recorded bodies are stored after this settlement. */
  isWanted(settlement: LedgerSettlement): boolean;
  write(bodies: readonly RecordedBody[]): void;
}

/** A secret at the limit is found and removed before the rest is cut. */
const beyondBytes = 4_096;
const shortestSecret = 8;

export class BodyRecorder {
  private readonly options: RecorderOptions;
  private readonly bodies: Body[] = [];
  private readonly redactors = new Set<Redactor>();
  private secrets: readonly Buffer[] = [];
  private settlement: LedgerSettlement | null = null;
  private isStreaming = false;
  private isOver = false;

  constructor(options: RecorderOptions) {
    this.options = options;
  }

  /** The client's body, and the keys that it presented, which are removed wherever they occur. */
  request(body: Bytes, keys: readonly (string | null)[]): void {
    this.secrets = keys.flatMap((key) => {
      const secret = key?.replace(/^Bearer\s+/i, "") ?? "";
      return secret.length < shortestSecret ? [] : [Buffer.from(secret)];
    });
    this.add(new Body("request", null, null), body);
  }

  /** Sends, and records the request and the response. */
  around(send: HttpDispatch["send"], attempt: number, candidate: Candidate): HttpDispatch["send"] {
    const observe: ObserveBody = (pieces) => {
      const body = new Body("upstream_request", attempt, candidate);
      for (const piece of pieces) this.add(body, piece);
    };
    return async (request) => this.received(attempt, candidate, await send({ ...request, observe }));
  }

  /** The response, whose body is recorded while it is read. */
  private received(attempt: number, candidate: Candidate, response: HttpResponse): HttpResponse {
    const redactor = redactorFor(response);
    if (redactor !== undefined) this.redactors.add(redactor);
    if (response.body === null) return response;
    const body = new Body("upstream_response", attempt, candidate);
    this.bodies.push(body);
    const { status, headers } = response;
    const stream = this.tapped(response.body, body, () => undefined);
    const copy = new Response(stream, { status, headers: [...headers] });
    return redactor === undefined ? copy : withRedactor(copy, redactor);
  }

  /** The client's response, complete. */
  response(body: Bytes): void {
    this.add(new Body("response", null, null), body);
  }

  /** The client's response, as it is read. */
  responseStream(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const body = new Body("response", null, null);
    this.bodies.push(body);
    this.isStreaming = true;
    return this.tapped(stream, body, () => {
      this.isStreaming = false;
      if (this.settlement !== null) this.end(this.settlement);
    });
  }

  /** A stream whose client has disconnected does not always end by itself. */
  settled(settlement: LedgerSettlement): void {
    this.settlement = settlement;
    if (!this.isStreaming || settlement.errorCode === "client_closed") this.end(settlement);
  }

  private end(settlement: LedgerSettlement): void {
    if (this.isOver) return;
    this.isOver = true;
    if (!this.options.isWanted(settlement)) return;
    this.options.write(this.bodies.map((body) => body.done([...this.redactors], this.secrets)));
  }

  private add(body: Body, bytes: Bytes): void {
    if (!this.bodies.includes(body)) this.bodies.push(body);
    body.add(bytes, this.options.maxBytes + beyondBytes);
  }

  private tapped(source: ReadableStream<Uint8Array>, body: Body, ended: () => void): ReadableStream<Uint8Array> {
    const reader = source.getReader();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await reader.read();
            if (done) {
              ended();
              return controller.close();
            }
            this.add(body, value);
            controller.enqueue(value);
          } catch (thrown) {
            ended();
            throw thrown;
          }
        },
        async cancel(reason) {
          ended();
          await reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }
}
