// docs/conformance.md: the observed outcomes as one table for each client.

import type { Outcome, Pair } from "./cell.ts";
import { clients, features } from "./clients.ts";
import { fars } from "./upstreams.ts";

/** Outcomes by the key of their pair. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export const keyOf = ({ client, far, feature, stream }: Pair): string =>
  `${client.name} on ${far.speaks}: ${feature}, ${stream ? "streamed" : "whole"}`;

function cell(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "";
  return outcome.field === undefined ? outcome.class : `${outcome.class} (\`${outcome.field}\`)`;
}

function tableOf(client: Pair["client"], outcomes: Outcomes): string {
  const columns = fars.flatMap((far) => [false, true].map((stream) => ({ far, stream })));
  const head = columns.map(({ far, stream }) => `${far.speaks}, ${stream ? "streamed" : "whole"}`);
  const rows = features.map((feature) => {
    const cells = columns.map((column) => cell(outcomes.get(keyOf({ client, feature, ...column }))));
    return `| ${feature} | ${cells.join(" | ")} |`;
  });
  return [
    `## ${client.name} (\`${client.speaks}\`)`,
    "",
    `| | ${head.join(" | ")} |`,
    `|---|${columns.map(() => "---|").join("")}`,
    ...rows,
    "",
  ].join("\n");
}

const opening = `Each client format is tested with an upstream of each dialect, for each feature, complete and streamed.

| Result | Meaning |
|---|---|
| passthrough | the upstream received the client's own bytes with the model replaced, and the client the upstream's; a response has an id of the gateway |
| mapped | the feature arrived in the upstream's format, and the reply in the client's |
| emulated | the gateway did it itself; \`x-turnpike-warnings\` lists it |
| refused | 400, and \`param\` names the field |
| dropped with a warning | the request was sent without it; \`x-turnpike-warnings\` names the field |

A field after *mapped* was approximated, and \`x-turnpike-warnings\` lists it. With \`x-turnpike-strict: true\`
everything that would be dropped or approximated is refused. Errors are always in the client's own format.
Features that a client's format does not have (tools, images or thinking in a text completion) were requested with the fields that
other servers accept there.
`;

/** The section of the document. */
export function conformance(requested: readonly Pair["client"][], outcomes: Outcomes): string {
  const own = clients.filter((client) => requested.includes(client));
  return [opening, ...own.map((client) => tableOf(client, outcomes))].join("\n");
}
