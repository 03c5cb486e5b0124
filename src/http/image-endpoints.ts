// The rows of images: each path accepts two shapes of body.
import {
  dashscopeImageEdits,
  dashscopeImages,
  openaiImageEdits,
  openaiImages,
  openaiImageVariations,
} from "../dialects/index.ts";
import type { JsonObject } from "../lib/json.ts";
import type { KeyRule, ModelEndpoint } from "./endpoint.ts";
import { protocols } from "./protocols.ts";

const client: KeyRule = { key: "client", carriers: ["bearer"] };
const common = { kind: "ask", method: "POST", access: client, ...protocols.openai } as const;

/** An image request as a message, unless the body has the members of OpenAI's format. */
const isMessage = (wire: JsonObject): boolean =>
  wire.input !== undefined || ["prompt", "image", "images", "mask"].every((name) => wire[name] === undefined);

export const imageEndpoints: readonly ModelEndpoint[] = [
  {
    ...common,
    path: "/v1/images/generations",
    operationId: "createImage",
    summary: "Generates images from a prompt, in OpenAI's format or as a message with parameters.",
    dialect: openaiImages,
    alternate: { dialect: dashscopeImages, speaks: isMessage },
  },
  {
    ...common,
    path: "/v1/images/edits",
    operationId: "createImageEdit",
    summary: "Edits images with a prompt, in either format or as a form.",
    dialect: openaiImageEdits,
    alternate: { dialect: dashscopeImageEdits, speaks: isMessage },
    form: {
      only: false,
      files: {
        image: "The image to edit. Send several images as `image[]`, up to 16.",
        mask: "Mask whose transparent areas mark where to edit the first image.",
      },
    },
  },
  {
    ...common,
    path: "/v1/images/variations",
    operationId: "createImageVariation",
    summary: "Creates variations of an image, for providers that support it.",
    dialect: openaiImageVariations,
    form: { only: true, files: { image: "The image to create variations of." } },
  },
];
