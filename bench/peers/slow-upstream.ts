// The upstream of streams that stay open: one event at once, and one more every few seconds until the client leaves.
import { frames } from "../answers.ts";

const everyMs = 3_000;

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"]),
  idleTimeout: 255,
  development: false,
  async fetch(request) {
    if (request.method === "GET") return new Response("ready");
    await request.bytes();
    let timer: Timer;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (): void => controller.enqueue(frames[1] ?? new Uint8Array());
        send();
        timer = setInterval(send, everyMs);
      },
      cancel: () => clearInterval(timer),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
});
