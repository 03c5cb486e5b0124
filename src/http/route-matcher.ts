// Matches a URL to a row: exact paths by a map, patterns in order; and the errors for unknown paths.
import { GatewayError } from "../canonical/error.ts";
import type { Endpoint, Method } from "./endpoint.ts";

export type Match =
  | { readonly kind: "found"; readonly endpoint: Endpoint; readonly params: Readonly<Record<string, string>> }
  /** The path exists, under other methods. */
  | { readonly kind: "method"; readonly endpoint: Endpoint; readonly allow: string }
  | { readonly kind: "nothing" };

export type Matcher = (method: string, path: string) => Match;

interface Pattern {
  readonly regex: RegExp;
  readonly names: readonly string[];
  readonly rows: Map<string, Endpoint>;
}

const noParams: Readonly<Record<string, string>> = {};

function compilePattern(path: string): { regex: RegExp; names: string[] } {
  const names: string[] = [];
  const source = path
    .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
    .replace(/\{(\w+)(\\\.\\\.\\\.)?\}/g, (_, name: string, rest: string | undefined) => {
      names.push(name);
      return rest === undefined ? "([^/]+)" : "(.+)";
    });
  return { regex: new RegExp(`^${source}$`), names };
}

/** Some clients encode the colon before a verb. */
const encodedColon = /%3a/gi;

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new GatewayError("not_found", "The path is not valid percent-encoding.");
  }
}

function chosen(rows: Map<string, Endpoint>, method: string, params: Readonly<Record<string, string>>): Match {
  const endpoint = rows.get(method === "HEAD" ? "GET" : method);
  if (endpoint !== undefined) return { kind: "found", endpoint, params };
  const [first] = rows.values();
  const allow = [...rows.keys()].map((name) => (name === "GET" ? "GET, HEAD" : name)).join(", ");
  return first === undefined ? { kind: "nothing" } : { kind: "method", endpoint: first, allow };
}

/** A matcher for all rows. Two rows with the same method and path are a programming error and stop the start. */
export function matcher(endpoints: readonly Endpoint[]): Matcher {
  const exact = new Map<string, Map<string, Endpoint>>();
  const patterns = new Map<string, Pattern>();
  for (const endpoint of endpoints) {
    const rows = rowsFor(endpoint.path, exact, patterns);
    if (rows.has(endpoint.method)) throw new Error(`two endpoints claim ${endpoint.method} ${endpoint.path}`);
    rows.set(endpoint.method, endpoint);
  }
  const ordered = [...patterns.values()];
  return (method, given) => {
    const path = given.includes("%") ? given.replace(encodedColon, ":") : given;
    const rows = exact.get(path);
    if (rows !== undefined) return chosen(rows, method, noParams);
    for (const { regex, names, rows: candidates } of ordered) {
      const hit = regex.exec(path);
      if (hit === null) continue;
      const params = Object.fromEntries(names.map((name, index) => [name, decodeSegment(hit[index + 1] ?? "")]));
      return chosen(candidates, method, params);
    }
    return { kind: "nothing" };
  };
}

function rowsFor(
  path: string,
  exact: Map<string, Map<string, Endpoint>>,
  patterns: Map<string, Pattern>,
): Map<string, Endpoint> {
  if (!path.includes("{")) {
    const rows = exact.get(path) ?? new Map<Method, Endpoint>();
    exact.set(path, rows);
    return rows;
  }
  const pattern = patterns.get(path) ?? { ...compilePattern(path), rows: new Map<string, Endpoint>() };
  patterns.set(path, pattern);
  return pattern.rows;
}

/** A base URL that ends with a version, and a client that appends its own. */
const twoVersions = /^(\/v1(?:beta)?)(\/v1(?:beta)?)(?=\/)/;

/** The 404 for a path, with the base URL that was probably intended. */
export function unknownPath(path: string, match: Matcher): GatewayError {
  const exists = (candidate: string): boolean => match("GET", candidate).kind !== "nothing";
  const [both = "", base, own] = twoVersions.exec(path) ?? [];
  const meant = `${own}${path.slice(both.length)}`;
  if (both !== "" && exists(meant))
    return new GatewayError(
      "not_found",
      `Unknown path: it has ${base === own ? `${own} twice` : `${base} before ${own}`}. Set the client's base URL without ${base} at its end; the path is ${meant}.`,
    );
  if (exists(`/v1${path}`))
    return new GatewayError(
      "not_found",
      `Unknown path: /v1 is missing. Set a base URL that ends with /v1; the path is /v1${path}.`,
    );
  return new GatewayError("not_found", "Unknown path. GET /openapi.json lists every path of this gateway.");
}
