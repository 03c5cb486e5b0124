// Users for tests of the admin API: created by the operator, signed in as browsers would.
import { expect } from "bun:test";
import type { AdminSetting, Answer } from "./setting.ts";

export const password = "correct horse battery";

export const inviteOf = ({ body }: Answer) => /#invite=(tpi-\w{43})$/.exec(String(body["invite_url"]))?.[1] ?? "";

const cookieOf = ({ headers }: Answer) => /^(turnpike_session=tpc-\w{43});/.exec(headers.get("set-cookie") ?? "")?.[1];

export function people({ ask, running }: AdminSetting) {
  let made = 0;
  const newEmail = () => `user${++made}@example.com`;
  /** A browser that signs in so. */
  async function browser(proof: object, cookie?: string) {
    const answer = await ask("POST session", proof, { key: null, headers: cookie === undefined ? {} : { cookie } });
    expect({ status: answer.status, body: answer.body["error"] }).toEqual({ status: 201, body: undefined });
    const own = {
      cookie: String(cookieOf(answer)),
      origin: running.url,
      "x-csrf-token": String(answer.body["csrf_token"]),
    };
    return { answer, own, call: (what: string, body?: unknown) => ask(what, body, { key: null, headers: own }) };
  }
  /** A user with this role who has accepted their invite. */
  async function user(role: string) {
    const email = newEmail();
    const created = await ask("POST users", { email, role });
    expect(created.status).toBe(201);
    const opened = await browser({ invite: inviteOf(created), password });
    return { ...opened, email, id: String(created.body["id"]) };
  }
  return { newEmail, browser, user };
}
