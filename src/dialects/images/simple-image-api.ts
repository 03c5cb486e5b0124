// Image dialects of servers that differ by data: one flat body out, a list of images back. No client speaks them to the gateway.
import { Type } from "typebox";
import type { ImageAnswer, ImageAsk, ImageField } from "../../canonical/image.ts";
import { compact, type JsonObject } from "../../lib/json.ts";
import type { Dialect, ErrorSide, RenderContext, Rendered } from "../dialect.ts";
import { noClient } from "../shared/upstream-only.ts";
import type { Notes } from "../shared/warnings.ts";
import { noteBytes, noteLost, refuseImages, refuseMask } from "./field-support.ts";
import { renderReply } from "./response.ts";

export interface FlatForm {
  readonly name: string;
  path(model: string, ask: ImageAsk): string;
  /** The fields that it has words for. */
  readonly can: readonly ImageField[];
  /** Images of one call; absent: any number. */
  readonly most?: number;
  readonly bytesOnly?: true;
  /** True where it starts from images too. */
  readonly edits: boolean;
  /** Members that are undefined are left out. */
  body(ask: ImageAsk, notes: Notes): JsonObject;
  /** Throws what a body holds in place of images. */
  read(wire: unknown): ImageAnswer;
  readonly error: ErrorSide;
}

function render(form: FlatForm, ask: ImageAsk, context: RenderContext): Rendered {
  const notes: Notes = { context, warnings: [] };
  refuseMask(ask);
  if (!form.edits) refuseImages(ask);
  noteLost(ask, notes, form.can);
  if (form.bytesOnly) noteBytes(ask, notes);
  const body = compact(form.body(ask, notes));
  return { call: { path: form.path(context.model, ask), body }, warnings: notes.warnings };
}

/** The dialect of a form. */
export function flatImages(form: FlatForm): Dialect<ImageAsk, ImageAnswer> {
  const { most } = form;
  return {
    name: form.name,
    operation: "image",
    request: {
      schema: Type.Object({}, { additionalProperties: true }),
      parse: (wire) => ({ ...nothingAsked, model: String(wire.model ?? ""), prompt: String(wire.prompt ?? "") }),
      render: (ask, context) => render(form, ask, context),
      ...(most === undefined ? {} : { mostItems: () => most }),
      fieldPath: (field) => field,
    },
    response: { parse: form.read, render: renderReply },
    verbatim: noClient,
    error: form.error,
  };
}

const nothingAsked = { operation: "image", task: "generate", stream: false, images: [], said: {}, extras: [] } as const;
