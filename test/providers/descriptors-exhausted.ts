// Run as a process of its own: opens all descriptors that it may have, and prints what requests fail with then.
import { closeSync, openSync } from "node:fs";
import { GatewayError } from "../../src/canonical/error.ts";
import { createSend } from "../../src/providers/upstream.ts";

const { signal } = new AbortController();
const send = createSend();

async function failureAt(url: string): Promise<unknown> {
  try {
    await send({ method: "POST", url, headers: {}, body: "{}", signal });
    return null;
  } catch (thrown) {
    return thrown instanceof GatewayError ? { kind: thrown.kind, retry: thrown.retry } : String(thrown);
  }
}

function openAll(): number[] {
  const open: number[] = [];
  for (;;) {
    try {
      open.push(openSync("/dev/null", "r"));
    } catch {
      // That was the last one.
      return open;
    }
  }
}

// Loads what the runtime needs for its first request.
await failureAt("http://127.0.0.1:1/");
const open = openAll();
const address = await failureAt("http://127.0.0.1:1/");
const localhost = await failureAt("http://localhost:1/");
const name = await failureAt("http://name.invalid/");
for (const descriptor of open) closeSync(descriptor);
const afterwards = await failureAt("http://127.0.0.1:1/");
process.stdout.write(JSON.stringify({ address, localhost, name, afterwards }));
