// A relay that pulls the body of its upstream in JavaScript and does nothing else: the least that a gateway can do that reads what it passes on.
export {};

const upstream = `${process.env["UPSTREAM"]}/chat/completions`;
const headers = { "content-type": "application/json", authorization: "Bearer bench-upstream" };

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"]),
  idleTimeout: 255,
  development: false,
  async fetch(request) {
    if (request.method === "GET") return new Response("ready");
    const answer = await fetch(upstream, { method: "POST", headers, body: await request.text() });
    const reader = (answer.body ?? new Blob().stream()).getReader();
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
});
