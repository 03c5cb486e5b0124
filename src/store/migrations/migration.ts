// What a migration is.

/** Statements that both engines understand. `name` is what the database remembers. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}
