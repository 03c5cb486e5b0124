// A database in memory whose process can die: from then on nothing of what that process still does reaches it.
import type { Database, Statement } from "bun:sqlite";

export interface MortalDatabase {
  readonly database: Database;
  die(): void;
}

type Call = (...given: unknown[]) => unknown;

/** Statements that later processes use again: preparing one takes longer than running it. */
export function processesOf(real: Database): () => MortalDatabase {
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    const found = statements.get(sql) ?? real.prepare(sql);
    statements.set(sql, found);
    return found;
  };
  return () => {
    let isDead = false;
    const reads = new Set<Iterator<unknown>>();
    const living = (name: PropertyKey): void => {
      if (isDead) throw new Error(`The process is dead, and calls ${String(name)}.`);
    };
    const wrapped = (statement: Statement): Statement => {
      const own: Record<PropertyKey, Call> = {
        safeIntegers: (isOn) => {
          statement.safeIntegers(isOn as boolean);
          return proxy;
        },
        iterate: () => {
          const rows = statement.iterate();
          reads.add(rows);
          return rows;
        },
        finalize: () => undefined,
        [Symbol.dispose]: () => undefined,
      };
      const proxy = new Proxy(statement, { get: (target, name) => own[name] ?? calling(target, name, living) });
      return proxy;
    };
    const own: Record<PropertyKey, Call> = {
      prepare: (sql) => wrapped(prepared(sql as string)),
      query: (sql) => wrapped(prepared(sql as string)),
      close: () => undefined,
    };
    const database = new Proxy(real, { get: (target, name) => own[name] ?? calling(target, name, living) });
    return {
      database,
      die() {
        isDead = true;
        for (const rows of reads) rows.return?.();
      },
    };
  };
}

function calling(target: object, name: PropertyKey, living: (name: PropertyKey) => void): unknown {
  const value: unknown = Reflect.get(target, name, target);
  if (typeof value !== "function") return value;
  return (...given: unknown[]) => {
    living(name);
    return value.apply(target, given);
  };
}
