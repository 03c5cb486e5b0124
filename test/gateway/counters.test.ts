// Counts of tokens where a provider turns out to have no counter: the gateway's estimate, and no further question for a while.
import { describe, expect, test } from "bun:test";
import { setting } from "../responses/setting.ts";
import { startUpstreams, startWorld, stopWorld } from "../support/fixture-gateway.ts";

const { send, world } = await setting();
const { upstreams } = world;

interface Client {
  readonly name: string;
  readonly at: "claude" | "responder" | "google";
  readonly path: string;
  readonly model: string;
  readonly body: object;
  readonly field: string;
  /** How the provider says that it does not know the model. */
  readonly unknownModel: object;
}

const clients: readonly Client[] = [
  {
    ...{ name: "Anthropic", at: "claude", path: "/v1/messages/count_tokens", model: "claude-x", field: "input_tokens" },
    body: { model: "claude-x", messages: [{ role: "user", content: "Hello there" }] },
    unknownModel: { type: "error", error: { type: "not_found_error", message: "model: claude-x" } },
  },
  {
    ...{ name: "OpenAI", at: "responder", path: "/v1/responses/input_tokens", model: "gpt-r", field: "input_tokens" },
    body: { model: "gpt-r", input: "Hello there" },
    unknownModel: { error: { message: "The model `gpt-r` does not exist", code: "model_not_found" } },
  },
  {
    ...{ name: "Google", at: "google", path: "/v1beta/models/gemini-x:countTokens", field: "totalTokens" },
    model: "gemini-x",
    body: { contents: [{ role: "user", parts: [{ text: "Hello there" }] }] },
    unknownModel: {
      error: { code: 404, status: "NOT_FOUND", message: "models/gemini-x is not found for API version v1beta" },
    },
  },
];

describe.each(clients)("a counter in the format of $name", ({ at, path, body, field, unknownModel }) => {
  const count = () =>
    send(path, { method: "POST", body: JSON.stringify(body), headers: { "anthropic-version": "2023-06-01" } });

  test("that does not know the model says so to the client", async () => {
    upstreams[at].on("*", { status: 404, json: unknownModel });
    expect((await count()).status).toBe(404);
  });

  test("that fails otherwise is not replaced", async () => {
    upstreams[at].on("*", { status: 400, json: { error: { type: "invalid_request_error", message: "too many" } } });
    expect((await count()).status).toBe(400);
  });

  test("that is missing is replaced by the estimate, and not asked again", async () => {
    upstreams[at].on("*", { status: 404, json: { detail: "Not Found" } });
    for (const attempts of ["2", "1"]) {
      const response = await count();
      expect(response.status).toBe(200);
      expect(((await response.json()) as Record<string, number>)[field]).toBeGreaterThan(1);
      expect(response.headers.get("x-turnpike-provider")).toBe("estimate");
      expect(response.headers.get("x-turnpike-attempts")).toBe(attempts);
    }
    expect(upstreams[at].requests.length).toBe(1);
  });
});

test.each([405, 501])("a counter that answers %p is missing too", async (status) => {
  const other = await startWorld(await startUpstreams());
  other.upstreams.claude.on("*", { status, text: "" });
  const response = await fetch(`${other.gateway.url}/v1/messages/count_tokens`, {
    method: "POST",
    headers: { "anthropic-version": "2023-06-01", "x-api-key": other.gateway.key, "content-type": "application/json" },
    body: JSON.stringify({ model: "claude-x", messages: [{ role: "user", content: "Hello there" }] }),
  });
  expect(response.headers.get("x-turnpike-provider")).toBe("estimate");
  await stopWorld(other);
});
