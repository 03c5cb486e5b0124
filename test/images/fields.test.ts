// Every field of images on every format: what its table says is what is sent, refused or warned of.
import {
  arkImages,
  dashscopeImageEdits,
  dashscopeImages,
  dashscopeImageTasks,
  geminiImages,
  imagenImages,
  minimaxImages,
  openaiImageEdits,
  openaiImages,
  siliconflowImages,
  xaiImages,
  zhipuImages,
} from "../../src/dialects/index.ts";
import { type FieldClient, type FieldUpstream, provesFields } from "../support/field-conformance.ts";
import type { Seen } from "../support/upstream.ts";
import { dotBytes, imageSetting, message } from "./setting.ts";
import { dot, fars, nameOf } from "./upstream-dialects.ts";

const { gateway, up, url } = await imageSetting();
const picture = `data:image/png;base64,${dot}`;
const caseOf = (param: string, value: unknown) => ({ param, body: { [param]: value } });

const openai: FieldClient = {
  dialect: openaiImages,
  path: () => "/v1/images/generations",
  body: (model) => ({ model, prompt: "a fox" }),
  says: {
    prompt: { param: "prompt", body: {} },
    negativePrompt: caseOf("negative_prompt", "dogs"),
    images: caseOf("image", picture),
    mask: { param: "mask.image_url", body: { image: picture, mask: { image_url: picture } } },
    n: caseOf("n", 2),
    size: caseOf("size", "16:9"),
    quality: caseOf("quality", "high"),
    style: caseOf("style", "vivid"),
    background: caseOf("background", "transparent"),
    inputFidelity: caseOf("input_fidelity", "high"),
    moderation: caseOf("moderation", "low"),
    fileFormat: caseOf("output_format", "jpeg"),
    compression: caseOf("output_compression", 50),
    partialImages: caseOf("partial_images", 2),
    delivery: caseOf("response_format", "b64_json"),
    extendPrompt: caseOf("prompt_extend", true),
    watermark: caseOf("watermark", true),
    seed: caseOf("seed", 7),
    endUser: caseOf("user", "u"),
  },
};

const parts = (...content: readonly object[]) => message("", [...content, { text: "a fox" }]) as { input: object };
const parameter = (name: string, value: unknown) => ({
  param: `parameters.${name}`,
  body: { parameters: { [name]: value } },
});

const specification: FieldClient = {
  dialect: dashscopeImages,
  path: () => "/v1/images/generations",
  body: (model) => message(model, [{ text: "a fox" }]),
  says: {
    prompt: { param: "input.messages[0].content[0].text", body: {} },
    images: { param: "input.messages[0].content[0].image", body: { input: parts({ image: picture }).input } },
    negativePrompt: parameter("negative_prompt", "dogs"),
    n: parameter("n", 2),
    size: parameter("size", "16:9"),
    extendPrompt: parameter("prompt_extend", true),
    watermark: parameter("watermark", true),
    seed: parameter("seed", 7),
  },
};

const edits: FieldClient = {
  dialect: openaiImageEdits,
  path: () => "/v1/images/edits",
  body: (model) => ({ model, prompt: "a fox", images: [{ image_url: picture }] }),
  says: {
    ...openai.says,
    images: { param: "images[0].image_url", body: {} },
    mask: caseOf("mask", { image_url: picture }),
  },
};

const specificationEdits: FieldClient = {
  dialect: dashscopeImageEdits,
  path: () => "/v1/images/edits",
  body: (model) => message(model, [{ image: picture }, { text: "a fox" }]),
  says: {
    ...specification.says,
    prompt: { param: "input.messages[0].content[1].text", body: {} },
    images: { param: "input.messages[0].content[0].image", body: {} },
  },
};

/** The members of a body; of a form the names of its parts. */
const read = ({ json, text, headers }: Seen) =>
  headers.get("content-type")?.startsWith("multipart/")
    ? Object.fromEntries([...text.matchAll(/; name="(\w+)/g)].map(([, name]) => [name, true]))
    : json;

const upstreamOf = (dialect: FieldUpstream["dialect"], kind: string, model?: string): FieldUpstream => {
  const far = fars.find((each) => each.kind === kind && (model === undefined || each.model === model))!;
  return {
    dialect,
    model: nameOf(far),
    read,
    ready() {
      up.on("*", far.answers([url]));
      up.on("GET /dot.png", { bytes: [dotBytes], headers: { "content-type": "image/png" }, framing: "length" });
    },
  };
};

provesFields({
  title: "images",
  ...{ up, gateway },
  clients: [openai, specification],
  upstreams: [
    upstreamOf(openaiImages, "openai"),
    { ...upstreamOf(openaiImageEdits, "openai"), clients: [edits] },
    upstreamOf(dashscopeImages, "dashscope"),
    { ...upstreamOf(dashscopeImageEdits, "dashscope"), clients: [edits, specificationEdits] },
    { ...upstreamOf(dashscopeImageTasks, "dashscope"), model: "wan2.2-t2i-flash" },
    upstreamOf(geminiImages, "gemini", "gemini-3-pro-image"),
    upstreamOf(imagenImages, "gemini", "imagen-4"),
    upstreamOf(arkImages, "ark"),
    upstreamOf(siliconflowImages, "siliconflow"),
    upstreamOf(minimaxImages, "minimax"),
    upstreamOf(zhipuImages, "zhipu"),
    upstreamOf(xaiImages, "xai"),
  ],
});
