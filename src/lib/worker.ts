// Where the code of a thread lies: beside its starter in the sources, under its own path in a compiled executable.

const executableRoot = "/$bunfs/root/";

/** `path` is below `src`, as the build names its entries; `meta` is the starter's own. */
export function workerAddress(path: string, meta: { readonly url: string }): string {
  if (meta.url.startsWith(`file://${executableRoot}`)) return executableRoot + path;
  return new URL(path.slice(path.lastIndexOf("/") + 1), meta.url).href;
}
