// JSON of stored responses: a short value in its column, a long one in pieces, each in a turn of the event loop.
import { parseBody } from "../../lib/body-thread.ts";
import { inSteps, nextEventLoopTurn } from "../../lib/event-loop-turn.ts";
import { parseExactText } from "../../lib/exact-json.ts";
import { randomId } from "../../lib/ids.ts";
import type { Json } from "../../lib/json.ts";
import { joinSteps, sliceEnd, stepChars, textSteps } from "../../lib/json-write.ts";
import { isInPieces, type PieceOwner, piecesOf, putPieces } from "../../store/response-pieces.ts";
import type { Store } from "../../store/store.ts";

/** Characters of one piece, which a statement writes in a few milliseconds. */
const pieceChars = 192 * 1024;

function slices(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = sliceEnd(text, at + pieceChars);
    found.push(text.slice(at, end));
    at = end;
  }
  return found;
}

/** The text of a value, cut into pieces. */
async function textOf(value: Json): Promise<string[]> {
  const pieces: string[] = [];
  let text = "";
  for (const step of textSteps(value)) {
    text += step;
    if (text.length >= pieceChars) {
      pieces.push(...slices(text));
      text = "";
    }
    if (step.length >= stepChars) await nextEventLoopTurn();
  }
  return text === "" ? pieces : [...pieces, text];
}

/** Stores a value. Resolves with the value of its column. */
export async function writeColumn(store: Store, owner: PieceOwner, value: unknown): Promise<string> {
  const pieces = await textOf(value as Json);
  const [only = ""] = pieces;
  return pieces.length <= 1 ? only : putPieces(store, randomId(""), owner, pieces);
}

/** A stored value was within limits when it arrived. */
const unbounded = Number.POSITIVE_INFINITY;
const limits = {
  ...{ maxJsonDepth: unbounded, maxJsonValues: unbounded, maxJsonContainers: unbounded, maxJsonMembers: unbounded },
  ...{ maxJsonObjectMembers: unbounded, maxJsonStrings: unbounded, maxJsonNumberChars: unbounded },
};

/** The value of a column; undefined if it is not JSON. */
export async function readColumn(store: Store, column: string): Promise<Json | undefined> {
  if (!isInPieces(column)) return parseExactText(column);
  const bytes: Buffer[] = [];
  for await (const piece of piecesOf(store, column)) {
    bytes.push(Buffer.from(piece));
    await nextEventLoopTurn();
  }
  const parsed = await parseBody(await inSteps(joinSteps(bytes)), limits);
  return parsed.ok ? parsed.value : undefined;
}
