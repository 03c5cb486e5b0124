// Two instances on one PostgreSQL database: each webhook is sent by one of them, and the other sends what a dead one left.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase, serverUrl } from "../store/engines.ts";
import { gateway } from "../support/gateway.ts";
import { upstream, upYaml } from "./keeping.ts";
import { videoReply } from "./setting.ts";

test.skipIf(!serverUrl)("twenty tasks at two instances are told twenty times", async () => {
  const database = await freshDatabase();
  const [up, receiver] = [await upstream(), await upstream()];
  const folder = mkdtempSync(join(tmpdir(), "turnpike-shared-"));
  const allow = [up, receiver].map(({ url }) => new URL(url).host).join(",");
  const environment = {
    DATABASE_URL: database.url,
    TURNPIKE_SECRET: "the secret of both instances",
    TURNPIKE_FETCH_ALLOW: allow,
  };
  const start = (name: string) =>
    gateway({ yaml: upYaml(up), dataFolder: join(folder, name), environment, videoWaitScale: 0.002 });
  const houses = [await start("one"), await start("two")];
  up.on("POST /v1/videos", { json: videoReply({ status: "completed" }) });
  receiver.on("POST /hook", { text: "thanks" });
  const submit = async (index: number) => {
    const setup = houses[index % 2];
    const answer = await fetch(`${setup?.url}/v1/videos`, {
      method: "POST",
      headers: { authorization: `Bearer ${setup?.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "sora-2", prompt: "x", webhook: `${receiver.url}/hook` }),
    });
    return ((await answer.json()) as { id: string }).id;
  };
  const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => submit(index)));
  await receiver.seen(19);
  await Bun.sleep(150);
  const result = receiver.requests.map(({ headers }) => headers.get("webhook-id")).sort();
  expect(result).toEqual(ids.map((id) => `msg_${id}`).sort());
  for (const setup of houses) await setup.stop();
  await up.stop();
  await receiver.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});
