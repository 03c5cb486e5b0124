// Replies that are no JSON: the bare text, and subtitles.
import type { TranscriptionRequest, TranscriptionResponse } from "../../canonical/transcription.ts";
import type { TextDocument, TextFormatCodec } from "../dialect.ts";
import { invalidUpstreamResponse, unsupported } from "../errors.ts";
import { srt, timedCues, vtt } from "./subtitles.ts";

const decoder = new TextDecoder();
/** Of text, but no page: that would be an error in disguise. */
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

/** The spoken text of subtitles: what is neither a number, nor a time, nor the heading. */
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
