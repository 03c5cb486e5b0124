// Many streams at once, each read to its end, and every event of each accounted for.

import { streamText } from "./answers.ts";
import { connect, encodeRequest, type Target } from "./connection.ts";
import { chatPath, eventsPerStream, workloads } from "./workloads.ts";

export type CrowdJob = { kind: "crowd"; target: Target; streams: number };

export type CrowdResult = {
  streams: number;
  complete: number;
  events: number;
  lostEvents: number;
  /** Most streams that were between their first and their last event at one moment. */
  peakAtOnce: number;
  elapsedMs: number;
  failures: string[];
};

type Stream = { text: string; status: number; failure?: string };

const rampSize = 50;

/** The numbers that the events carried, joined as they came. */
function contents(text: string): string {
  return [...text.matchAll(/"content":"([^"]*)"/g)].map((match) => match[1]).join("");
}

function countEvents(text: string): number {
  return text.split("\n\n").filter((frame) => frame.startsWith("data:")).length;
}

function isWhole(stream: Stream): boolean {
  return stream.status === 200 && contents(stream.text) === streamText && stream.text.endsWith("data: [DONE]\n\n");
}

/** Opens one stream; resolves `opened` when its socket is connected and `done` when it is over. */
function openStream(port: number, request: Uint8Array, moved: (change: 1 | -1) => void) {
  const stream: Stream = { text: "", status: 0 };
  const done = Promise.withResolvers<Stream>();
  let flowing = false;
  const flow = (on: boolean) => {
    if (flowing === on) return;
    flowing = on;
    moved(on ? 1 : -1);
  };
  const end = () => {
    flow(false);
    done.resolve(stream);
  };
  const fail = (reason: Error) => {
    stream.failure = reason.message;
    end();
  };
  const connected = connect(port, request, {
    onBody(piece) {
      flow(true);
      stream.text += piece.toString("latin1");
    },
    onEnd(status) {
      stream.status = status;
      end();
    },
    onLost: fail,
  });
  const opened = connected.then((connection) => {
    connection.send();
    done.promise.then(() => connection.close());
  }, fail);
  return { opened, done: done.promise };
}

export async function runCrowd(job: CrowdJob): Promise<CrowdResult> {
  const request = encodeRequest(job.target, chatPath, workloads.crowd.body);
  const startedAt = performance.now();
  let atOnce = 0;
  let peakAtOnce = 0;
  const moved = (change: 1 | -1) => {
    atOnce += change;
    peakAtOnce = Math.max(peakAtOnce, atOnce);
  };
  const ends: Promise<Stream>[] = [];
  while (ends.length < job.streams) {
    const size = Math.min(rampSize, job.streams - ends.length);
    const batch = Array.from({ length: size }, () => openStream(job.target.port, request, moved));
    ends.push(...batch.map((stream) => stream.done));
    await Promise.all(batch.map((stream) => stream.opened));
  }
  const streams = await Promise.all(ends);
  const elapsedMs = performance.now() - startedAt;
  const events = streams.reduce((sum, stream) => sum + countEvents(stream.text), 0);
  const broken = streams.filter((stream) => !isWhole(stream));
  return {
    streams: job.streams,
    complete: streams.length - broken.length,
    events,
    lostEvents: job.streams * eventsPerStream - events,
    peakAtOnce,
    elapsedMs,
    failures: broken
      .slice(0, 5)
      .map((stream) => stream.failure ?? `status ${stream.status}: ${stream.text.slice(0, 200)}`),
  };
}
