// Real replies obey the schemas that the OpenAPI document shows of them.
import { beforeEach, describe, expect, test } from "bun:test";
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import type { Endpoint } from "../../src/http/endpoint.ts";
import { describe as described } from "../../src/http/openapi/descriptions.ts";
import { replySchemas } from "../../src/http/openapi/response-schemas.ts";
import { answersAll, pathOf, rows, setting, smallest, welcome } from "./setting.ts";

const { world, bearer, send } = await setting();
beforeEach(() => answersAll(world.upstreams));

const schemaOf = (row: Endpoint): TSchema | undefined => {
  const { reply } = described(row);
  return reply === undefined ? undefined : replySchemas[reply];
};
const answered = rows.filter((row) => schemaOf(row) !== undefined && welcome(row) === 200);

async function faultsOf(row: Endpoint, reply: Response): Promise<unknown[]> {
  expect(reply.status).toBe(200);
  const schema = schemaOf(row);
  if (schema === undefined) throw new Error("there is no schema");
  return [...Value.Errors(schema, await reply.json())];
}

describe.each(answered.map((row) => ({ name: `${row.method} ${row.path}`, row })))("$name", ({ row }) => {
  test("answers what the document says", async () => {
    const requested = smallest(row);
    const reply = await send(pathOf(row), { ...requested, headers: { ...requested.headers, ...bearer } });
    const body = reply.headers.get("content-type")?.includes("json") === true ? reply : Response.json({});
    const isArray = row.path.endsWith("streamGenerateContent");
    expect(isArray ? [] : await faultsOf(row, body)).toEqual([]);
  });
});

describe("objects that exist answer what the document says", () => {
  const json = { ...bearer, "content-type": "application/json" };
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await send(path, { method: "POST", headers: json, body: JSON.stringify(body) });
    const made = (await answer.json()) as { id?: string; name?: string };
    return made.id ?? made.name?.split("/").at(-1) ?? "";
  };
  const video = { model: "sandbox/video", prompt: "hi" };
  const makers: Record<string, () => Promise<string>> = {
    "/v1/responses/": () => post("/v1/responses", { model: "sandbox/chat", input: "hi" }),
    "/v1/video/generations/": () => post("/v1/video/generations", video),
    "/videoA/": () => post("/videoA/v1/videos/text2video", video),
    "/kling/": () => post("/kling/v1/videos/text2video", video),
    "/v1/videos/": () => post("/v1/videos", video),
  };
  const fill = (path: string, id: string): string =>
    path
      .replace(/\{(?:response|task|video|operation)_id\}/, id)
      .replace("{model...}", "sandbox/video")
      .replace(/\{(\w+)\}/g, "$1");
  /** Google's rows of a video share one operation. */
  const operation = () => post("/v1beta/models/sandbox%2Fvideo:predictLongRunning", { instances: [{ prompt: "hi" }] });
  const items = rows.filter(
    (row) => welcome(row) === 404 && schemaOf(row) !== undefined && !/cancel$|remix$/.test(row.path),
  );
  test.each(items.map((row) => ({ name: `${row.method} ${row.path}`, row })))("$name", async ({ row }) => {
    const [, maker = operation] = Object.entries(makers).find(([prefix]) => row.path.startsWith(prefix)) ?? [];
    const id = await maker();
    const body = row.method === "POST" ? { body: JSON.stringify({ operationName: `operations/${id}` }) } : {};
    const reply = await send(fill(row.path, id), { method: row.method, headers: json, ...body });
    expect(await faultsOf(row, reply)).toEqual([]);
  });
});

test("every schema belongs to a row", () => {
  const names = new Set(rows.map((row) => described(row).reply));
  const unused = Object.keys(replySchemas).filter((name) => !names.has(name as keyof typeof replySchemas));
  expect(unused).toEqual([]);
});

test("the document shows them", async () => {
  const reply = await send("/openapi.json", { headers: bearer });
  const { paths } = (await reply.json()) as { paths: Record<string, Record<string, unknown>> };
  expect(paths["/v1/embeddings"]).toMatchObject({
    post: {
      responses: {
        "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/EmbeddingList" } } } },
      },
    },
  });
});
