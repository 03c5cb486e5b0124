// Transcripts that are not JSON: plain text, and subtitles of segments or of words, in lines that fit a screen.
import type { Segment, TranscriptionRequest, TranscriptionResponse, Word } from "../../canonical/transcription.ts";
import type { TextDocument, TextFormatCodec } from "../dialect.ts";
import { invalidUpstreamResponse, unsupported } from "../errors.ts";

type Cue = Pick<Segment, "text" | "start" | "end">;

const longestPauseSeconds = 0.8;
const longestCueSeconds = 6;
const cueCharacters = 84;
const sentenceEnd = /[.!?。！？…]["'”’)]?$/;

/** Scripts without spaces between words, and their punctuation. */
const unspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\uff01-\uff5e]/u;

function joined(words: readonly Word[]): string {
  return words.reduce((text, { word }) => {
    const next = word.trim();
    const [before = "", after = ""] = [[...text.slice(-2)].at(-1), [...next.slice(0, 2)][0]];
    return text === "" || (unspaced.test(before) && unspaced.test(after)) ? text + next : `${text} ${next}`;
  }, "");
}

const cueOf = (words: readonly Word[]): Cue => ({
  text: joined(words),
  start: words[0]?.start ?? 0,
  end: words.at(-1)?.end ?? 0,
});

function breaksBefore(words: readonly Word[], next: Word): boolean {
  const last = words.at(-1);
  if (last === undefined) return false;
  const { text, start } = cueOf(words);
  return (
    next.start - last.end > longestPauseSeconds ||
    text.length + 1 + next.word.trim().length > cueCharacters ||
    next.end - start > longestCueSeconds ||
    sentenceEnd.test(last.word.trim())
  );
}

/** Lines of words: a new one after a pause, after a sentence, or at the maximum length. */
export function cuesOf(words: readonly Word[]): Cue[] {
  const cues: Cue[] = [];
  let current: Word[] = [];
  for (const word of words) {
    if (breaksBefore(current, word)) {
      cues.push(cueOf(current));
      current = [];
    }
    current.push(word);
  }
  return current.length === 0 ? cues : [...cues, cueOf(current)];
}

/** The segments or words with times; null if there are none. */
export function timedCues({ segments, words }: TranscriptionResponse): readonly Segment[] | null {
  if (segments !== undefined && segments.length > 0) return segments;
  return words === undefined || words.length === 0 ? null : cuesOf(words);
}

/** `HH:MM:SS` and milliseconds; rounded before splitting, so that no part overflows. */
function clock(seconds: number, point: "," | "."): string {
  const total = Math.max(0, Math.round(seconds * 1_000));
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const time = `${two(total / 3_600_000)}:${two((total / 60_000) % 60)}:${two((total / 1_000) % 60)}`;
  return `${time}${point}${String(total % 1_000).padStart(3, "0")}`;
}

/** An empty line would end a cue, and an arrow would start another. */
const line = (text: string): string =>
  text
    .trim()
    .replaceAll("-->", "->")
    .replace(/\s*\n\s*/g, "\n");

export function srt(cues: readonly Cue[]): string {
  const block = ({ text, start, end }: Cue, index: number): string =>
    `${index + 1}\n${clock(start, ",")} --> ${clock(end, ",")}\n${line(text)}\n\n`;
  return cues.map(block).join("");
}

export function vtt(cues: readonly Cue[]): string {
  const escaped = (text: string): string => line(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const block = ({ text, start, end }: Cue): string =>
    `${clock(start, ".")} --> ${clock(end, ".")}\n${escaped(text)}\n\n`;
  return `WEBVTT\n\n${cues.map(block).join("")}`;
}

const decoder = new TextDecoder();
/** Text types except HTML, which would be an error page. */
const documentTypes = /^(?:text\/(?!html)|application\/x-subrip|$)/i;
const textType = "text/plain; charset=utf-8";

function subtitles(response: TranscriptionResponse, write: typeof srt): string {
  const cues = timedCues(response);
  if (cues !== null) return write(cues);
  if (response.text.trim() === "") return write([]);
  throw unsupported("response_format", "this model returns no timestamps, which subtitles require.");
}

const writers: {
  readonly [format in TranscriptionRequest["format"]]?: (response: TranscriptionResponse) => TextDocument;
} = {
  text: ({ text }) => ({ type: textType, text: `${text}\n` }),
  srt: (response) => ({ type: textType, text: subtitles(response, srt) }),
  vtt: (response) => ({ type: textType, text: subtitles(response, vtt) }),
};

/** The spoken text of subtitles: without numbers, times and headers. */
function textOf(document: string): string {
  const isFrame = /^(?:\d+|WEBVTT.*|[\d:.,]+ --> [\d:.,]+.*)$/;
  const lines = document.split(/\r?\n/).filter((line) => line.trim() !== "" && !isFrame.test(line));
  return lines.join("\n");
}

export const documents: TextFormatCodec<TranscriptionResponse> = {
  parse(bytes, type, { request }) {
    if (!documentTypes.test(type)) throw invalidUpstreamResponse("expected JSON or plain text");
    const document = decoder.decode(bytes);
    const format = request?.operation === "transcribe" ? request.format : "text";
    const text = format === "srt" || format === "vtt" ? textOf(document) : document.replace(/\n$/, "");
    return { operation: "transcribe", model: "", text };
  },
  render(response, { request }) {
    return request.operation === "transcribe" ? (writers[request.format]?.(response) ?? null) : null;
  },
};
