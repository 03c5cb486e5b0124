// The headers of a response, in the order in which they arrived.

/** What readers of a response need of its headers; the runtime's `Headers` has it too. */
export interface ResponseHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
  has(name: string): boolean;
}

/** Names in lower case. Of most responses one or two headers are read, so no table is built. */
export class HeaderList implements ResponseHeaders {
  private readonly names: string[] = [];
  private readonly values: string[] = [];

  get size(): number {
    return this.names.length;
  }

  add(name: string, value: string): void {
    this.names.push(name);
    this.values.push(value);
  }

  /** The values of repeated headers are joined, as RFC 9110 5.3 allows. */
  get(name: string): string | null {
    const wanted = name.toLowerCase();
    let found: string | null = null;
    for (let at = 0; at < this.names.length; at++) {
      if (this.names[at] !== wanted) continue;
      const value = this.values[at] ?? "";
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }

  has(name: string): boolean {
    return this.names.includes(name.toLowerCase());
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (let at = 0; at < this.names.length; at++) yield [this.names[at] ?? "", this.values[at] ?? ""];
  }
}
