// The upstreams that make images, as rows: how each is configured, what it answers, and where it says what in a request.
import { at } from "../support/chat-stream-reader.ts";
import type { Reply, Seen } from "../support/upstream.ts";

/** A red dot. */
export const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";

export interface Far {
  kind: string;
  /** The upstream's own name for the model. */
  model: string;
  /** Behind the address of the scripted upstream. */
  base: string;
  more?: string;
  route: string;
  /** The same answer with so many images, as bytes or as addresses. */
  answers(urls: readonly string[]): Reply;
  /** True where it gives bytes whatever is asked. */
  bytesOnly?: true;
  prompt(seen: Seen): unknown;
  /** The same path for an edit, and where its first image stands; absent: it makes none. */
  edit?: { route: string; image(seen: Seen): unknown };
}

const json = (body: unknown): Reply => ({ json: body });
const body =
  (...path: (string | number)[]) =>
  (seen: Seen) =>
    at(seen.json, ...path);
const inOpenai = (urls: readonly string[], more: object = {}): Reply =>
  json({ created: 1_700_000_000, data: urls.map((url) => ({ url })), ...more });

const image = (seen: Seen): string =>
  /name="image(?:\[\])?"; filename="[^"]+"\r\nContent-Type: (image\/\w+)/.exec(seen.text)?.[1] ?? "";

export const fars: readonly Far[] = [
  {
    kind: "openai",
    model: "dall-e-9",
    base: "/v1",
    route: "POST /v1/images/generations",
    answers: (urls) => inOpenai(urls),
    prompt: body("prompt"),
    edit: { route: "POST /v1/images/edits", image },
  },
  {
    kind: "azure",
    model: "dall-e-9",
    base: "",
    more: ', api_version: "2025-04-01-preview"',
    route: "POST /openai/deployments/dall-e-9/images/generations",
    answers: (urls) => inOpenai(urls),
    prompt: body("prompt"),
    edit: { route: "POST /openai/deployments/dall-e-9/images/edits", image },
  },
  {
    kind: "compatible",
    model: "flux",
    base: "/v1",
    route: "POST /v1/images/generations",
    answers: (urls) => inOpenai(urls),
    prompt: body("prompt"),
    edit: { route: "POST /v1/images/edits", image },
  },
  {
    kind: "dashscope",
    model: "qwen-image-2.0",
    base: "",
    route: "POST /api/v1/services/aigc/multimodal-generation/generation",
    answers: (urls) =>
      json({
        output: {
          choices: [
            { finish_reason: "stop", message: { role: "assistant", content: urls.map((url) => ({ image: url })) } },
          ],
        },
        usage: { image_count: urls.length, width: 1328, height: 1328 },
        request_id: "r",
      }),
    prompt: (seen) => (at(seen.json, "input", "messages", 0, "content") as object[]).find((part) => "text" in part),
    edit: {
      route: "POST /api/v1/services/aigc/multimodal-generation/generation",
      image: body("input", "messages", 0, "content", 0, "image"),
    },
  },
  {
    kind: "gemini",
    model: "gemini-3-pro-image",
    base: "",
    route: "POST /v1beta/models/gemini-3-pro-image:generateContent",
    answers: () =>
      json({
        candidates: [
          {
            content: {
              role: "model",
              parts: [
                { text: "draft", thought: true },
                { inlineData: { mimeType: "image/png", data: "AAAA" }, thought: true },
                { text: "Here it is." },
                { inlineData: { mimeType: "image/png", data: dot } },
              ],
            },
            finishReason: "STOP",
          },
        ],
        usageMetadata: {
          promptTokenCount: 9,
          candidatesTokenCount: 1120,
          totalTokenCount: 1129,
          promptTokensDetails: [{ modality: "TEXT", tokenCount: 9 }],
        },
        modelVersion: "gemini-3-pro-image",
      }),
    bytesOnly: true,
    prompt: (seen) => (at(seen.json, "contents", 0, "parts") as object[]).find((part) => "text" in part),
    edit: {
      route: "POST /v1beta/models/gemini-3-pro-image:generateContent",
      image: body("contents", 0, "parts", 0, "inlineData", "mimeType"),
    },
  },
  {
    kind: "gemini",
    model: "imagen-4",
    base: "",
    route: "POST /v1beta/models/imagen-4:predict",
    answers: (urls) => json({ predictions: urls.map(() => ({ mimeType: "image/png", bytesBase64Encoded: dot })) }),
    bytesOnly: true,
    prompt: body("instances", 0, "prompt"),
  },
  {
    kind: "ark",
    model: "seedream-4",
    base: "/api/v3",
    route: "POST /api/v3/images/generations",
    answers: (urls) =>
      inOpenai(urls.slice(0, 1), { model: "seedream-4", usage: { generated_images: 1, output_tokens: 5 } }),
    prompt: body("prompt"),
    edit: { route: "POST /api/v3/images/generations", image: body("image") },
  },
  {
    kind: "siliconflow",
    model: "kolors",
    base: "/v1",
    route: "POST /v1/images/generations",
    answers: (urls) => json({ images: urls.map((url) => ({ url })), timings: { inference: 1 }, seed: 1 }),
    prompt: body("prompt"),
    edit: { route: "POST /v1/images/generations", image: body("image") },
  },
  {
    kind: "minimax",
    model: "image-01",
    base: "/v1",
    route: "POST /v1/image_generation",
    answers: (urls) => json({ data: { image_urls: urls }, base_resp: { status_code: 0, status_msg: "success" } }),
    prompt: body("prompt"),
    edit: { route: "POST /v1/image_generation", image: body("subject_reference", 0, "image_file") },
  },
  {
    kind: "zhipu",
    model: "cogview-4",
    base: "/api/paas/v4",
    route: "POST /api/paas/v4/images/generations",
    answers: (urls) => inOpenai(urls.slice(0, 1)),
    prompt: body("prompt"),
  },
  {
    kind: "xai",
    model: "grok-image",
    base: "/v1",
    route: "POST /v1/images/generations",
    answers: (urls) => inOpenai(urls),
    prompt: body("prompt"),
    edit: { route: "POST /v1/images/edits", image: body("image", "url") },
  },
];

/** The route of the gateway that leads to this upstream alone. */
export const nameOf = ({ kind, model }: Far): string => `${kind}-${model}`;
