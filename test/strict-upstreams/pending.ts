// Cells that are not green yet, and why. A pending cell that passes fails the suite, and the table has to become empty.
import type { Cell } from "./cell.ts";

export interface Pending {
  readonly reason: string;
  readonly has: (cell: Cell) => boolean;
}

const rejoins = /^(?:all parts|new ids|ids dropped)$/;
const signsThoughts = /^(?:anthropic|bedrock|openai-responses)/;

export const pending: readonly Pending[] = [
  {
    reason: "an effort reaches a model that does not reason",
    has: (cell) => cell.target.name === "openai-chat" && cell.thinking,
  },
  {
    reason: "the signature of a streamed thought comes in a part of its own",
    has: ({ client, target, stream, thinking }) =>
      client.name === "gemini" && rejoins.test(client.habit) && signsThoughts.test(target.name) && stream && thinking,
  },
  {
    reason: "a lost signature is not replaced where the client speaks the vendor's own format",
    has: ({ client, target }) => client.habit === "signatures dropped" && target.name === "gemini-3",
  },
  {
    reason: "the state of a call travels in an empty thinking block beside others",
    has: ({ client, target }) => client.habit === "empty thinking dropped" && target.name === "gemini-3",
  },
];

export const pendingFor = (cell: Cell): Pending | undefined => pending.find(({ has }) => has(cell));
