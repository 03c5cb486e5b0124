// What the configuration file and variables define: the admin API has the place of each.
import { expect, test } from "bun:test";
import { admin, dataIn } from "./setting.ts";

const { ask } = await admin({
  yaml: `log_level: warn
limits:
  max_prompt_chars: 1000
  breaker_failures: 7
console:
  session_hours: 5
projects:
  team: { allowed_models: [sandbox/chat] }
keys:
  ci: { secret: tp-key-of-the-file, project: team }
`,
  environment: { TURNPIKE_CORS_ORIGINS: "https://app.example", LOG_LEVEL: "error" },
});

async function setting(id: string) {
  const { source, variable, file, file_line: line } = (await ask(`GET settings/${id}`)).body;
  return { source, variable, file: file === null ? null : String(file).endsWith(".yaml"), line };
}

test("a setting of the file has its line, one of the environment its variable, and a default neither", async () => {
  const inFile = { source: "file", variable: null, file: true };
  expect(await setting("limits.breaker_failures")).toEqual({ ...inFile, line: 4 });
  expect(await setting("console.session_hours")).toEqual({ ...inFile, line: 6 });
  expect(await setting("configuration.state")).toEqual({ ...inFile, line: null });
  expect(await setting("TURNPIKE_CORS_ORIGINS")).toEqual({
    ...{ source: "environment", variable: "TURNPIKE_CORS_ORIGINS", file: null, line: null },
  });
  expect(await setting("time_zone")).toEqual({ source: "default", variable: null, file: null, line: null });
});

test("the variable takes precedence over the file, and is named", async () => {
  expect(await setting("log_level")).toEqual({ source: "environment", variable: "LOG_LEVEL", file: null, line: null });
});

test("keys and projects of the file have their lines, and those of the API have none", async () => {
  await ask("POST keys", { name: "made" });
  const lines = (rows: Record<string, unknown>[]) => rows.map(({ name, file_line: line }) => [name, line]);
  expect(Object.fromEntries(lines(dataIn(await ask("GET keys"))))).toMatchObject({ ci: 10, made: null });
  expect(Object.fromEntries(lines(dataIn(await ask("GET projects"))))).toMatchObject({ team: 8, default: null });
});
