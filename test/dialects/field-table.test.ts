// Field tables: a row for every field or no compilation, and schema, reading, rendering and losses from one row.
import { describe, expect, test } from "bun:test";
import { Value } from "typebox/value";
import type { ChatRequest } from "../../src/canonical/chat.ts";
import type { ImageRequest } from "../../src/canonical/image.ts";
import type { RequestField } from "../../src/canonical/request-field.ts";
import {
  dropped,
  type FieldTable,
  fieldPaths,
  ignored,
  type RenderSetting,
  rejected,
  type WireMembers,
} from "../../src/dialects/field-table.ts";
import { fieldReader, requestSchema } from "../../src/dialects/read-fields.ts";
import { fieldRenderer } from "../../src/dialects/render-fields.ts";
import { optional } from "../../src/dialects/schema-helpers.ts";
import { newWarnings } from "../../src/dialects/shared/warnings.ts";
import type { JsonObject } from "../../src/lib/json.ts";

interface Poem {
  readonly operation: "chat";
  readonly model: string;
  readonly lines?: number;
  readonly form?: string;
  readonly rhyme?: { readonly path: string; readonly scheme: string };
  readonly sampling: { readonly temperature?: number; readonly topP?: number };
  readonly unmappedFields: readonly [];
}

interface Setting extends RenderSetting<Poem> {
  readonly canRhyme: boolean;
}

const table: FieldTable<Poem, Setting> = {
  lines: {
    path: "size.lines",
    schema: optional("integer", { minimum: 1 }),
    also: { rows: optional("integer") },
    limit: () => ({ max: 14 }),
  },
  form: {
    path: "form",
    schema: optional("string"),
    parse: (value) => String(value).toLowerCase(),
    render: (form) => form.toUpperCase(),
  },
  rhyme: {
    path: "rhyme",
    limit: ({ canRhyme }) => (canRhyme ? undefined : rejected("the model does not rhyme")),
    renderMembers: ({ request }) => (request.rhyme === undefined ? {} : { rhyme: request.rhyme.scheme, rhymes: true }),
  },
  temperature: { path: "heat", schema: optional("number") },
  topP: dropped("the poet has one way to choose"),
};

const members: WireMembers = {
  model: { lost: null },
  size: { schema: optional("object", { description: "How long." }) },
  "size.*": { lost: "reject" },
  ink: { schema: optional("string"), lost: "ignore" },
  paper: { lost: (value, { ink }) => (value === "white" && ink !== "white" ? null : "warn") },
};

const read = fieldReader<Poem, Setting>(table, members);
const renderFields = fieldRenderer<Poem, Setting>(table);

function rendered(more: Partial<Poem>, canRhyme = true) {
  const request: Poem = { operation: "chat", model: "m", sampling: {}, unmappedFields: [], ...more };
  const warnings = newWarnings({ model: "m", origin: "o", fieldPath: (field) => `client.${field}` });
  const body = renderFields({ request, warnings, canRhyme });
  return { body, warnings: warnings.warnings.map(({ code, path }) => `${code} ${path}`) };
}

describe("rendering", () => {
  test("values go to their paths, bounds and functions of rows applied", () => {
    expect(rendered({ lines: 20, form: "sonnet", sampling: { temperature: 1 } })).toEqual({
      body: { size: { lines: 14 }, form: "SONNET", heat: 1 },
      warnings: ["approximated client.lines"],
    });
  });

  test("what a format or a model does not have is lost by its rule, under the path that the value or the client names", () => {
    const rhyme = { path: "client.rhymes[0]", scheme: "abba" };
    expect(rendered({ rhyme })).toEqual({ body: { rhyme: "abba", rhymes: true }, warnings: [] });
    expect(() => rendered({ rhyme }, false)).toThrow("'client.rhymes[0]' is not supported: the model does not rhyme");
    expect(rendered({ sampling: { topP: 0.5 } }).warnings).toEqual(["dropped client.topP"]);
    expect(rendered({ sampling: { topP: 1 } }).warnings).toEqual([]);
  });
});

describe("reading", () => {
  const reads = (wire: JsonObject) => {
    const { fields, unmappedFields } = read(wire);
    return { fields, unmapped: unmappedFields.map(({ rule, path }) => `${rule} ${path}`) };
  };

  test("members become fields, older names too", () => {
    const fields = { lines: 3, form: "ode", temperature: 0.5 };
    expect(reads({ model: "m", size: { lines: 3 }, form: "Ode", heat: 0.5 })).toEqual({ fields, unmapped: [] });
    expect(reads({ rows: 4, form: null }).fields).toEqual({ lines: 4 });
  });

  test("what no row reads is told by its rule, what is unknown with a warning", () => {
    expect(reads({ ink: "red", paper: "black", tomorrow: 1, empty: {} }).unmapped).toEqual([
      "ignore ink",
      "warn paper",
      "warn tomorrow",
    ]);
    expect(reads({ paper: "white", size: { lines: 1, width: 2 } }).unmapped).toEqual(["reject size.width"]);
  });

  test("the schema holds the bounds of every row under its parent", () => {
    const schema = requestSchema(table, members);
    expect(Value.Check(schema, { size: { lines: 1 }, heat: null, tomorrow: 1 })).toBe(true);
    for (const wrong of [{ size: { lines: 0 } }, { size: 1 }, { rows: "two" }, { heat: "hot" }, { ink: 1 }]) {
      expect(Value.Check(schema, wrong)).toBe(false);
    }
  });
});

test("a field's path, and its name where the format does not have it", () => {
  const path = fieldPaths(table);
  expect([path("temperature"), path("topP"), path("dimensions")]).toEqual(["heat", "topP", "dimensions"]);
});

/** Rows of nothing, to show what the compiler asks for. */
type Answers<Field extends string> = { readonly [field in Field]: ReturnType<typeof ignored> };

describe("the compiler", () => {
  const every = {} as Answers<RequestField<ChatRequest>>;

  test("accepts a row for each field of a chat request, and refuses a table that forgets one", () => {
    const whole: FieldTable<ChatRequest> = every;
    const { verbosity: _verbosity, ...others } = every;
    // @ts-expect-error a table without a row for verbosity
    const forgetful: FieldTable<ChatRequest> = others;
    // @ts-expect-error a table without a row for a field of sampling
    const cold: FieldTable<ChatRequest> = { ...others, verbosity: ignored("x"), temperature: undefined };
    expect([whole, forgetful, cold]).toHaveLength(3);
  });

  test("refuses a table of images that forgets a row", () => {
    const { watermark: _watermark, ...others } = {} as Answers<RequestField<ImageRequest>>;
    // @ts-expect-error a table without a row for watermark
    const forgetful: FieldTable<ImageRequest> = others;
    expect(forgetful).toEqual({} as never);
  });

  test("a new field of a request needs one row and nothing else", () => {
    type Tomorrow = ChatRequest & { readonly patience?: number };
    // @ts-expect-error the table of today has no row for it
    const today: FieldTable<Tomorrow> = every;
    const tomorrow: FieldTable<Tomorrow> = { ...every, patience: { path: "patience", schema: optional("integer") } };
    // @ts-expect-error a row must fit the type of its field
    const wrong: FieldTable<Tomorrow> = { ...every, patience: { path: "patience", render: (value: string) => value } };
    expect([today, tomorrow, wrong]).toHaveLength(3);
  });
});
