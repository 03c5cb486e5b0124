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
export interface Said {
  readonly param: string;
  readonly body: object;
}

/** A format that clients speak, and how they say each field. */
export interface FieldClient {
  readonly dialect: Format;
  readonly path: (model: string) => string;
  /** What every request has. */
  readonly body: (model: string) => object;
  readonly says: { readonly [field: string]: Said };
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
  readonly read?: (seen: Seen) => unknown;
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

async function ask({ up, gateway }: FieldSetting, client: FieldClient, upstream: FieldUpstream, said: Said) {
  up.clear();
  upstream.ready();
  const init = (client.encode ?? json)({
    ...client.body(upstream.model),
    ...upstream.needs?.[client.dialect.name],
    ...said.body,
  });
  const response = await fetch(`${gateway.url}${client.path(upstream.model)}`, {
    method: "POST",
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${gateway.key}` },
  });
  const text = await response.text();
  const seen = up.requests[0];
  return {
    status: response.status,
    text,
    warnings: (response.headers.get("x-turnpike-warnings") ?? "").split(", "),
    sent: seen === undefined ? undefined : (upstream.read ?? (({ json: body }) => body))(seen),
  };
}

/** What the row says, checked against what was seen. */
async function outcome(setting: FieldSetting, upstream: FieldUpstream, field: string, row: UntypedField | Loss) {
  const able = setting.clients.filter(({ says }) => says[field] !== undefined);
  const client = able.find(({ dialect }) => dialect !== upstream.dialect) ?? able[0];
  const said = client?.says[field];
  if (client === undefined || said === undefined) return isLossRow(row) ? lossWords[row.rule] : `\`${row.path}\``;
  const seen = await ask(setting, client, upstream, said);
  const context = { dialect: upstream.dialect.name, field };
  if (client.dialect === upstream.dialect || client.dialect.variantOf === upstream.dialect) {
    expect({ ...context, status: seen.status, sent: memberAt(seen.sent, said.param) }).toEqual({
      ...context,
      status: 200,
      sent: expect.anything(),
    });
    return "verbatim";
  }
  const isDropped = seen.warnings.includes(`dropped;field=${said.param}`);
  const rule = seen.status >= 400 ? "reject" : isDropped ? "warn" : "ignore";
  if (rule === "reject") {
    expect({ ...context, status: seen.status, text: seen.text }).toMatchObject({ ...context, status: 400 });
    expect(seen.text).toContain(said.param);
    expect({ ...context, asked: seen.sent }).toEqual({ ...context, asked: undefined });
  }
  const isLimited = !isLossRow(row) && (row.limit ?? row.render ?? row.renderMembers ?? row.carriedBy) !== undefined;
  if (isLossRow(row) || (rule !== "ignore" && isLimited)) {
    expect({ ...context, rule }).toEqual({ ...context, rule: isLossRow(row) ? row.rule : rule });
    return lossWords[rule];
  }
  const value = memberAt(seen.sent, row.path);
  expect({ ...context, status: seen.status, rule, path: row.path, value }).toEqual({
    ...context,
    ...{ status: 200, rule: "ignore", path: row.path, value: expect.anything() },
  });
  return `\`${row.path}\``;
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
