// An upstream of every operation that answers with random usage, fails and cuts, and remembers what it said of each request.

export interface ReportedUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
}

export interface OracleUpstream {
  readonly url: string;
  /** What was said in the last reply to a request, by the mark in its text. */
  readonly result: ReadonlyMap<string, ReportedUsage>;
  stop(): Promise<void>;
}

const below = (limit: number): number => Math.floor(Math.random() * limit);
const words = "ok ".repeat(20);

type Body = Readonly<Record<string, unknown>>;

interface OracleRequest {
  readonly body: Body;
  readonly usage: ReportedUsage;
  readonly model: string;
}

const eventStream = (records: readonly string[], isCut: boolean): Response =>
  new Response((isCut ? records.slice(0, 2) : records).join(""), {
    headers: { "content-type": "text/event-stream" },
  });

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string }): string => `event: ${value.type}\n${data(value)}`;

const openaiUsage = ({ input, cacheRead, output }: ReportedUsage) => ({
  ...{ prompt_tokens: input + cacheRead, completion_tokens: output, total_tokens: input + cacheRead + output },
  prompt_tokens_details: { cached_tokens: cacheRead },
});

function chat({ body, usage, model }: OracleRequest, isCut: boolean): Response {
  const head = { id: "c", created: 1, model };
  if (body["stream"] !== true) {
    const choices = [{ index: 0, message: { role: "assistant", content: words }, finish_reason: "stop" }];
    return Response.json({ ...head, object: "chat.completion", choices, usage: openaiUsage(usage) });
  }
  const record = (value: object) => data({ ...head, object: "chat.completion.chunk", ...value });
  const choice = (more: object) => [{ index: 0, delta: {}, finish_reason: null, ...more }];
  const parts = [
    record({ choices: choice({ delta: { role: "assistant", content: words } }) }),
    record({ choices: choice({ delta: { content: words } }) }),
    record({ choices: choice({ finish_reason: "stop" }) }),
    record({ choices: [], usage: openaiUsage(usage) }),
    "data: [DONE]\n\n",
  ];
  return eventStream(parts, isCut);
}

function messages({ body, usage, model }: OracleRequest, isCut: boolean): Response {
  const counts = { input_tokens: usage.input, cache_read_input_tokens: usage.cacheRead };
  const full = { ...counts, output_tokens: usage.output };
  const message = { id: "msg_1", type: "message", role: "assistant", model };
  if (body["stream"] !== true) {
    const content = [{ type: "text", text: words }];
    return Response.json({ ...message, content, stop_reason: "end_turn", stop_sequence: null, usage: full });
  }
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...counts, output_tokens: 1 },
  };
  const text = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } };
  return eventStream(
    [
      named({ type: "message_start", ...{ message: start } }),
      named({ type: "content_block_start", ...{ index: 0, content_block: { type: "text", text: "" } } }),
      named(text),
      named(text),
      named({ type: "content_block_stop", ...{ index: 0 } }),
      named({ type: "message_delta", ...{ delta: { stop_reason: "end_turn", stop_sequence: null }, usage: full } }),
      named({ type: "message_stop" }),
    ],
    isCut,
  );
}

function gemini({ usage, model }: OracleRequest, isCut: boolean, isStream: boolean): Response {
  const piece = (finishReason?: string) => ({
    candidates: [
      { index: 0, content: { role: "model", parts: [{ text: words }] }, ...(finishReason ? { finishReason } : {}) },
    ],
    ...{ modelVersion: model, responseId: "r" },
    usageMetadata: {
      ...{ promptTokenCount: usage.input + usage.cacheRead, cachedContentTokenCount: usage.cacheRead },
      ...{ candidatesTokenCount: usage.output, totalTokenCount: usage.input + usage.cacheRead + usage.output },
    },
  });
  return isStream
    ? eventStream([data(piece()), data(piece()), data(piece("STOP"))], isCut)
    : Response.json(piece("STOP"));
}

const others: Readonly<Record<string, (requested: OracleRequest) => Response>> = {
  "/embeddings": ({ usage, model }) =>
    Response.json({
      ...{ object: "list", model, data: [{ object: "embedding", index: 0, embedding: [1] }] },
      usage: { prompt_tokens: usage.input, total_tokens: usage.input },
    }),
  "/rerank": ({ model, usage }) =>
    Response.json({
      id: "r",
      model,
      usage: { prompt_tokens: usage.input, total_tokens: usage.input },
      results: [
        { index: 0, relevance_score: 0.5 },
        { index: 1, relevance_score: 0.1 },
      ],
    }),
  "/moderations": ({ model }) =>
    Response.json({
      id: "m",
      model,
      results: [{ flagged: false, categories: { hate: false }, category_scores: { hate: 0.1 } }],
    }),
  "/images/generations": ({ body }) =>
    Response.json({
      created: 1,
      data: Array.from({ length: Number(body["n"] ?? 1) }, () => ({ b64_json: "R0lGODlhAQABAAAAACw=" })),
    }),
  "/audio/speech": () => new Response(new Uint8Array(100), { headers: { "content-type": "audio/mpeg" } }),
  "/audio/transcriptions": () => Response.json({ text: "hi" }),
};

const limitOf = (body: Body): number => {
  const config = Object(body["generationConfig"]) as Body;
  return Number(body["max_tokens"] ?? body["max_completion_tokens"] ?? config["maxOutputTokens"] ?? 100);
};

/** Fails one in ten, and cuts one stream in ten before its finish. */
export function oracleUpstream(): OracleUpstream {
  const result = new Map<string, ReportedUsage>();
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const raw = await request.text();
      const mark = /mark-\d+-\d+-\d+/.exec(raw)?.[0];
      const dice = Math.random();
      if (dice < 0.1) return Response.json({ error: { message: "failed" } }, { status: 500 });
      const { pathname } = new URL(request.url);
      const body = (raw.startsWith("{") ? JSON.parse(raw) : {}) as Body;
      const usage = { input: 1 + below(20), cacheRead: below(10), output: 1 + below(limitOf(body)) };
      const requested = { body, usage, model: String(body["model"] ?? "gemini") };
      const isCut = dice < 0.2;
      if (mark !== undefined) result.set(mark, usage);
      if (pathname.endsWith("/chat/completions")) return chat(requested, isCut);
      if (pathname.endsWith("/messages")) return messages(requested, isCut);
      if (/:(?:stream)?generateContent$/i.test(pathname)) return gemini(requested, isCut, pathname.includes(":stream"));
      const other = Object.entries(others).find(([path]) => pathname.endsWith(path));
      return other === undefined ? new Response(null, { status: 404 }) : other[1](requested);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, result: result, stop: () => server.stop(true) };
}
