// Removes end users from the files of a data folder: their ids become markers, and the bodies of their requests are deleted. Sums stay.
import type { Database, SQLQueryBindings } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import { type Erasure, endUserKey } from "../../store/end-users.ts";
import { IntColumn, rowReader } from "../../store/rows.ts";
import { bodiesPath, deleteBodiesOf, openBodyFile } from "../bodies/body-file.ts";
import { ledgerFiles } from "../ledger/files.ts";
import { hasTable, openForChanges } from "../ledger/schema.ts";
import { spendBucketMs } from "../ledger/spend.ts";
import { referenceOf } from "./delete.ts";

/** How far the ledger of this folder has followed the list of erasures. */
const markName = "erasures";
/** The gateway writes the same file, and must never wait long. */
const rowsAtOnce = 100;

interface Found {
  readonly project: string;
  readonly endUser: string;
  readonly erasure: Erasure;
}

const userShape = Type.Object({ project: Type.String(), endUser: Type.String() });
const readUsers = rowReader("requests", userShape);
const readNumbers = rowReader("requests", Type.Object({ n: IntColumn }));

/** End users of a file that are on the list, by its last entry. */
function foundIn(database: Database, erasures: readonly Erasure[], pepper: Uint8Array): Found[] {
  const sql = `select distinct project, end_user as "endUser" from requests where project is not null and end_user is not null`;
  const columns = database.query("select name from pragma_table_info('requests')").values().flat();
  if (!columns.includes("end_user")) return [];
  const byReference = new Map(erasures.map((erasure) => [erasure.reference, erasure]));
  return readUsers(database.query(sql).all()).flatMap(({ project, endUser }) => {
    const erasure = byReference.get(referenceOf(pepper, project, endUser));
    return erasure === undefined ? [] : [{ project, endUser, erasure }];
  });
}

function inFile<Result>(path: string, work: (database: Database) => Result): Result {
  using database = openForChanges(path);
  database.run("pragma secure_delete = on");
  return work(database);
}

function eraseRows(database: Database, { project, endUser, erasure: { marker, untilMs } }: Found): void {
  const wanted = `select n from requests where project = ? and end_user = ? and at_ms <= ?`;
  const numbers = readNumbers(database.query(wanted).all(project, endUser, untilMs)).map(({ n }) => n);
  const change = "update requests set end_user = ?, session = null where n in (select value from json_each(?))";
  for (let at = 0; at < numbers.length; at += rowsAtOnce)
    database.run(change, [marker, JSON.stringify(numbers.slice(at, at + rowsAtOnce))]);
  const ids = [endUserKey(project, marker), endUserKey(project, endUser), Math.floor(untilMs / spendBucketMs)];
  for (const table of ["spend", "adjusted_spend"])
    if (hasTable(database, table))
      database.run(
        `update ${table} set id = ? where level = 'end_user' and id = ? and bucket <= ?`,
        ids as SQLQueryBindings[],
      );
}

/** What is derived from the ledger: by hour and end user. */
function eraseSums(dataFolder: string, { project, endUser, erasure: { marker } }: Found): void {
  const path = join(dataFolder, "usage.db");
  if (!existsSync(path)) return;
  inFile(path, (database) => {
    if (!hasTable(database, "sums")) return;
    database.transaction(() => {
      database.run("update or replace sums set end_user = ? where project = ? and end_user = ?", [
        marker,
        project,
        endUser,
      ]);
      database.run("update or ignore zones set value = ? where name = 'end_user' and value = ?", [marker, endUser]);
    })();
  });
}

function eraseBodies(dataFolder: string, erasures: readonly Erasure[], pepper: Uint8Array): void {
  if (!existsSync(bodiesPath(dataFolder))) return;
  using database = openBodyFile(dataFolder);
  for (const { project, endUser, erasure } of foundIn(database, erasures, pepper))
    deleteBodiesOf(database, project, endUser, erasure.untilMs);
}

/** Applies what is new on the list. Doing it again changes nothing. */
export function eraseIn(dataFolder: string, erasures: readonly Erasure[], pepper: Uint8Array): void {
  const last = erasures.at(-1);
  if (last === undefined) return;
  eraseBodies(dataFolder, erasures, pepper);
  for (const { path } of ledgerFiles(dataFolder))
    inFile(path, (database) => {
      if (!hasTable(database, "requests")) return;
      for (const found of foundIn(database, erasures, pepper)) {
        eraseRows(database, found);
        eraseSums(dataFolder, found);
      }
      database.run("insert or replace into marks (name, n) values (?, ?)", [markName, last.seq]);
    });
}

/** The number of the last erasure that all files of the folder have followed. */
export function erasedThrough(dataFolder: string): number {
  const marks = ledgerFiles(dataFolder).map(({ path }) =>
    inFile(path, (database) => {
      if (!hasTable(database, "marks")) return 0;
      return Number(Object(database.query("select n from marks where name = ?").get(markName)).n ?? 0);
    }),
  );
  return marks.length === 0 ? 0 : Math.min(...marks);
}
