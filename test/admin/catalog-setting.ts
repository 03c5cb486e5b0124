// A gateway with a catalog in its file, an upstream that answers it, and requests to both: for tests of what is written through the admin API.
import { afterAll, expect } from "bun:test";
import type { RunningGateway } from "../support/gateway.ts";
import { upstream } from "../support/upstream.ts";
import { admin } from "./setting.ts";

const reply = (content: string) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1_000_000, completion_tokens: 1_000_000, total_tokens: 2_000_000 },
});
export const hi = { json: reply("hi") };

export const chatOf = (running: RunningGateway, model: string) =>
  fetch(`${running.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${running.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });

export async function catalogSetting() {
  const up = await upstream();
  afterAll(() => up.stop());
  up.on("*", hi);
  const yaml = `
public_url: http://gateway.example
providers:
  filed: { kind: compatible, base_url: "${up.url}/v1", credential: file-canary-credential, models: [f] }
  proxied: { kind: compatible, base_url: "http://127.0.0.1:9/v1", models: [p], proxy: "http://user:file-canary-credential@127.0.0.1:9" }
models:
  fixed: { candidates: [{ provider: filed, model: f }] }
prices:
  price: [{ model: dear, factor: 2 }]
`;
  const setting = await admin({ yaml });
  const compatible = { kind: "compatible", base_url: `${up.url}/v1`, models: ["m"] };
  let made = 0;
  const unused = () => `p${++made}`;
  const create = async (id = unused(), more: object = {}) => {
    const created = await setting.ask("POST providers", {
      id,
      config: compatible,
      credentials: [{ name: "main", credential: "api-canary-credential" }],
      ...more,
    });
    expect({ status: created.status, text: created.text }).toMatchObject({ status: 201 });
    return created;
  };
  const chat = (model: string) => chatOf(setting.running, model);
  return { ...setting, up, yaml, compatible, unused, create, chat };
}
