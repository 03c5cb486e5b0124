// The dialects of OpenAI's images: made from words, and made from other images.
import { type ImageAnswer, type ImageAsk, imagesWanted } from "../../canonical/image.ts";
import type { Extra } from "../../canonical/warning.ts";
import type { Frame } from "../../lib/sse.ts";
import type { Dialect, Envelope, WriteContext } from "../dialect.ts";
import { openaiErrors } from "../openai-error.ts";
import { withPolicy } from "./content-policy.ts";
import {
  dividedWire,
  editsPath,
  generationsPath,
  mostImagesOf,
  renderRequest,
  variationsPath,
  verbatimCall,
} from "./openai-call.ts";
import { parseRequest } from "./openai-request.ts";
import { EditRequest, GenerationRequest, VariationRequest } from "./openai-schema.ts";
import { partialFrames, streamOf } from "./openai-stream.ts";
import { parseReply, renderReply } from "./response.ts";

type Images = Dialect<ImageAsk, ImageAnswer>;

/** The client's own words of canon's fields stand in the ask itself; these are all that others may name. */
export const samePath = (field: string): string => field;

const errors = withPolicy(openaiErrors);
const response: Images["response"] = { parse: parseReply, render: renderReply };

const wantedOf = ({ n }: { readonly n?: unknown }): number => imagesWanted(typeof n === "number" ? { n } : {});

const verbatim = (path: string): Images["verbatim"] => ({
  call: (wire, context, envelope) => verbatimCall(path, wire, context, envelope),
  divide: (wire, most) => dividedWire(wire, wantedOf(wire), most),
  mend: (reply, _wire, context) =>
    typeof reply.created === "number" || context === undefined ? reply : { ...reply, created: context.createdAt },
});

const request = (task: ImageAsk["task"]) => ({
  parse: (wire: Parameters<Images["request"]["parse"]>[0], envelope: Envelope) => parseRequest(wire, envelope, task),
  render: renderRequest,
  mostItems: mostImagesOf,
  wantsBytes: true,
  fieldPath: samePath,
});

export const openaiImages: Images = {
  name: "openai-images",
  operation: "image",
  request: { schema: GenerationRequest, ...request("generate") },
  response,
  stream: streamOf("image_generation", errors),
  verbatim: verbatim(generationsPath),
  error: errors,
};

export const openaiImageEdits: Images = {
  name: "openai-image-edits",
  operation: "image",
  within: openaiImages,
  request: { schema: EditRequest, ...request("edit") },
  response,
  stream: streamOf("image_edit", errors),
  verbatim: verbatim(editsPath),
  error: errors,
};

/** Only servers of this format have variations: nothing tells another model what to change. */
const variationOnly: Extra = { path: "image", rule: "reject", reason: "it does not make variations of an image" };

/** The model of OpenAI's endpoint, which has one. */
const variationModel = "dall-e-2";

export const openaiImageVariations: Images = {
  name: "openai-image-variations",
  operation: "image",
  within: openaiImages,
  request: {
    ...request("edit"),
    schema: VariationRequest,
    parse(wire, envelope) {
      const model = typeof wire.model === "string" && wire.model !== "" ? wire.model : undefined;
      const ask = parseRequest({ ...wire, model: model ?? variationModel, prompt: "" }, envelope, "edit");
      const extras = [...ask.extras, variationOnly];
      return { ...ask, extras, ...(model === undefined ? { unnamed: true } : {}) };
    },
  },
  response,
  verbatim: verbatim(variationsPath),
  error: errors,
};

/** A whole answer as a stand-in streams it: unfinished images before the finished ones, where the client wants some. */
export function imageFrames(answer: ImageAnswer, dialect: Dialect, context: WriteContext): readonly Frame[] {
  const { ask } = context;
  const count = ask.operation === "image" ? (ask.partialImages ?? 0) : 0;
  const events = dialect === openaiImageEdits ? "image_edit" : dialect === openaiImages ? "image_generation" : null;
  const partial = events === null ? [] : partialFrames(events, answer, count, context);
  return [...partial, ...(dialect.stream?.whole?.(answer, context) ?? [])];
}
