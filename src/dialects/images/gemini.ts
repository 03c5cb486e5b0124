// The dialect of Google's generateContent where it makes images: the same words as for a conversation, asked of whoever draws.
import type { ImageRequest, ImageResponse } from "../../canonical/image.ts";
import type { Dialect } from "../dialect.ts";
import { geminiErrors } from "../gemini/error.ts";
import { passthroughRequest } from "../gemini/passthrough.ts";
import { GenerateContentRequest } from "../gemini/request.ts";
import { stream } from "../gemini/stream.ts";
import { withPolicy } from "./content-policy.ts";
import { parseRequest, renderRequest } from "./gemini-request.ts";
import { countingImages, parseReply, renderReply, usageOf } from "./gemini-response.ts";

export const geminiImages: Dialect<ImageRequest, ImageResponse> = {
  name: "gemini-images",
  operation: "image",
  request: {
    schema: GenerateContentRequest,
    parse: parseRequest,
    render: renderRequest,
    // One reply is one image.
    maxItems: () => 1,
    needsInlineImages: true,
    fieldPath: (field) => field,
  },
  response: { parse: parseReply, render: renderReply },
  stream: {
    ...stream,
    reader: (context) => countingImages(stream.reader(context)),
    writer: () => ({ write: () => [] }),
    asStream: (response, context) =>
      response.operation === "image" ? [{ data: JSON.stringify(renderReply(response, context)) }] : [],
  },
  passthrough: { render: passthroughRequest, usage: usageOf },
  error: withPolicy(geminiErrors),
};
