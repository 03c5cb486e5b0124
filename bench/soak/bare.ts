// A bare server in a process of its own: what a refused request costs without a gateway, and how late an idle event loop is on this machine.
import { freePort, type Service, startService } from "../service.ts";

/** Answers `/late?of=N` with the 99.9th percentile of the lateness of the last N timers in milliseconds, and all else with 401. */
export async function startBare(): Promise<Service & { readonly url: string }> {
  const port = freePort();
  const words = [process.execPath, import.meta.path, String(port)];
  const service = await startService("bare", { words, env: {}, readyPath: "/late?of=1" }, port, import.meta.dir);
  return { ...service, url: `http://127.0.0.1:${port}` };
}

const everyMs = 20;

function serve(port: number): void {
  const late: number[] = [];
  let dueMs = performance.now() + everyMs;
  setInterval(() => {
    late.push(Math.max(0, performance.now() - dueMs));
    dueMs = performance.now() + everyMs;
  }, everyMs);
  Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      const requested = /\/late\?of=(\d+)$/.exec(request.url);
      if (requested === null) {
        await request.arrayBuffer();
        return new Response('{"error":{"message":"no"}}', { status: 401 });
      }
      const last = late.slice(-Number(requested[1])).sort((a, b) => a - b);
      return new Response(String(last[Math.floor(last.length * 0.999)] ?? 0));
    },
  });
}

if (import.meta.main) serve(Number(process.argv[2]));
