// How each format carries each canonical field: read from its table, proved by what an upstream and a client see over sockets.
import { describe, expect, test } from "bun:test";
import type { Loss } from "../../src/canonical/warning.ts";
import { isLossRow, rowsOf, type UntypedField, type UntypedTable } from "../../src/dialects/field-table.ts";
import { checkConformance } from "./conformance.ts";
import type { RunningGateway } from "./gateway.ts";
import type { Seen, Upstream } from "./upstream.ts";

interface Format {
  readonly name: string;
  readonly request: { readonly fields?: UntypedTable };
  readonly variantOf?: Format;
}

/** A field as a client says it: the name under which warnings and errors mention it, and the members that say it. */
export interface SampleField {
  readonly param: string;
  readonly body: object;
}

/** A format that clients speak, and how they say each field. */
export interface FieldClient {
  readonly dialect: Format;
  readonly path: (model: string) => string;
  /** What every request has. */
  readonly body: (model: string) => object;
  readonly says: { readonly [field: string]: SampleField };
  /** Absent: the body as JSON. */
  readonly encode?: (body: object) => RequestInit;
}

/** A format that upstreams speak. */
export interface FieldUpstream {
  readonly dialect: Format;
  readonly model: string;
  /** Lets the upstream answer in this format. */
  readonly ready: () => void;
  /** The members that the upstream got. Absent: its body as JSON. */
  readonly read?: (seen: Seen) => unknown | Promise<unknown>;
  /** The clients whose requests reach this format. Absent: all. */
  readonly clients?: readonly FieldClient[];
  /** Its path, where the provider has another format that is asked where this one refuses. */
  readonly route?: string;
  /** What has to be in every request for this format to be taken, by the client's format. */
  readonly needs?: { readonly [client: string]: object };
}

export interface FieldSetting {
  /** Of the operation, for the document. */
  readonly title: string;
  readonly clients: readonly FieldClient[];
  readonly upstreams: readonly FieldUpstream[];
  readonly up: Upstream;
  readonly gateway: RunningGateway;
}

/** The member at a path such as `requests[0].title`. */
function memberAt(body: unknown, path: string): unknown {
  const names = path.split(/[.[\]]+/).filter((name) => name !== "");
  return names.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined | null)?.[name], body);
}

const lossWords: Record<Loss["rule"], string> = {
  warn: "dropped with a warning",
  reject: "refused",
  ignore: "ignored",
};

const json = (body: object): RequestInit => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

async function ask({ up, gateway }: FieldSetting, client: FieldClient, upstream: FieldUpstream, sample: SampleField) {
  up.clear();
  upstream.ready();
  const init = (client.encode ?? json)({
    ...client.body(upstream.model),
    ...upstream.needs?.[client.dialect.name],
    ...sample.body,
  });
  const response = await fetch(`${gateway.url}${client.path(upstream.model)}`, {
    method: "POST",
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${gateway.key}` },
  });
  const text = await response.text();
  // The gateway fetches results too.
  const seen = up.requests.findLast(({ method }) => method === "POST");
  return {
    status: response.status,
    text,
    // What another path has refused before was no part of the answer.
    calls: up.requests.filter(({ path }) => path === seen?.path).length,
    route: seen?.path,
    warnings: (response.headers.get("x-turnpike-warnings") ?? "").split(", "),
    sent: seen === undefined ? undefined : await (upstream.read ?? (({ json: body }) => body))(seen),
  };
}

/** The client that shows most of a format: one whose requests are translated, else one of the same format. */
function clientFor(
  setting: FieldSetting,
  { dialect, clients = setting.clients }: FieldUpstream,
  field: string,
): FieldClient | undefined {
  const able = clients.filter(({ says }) => says[field] !== undefined);
  return able.find((client) => client.dialect !== dialect && client.dialect.variantOf !== dialect) ?? able[0];
}

/** What the row says, checked against what was seen. */
async function outcome(setting: FieldSetting, upstream: FieldUpstream, field: string, row: UntypedField | Loss) {
  const client = clientFor(setting, upstream, field);
  const sample = client?.says[field];
  if (client === undefined || sample === undefined) return isLossRow(row) ? lossWords[row.rule] : `\`${row.path}\``;
  const { status, warnings, sent, text, calls, route } = await ask(setting, client, upstream, sample);
  if (upstream.route !== undefined && route !== upstream.route) {
    expect({ field, isLost: isLossRow(row), status }).toEqual({ field, isLost: true, status: 200 });
    return "another format";
  }
  const isSame = client.dialect === upstream.dialect || client.dialect.variantOf === upstream.dialect;
  if (isSame && status === 200 && memberAt(sent, sample.param) !== undefined) return "passthrough";
  // Several calls, or a warning that says so: the gateway does it itself.
  const isEmulated = calls > 1 || warnings.includes(`emulated;field=${sample.param}`);
  if (isLossRow(row) && status === 200 && isEmulated) return "emulated";
  const isDropped = warnings.includes(`dropped;field=${sample.param}`);
  const rule = status >= 400 ? "reject" : isDropped ? "warn" : "ignore";
  const seen = { dialect: upstream.dialect.name, field, rule };
  if (rule === "reject")
    expect({ ...seen, status, requested: sent, text }).toMatchObject({ status: 400, requested: undefined });
  if (rule === "reject") expect(text).toContain(sample.param);
  if (isLossRow(row)) {
    expect(seen).toEqual({ ...seen, rule: row.rule });
    return lossWords[row.rule];
  }
  const paths = [row.path, ...Object.keys(row.also ?? {})];
  const path = rule === "ignore" ? paths.find((each) => memberAt(sent, each) !== undefined) : undefined;
  if (isEmulated && path === undefined) return "emulated";
  if (path !== undefined) return `\`${path}\``;
  if (rule === "ignore" && warnings.includes(`approximated;field=${sample.param}`)) return "approximated";
  // A row whose functions look at the model or the value may lose it, and a bare row never does.
  const isLimited = (row.limit ?? row.render ?? row.renderMembers ?? row.carriedBy) !== undefined;
  expect({ ...seen, path: row.path, isLimited, sent }).toMatchObject({ isLimited: true });
  return lossWords[rule];
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** Tests that what the tables of these formats say is what is sent, and that docs/conformance.md has it. */
export function provesFields(setting: FieldSetting): void {
  const { title, upstreams } = setting;
  const tableOf = ({ dialect }: FieldUpstream): UntypedTable => dialect.request.fields ?? {};
  const names = [...new Set(upstreams.flatMap((upstream) => Object.keys(tableOf(upstream))))];
  const cells = new Map<string, string[]>(names.map((name) => [name, []]));
  describe(`fields of ${title}`, () => {
    test.each(upstreams.map((upstream) => [upstream.dialect.name, upstream] as const))(
      "%s",
      async (_name, upstream) => {
        const rows = rowsOf(tableOf(upstream));
        expect(rows.map(([field]) => field).sort()).toEqual([...names].sort() as never);
        for (const [field, row] of rows) cells.get(field)?.push(await outcome(setting, upstream, field, row));
      },
    );

    test("are in docs/conformance.md", () => {
      const head = ["Field", ...upstreams.map(({ dialect }) => `\`${dialect.name}\``)];
      const rows = [...cells].map(([name, outcomes]) => line([`\`${name}\``, ...outcomes]));
      const text = [`## Fields of ${title}`, "", line(head), line(head.map(() => "---")), ...rows].join("\n");
      checkConformance(`fields of ${title}`, text);
    });
  });
}
