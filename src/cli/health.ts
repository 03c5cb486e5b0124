// `turnpike health`: whether the gateway on this machine is ready, for health checks of containers and scripts.
import { readSettings } from "../config/environment.ts";
import { parseJsonText } from "../lib/json.ts";
import { createSend, readBounded } from "../providers/upstream.ts";
import { localAddress } from "./address.ts";
import { type Command, parseCommonFields } from "./options.ts";
import { jsonText } from "./print.ts";

const timeoutMs = 5_000;
const maxAnswerBytes = 65_536;

interface Health {
  readonly ready: boolean;
  readonly detail: string;
}

async function readHealth(url: string): Promise<Health> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await createSend()({ method: "GET", url: `${url}/readyz`, headers: {}, signal });
    const bytes = await readBounded(response, maxAnswerBytes, signal);
    const body = Object(parseJsonText(new TextDecoder().decode(bytes ?? new Uint8Array())));
    if (response.status === 200 && body.status === "ready") return { ready: true, detail: "ready" };
    return {
      ready: false,
      detail: `${url} answered with status ${response.status}: ${body.error?.message ?? "not ready"}`,
    };
  } catch (thrown) {
    // A refused connection, a timeout or a reply that is not HTTP: all mean that it is not ready.
    const reason = thrown instanceof Error && thrown.name === "TimeoutError" ? "does not respond" : "cannot be reached";
    return { ready: false, detail: `${url} ${reason}.` };
  }
}

async function health(words: readonly string[]): Promise<void> {
  const options = { json: { type: "boolean" }, url: { type: "string" } } as const;
  const { values } = parseCommonFields(words, options);
  const url = (values.url ?? localAddress(readSettings(process.env, process.cwd()))).replace(/\/+$/, "");
  const found = await readHealth(url);
  if (values.json) console.log(jsonText({ url, ...found }));
  else if (found.ready) console.log(found.detail);
  else console.error(`turnpike: ${found.detail}`);
  process.exitCode = found.ready ? 0 : 1;
}

export const healthCommand: Command = {
  usage: "turnpike health",
  summary: "exit code 0 if the gateway on this machine is ready",
  options: {
    "--url URL": "address of the gateway; default: HOST and PORT",
    "--json": "print JSON",
  },
  run: health,
};
