// The bare relay that Turnpike is measured against: parse, key check, fetch, answer, and nothing else.
const upstream = `${process.env["UPSTREAM"]}/chat/completions`;
const known = new Set([Bun.SHA256.hash(process.env["RELAY_KEY"] ?? "", "base64")]);
const headers = { "content-type": "application/json", authorization: "Bearer bench-upstream" };

function refuse(status: number, message: string): Response {
  return Response.json({ error: { message } }, { status });
}

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"]),
  idleTimeout: 255,
  development: false,
  async fetch(request) {
    if (request.method === "GET") return new Response("ready");
    const key = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
    if (!known.has(Bun.SHA256.hash(key, "base64"))) return refuse(401, "unknown key");
    const body = await request.text();
    const wire = JSON.parse(body);
    if (typeof wire.model !== "string") return refuse(400, "model is missing");
    const answer = await fetch(upstream, { method: "POST", headers, body });
    const type = answer.headers.get("content-type") ?? "application/json";
    return new Response(answer.body, { status: answer.status, headers: { "content-type": type } });
  },
});
