// A new gateway on a public address, before anyone has used it: what a visitor gets, and who becomes the first owner.
import { expect, test } from "bun:test";
import { adminRows, rows } from "../http/rows.ts";
import { until } from "../support/until.ts";
import { people } from "./people.ts";
import { admin, dataIn } from "./setting.ts";

const environment = { HOST: "0.0.0.0", TURNPIKE_KEY: undefined, TURNPIKE_ADMIN_KEY: undefined };
const setting = await admin({ environment });
const { running } = setting;
const { url } = running;

test("a visitor gets health, the pages, and ways to sign in that need a secret", async () => {
  const open: string[] = [];
  for (const { method, path, access } of [...rows, ...adminRows]) {
    if (access.key === "none") {
      open.push(`${method} ${path}`);
      continue;
    }
    const answer = await fetch(`${url}${path.replace(/\{[^}]*\}/g, "x")}`, { method });
    await answer.body?.cancel();
    expect({ path: `${method} ${path}`, status: answer.status }).toEqual({ path: `${method} ${path}`, status: 401 });
  }
  expect(open.filter((row) => !row.includes("/console")).sort()).toEqual([
    ...["GET /", "GET /admin/api/oidc", "GET /admin/api/oidc-callback", "GET /admin/api/sign-in"],
    ...["GET /livez", "GET /readyz", "POST /admin/api/invite", "POST /admin/api/session"],
  ]);
});

test("the link of the first start makes the first owner, once", async () => {
  await until("the link is printed", async () => running.lines.some((line) => line.includes("#token=")));
  const token = /#token=(tpl-\w{43})/.exec(running.lines.join("\n"))?.[1];
  const { browser } = people(setting);
  const first = await browser({ token });
  const created = await first.call("POST users", { email: "owner@example.com", role: "owner" });
  const invite = /#invite=(.*)$/.exec(String(created.body["invite_url"]))?.[1];
  const owner = await browser({ invite, password: "a long enough password" });
  expect(dataIn(await owner.call("GET users")).map(({ role }) => role)).toEqual(["owner"]);
  const again = await fetch(`${url}/admin/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  expect(again.status).toBe(401);
});
