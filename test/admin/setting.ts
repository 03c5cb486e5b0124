// A gateway for tests of the admin API, asked over a socket as the operator, with a service token, or without either.
import { afterAll, expect } from "bun:test";
import { adminKey, type GatewayOptions, gateway, type RunningGateway } from "../support/gateway.ts";

export type Json = Record<string, unknown>;

export interface Answer {
  status: number;
  body: Json;
  headers: Headers;
  text: string;
}

export interface AdminSetting {
  running: RunningGateway;
  /** Asks `/admin/api/…`, as the operator unless `key` is another credential. */
  ask(
    call: string,
    body?: unknown,
    options?: { key?: string | null; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Everything that was answered so far, for a search for secrets. */
  answered: string[];
  /** A service token with these scopes. */
  token(...scopes: string[]): Promise<string>;
}

export async function adminOf(running: RunningGateway): Promise<AdminSetting> {
  const answered: string[] = [];
  const ask: AdminSetting["ask"] = async (call, body, { key = adminKey, headers = {} } = {}) => {
    const [method = "GET", path = ""] = call.split(" ");
    const response = await fetch(`${running.url}/admin/api/${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    answered.push(`${text}\n${JSON.stringify([...response.headers])}`);
    return { status: response.status, body: JSON.parse(text) as Json, headers: response.headers, text };
  };
  let made = 0;
  const token = async (...scopes: string[]) => {
    const created = await ask("POST service-tokens", { name: `token ${++made} of ${scopes}`, scopes });
    expect(created.status).toBe(201);
    return String(created.body["secret"]);
  };
  return { running, ask, answered, token };
}

export async function admin(options: GatewayOptions = {}): Promise<AdminSetting> {
  const running = await gateway(options);
  afterAll(() => running.stop());
  return await adminOf(running);
}

/** The four fields of an error, with its status. */
export function errorIn({ status, body }: Answer): Json {
  const error = body["error"] as Json;
  expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
  expect(String(error["message"])).toMatch(/\S/);
  return { status, code: error["code"], param: error["param"] };
}

export const dataIn = ({ body }: Answer): Json[] => body["data"] as Json[];
