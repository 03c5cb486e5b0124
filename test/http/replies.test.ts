// Real replies obey the schemas that the OpenAPI document shows of them.
import { beforeEach, describe, expect, test } from "bun:test";
import { Value } from "typebox/value";
import { replySchemas } from "../../src/http/reply-schemas.ts";
import { answersAll, pathOf, rows, setting, smallest, welcome } from "./setting.ts";

const { world, bearer, send } = await setting();
beforeEach(() => answersAll(world.upstreams));

const told = rows.filter((row) => replySchemas[row.operationId] !== undefined && welcome(row) === 200);

describe.each(told.map((row) => ({ name: `${row.method} ${row.path}`, row })))("$name", ({ row }) => {
  test("answers what the document says", async () => {
    const asked = smallest(row);
    const reply = await send(pathOf(row), { ...asked, headers: { ...asked.headers, ...bearer } });
    expect(reply.status).toBe(200);
    const schema = replySchemas[row.operationId];
    if (schema === undefined) throw new Error("there is no schema");
    expect([...Value.Errors(schema, await reply.json())]).toEqual([]);
  });
});

test("every schema belongs to a row", () => {
  const names = new Set(rows.map((row) => row.operationId));
  expect(Object.keys(replySchemas).filter((name) => !names.has(name))).toEqual([]);
});

test("the document shows them", async () => {
  const reply = await send("/openapi.json", { headers: bearer });
  const { paths } = (await reply.json()) as { paths: Record<string, Record<string, unknown>> };
  expect(paths["/v1/embeddings"]).toMatchObject({
    post: {
      responses: {
        "200": { content: { "application/json": { schema: { required: ["object", "data", "model", "usage"] } } } },
      },
    },
  });
});
