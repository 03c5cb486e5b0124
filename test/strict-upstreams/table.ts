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

Each client format holds a conversation of four turns with upstreams that refuse what their vendors refuse, in the
vendors' own words (\`test/strict-upstreams\`): two parallel calls, one more call, a text that is cut inside of its
characters, a last answer; whole and streamed, with thinking on and off, and with the history replayed as well-known
clients replay it. In every cell the conversation came through, and the tables say what became of the signatures and
thoughts that the model made.
`;

const words = [
  "| Word | Meaning |",
  "|---|---|",
  ...Object.entries(outcomes).map(([word, meaning]) => `| ${word} | ${meaning} |`),
  "",
  "Where a turn was asked with thinking off or with a stand-in, `x-turnpike-warnings` says so.",
  "An empty cell: the model refuses to be asked for thinking in its vendor's own format.",
  "",
].join("\n");

/** The section of the document. */
export function toolLoops(seen: Seen): string {
  return [opening, words, tableOf(true, seen), tableOf(false, seen)].join("\n");
}
