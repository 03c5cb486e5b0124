// `turnpike projects`: creates, lists, changes and removes projects, which group keys.
import { fileProjectId } from "../config/access.ts";
import { changedProject, createProject, editProject, findProject } from "../gateway/policy/key-changes.ts";
import { listKeys } from "../store/keys.ts";
import { listProjects, type ProjectRow, removeProject } from "../store/projects.ts";
import { withStore } from "./open.ts";
import { type Command, parseCommonFields, UsageError } from "./options.ts";
import { jsonText, table } from "./print.ts";
import { projectRulesOf, ruleHelp, ruleOptions } from "./rule-options.ts";

const json = { type: "boolean" } as const;
const text = { type: "string" } as const;

function named(positionals: readonly string[], usage: string): string {
  const [name] = positionals;
  if (name === undefined) throw new UsageError(`Missing project. Usage: ${usage}.`);
  return name;
}

async function create(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, { json, ...ruleOptions }, 1);
  const name = named(positionals, "turnpike projects create NAME");
  const rules = projectRulesOf(values) ?? {};
  await withStore(async ({ store }) => {
    const { id } = await createProject(store, { name, rules, nowMs: Date.now() });
    console.log(values.json ? jsonText({ id, name }) : `This is project '${name}' (${id}).`);
  });
}

async function list(words: readonly string[]): Promise<void> {
  const { values } = parseCommonFields(words, { json });
  await withStore(async ({ store }) => {
    const keys = (await listKeys(store)).filter(({ revokedAtMs }) => revokedAtMs === null);
    const projects = (await listProjects(store)).filter(({ removedAtMs }) => removedAtMs === null);
    const rows = projects.map(({ id, name, rules }) => ({
      ...{ id, name, keys: keys.filter(({ projectId }) => projectId === id).length },
      rules: rules === null ? null : (JSON.parse(rules) as unknown),
    }));
    const lines = rows.map((row) => [
      row.name,
      row.id,
      String(row.keys),
      row.rules === null ? "" : jsonText(row.rules),
    ]);
    const flat = lines.map((line) => line.map((cell) => cell.replace(/\s+/g, " ")));
    console.log(values.json ? jsonText(rows) : table([["name", "id", "keys", "rules"], ...flat]));
  });
}

function printChange({ id, name, rules, removedAtMs }: ProjectRow, asJson: boolean, done: string): void {
  const shown = {
    id,
    name,
    rules: rules === null ? null : (JSON.parse(rules) as unknown),
    removed: removedAtMs !== null,
  };
  console.log(asJson ? jsonText(shown) : `Project '${name}' (${id}) is ${done}.`);
}

const updateOptions = { json, rename: text, "no-rules": { type: "boolean" }, ...ruleOptions } as const;

async function update(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, updateOptions, 1);
  const name = named(positionals, "turnpike projects update NAME-OR-ID");
  const rules = values["no-rules"] ? {} : projectRulesOf(values);
  const { rename } = values;
  if (rules === undefined && rename === undefined)
    throw new UsageError("Nothing to change. See turnpike projects update --help.");
  await withStore(async ({ store }) => {
    const { id } = await findProject(store, name);
    const change = { ...(rename === undefined ? {} : { name: rename }), ...(rules === undefined ? {} : { rules }) };
    const row = await editProject(store, id, change);
    printChange(row, values.json === true, "changed");
  });
}

async function remove(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseCommonFields(words, { json }, 1);
  const name = named(positionals, "turnpike projects remove NAME-OR-ID");
  await withStore(async ({ store }) => {
    const { id } = await findProject(store, name);
    if (id === fileProjectId("default")) throw new Error("The project 'default' cannot be removed.");
    const row = changedProject(await removeProject(store, id, Date.now()), name);
    printChange(row, values.json === true, "removed");
  });
}

export const projectsCommand: Command = {
  usage: "turnpike projects",
  summary: "create, list, change and remove projects",
  commands: {
    create: {
      usage: "turnpike projects create NAME",
      summary: "create a project",
      options: { ...ruleHelp, "--json": "print JSON" },
      run: create,
    },
    list: {
      usage: "turnpike projects list",
      summary: "list projects with their rules",
      options: { "--json": "print JSON" },
      run: list,
    },
    update: {
      usage: "turnpike projects update NAME-OR-ID",
      summary: "change a project; rules that are given replace all of its rules",
      options: { "--rename NAME": "a new name", "--no-rules": "remove its rules", ...ruleHelp, "--json": "print JSON" },
      run: update,
    },
    remove: {
      usage: "turnpike projects remove NAME-OR-ID",
      summary: "remove a project without keys",
      options: { "--json": "print JSON" },
      run: remove,
    },
  },
};
