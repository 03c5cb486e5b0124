// Long texts of stored responses in pieces: a column has the text itself, or a reference to its pieces.
import { Type } from "typebox";
import { nextEventLoopTurn } from "../lib/event-loop-turn.ts";
import { rowReader } from "./rows.ts";
import type { Store } from "./store.ts";

/** The response that a text belongs to: its pieces are deleted with it. */
export interface PieceOwner {
  readonly responseId: string;
  readonly expiresAtMs: number;
}

/** No JSON text starts with it. */
const mark = "@";
/** Pieces deleted per statement: SQLite visits each page of them. */
const deletedAtOnce = 2;

const texts = rowReader("response_pieces", Type.Object({ text: Type.String() }));

/** Writes the pieces one by one. Resolves with the value of the column. */
export async function putPieces(
  store: Store,
  textId: string,
  { responseId, expiresAtMs }: PieceOwner,
  pieces: readonly string[],
): Promise<string> {
  const sql = "insert into response_pieces (id, response_id, expires_at_ms, text) values ($1, $2, $3, $4)";
  for (const [index, piece] of pieces.entries()) {
    // SQLite answers without leaving the turn of the event loop.
    await nextEventLoopTurn();
    await store.query(sql, [`${textId}.${index}`, responseId, expiresAtMs, piece]);
  }
  return `${mark}${textId}.${pieces.length}`;
}

/** Whether the text of a column is in pieces. */
export const isInPieces = (column: string): boolean => column.startsWith(mark);

/** The pieces of a text, one by one. Throws if one is missing, as during a deletion. */
export async function* piecesOf(store: Store, column: string): AsyncGenerator<string, void> {
  const [textId = "", count] = column.slice(mark.length).split(".");
  for (let index = 0; index < Number(count); index++) {
    const [row] = texts(await store.query("select text from response_pieces where id = $1", [`${textId}.${index}`]));
    if (row === undefined) throw new Error(`A piece of the text ${textId} is missing.`);
    yield row.text;
  }
}

async function deletePieces(store: Store, where: string, value: string | number): Promise<void> {
  const sql = `delete from response_pieces where id in
    (select id from response_pieces where ${where} limit ${deletedAtOnce}) returning id`;
  while ((await store.query(sql, [value])).length === deletedAtOnce) await nextEventLoopTurn();
}

export const deletePiecesOf = (store: Store, responseId: string): Promise<void> =>
  deletePieces(store, "response_id = $1", responseId);

export const deleteExpiredPieces = (store: Store, nowMs: number): Promise<void> =>
  deletePieces(store, "expires_at_ms <= $1", nowMs);
