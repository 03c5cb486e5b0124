// A tool loop whose provider goes down between a call and its result: another vendor continues it, and sees no state that is not its own.
import { afterAll, describe, expect, test } from "bun:test";
import { nameAndInput } from "./cell.ts";
import { turns } from "./dialogue.ts";
import { clients, routeOf, strictSetting, targets, walk } from "./setting.ts";

const timeoutMs = 60_000;
const setting = await strictSetting();
afterAll(() => setting.stop());

/** One model of each vendor, and the clients that bring everything back. */
const able = targets.filter(
  ({ thinksNever, isAdaptive, name }) => !thinksNever && !isAdaptive && name !== "gemini-2.5",
);
const careful = ["all members", "all items", "previous_response_id", "all blocks", "all parts"];
const cells = clients
  .filter(({ habit }) => careful.includes(habit))
  .flatMap((client) =>
    able.flatMap((first) => able.filter((second) => second !== first).map((second) => ({ client, first, second }))),
  );

describe("failover within a tool loop", () => {
  for (const { client, first, second } of cells) {
    const name = `${client.name} (${client.habit}) from ${first.name} to ${second.name}`;
    const walkIt = async () => {
      const conversation = setting.begin(name, { ...client, keepsIds: false });
      const { url, key } = setting.gateway;
      const opening = { url, key, model: routeOf(first, second), stream: true, thinking: true };
      const received = await walk(client, opening, () => conversation.down.add(first.name)).catch((cause: Error) => {
        const { refusals, faults } = conversation;
        throw new Error(`${cause.message}\n${JSON.stringify({ refusals, faults })}`, { cause });
      });
      expect({ refusals: conversation.refusals, faults: conversation.faults }).toEqual({ refusals: [], faults: [] });
      expect(conversation.makers).toEqual([first.vendors[0].name, ...Array(3).fill(second.vendors[0].name)]);
      for (const [turn, { text, calls }] of turns.entries())
        expect({ text: received[turn]!.text, calls: nameAndInput(received[turn]!.calls) }).toEqual({
          text,
          calls: nameAndInput(calls),
        });
    };
    test(name, walkIt, timeoutMs);
  }
});
