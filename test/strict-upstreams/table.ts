// The part of docs/conformance.md about tool loops: one table for thinking on, one for thinking off.
import { type Cell, cells, keyOf } from "./cell.ts";
import { type Outcome, outcomes } from "./outcome.ts";
import { clients, targets } from "./setting.ts";

type Seen = ReadonlyMap<string, Outcome>;

/** Whole and streamed as one word where they are the same. */
function wordOf(variants: readonly Cell[], seen: Seen): string {
  const found = variants.map((cell) => seen.get(keyOf(cell)) ?? "");
  const [whole = "", streamed = ""] = found;
  if (whole === streamed) return whole;
  return `whole: ${whole}; streamed: ${streamed}`;
}

function tableOf(thinking: boolean, seen: Seen): string {
  const rows = clients.map((client) => {
    const words = targets.map((target) =>
      wordOf(
        cells.filter((cell) => cell.client === client && cell.target === target && cell.thinking === thinking),
        seen,
      ),
    );
    return `| ${client.name}: ${client.habit} (${client.of}) | ${words.join(" | ")} |`;
  });
  return [
    `| Thinking ${thinking ? "on" : "off"} | ${targets.map(({ name }) => name).join(" | ")} |`,
    `|---|${targets.map(() => "---|").join("")}`,
    ...rows,
    "",
  ].join("\n");
}

const opening = `## Tool loops

Each client format runs a conversation of four messages with upstreams that refuse what their vendors refuse, with the
vendors' own errors (\`test/strict-upstreams\`): two parallel calls, one more call, a text that is cut inside of its
characters, a last answer; complete and streamed, with thinking on and off, and with the history replayed as well-known
clients replay it. In every cell the conversation succeeded, and the tables show what happened to the signatures and
thinking of the model.
`;

const words = [
  "| Result | Meaning |",
  "|---|---|",
  ...Object.entries(outcomes).map(([word, meaning]) => `| ${word} | ${meaning} |`),
  "",
  "If a request was sent with thinking off or with a placeholder, `x-turnpike-warnings` lists it.",
  "An empty cell: the model refuses thinking in its vendor's own format.",
  "",
].join("\n");

/** The section of the document. */
export function toolLoops(seen: Seen): string {
  return [opening, words, tableOf(true, seen), tableOf(false, seen)].join("\n");
}
