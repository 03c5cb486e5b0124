// Private addresses that the gateway may fetch from: the entries of the variable and those of the file.
import { isAllowEntry } from "../providers/safe-fetch/allowlist.ts";
import type { Settings } from "./environment.ts";
import { ConfigFault } from "./faults.ts";
import type { ReadConfig } from "./file.ts";

const expected = "Use host, address or range/prefix, followed by :port for ports other than 80 and 443";

/** The `allow` option of the guarded fetcher. Throws an Error with one sentence for an invalid entry. */
export function fetchAllowOf(settings: Pick<Settings, "fetchAllow">, { config, fault }: ReadConfig): readonly string[] {
  const wrong = settings.fetchAllow.find((entry) => !isAllowEntry(entry));
  if (wrong !== undefined)
    throw new ConfigFault(`TURNPIKE_FETCH_ALLOW has an invalid entry '${wrong.slice(0, 100)}'. ${expected}.`);
  const declared = config.fetch?.allow ?? [];
  const index = declared.findIndex((entry) => !isAllowEntry(entry));
  if (index >= 0) throw fault(["fetch", "allow", String(index)], `invalid entry. ${expected}`);
  return [...settings.fetchAllow, ...declared];
}
