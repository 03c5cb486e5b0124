// The rows of images: each path takes two shapes, told apart by the body.
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

/** Images are asked for in a message, unless the body has what OpenAI's format has in its place. */
const isMessage = (wire: JsonObject): boolean =>
  wire.input !== undefined || ["prompt", "image", "images", "mask"].every((name) => wire[name] === undefined);

export const imageEndpoints: readonly ModelEndpoint[] = [
  {
    ...common,
    path: "/v1/images/generations",
    operationId: "createImage",
    summary: "Images from words: in a message with parameters, or in OpenAI's format.",
    dialect: openaiImages,
    alternate: { dialect: dashscopeImages, speaks: isMessage },
  },
  {
    ...common,
    path: "/v1/images/edits",
    operationId: "createImageEdit",
    summary: "Images from images and words, in the same two formats, or as a form.",
    dialect: openaiImageEdits,
    alternate: { dialect: dashscopeImageEdits, speaks: isMessage },
    form: {
      only: false,
      files: {
        image: "The image to change; several are sent as `image[]`, up to 16.",
        mask: "Transparent where the first image may change.",
      },
    },
  },
  {
    ...common,
    path: "/v1/images/variations",
    operationId: "createImageVariation",
    summary: "Variations of an image, where the provider makes them.",
    dialect: openaiImageVariations,
    form: { only: true, files: { image: "The image to vary." } },
  },
];
