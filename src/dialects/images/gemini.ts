// The dialect of Google's generateContent where it makes images: the same words as for a conversation, asked of whoever draws.
import type { ImageAnswer, ImageAsk } from "../../canonical/image.ts";
import type { Dialect } from "../dialect.ts";
import { geminiErrors } from "../gemini/error.ts";
import { verbatimCall } from "../gemini/passthrough.ts";
import { GenerateContentRequest } from "../gemini/schema.ts";
import { stream } from "../gemini/stream.ts";
import { withPolicy } from "./content-policy.ts";
import { parseRequest, renderRequest } from "./gemini-request.ts";
import { countingImages, parseReply, renderReply, usageOf } from "./gemini-response.ts";

export const geminiImages: Dialect<ImageAsk, ImageAnswer> = {
  name: "gemini-images",
  operation: "image",
  request: {
    schema: GenerateContentRequest,
    parse: parseRequest,
    render: renderRequest,
    // One reply is one image.
    mostItems: () => 1,
    wantsBytes: true,
    fieldPath: (field) => field,
  },
  response: { parse: parseReply, render: renderReply },
  stream: {
    ...stream,
    reader: (context) => countingImages(stream.reader(context)),
    writer: () => ({ write: () => [] }),
    whole: (answer, context) =>
      answer.operation === "image" ? [{ data: JSON.stringify(renderReply(answer, context)) }] : [],
  },
  verbatim: { call: verbatimCall, usage: usageOf },
  error: withPolicy(geminiErrors),
};
