// Tables of text models: what the versions of a family accept, as rows with their source, extended by configuration.
import { withoutUndefined } from "../../lib/json.ts";
import { findRow, type ModelQuery, type Sourced, type TextCapabilities } from "./model-table.ts";

/** A row of a family's history: the changes of a version. */
interface VersionRow<Facts> extends Sourced {
  /** Major times 100 plus minor: 4.6 is 406. */
  readonly since: number;
  /** Only models whose names match. */
  readonly family?: RegExp;
  readonly facts: Partial<Facts>;
}

export interface VersionTable<Facts> {
  /** Major times 100 plus minor; null for a name of another family. */
  versionOf(model: string): number | null;
  /** Later rows override earlier ones. */
  readonly rows: readonly VersionRow<Facts>[];
  /** For models without a version: the client's values are sent unchanged. */
  readonly unlisted: Facts;
  /** What an operator declares, in the terms of this table. */
  declared(capabilities: TextCapabilities): { readonly [fact in keyof Facts]?: Facts[fact] | undefined };
}

function builtIn<Facts>({ versionOf, rows, unlisted }: VersionTable<Facts>, model: string): Facts {
  const name = model.toLowerCase();
  const version = versionOf(name);
  if (version === null) return unlisted;
  const applying = rows.filter(({ since, family }) => version >= since && (family?.test(name) ?? true));
  return Object.assign({}, unlisted, ...applying.map(({ facts }) => facts)) as Facts;
}

/** The facts about a model: those of the table, with the operator's members replacing them. */
export function lookUpVersion<Facts extends object>(table: VersionTable<Facts>, query: ModelQuery): Facts {
  const row = findRow(query.declared ?? [], query.model);
  const facts = builtIn(table, row?.like ?? query.model);
  return row === undefined ? facts : { ...facts, ...withoutUndefined(table.declared(row.capabilities)) };
}
