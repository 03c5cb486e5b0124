// A request longer than the context, as servers say it, and as agents of each client format need to read it to shorten it.
import { describe, expect, test } from "bun:test";
import { anthropicMessages, bedrockConverse, gemini, openaiChat, openaiResponses } from "../../src/dialects/index.ts";
import { wireJson } from "../support/fixtures.ts";

interface Fixture {
  by: string;
  dialect: string;
  status: number;
  body: unknown;
  tokens: number | null;
  limit: number | null;
  source: string;
}

const dialects = [openaiChat, openaiResponses, anthropicMessages, gemini, bedrockConverse];
const fixtures = wireJson<Fixture[]>("refusals/context.json");
const parse = ({ dialect, status, body }: Fixture) => {
  const spoken = dialects.find(({ name }) => name === dialect);
  if (spoken === undefined) throw new Error(`no dialect is called ${dialect}`);
  return spoken.error.parse(status, body);
};
const messageOf = (body: unknown): string => (body as { error: { message: string } }).error.message;

describe.each(fixtures)("$by", (fixture) => {
  const error = parse(fixture);
  const { tokens, limit } = fixture;
  const known = tokens !== null && limit !== null;

  test("is recognized, with its numbers", () => {
    expect(error).toMatchObject({ kind: "context_length_exceeded", code: "context_length_exceeded" });
    expect(error.status).toBe(fixture.status === 422 ? 422 : 400);
    expect(error.overflow).toEqual({ ...(tokens === null ? {} : { tokens }), ...(limit === null ? {} : { limit }) });
  });

  test("reads in OpenAI's words", () => {
    const { body } = openaiChat.error.render(error, "req");
    expect(body).toMatchObject({ error: { type: "invalid_request_error", code: "context_length_exceeded" } });
    expect(messageOf(body)).toMatch(/maximum context length|context window/i);
  });

  test("reads in Anthropic's words", () => {
    const { body } = anthropicMessages.error.render(error, "req");
    expect(body).toMatchObject({ type: "error" });
    expect(messageOf(body)).toMatch(
      known ? /^.{0,80}prompt is too long: \d+ tokens > \d+ maximum/i : /^prompt is too long: /,
    );
  });

  test("reads in Gemini's words", () => {
    const { body } = gemini.error.render(error, "req");
    expect(messageOf(body)).toMatch(/^The input token count.{0,40}exceeds the maximum number of tokens allowed/);
  });
});

const others: [number, unknown][] = [
  // https://platform.openai.com/docs/guides/rate-limits, https://console.groq.com/docs/rate-limits: tokens per minute.
  [
    429,
    {
      error: {
        message: "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
  ],
  [
    413,
    {
      error: {
        message:
          "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
  ],
  [
    400,
    {
      error: {
        message: "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
        type: "invalid_request_error",
        param: "max_tokens",
        code: "invalid_value",
      },
    },
  ],
  [400, { error: { message: "'stop' is too long: 5 items.", type: "invalid_request_error" } }],
  [503, { error: { message: "The service is overloaded; context length is no matter." } }],
];

test.each(others)("%d %j is something else", (status, body) => {
  expect(openaiChat.error.parse(status, body).kind).not.toBe("context_length_exceeded");
});
