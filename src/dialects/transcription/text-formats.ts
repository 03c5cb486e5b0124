// Replies that are no JSON: the bare text, and subtitles.
import type { TranscribeAnswer, TranscribeAsk } from "../../canonical/transcription.ts";
import type { Document, DocumentSide } from "../dialect.ts";
import { badReply, unsupported } from "../errors.ts";
import { srt, timedCues, vtt } from "./subtitles.ts";

const decoder = new TextDecoder();
/** Of text, but no page: that would be an error in disguise. */
const documentTypes = /^(?:text\/(?!html)|application\/x-subrip|$)/i;
const textType = "text/plain; charset=utf-8";

function subtitles(answer: TranscribeAnswer, write: typeof srt): string {
  const cues = timedCues(answer);
  if (cues !== null) return write(cues);
  if (answer.text.trim() === "") return write([]);
  throw unsupported("response_format", "it tells no times, and subtitles need them.");
}

const writers: { readonly [format in TranscribeAsk["format"]]?: (answer: TranscribeAnswer) => Document } = {
  text: ({ text }) => ({ type: textType, text: `${text}\n` }),
  srt: (answer) => ({ type: textType, text: subtitles(answer, srt) }),
  vtt: (answer) => ({ type: textType, text: subtitles(answer, vtt) }),
};

/** The spoken text of subtitles: what is neither a number, nor a time, nor the heading. */
function textOf(document: string): string {
  const isFrame = /^(?:\d+|WEBVTT.*|[\d:.,]+ --> [\d:.,]+.*)$/;
  const lines = document.split(/\r?\n/).filter((line) => line.trim() !== "" && !isFrame.test(line));
  return lines.join("\n");
}

export const documents: DocumentSide<TranscribeAnswer> = {
  parse(bytes, type, { ask }) {
    if (!documentTypes.test(type)) throw badReply("it is neither JSON nor text");
    const document = decoder.decode(bytes);
    const format = ask?.operation === "transcribe" ? ask.format : "text";
    const text = format === "srt" || format === "vtt" ? textOf(document) : document.replace(/\n$/, "");
    return { operation: "transcribe", model: "", text };
  },
  render(answer, { ask }) {
    return ask.operation === "transcribe" ? (writers[ask.format]?.(answer) ?? null) : null;
  },
};
