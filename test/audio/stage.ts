// A gateway with one provider of every kind that speaks or listens, all behind one scripted upstream.
import { afterAll, beforeEach } from "bun:test";
import { gateway, type RunningGateway } from "../support/gateway.ts";
import { type Upstream, upstream } from "../support/upstream.ts";

export interface Stage {
  readonly gateway: RunningGateway;
  readonly upstream: Upstream;
  /** Asks for speech; `model` is `provider/model`. */
  speak(body: object, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  transcribe(form: FormData, to?: string): Promise<Response>;
}

const kinds: readonly (readonly [kind: string, path: string, more?: string])[] = [
  ["elevenlabs", ""],
  ["gemini", ""],
  ["minimax", "/v1"],
  ["deepgram", ""],
  ["azure-speech", "", "region: westeurope"],
  ["azure", "", "api_version: 2025-03-01-preview"],
  ["groq", "/openai/v1"],
  ["siliconflow", "/v1"],
  ["mistral", "/v1"],
];

/** Starts it for a test file, forgets what was asked before each test, and stops it behind the last one. */
export async function stage(
  environment: Record<string, string> = {},
  limits: Record<string, number> = {},
): Promise<Stage> {
  const behind = await upstream();
  const row = ([kind, path, more]: (typeof kinds)[number]) =>
    `  ${kind}: { kind: ${kind}, base_url: "${behind.url}${path}", credential: "canary-key", models: [], voices: { anna: own-anna }${more === undefined ? "" : `, ${more}`} }\n`;
  const bounds = Object.entries(limits).map(([name, value]) => `  ${name}: ${value}\n`);
  const yaml = `providers:\n${kinds.map(row).join("")}${bounds.length === 0 ? "" : `limits:\n${bounds.join("")}`}`;
  const running = await gateway({ yaml, environment });
  beforeEach(() => behind.clear());
  afterAll(async () => {
    await running.stop();
    await behind.stop();
  });
  const bearer = { authorization: `Bearer ${running.key}` };
  return {
    gateway: running,
    upstream: behind,
    speak: (body, headers = {}, signal) =>
      fetch(`${running.url}/v1/audio/speech`, {
        method: "POST",
        headers: { ...bearer, "content-type": "application/json", ...headers },
        body: JSON.stringify({ input: "Hello there.", voice: "alloy", ...body }),
        ...(signal === undefined ? {} : { signal }),
      }),
    transcribe: (form, to = "transcriptions") =>
      fetch(`${running.url}/v1/audio/${to}`, { method: "POST", headers: bearer, body: form }),
  };
}
