// The startup self-test: proves that more concurrent requests are possible than Bun's default allows.

const requests = 257;
const patienceMs = 2_000;

/** Throws an Error with one sentence if the process was started without the raised limit. */
export async function checkConcurrency(): Promise<void> {
  let waiting = 0;
  const gate = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    async fetch() {
      if (++waiting === requests) gate.resolve();
      await gate.promise;
      return new Response(null, { status: 204 });
    },
  });
  const timer = setTimeout(() => gate.reject(new Error("too few concurrent requests completed")), patienceMs);
  try {
    const url = `http://127.0.0.1:${server.port}/`;
    await Promise.all(Array.from({ length: requests }, () => fetch(url, { keepalive: false })));
  } catch (cause) {
    throw new Error(
      "This process supports too few concurrent requests. Start it with 'npm start' or the 'turnpike' command.",
      { cause },
    );
  } finally {
    clearTimeout(timer);
    await server.stop(true);
  }
}
