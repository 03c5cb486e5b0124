// Where the code of a thread is: in the sources next to its caller, under its own path in a compiled executable.

const executableRoot = "/$bunfs/root/";
/** Where the build, whose root is the repository, puts what is below `src`. */
const executableSource = `${executableRoot}src/`;

/** `path` is relative to `src`, as the build names its entries; `meta` is the caller's own. */
export function workerAddress(path: string, meta: { readonly url: string }): string {
  if (meta.url.startsWith(`file://${executableRoot}`)) return executableSource + path;
  return new URL(path.slice(path.lastIndexOf("/") + 1), meta.url).href;
}
