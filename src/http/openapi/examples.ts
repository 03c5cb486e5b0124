// One example request for each operation with a body, for the OpenAPI document. The sandbox can answer all of them.
import type { JsonObject } from "../../lib/json.ts";

const chat = "sandbox/chat";
const video = "sandbox/video";
const image = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
const messages = [{ role: "user", content: "Hello" }];
const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
const content = { parts: [{ text: "The quick brown fox" }] };

export const examples = {
  chat: { model: chat, messages },
  completion: { model: chat, prompt: "Once upon a time", max_tokens: 50 },
  message: { model: chat, max_tokens: 100, messages },
  messageCount: { model: chat, messages },
  response: { model: chat, input: "Hello" },
  embedding: { model: "sandbox/embed", input: ["The quick brown fox"] },
  engineEmbedding: { model: "sandbox/embed", input: "The quick brown fox" },
  rerank: { model: "sandbox/rerank", query: "capital of France", documents: ["Paris is a city.", "Bread is food."] },
  moderation: { model: "sandbox/moderate", input: "I like you." },
  image: { model: "sandbox/image", prompt: "A lighthouse at dusk" },
  imageEdit: { model: "sandbox/image", prompt: "Make it night", images: [{ image_url: image }] },
  imageVariation: { model: "sandbox/image", image: "@picture.png" },
  speech: { model: "sandbox/speak", input: "Hello", voice: "alloy" },
  transcription: { model: "sandbox/transcribe", file: "@recording.wav" },
  generateContent: { contents },
  embedContent: { content },
  batchEmbedContents: { requests: [{ content }] },
  predict: { instances: [{ prompt: "A lighthouse at dusk" }] },
  videoTask: { model: video, prompt: "A cat that plays the piano", duration: 2 },
  imageVideoTask: {
    model: video,
    prompt: "It begins to snow",
    image: "https://example.com/first-frame.png",
    duration: 2,
  },
  videoTaskB: { req_key: video, prompt: "A cat that plays the piano" },
  video: { model: video, prompt: "A cat that plays the piano", seconds: "4" },
  remix: { prompt: "The same cat in the rain" },
} as const satisfies Readonly<Record<string, JsonObject>>;

export type ExampleName = keyof typeof examples;

/** The model of an example, by the end of its path. */
const pathModels: readonly (readonly [RegExp, string])[] = [
  [/embed/i, "sandbox/embed"],
  [/:predictLongRunning$/, video],
  [/:predict$/, "sandbox/image"],
];

/** A value for a path parameter. */
export function pathExample(path: string, parameter: string): string {
  if (parameter === "model") return pathModels.find(([where]) => where.test(path))?.[1] ?? chat;
  return { id: chat, publisher: "google" }[parameter] ?? parameter;
}
