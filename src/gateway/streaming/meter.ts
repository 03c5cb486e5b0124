// The meter: reads every event of a stream, so that the usage is available at any moment.
import type { StreamEvent } from "../../canonical/stream-event.ts";
import { totalOutput, type Usage, zeroUsage } from "../../canonical/usage.ts";
import type { TokenFamily } from "../../dialects/tokens/families.ts";
import { approximateText } from "../../dialects/tokens/figures.ts";
import { emptyScan, type TextScan, TextScanner } from "../../dialects/tokens/text-scan.ts";
import { parseJsonText } from "../../lib/json.ts";
import { isStructure } from "./length-end.ts";

/** What was sent to the client. */
export interface Delivered {
  /** Its start, to be counted exactly. */
  readonly beginning: string;
  /** Scans of that start and of everything, for the size of the rest. */
  readonly beginningScan: TextScan;
  readonly scan: TextScan;
}

export const nothingDelivered: Delivered = { beginning: "", beginningScan: emptyScan, scan: emptyScan };

export interface Meter {
  see(event: StreamEvent): void;
  /** This text was forwarded without being parsed, with its escapes. */
  skim(raw: string): void;
  /** The provider's figures, if the reply is complete and they can be true. */
  reported(): Usage | undefined;
  /** The input that the provider reported at the start of an incomplete reply. */
  reportedInput(): Usage | undefined;
  delivered(): Delivered;
  /** An approximation of the usage so far, for progress. */
  approximate(): Usage;
  /** The events of the reply's structure, without its texts. */
  structure(): readonly StreamEvent[];
}

/** Only the start of longer replies is stored; the rest is scanned. */
const sampleChars = 4_096;
/** Small pieces are collected before they are scanned. */
const batchChars = 512;

interface Text {
  add(text: string): void;
  delivered(): Delivered;
}

function deliveredText(): Text {
  const all = new TextScanner();
  const first = new TextScanner();
  let beginning = "";
  let pending = "";
  const flush = (): void => {
    all.add(pending);
    if (beginning.length < sampleChars) {
      first.add(pending);
      beginning += pending;
    }
    pending = "";
  };
  return {
    add(text) {
      pending += text;
      if (pending.length >= batchChars) flush();
    },
    delivered() {
      if (pending !== "") flush();
      return { beginning, beginningScan: first.result(), scan: all.result() };
    },
  };
}

function unescaped(raw: string): string {
  if (!raw.includes("\\")) return raw;
  const text = parseJsonText(`"${raw}"`);
  return typeof text === "string" ? text : raw;
}

/** `input` is used until the provider reports it. */
export function createMeter(input: Usage, family: TokenFamily): Meter {
  const text = deliveredText();
  let atStart: Usage | undefined;
  let atEnd: Usage | undefined;
  const structure: StreamEvent[] = [];
  const approximate = (): Usage => {
    const outputTokens = approximateText(text.delivered().scan, family);
    const known = atStart ?? input;
    return { ...known, outputTokens: Math.max(known.outputTokens, outputTokens), estimated: true };
  };
  return {
    skim: (raw) => text.add(unescaped(raw)),
    see(event) {
      if (isStructure(event)) structure.push(event);
      if (event.type === "text" || event.type === "thinking" || event.type === "tool-input") text.add(event.text);
      else if (event.type === "block-start" && event.open.kind === "tool-call") text.add(event.open.name);
      else if (event.type === "start") atStart = event.usage;
      else if (event.type === "finish") atEnd = event.usage;
    },
    reported() {
      if (atEnd === undefined) return undefined;
      const isSilent = totalOutput(atEnd) === 0 && atEnd.units === undefined;
      return isSilent && text.delivered().beginning !== "" ? undefined : atEnd;
    },
    reportedInput: () =>
      atStart === undefined ? undefined : { ...zeroUsage, ...atStart, outputTokens: 0, reasoningTokens: 0 },
    delivered: text.delivered,
    approximate,
    structure: () => structure,
  };
}
