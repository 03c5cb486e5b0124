// Providers whose own API lies beside the compatible one: calls in native words go below the root, all others below the prefix.
import type { UpstreamRequest } from "../dialects/dialect.ts";
import type { AccountRules } from "./credentials.ts";

/** `prefix` is the end of the base URL, as in `v1`; `native` tells the paths that lie beside it. */
export function nativeApiBeside(prefix: string, native: RegExp): AccountRules {
  const suffix = new RegExp(`/${prefix}$`);
  return {
    members: {},
    fault: () => null,
    open: ({ baseUrl }) => {
      const base = baseUrl.replace(/\/+$/, "");
      const within = suffix.test(base) || new URL(base).pathname === "/";
      const root = base.replace(suffix, "");
      const place = (call: UpstreamRequest): UpstreamRequest =>
        native.test(call.path) || !within ? call : { ...call, path: `${prefix}/${call.path}` };
      return { baseUrl: root, place, placeTask: place };
    },
  };
}
