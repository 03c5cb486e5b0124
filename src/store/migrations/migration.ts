// What a migration is.

/** Statements that both engines accept. `name` is stored in the database. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}
