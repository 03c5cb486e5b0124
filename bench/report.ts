// Writes the results as the Markdown page that people read.
import { type Bar, barConnections, barHolds, bars } from "./bars.ts";
import type { PeerName } from "./peers.ts";
import { compared, type Figure, figureOf, type Point, type Results } from "./results.ts";
import type { Spread } from "./statistics.ts";
import { eventsPerStream, timedWorkloads, type WorkloadName, workloads } from "./workloads.ts";

type Column = { title: string; value(results: Results, point: Point): Spread | undefined };

const nothing = "–";
const megabyte = 2 ** 20;

/** Three digits that count, no more than two behind the point. */
function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

function cell(value: Spread | undefined): string {
  if (value === undefined) return nothing;
  const middle = number(value.median);
  return value.min === value.max ? middle : `${middle} (${number(value.min)}–${number(value.max)})`;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, place) => (place === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

const plain = (title: string, figure: Figure): Column => ({
  title,
  value: (results, point) => figureOf(results, point, figure),
});

const added = (title: string, figure: Figure): Column => ({
  title,
  value: (results, point) =>
    point.peer === "upstream" ? undefined : compared(results, point, "upstream", figure, (own, bare) => own - bare),
});

const common: Column[] = [
  plain("requests/s", (seen) => seen.requestsPerSecond),
  plain("CPU µs/request", (seen) => seen.cpuMicrosecondsPerRequest),
];
const latency: Column[] = [
  plain("p50 ms", (seen) => seen.p50Ms),
  plain("p99 ms", (seen) => seen.p99Ms),
  added("added p50 ms", (seen) => seen.p50Ms),
  added("added p99 ms", (seen) => seen.p99Ms),
];
const perEvent = plain("CPU µs/event", (seen) => seen.cpuMicrosecondsPerEvent);

function workloadTable(results: Results, workload: WorkloadName, connections: number): string {
  const streams = workloads[workload].events !== undefined;
  const columns = [...common, ...(streams ? [perEvent] : []), ...latency];
  const rows = results.ran.map(({ name, title }) => [
    title,
    ...columns.map((column) => cell(column.value(results, { peer: name, workload, connections }))),
  ]);
  const of = connections === 1 ? "1 connection" : `${connections} connections`;
  return `### ${workloads[workload].title}: ${of}\n\n${table(["", ...columns.map((column) => column.title)], rows)}`;
}

function barRow(bar: Bar): string[] {
  const verdict = { true: "holds", false: "**missed**", undefined: "not measured" }[`${barHolds(bar)}`] ?? nothing;
  return [
    bar.what,
    bar.measured === undefined ? nothing : `${cell(bar.measured)} ${bar.unit}`,
    `${bar.sense} ${bar.limit} ${bar.unit}`,
    verdict,
  ];
}

/** Most memory that a peer held at 32 connections, over all rounds and workloads. */
function loadedBytes(results: Results, peer: PeerName): number {
  return Math.max(0, ...results.cells.filter((seen) => seen.peer === peer).map((seen) => seen.peakResidentBytes));
}

function crowdTable(results: Results): string {
  const rows = results.ran.map(({ name, title }) => {
    const crowd = results.crowds.find((seen) => seen.peer === name);
    const idle = results.idleResidentBytes[name];
    return [
      title,
      idle === undefined ? nothing : number(idle / megabyte),
      number(loadedBytes(results, name) / megabyte),
      ...(crowd === undefined
        ? [nothing, nothing, nothing, nothing, nothing]
        : [
            number(crowd.peakResidentBytes / megabyte),
            String(crowd.peakAtOnce),
            `${crowd.complete} of ${crowd.streams}`,
            String(crowd.lostEvents),
            number(crowd.elapsedMs / 1_000),
          ]),
    ];
  });
  const head = [
    "",
    "idle MB",
    "under load MB",
    "crowd MB",
    "streams at once",
    "whole streams",
    "lost events",
    "seconds",
  ];
  return table(head, rows);
}

function failures(results: Results): string {
  const seen = [...results.cells, ...results.crowds].flatMap((row) =>
    row.failures.map((text) => `- ${row.peer}: ${text}`),
  );
  return seen.length === 0 ? "" : `\n## Failures\n\n${[...new Set(seen)].slice(0, 20).join("\n")}\n`;
}

function facts(results: Results): string {
  const rows = Object.entries({ Date: results.date, Command: `\`${results.command}\``, ...results.machine });
  return rows.map(([name, value]) => `- ${name}: ${value}`).join("\n");
}

function startUpLine(results: Results): string {
  const first = results.startUp?.firstMs;
  return first === undefined ? "" : `\nThe first start, on an empty data folder, took ${number(first)} ms.\n`;
}

const explanation = `Every figure is the median over the rounds, with the smallest and the largest in parentheses. All peers run at the same time on one
machine and are loaded one after the other, in turn, so that a slow moment weighs on all of them; ratios and added times are taken
round by round. CPU is user and system time of the peer's processes, children included, over the whole measurement; that of the
upstream is its own. Latency is the time to the whole answer for JSON and the time to the first event for SSE. The load generator, the
upstream and the peer share the machine's cores, so requests per second at many connections depend as much on the machine as on
the peer: CPU per request is the figure to compare. The relay parses the request, checks the key and passes the answer on; Portkey
checks no key and keeps no ledger; nginx looks at nothing; Turnpike checks the key and keeps its ledger. Each measurement also
counts at the upstream that every answered request has reached it. The SSE rate is bounded by the upstream's pace.`;

export function report(results: Results): string {
  const skipped = results.skipped.map(({ title, reason }) => `- ${title} was left out: ${reason}`).join("\n");
  const connections = [...new Set(results.cells.map((seen) => seen.connections))];
  const timed = timedWorkloads.flatMap((workload) =>
    connections.map((count) => workloadTable(results, workload, count)),
  );
  return `# Performance

This page is generated: \`npm run bench -- --write\` measures and rewrites it. \`--quick\` takes little more than a minute, \`--only turnpike,relay\`
picks peers, \`--json\` prints the raw figures. What other commands measured, and which step costs how much: [other measurements](performance-parts.md).

${facts(results)}
- ${results.rounds} rounds of ${results.cellMs} ms for each peer, workload and number of connections
${skipped === "" ? "" : `${skipped}\n`}
## Bars

${table(["", "measured", "bar", ""], bars(results).map(barRow))}

Ratios of CPU are taken at ${barConnections} connections.
${startUpLine(results)}
## How it is measured

${explanation}

## Figures

${timed.join("\n\n")}

## Memory, and many streams at once

Memory is resident (VmRSS, summed over the peer's processes). Each stream of the crowd has ${eventsPerStream} numbered events, and each event is looked for
at the client.

${crowdTable(results)}
${failures(results)}`;
}
