// Every quirk of every provider has a fixture that shows what is given and what becomes of it.
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { UpstreamRequest } from "../../src/dialects/dialect.ts";
import type { JsonObject } from "../../src/lib/json.ts";
import { providerKinds } from "../../src/providers/index.ts";
import type { HttpKind, ResponsePatch } from "../../src/providers/provider.ts";
import { type Patch, patchRequest } from "../../src/providers/request-quirks.ts";
import { inlineThinking } from "../../src/providers/think-tag-parser.ts";
import { wireJson } from "../support/fixtures.ts";

interface CallFixture {
  readonly given: UpstreamRequest;
  readonly sent: UpstreamRequest;
}
interface ReplyFixture {
  readonly given: JsonObject;
  readonly patched: JsonObject;
}

const folder = join(import.meta.dir, "..", "fixtures", "providers");
const folders = new Set(readdirSync(folder));

function fixturesOf<Fixture>(kind: string, prefix: string): Fixture[] {
  const files = folders.has(kind) ? readdirSync(join(folder, kind)).filter((file) => file.startsWith(prefix)) : [];
  return files.map((file) => wireJson<Fixture>(`providers/${kind}/${file}`));
}

/** The calls of fixtures at this path that the patch changes, behind those before it. */
function changedBy(kind: HttpKind, path: string, at: number): CallFixture[] {
  const patches = kind.patches?.[path] ?? [];
  const before = patches.slice(0, at);
  return fixturesOf<CallFixture>(kind.name, "call-").filter(({ given }) => {
    const body = before.reduce((patched, patch) => patch(patched), given.body);
    return given.path === path && patches[at]?.(body) !== body;
  });
}

const uses = providerKinds.flatMap((kind) =>
  Object.entries(kind.patches ?? {}).flatMap(([path, patches]) =>
    patches.map((patch, at) => ({ kind, path, patch, at, name: `${kind.name} ${path} ${at}` })),
  ),
);
/** A quirk that several kinds share needs a fixture of one of them. */
const patches = [...new Map<Patch, (typeof uses)[number]>(uses.map((use) => [use.patch, use])).values()];

describe("requests", () => {
  test("there are quirks to look at", () => expect(patches.length).toBeGreaterThan(20));

  test.each(patches)("$name has a fixture whose call it changes", ({ patch }) => {
    const shown = uses
      .filter((use) => use.patch === patch)
      .flatMap(({ kind, path, at }) => changedBy(kind, path, at).map((fixture) => ({ kind, ...fixture })));
    expect(shown).not.toEqual([]);
    for (const { kind, given, sent } of shown) expect(patchRequest(kind, given)).toEqual(sent);
  });

  const paths = providerKinds.flatMap((kind) =>
    Object.entries(kind.paths ?? {}).map(([from, to]) => ({ kind, from, to })),
  );
  test.each(paths)("$kind.kind: the path $from has a fixture", ({ kind, from, to }) => {
    const shown = fixturesOf<CallFixture>(kind.name, "call-").filter(({ given }) => given.path === from);
    expect(shown.map(({ sent }) => sent.path)).toContain(to);
    for (const { given, sent } of shown) expect(patchRequest(kind, given)).toEqual(sent);
  });
});

describe("replies", () => {
  const patched: readonly (readonly [kind: string, patch: ResponsePatch])[] = [
    ...providerKinds.flatMap(({ name, responsePatch }) =>
      responsePatch === undefined ? [] : [[name, responsePatch] as const],
    ),
    ["ollama", inlineThinking],
  ];
  test.each(patched)("%s has a fixture that its patch changes", (kind, patch) => {
    const shown = fixturesOf<ReplyFixture>(kind, "reply-");
    expect(shown).not.toEqual([]);
    for (const { given, patched } of shown) {
      expect(patched).not.toEqual(given);
      expect(JSON.stringify(given)).toContain(patch.marker);
      expect(patch.patch(given)).toEqual(patched);
    }
  });
});
