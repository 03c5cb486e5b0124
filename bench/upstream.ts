// The upstream of the benchmark: a process that answers chat completions as cheaply as it can.
import { frames, largeAnswer, smallAnswer } from "./answers.ts";
import { largeFromBytes, models, paceMs } from "./workloads.ts";

let answered = 0;

const json = { headers: { "content-type": "application/json" } };
const events = { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } };

/** Writes one frame per tick of its own, so that no two share a write. */
function pacedFrames(intervalMs: number): ReadableStream<Uint8Array> {
  let timer: Timer;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      let place = 0;
      timer = setInterval(() => {
        const frame = frames[place++];
        if (frame !== undefined) controller.enqueue(frame);
        if (place < frames.length) return;
        clearInterval(timer);
        controller.close();
      }, intervalMs);
    },
    cancel() {
      clearInterval(timer);
    },
  });
}

/** Size first: a large body is not searched for its model. */
function answer(body: string): Response {
  if (body.length >= largeFromBytes) return new Response(largeAnswer, json);
  const streamed = [models.events, models.crowd].find((model) => body.includes(model));
  return streamed === undefined
    ? new Response(smallAnswer, json)
    : new Response(pacedFrames(paceMs[streamed] ?? 1), events);
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"] ?? 0),
  idleTimeout: 255,
  development: false,
  async fetch(request) {
    if (request.method === "GET") return Response.json({ answered });
    const body = await request.text();
    answered += 1;
    return answer(body);
  },
});
console.log(`upstream on ${server.port}`);
