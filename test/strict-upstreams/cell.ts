// One cell of the table of tool loops: walks it, and compares what the client received with what the model said.
import { expect } from "bun:test";
import type { Client, Reply } from "./clients/client.ts";
import type { Conversation, Part } from "./conversation.ts";
import { turns } from "./dialogue.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { clients, modelOf, type Setting, type Target, targets, walk } from "./setting.ts";

export interface Cell {
  readonly client: Client;
  readonly target: Target;
  readonly stream: boolean;
  readonly thinking: boolean;
}

export const keyOf = ({ client, target, stream, thinking }: Cell): string =>
  `${client.name} (${client.habit}) on ${target.name}, ${stream ? "streamed" : "whole"}, thinking ${thinking ? "on" : "off"}`;

/** True where the upstream speaks the client's own format: the client's wire goes on as it is. */
const isOwn = ({ client, target }: Pick<Cell, "client" | "target">): boolean => client.speaks.test(target.name);

/** A client that asks a model for thinking in its vendor's own words, though the model has none, is refused by the vendor. */
const isRefused = (cell: Cell): boolean => cell.thinking && cell.target.thinksNever === true && isOwn(cell);

const both = [false, true];

export const cells: readonly Cell[] = clients
  .flatMap((client) =>
    targets.flatMap((target) =>
      both.flatMap((stream) => both.map((thinking): Cell => ({ client, target, stream, thinking }))),
    ),
  )
  .filter((cell) => !isRefused(cell));

export const nameAndInput = (calls: readonly { readonly name: string; readonly input: unknown }[]) =>
  calls.map(({ name, input }) => ({ name, input }));

function checkThinking(reply: Reply, thought: string, cell: Cell): void {
  if (cell.stream && !cell.client.readsThinking) return;
  if (cell.thinking) expect(reply.thinking).toBe(thought);
  else if (!isOwn(cell)) expect(["", cell.target.showsUnasked ? thought : ""]).toContain(reply.thinking);
}

/** What the client may see of a turn's thinking: all that the model can show, where the gateway has to ask for it. */
function thoughtOf(cell: Cell, made: readonly Part[], turn: number): string {
  const thought = made.find((part) => part.kind === "thinking");
  if (thought === undefined) return "";
  return cell.thinking && !isOwn(cell) ? turns[turn]!.thinking : thought.text;
}

function checkReceived(received: readonly Reply[], cell: Cell, { made }: Conversation): void {
  for (const [turn, reply] of received.entries()) {
    const { text, calls } = turns[turn]!;
    expect({ turn, text: reply.text, calls: nameAndInput(reply.calls) }).toEqual({
      turn,
      text,
      calls: calls.map(({ name, input }) => ({ name, input })),
    });
    checkThinking(reply, thoughtOf(cell, made[turn]!, turn), cell);
  }
}

function openingOf(cell: Cell, { gateway: { url, key } }: Setting) {
  const { target, stream, thinking } = cell;
  const isAdaptive = target.isAdaptive === true && isOwn(cell);
  return { url, key, model: modelOf(target), stream, thinking, isAdaptive };
}

/** Walks a cell; throws where a turn was refused, altered or misheard, or a loss was not told. */
export async function walkCell(cell: Cell, setting: Setting): Promise<Outcome> {
  const { client } = cell;
  const conversation = setting.begin(keyOf(cell), client);
  const received = await walk(client, openingOf(cell, setting)).catch((cause: Error) => {
    const { refusals, faults } = conversation;
    throw new Error(`${cause.message}\n${JSON.stringify({ refusals, faults })}`, { cause });
  });
  // A client that speaks the vendor's own words is refused like anybody who lost the state, before the gateway helps.
  const refusals = isOwn(cell) && !client.keepsState ? [] : conversation.refusals;
  expect({ refusals, faults: conversation.faults }).toEqual({ refusals: [], faults: [] });
  checkReceived(received, cell, conversation);
  const { outcome, unwarned } = outcomeOf(conversation, received);
  expect({ outcome, unwarned }).toEqual({ outcome, unwarned: [] });
  return outcome;
}
