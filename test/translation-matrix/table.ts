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

const opening = `Each client format is asked on an upstream of each dialect, for each feature, whole and streamed.

| Word | Seen from outside |
|---|---|
| verbatim | the upstream got the client's own bytes with the model replaced, and the client got the upstream's; a response has an id of the gateway's own |
| mapped | the feature arrived in the upstream's own words, and the reply in the client's |
| emulated | the gateway did it itself; \`x-turnpike-warnings\` says so |
| refused | 400, and \`param\` names the field |
| dropped with a warning | the upstream was asked without it; \`x-turnpike-warnings\` names the field |

A field behind *mapped* was approximated, and \`x-turnpike-warnings\` says so. \`x-turnpike-strict: true\` makes a refusal of
everything that would be dropped or approximated. Errors are always told in the client's own envelope.
What a client's format has no words for (tools, images or thinking in a text completion) was asked for in the words that
other servers take there.
`;

/** The section of the document. */
export function conformance(asked: readonly Pair["client"][], outcomes: Outcomes): string {
  const own = clients.filter((client) => asked.includes(client));
  return [opening, ...own.map((client) => tableOf(client, outcomes))].join("\n");
}
