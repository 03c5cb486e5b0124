// What a browser remembers of a person's choices: theme, columns, order of tables. Never credentials.

const prefix = "turnpike.console.";

export function remembered<Value>(name: string, otherwise: Value): Value {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? otherwise : (JSON.parse(text) as Value);
  } catch {
    // Storage can be blocked.
    return otherwise;
  }
}

export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // The choice counts until the page is closed.
  }
}
