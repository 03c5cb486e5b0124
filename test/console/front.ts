// A proxy in front of a gateway: under a path prefix that it does not pass on, and with a build of the pages that can be
// exchanged, as an upgrade does.

export interface Front {
  /** With the prefix, without a slash at the end. */
  readonly url: string;
  /** From now on every script has this suffix in its name, and those of other builds are gone. */
  upgrade(build: string): void;
  /** Scripts of this name are gone in every build. */
  lose(name: string): void;
  stop(): Promise<void>;
}

const prefix = "/tools/ai";
const script = /([\w-]+-[a-z0-9]{8})\.js\b/g;

/** The answer of a build whose scripts have other names: the same files, with names that are replaced wherever they stand. */
async function renamed(response: Response, build: string): Promise<Response> {
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length", "etag"]) headers.delete(name);
  const init = { status: response.status, headers };
  if (!/^text\/(?:html|javascript)/.test(headers.get("content-type") ?? "")) return new Response(response.body, init);
  const text = await response.text();
  const page = text.replace(script, `$1.${build}.js`).replace(/data-build="(\w+)"/, `data-build="$1${build}"`);
  return new Response(page, init);
}

export function startFront(gateway: string): Front {
  let build = "first";
  let lost: string | null = null;
  const gone = () => new Response("gone", { status: 404 });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith(`${prefix}/`)) return gone();
      const path = pathname.slice(prefix.length);
      const isScript = /\/assets\/.*\.js$/.test(path);
      if (isScript && (!path.endsWith(`.${build}.js`) || (lost !== null && path.includes(`/${lost}-`)))) return gone();
      const target = gateway + path.replace(`.${build}.js`, ".js") + search;
      const headers = new Headers(request.headers);
      headers.delete("if-none-match");
      const init = { method: request.method, headers, redirect: "manual", signal: request.signal } as const;
      const answer = await fetch(target, request.body === null ? init : { ...init, body: await request.bytes() });
      return await renamed(answer, build);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}${prefix}`,
    upgrade: (name) => {
      build = name;
    },
    lose: (name) => {
      lost = name;
    },
    stop: () => server.stop(true),
  };
}
