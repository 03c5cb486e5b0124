// One request of each operation to the sandbox, for what must hold for all of them.

const prompt = [{ role: "user", content: "hi" }];
export interface OperationRequest {
  /** As policies and the ledger see it. */
  readonly operation: string;
  readonly path: string;
  readonly body: Record<string, unknown> | FormData;
}

export const operationRequests: Record<string, OperationRequest> = {
  chat: { operation: "chat", path: "/v1/chat/completions", body: { model: "sandbox/chat", messages: prompt } },
  "streamed chat": {
    operation: "chat",
    path: "/v1/chat/completions",
    body: { model: "sandbox/chat", messages: prompt, stream: true },
  },
  messages: {
    operation: "chat",
    path: "/v1/messages",
    body: { model: "sandbox/chat", max_tokens: 9, messages: prompt },
  },
  "token counts": {
    operation: "count",
    path: "/v1/messages/count_tokens",
    body: { model: "sandbox/chat", messages: prompt },
  },
  responses: { operation: "chat", path: "/v1/responses", body: { model: "sandbox/chat", input: "hi" } },
  "background responses": {
    operation: "chat",
    path: "/v1/responses",
    body: { model: "sandbox/chat", input: "hi", background: true },
  },
  compaction: { operation: "chat", path: "/v1/responses/compact", body: { model: "sandbox/chat", input: "hi" } },
  embeddings: { operation: "embed", path: "/v1/embeddings", body: { model: "sandbox/embedding", input: "hi" } },
  rerank: {
    operation: "rerank",
    path: "/v1/rerank",
    body: { model: "sandbox/rerank", query: "a", documents: ["a", "b"] },
  },
  moderations: { operation: "moderate", path: "/v1/moderations", body: { model: "sandbox/moderation", input: "hi" } },
  images: { operation: "image", path: "/v1/images/generations", body: { model: "sandbox/image", prompt: "a cat" } },
  speech: {
    operation: "speak",
    path: "/v1/audio/speech",
    body: { model: "sandbox/speech", input: "hi", voice: "alloy" },
  },
  transcriptions: { operation: "transcribe", path: "/v1/audio/transcriptions", body: recording() },
  videos: { operation: "video", path: "/v1/videos", body: { model: "sandbox/video", prompt: "a cat" } },
};

function recording(): FormData {
  const form = new FormData();
  form.set("model", "sandbox/transcription");
  form.set("file", new File([wav()], "a.wav", { type: "audio/wav" }));
  return form;
}

/** A tenth of a second of silence. */
function wav(): ArrayBuffer {
  const samples = 800;
  const view = new DataView(new ArrayBuffer(44 + samples * 2));
  const text = (at: number, value: string): void => {
    for (let i = 0; i < value.length; i++) view.setUint8(at + i, value.charCodeAt(i));
  };
  text(0, "RIFF");
  view.setUint32(4, 36 + samples * 2, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8_000, true);
  view.setUint32(28, 16_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, samples * 2, true);
  return view.buffer;
}

const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };

/** Sends one of them, or another body to another path. */
export function sendAs(
  key: string,
  url: string,
  body: Record<string, unknown> | FormData,
  method = "POST",
  more: Record<string, string> = {},
): Promise<Response> {
  const own = { authorization: `Bearer ${key}`, ...more };
  const init =
    body instanceof FormData ? { headers: own, body } : { headers: { ...headers, ...own }, body: JSON.stringify(body) };
  return fetch(url, { ...init, method });
}
