// Providers that make videos, on real sockets: how a submit, a poll and an end arrive at each of them.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { VideoUpstream } from "../../src/dialects/video/upstream.ts";
import { Secret } from "../../src/lib/secret.ts";
import { baseOf, httpProvider } from "../../src/providers/http-provider.ts";
import type { Provider } from "../../src/providers/provider.ts";
import { plainVideo, renderContext, upstreamTask } from "../dialects/video/setting.ts";
import { type Upstream, upstream } from "../support/upstream.ts";
import { kindOf } from "./helpers.ts";

interface Row {
  readonly kind: string;
  readonly model: string;
  /** What the provider's own SDK has for its base URL, below the host. */
  readonly base: string;
  readonly submit: string;
  readonly poll: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: object;
}

const bearer = { authorization: "Bearer video-key-1" };
const rows: readonly Row[] = [
  {
    kind: "minimax",
    model: "MiniMax-Hailuo-2.3",
    base: "/v1",
    submit: "/v1/video_generation",
    poll: "/v1/query/video_generation?task_id=up%2F1",
    headers: bearer,
    answer: { task_id: "7", base_resp: { status_code: 0, status_msg: "success" } },
  },
  {
    kind: "minimax",
    model: "MiniMax-H3",
    base: "/v1",
    submit: "/v2/video_generation",
    poll: "/v2/query/video_generation/up%2F1",
    headers: bearer,
    answer: { task_id: "7" },
  },
  {
    kind: "vidu",
    model: "viduq3-pro",
    base: "",
    submit: "/ent/v2/text2video",
    poll: "/ent/v2/tasks/up%2F1/creations",
    headers: { authorization: "Token video-key-1" },
    answer: { task_id: "7", state: "created" },
  },
  {
    kind: "runway",
    model: "gen4.5",
    base: "",
    submit: "/v1/text_to_video",
    poll: "/v1/tasks/up%2F1",
    headers: { ...bearer, "x-runway-version": "2024-11-06" },
    answer: { id: "7" },
  },
  {
    kind: "ark",
    model: "doubao-seedance-2-0-260128",
    base: "/api/v3",
    submit: "/api/v3/contents/generations/tasks",
    poll: "/api/v3/contents/generations/tasks/up%2F1",
    headers: bearer,
    answer: { id: "7" },
  },
  {
    kind: "byteplus",
    model: "seedance-2-0-260128",
    base: "",
    submit: "/api/v3/contents/generations/tasks",
    poll: "/api/v3/contents/generations/tasks/up%2F1",
    headers: bearer,
    answer: { id: "7" },
  },
  {
    kind: "replicate",
    model: "google/veo-3.1",
    base: "",
    submit: "/v1/models/google/veo-3.1/predictions",
    poll: "/v1/predictions/up%2F1",
    headers: bearer,
    answer: { id: "7", status: "starting" },
  },
  {
    kind: "fal",
    model: "fal-ai/veo3.1/fast",
    base: "",
    submit: "/fal-ai/veo3.1/fast",
    poll: "/up-model/requests/up%2F1/status",
    headers: { authorization: "Key video-key-1" },
    answer: { request_id: "7", status: "IN_QUEUE" },
  },
];

let server: Upstream;
beforeAll(async () => {
  server = await upstream();
});
beforeEach(() => server.clear());
afterAll(() => server.stop());

const signal = new AbortController().signal;

function providerOf({ kind, base }: Row): Provider {
  return httpProvider({
    name: kind,
    kind: kindOf(kind),
    baseUrl: `${server.url}${base}`,
    credential: new Secret("video-key-1"),
    models: null,
    headers: {},
    timeouts: {},
  });
}

function wireOf(provider: Provider, model: string): VideoUpstream {
  const wire = provider.kind.videos?.find(({ serves }) => serves?.(model) !== false);
  if (wire === undefined) throw new Error(`nobody makes videos with ${model}`);
  return wire;
}

/** Where a request went, with the query as it was written. */
const placeOf = ({ path, query }: { path: string; query: URLSearchParams }): string =>
  query.size === 0 ? path : `${path}?${query}`;

test.each(rows.map((row) => [row.kind, row.model, row] as const))("%s is asked for %s", async (_kind, model, row) => {
  const provider = providerOf(row);
  const wire = wireOf(provider, model);
  server.on("*", { status: 200, json: row.answer });
  const rendered = wire.render(plainVideo, { ...renderContext, model });
  const response = await provider.dispatch.sendTask?.(rendered.call, signal);
  const seen = await server.seen(0);
  expect({ method: seen.method, place: placeOf(seen), json: seen.json }).toEqual({
    method: "POST",
    place: row.submit,
    json: rendered.call.body,
  });
  expect(Object.fromEntries(seen.headers)).toMatchObject({ ...row.headers, "content-type": "application/json" });
  const answer = { status: response?.status ?? 0, body: await response?.json(), headers: new Headers() };
  expect(wire.accepted(answer).upstreamId).toBe("7");
});

test.each(rows.map((row) => [row.kind, row.model, row] as const))(
  "%s is asked how %s goes",
  async (_kind, model, row) => {
    const provider = providerOf(row);
    server.on("*", { status: 404, json: { message: "no such task" } });
    const wire = wireOf(provider, model);
    const response = await provider.dispatch.sendTask?.(wire.poll(upstreamTask), signal);
    const seen = await server.seen(0);
    expect({ method: seen.method, place: placeOf(seen), text: seen.text }).toEqual({
      method: "GET",
      place: row.poll,
      text: "",
    });
    expect(Object.fromEntries(seen.headers)).toMatchObject(row.headers);
    expect(seen.headers.get("content-type")).toBeNull();
    const answer = { status: response?.status ?? 0, body: await response?.json(), headers: new Headers() };
    expect(wire.progress(answer, upstreamTask)).toEqual({ isGone: true });
  },
);

test("their own addresses are complete, whether the path is said or not", () => {
  for (const { kind } of rows) {
    const { baseUrl = "", barePath = "" } = kindOf(kind);
    expect(new URL(baseUrl).pathname).toBe(`/${barePath}`);
    expect(baseOf({ kind: kindOf(kind), baseUrl: new URL(baseUrl).origin })).toBe(baseUrl);
  }
});

test("a task on the newer paths of a provider behind a foreign prefix stays below it", async () => {
  server.on("*", { status: 200, json: {} });
  const [, newer] = rows;
  if (newer === undefined) throw new Error("there is no such row");
  const provider = providerOf({ ...newer, base: "/proxy/v1" });
  await provider.dispatch.sendTask?.(wireOf(provider, newer.model).poll(upstreamTask), signal);
  expect((await server.seen(0)).path).toBe("/proxy/v2/query/video_generation/up%2F1");
});
