// Passthrough: forwards the client's wire except for the model and the usage that the meter needs.
import type { Usage } from "../../canonical/usage.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Passthrough, RenderContext, UpstreamRequest } from "../dialect.ts";
import { removeAbsent } from "../shared/json-accessors.ts";
import { askForUsage, correctedChunk, doneFrame, shownChunk } from "../shared/openai-stream-chunks.ts";
import { renderUsage } from "../shared/openai-usage.ts";
import { completionsPath } from "./request.ts";

/** Fields that servers refuse when they are empty. */
const noise = ["stop", "n", "best_of", "logit_bias", "logprobs", "suffix", "stream_options"];

function call(wire: JsonObject, context: RenderContext): UpstreamRequest {
  const body: JsonObject = { ...wire, model: context.model };
  removeAbsent(body, noise);
  askForUsage(body, context.options);
  return { path: completionsPath, body };
}

const withUsage = (reply: JsonObject, used: Usage): JsonObject => ({ ...reply, usage: renderUsage(used) });

export const passthrough: Passthrough = {
  render: call,
  visibleFrame: shownChunk,
  corrected: correctedChunk,
  terminator: doneFrame,
  withUsage,
};
