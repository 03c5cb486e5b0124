// The worker thread that checks a large ledger: it reads the whole file, which may take minutes.
import type { ThreadMessage } from "../../lib/thread.ts";
import { faultIn } from "./integrity.ts";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<ThreadMessage<string>>) => {
  if ("text" in data) return;
  self.postMessage({ id: data.id, content: faultIn(data.content) } satisfies ThreadMessage<string | null>);
};
