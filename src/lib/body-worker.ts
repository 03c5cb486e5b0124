// The worker thread for large bodies: parses JSON, so that the event loop never waits for it.
import type { ParseJob, ParseResult } from "./body-thread.ts";
import { parseJson } from "./read-json.ts";
import { removeBytes } from "./redact-bytes.ts";
import type { ThreadMessage } from "./thread.ts";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<ThreadMessage<ParseJob>>) => {
  if ("text" in data) return;
  const { id, content } = data;
  const { bytes, limits } = content;
  const post = (message: ThreadMessage<ParseResult>, given: ArrayBuffer[] = []): void =>
    self.postMessage(message, given);
  const parsed = parseJson(bytes, limits);
  if (!parsed.ok) {
    post({ id, content: { fault: parsed.fault } });
    return;
  }
  const root = { value: parsed.value };
  const { texts, ...places } = removeBytes(root);
  for (const text of texts) post({ id, text });
  const given =
    bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength ? [bytes.buffer] : [];
  post({ id, content: { root, mayBeExact: parsed.mayBeExact, bytes, ...places } }, given);
};
