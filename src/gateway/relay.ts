// The one fork in the road: same dialect on both sides goes through verbatim, everything else is translated.
import { GatewayError } from "../canon/error.ts";
import type { Ask } from "../canon/operation.ts";
import type { Warning } from "../canon/warning.ts";
import type { Call, Dialect, Envelope, RenderContext, WriteContext } from "../dialects/dialect.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Candidate } from "./catalog.ts";

/** A request as the client made it: the dialect it speaks, its wire, and what the wire means. */
export interface Inquiry {
  readonly dialect: Dialect;
  readonly wire: JsonObject;
  readonly envelope: Envelope;
  readonly ask: Ask;
  /** True: whatever would be dropped or approximated is refused instead. */
  readonly strict: boolean;
  readonly write: WriteContext;
}

/** The way of one inquiry to one candidate. */
export interface Lane {
  readonly verbatim: boolean;
  /** What the upstream speaks. */
  readonly upstream: Dialect;
  readonly call: Call;
  readonly warnings: readonly Warning[];
}

function upstreamDialect(inquiry: Inquiry, candidate: Candidate): Dialect {
  const { dialects } = candidate.provider;
  const same = dialects.find((dialect) => dialect === inquiry.dialect);
  const able = same ?? dialects.find((dialect) => dialect.operation === inquiry.ask.operation);
  if (able === undefined) throw new GatewayError("no_provider_available", "No provider can serve this operation.");
  return able;
}

/** What the client said beyond canon, judged by its own dialect's rules: warnings, or a refusal. */
function foreignFields(ask: Ask): Warning[] {
  const refused = ask.extras.find((extra) => extra.rule === "reject");
  if (refused !== undefined)
    throw new GatewayError("unsupported_parameter", `'${refused.path}' cannot be sent to this model.`, {
      param: refused.path,
    });
  return ask.extras.filter((extra) => extra.rule === "drop").map(({ path }) => ({ code: "dropped", path }));
}

function refuseWhenStrict(inquiry: Inquiry, warnings: readonly Warning[]): void {
  const lost = inquiry.strict ? warnings.find((warning) => warning.code !== "emulated") : undefined;
  if (lost !== undefined)
    throw new GatewayError(
      "unsupported_parameter",
      `'${lost.path}' would be ${lost.code} for this model, and strict mode is on.`,
      {
        param: lost.path,
      },
    );
}

/** Throws `unsupported_parameter` when the candidate's dialect cannot say what was asked. */
export function openLane(inquiry: Inquiry, candidate: Candidate): Lane {
  const upstream = upstreamDialect(inquiry, candidate);
  const context: RenderContext = {
    model: candidate.model,
    origin: candidate.provider.origin,
    options: candidate.provider.options,
    fieldPath: (field) => inquiry.dialect.request.fieldPath(field),
  };
  if (upstream === inquiry.dialect) {
    const call = upstream.verbatim.call(inquiry.wire, context, inquiry.envelope);
    return { verbatim: true, upstream, call, warnings: [] };
  }
  const rendered = upstream.request.render(inquiry.ask, context);
  const warnings = [...foreignFields(inquiry.ask), ...rendered.warnings];
  refuseWhenStrict(inquiry, warnings);
  return { verbatim: false, upstream, call: rendered.call, warnings };
}
