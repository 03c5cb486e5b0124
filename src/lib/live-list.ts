// A list of what comes and goes with every request, each member at its place.

/** A member of one list at most. The list sets `place`. */
export interface Member {
  place?: number | undefined;
}

/**
 * For members that stay for a part of a request. Not a `Set`: the runtime replaces the table of a `Set` after a number of
 * removals, and each table refers to the next one and to its own last members. Behind a table that has become old, all
 * later requests survive until a full garbage collection. docs/decisions/0022-live-lists.md has the figures.
 */
export class LiveList<Item extends Member> {
  private readonly items: Item[] = [];

  get size(): number {
    return this.items.length;
  }

  /** Changes nothing for a member. */
  add(item: Item): void {
    if (item.place === undefined) item.place = this.items.push(item) - 1;
  }

  /** The last member takes its place. Changes nothing for others. */
  remove(item: Item): void {
    const { place } = item;
    if (place === undefined) return;
    item.place = undefined;
    const last = this.items.pop();
    if (last === undefined || last === item) return;
    this.items[place] = last;
    last.place = place;
  }

  /** Calls `visit` with each member of this moment that has not been removed meanwhile. */
  each(visit: (item: Item) => void): void {
    for (const item of [...this.items]) if (item.place !== undefined) visit(item);
  }
}
