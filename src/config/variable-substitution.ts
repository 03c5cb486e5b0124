// Variables in values of the configuration file: `${NAME}`, `${NAME:-default}`, and `$$` for a dollar sign.
const token = /\$\$|\$\{([^}]*)\}|\$\{|\$([A-Za-z_]\w*)/g;
const reference = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

/** The value of a variable. An Error that it throws contains the reason in one sentence. */
export type LookUp = (name: string) => string | undefined;

type Substituted = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** The value of `NAME` or `NAME:-default`; null where it is not set and has no default. */
function variableValue(name: string, fallback: string | undefined, lookUp: LookUp): string | null {
  const value = lookUp(name);
  if (value !== undefined && (value !== "" || fallback === undefined)) return value;
  return fallback ?? null;
}

function problemOf(match: string, inner: string | undefined, bareName: string | undefined): string {
  if (bareName !== undefined)
    return `'$${bareName}' is not replaced. Use \${${bareName}} for the variable, or $$ for a dollar sign`;
  if (inner === undefined) return "'${' is not closed. Use ${NAME}, or $$ for a dollar sign";
  const [, name] = reference.exec(inner) ?? [];
  if (name === undefined) return `'${match.slice(0, 60)}' is not a variable. Use \${NAME} or \${NAME:-default}`;
  return `the variable ${name} is not set. Set it, or use \${${name}:-default}`;
}

/** The text with every variable replaced, or what is wrong with it. Replaced text is not looked at again. */
export function substitute(text: string, lookUp: LookUp): Substituted {
  let problem: string | null = null;
  const replaced = text.replace(token, (match, inner: string | undefined, bareName: string | undefined) => {
    if (match === "$$") return "$";
    const [, name, fallback] = inner === undefined ? [] : (reference.exec(inner) ?? []);
    try {
      const value = name === undefined ? null : variableValue(name, fallback, lookUp);
      if (value === null) problem ??= problemOf(match, inner, bareName);
      return value ?? "";
    } catch (thrown) {
      problem ??= thrown instanceof Error ? thrown.message : String(thrown);
      return "";
    }
  });
  return problem === null ? { ok: true, text: replaced } : { ok: false, problem };
}
