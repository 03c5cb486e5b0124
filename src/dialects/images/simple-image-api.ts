// Image dialects of servers that differ by data: one flat body out, a list of images back. No client speaks them to the gateway.
import { Type } from "typebox";
import type { ImageField, ImageRequest, ImageResponse } from "../../canonical/image.ts";
import { type JsonObject, omitUndefined } from "../../lib/json.ts";
import type { Dialect, ErrorCodec, RenderContext, RenderedRequest } from "../dialect.ts";
import { noClient } from "../shared/upstream-only.ts";
import type { Warnings } from "../shared/warnings.ts";
import { noteBytes, noteLost, refuseImages, refuseMask } from "./field-support.ts";
import { renderReply } from "./response.ts";

export interface FlatForm {
  readonly name: string;
  path(model: string, request: ImageRequest): string;
  /** The fields that it has words for. */
  readonly can: readonly ImageField[];
  /** Images of one call; absent: any number. */
  readonly most?: number;
  readonly bytesOnly?: true;
  /** True where it starts from images too. */
  readonly edits: boolean;
  /** Members that are undefined are left out. */
  body(request: ImageRequest, warnings: Warnings): JsonObject;
  /** Throws what a body holds in place of images. */
  read(wire: unknown): ImageResponse;
  readonly error: ErrorCodec;
}

function render(form: FlatForm, request: ImageRequest, context: RenderContext): RenderedRequest {
  const warnings: Warnings = { context, warnings: [] };
  refuseMask(request);
  if (!form.edits) refuseImages(request);
  noteLost(request, warnings, form.can);
  if (form.bytesOnly) noteBytes(request, warnings);
  const body = omitUndefined(form.body(request, warnings));
  return { call: { path: form.path(context.model, request), body }, warnings: warnings.warnings };
}

/** The dialect of a form. */
export function flatImages(form: FlatForm): Dialect<ImageRequest, ImageResponse> {
  const { most } = form;
  return {
    name: form.name,
    operation: "image",
    request: {
      schema: Type.Object({}, { additionalProperties: true }),
      parse: (wire) => ({ ...nothingAsked, model: String(wire.model ?? ""), prompt: String(wire.prompt ?? "") }),
      render: (request, context) => render(form, request, context),
      ...(most === undefined ? {} : { maxItems: () => most }),
      fieldPath: (field) => field,
    },
    response: { parse: form.read, render: renderReply },
    passthrough: noClient,
    error: form.error,
  };
}

const nothingAsked = {
  operation: "image",
  task: "generate",
  stream: false,
  images: [],
  said: {},
  unmappedFields: [],
} as const;
