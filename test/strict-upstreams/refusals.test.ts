// The strict upstreams themselves: an official SDK's own request passes, and each refusal refuses what it says.
import { afterAll, describe, expect, test } from "bun:test";
import { upstream } from "../support/upstream.ts";
import type { Client } from "./clients/client.ts";
import { converseClients } from "./clients/converse.ts";
import { newConversation } from "./conversation.ts";
import { clients, type Target, targets, walk } from "./setting.ts";
import { type Body, refusalOf, speaksFor } from "./vendor.ts";

const up = await upstream();
afterAll(() => up.stop());

/** The client whose format an upstream speaks, with the habit that drops nothing. */
const ownClient = (target: Target): Client | undefined =>
  [...clients, ...converseClients].find(({ speaks }) => speaks.test(target.name));

async function requestsOf(target: Target, client: Client, stream: boolean) {
  const conversation = newConversation(target.name);
  up.clear();
  up.on(
    "*",
    speaksFor(target.vendors, () => conversation),
  );
  const { model, thinksNever, isAdaptive = false } = target;
  const received = await walk(client, {
    url: up.url,
    key: "strict",
    model,
    stream,
    thinking: !thinksNever,
    isAdaptive,
  });
  return { conversation, received: received, bodies: up.requests.map(({ json }) => json as Body) };
}

const own = targets.flatMap((target) => {
  const client = ownClient(target);
  return client === undefined ? [] : [{ name: target.name, target, client }];
});

describe.each(own)("$name", ({ target, client }) => {
  const [vendor] = target.vendors;

  test.each([false, true])("takes the SDK's own requests, streamed: %p", async (stream) => {
    const { conversation } = await requestsOf(target, client, stream);
    expect(conversation).toMatchObject({ refusals: [], faults: [] });
  });

  test.each(vendor.refusals.map(({ refuses }) => refuses))("refuses %s", async (refuses) => {
    const row = vendor.refusals.find((one) => one.refuses === refuses)!;
    const { conversation, bodies } = await requestsOf(target, client, false);
    const body = structuredClone(bodies[1]!);
    expect(refusalOf(vendor, body, conversation)).toBeUndefined();
    row.spoil(body);
    const fault = row.fault(body, conversation)!;
    expect(fault.message).toMatch(/\S/);
    expect(refusalOf(vendor, body, conversation)).toEqual({
      status: fault.status ?? 400,
      json: vendor.envelope(fault),
    });
    expect(row.source).toMatch(/^https:\/\//);
  });
});
