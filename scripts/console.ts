// Builds the pages of /console and /docs into dist/console.bundle, which the gateway serves: scripts and styles, compressed.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { guideFiles, guidesPlugin } from "./guides.ts";

const repository = join(import.meta.dir, "..");
const source = join(repository, "console");
const target = join(repository, "dist", "console.bundle");
const tailwind = join(repository, "node_modules", "@tailwindcss", "cli", "dist", "index.mjs");

/** Builds on every change, and open pages follow. */
const isWatched = process.argv.includes("--watch");

interface BundledFile {
  readonly type: string;
  /** Base64. */
  readonly br: string;
  readonly gzip: string;
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** A hash of everything that the build reads. */
function sourceDigest(): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const own = [join(repository, "package-lock.json"), import.meta.path, join(import.meta.dir, "guides.ts")];
  for (const path of [...files, ...guideFiles, ...own])
    hasher.update(path.slice(repository.length)).update(readFileSync(path));
  return hasher.update(String(isWatched)).digest("hex").slice(0, 16);
}

function isCurrent(digest: string): boolean {
  if (!existsSync(target)) return false;
  return readFileSync(target, "utf8").startsWith(`{"digest":"${digest}"`);
}

function compressed(name: string, bytes: Uint8Array): BundledFile {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  return {
    type: types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
    br: brotliCompressSync(bytes, quality).toString("base64"),
    gzip: gzipSync(bytes, { level: 9 }).toString("base64"),
  };
}

async function styles(folder: string): Promise<Uint8Array> {
  const out = join(folder, "style.css");
  const command = [process.execPath, tailwind, "-i", join(source, "style.css"), "-o", out, "--minify"];
  const child = Bun.spawn(command, { cwd: repository, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  if ((await child.exited) !== 0) throw new Error(await child.stderr.text());
  return readFileSync(out);
}

/** A dependency of the dialogs adds inline styles, which the content security policy refuses. */
const withoutInlineStyles: Bun.BunPlugin = {
  name: "without inline styles",
  setup(builder) {
    const path = join(source, "src", "ui", "adopted-style.ts");
    builder.onResolve({ filter: /^react-style-singleton$/ }, () => ({ path }));
  },
};

async function scripts() {
  const built = await Bun.build({
    entrypoints: [join(source, "src", "main.tsx"), join(source, "src", "docs", "docs.tsx")],
    target: "browser",
    splitting: true,
    minify: true,
    naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]" },
    plugins: [withoutInlineStyles, guidesPlugin],
    define: { "process.env.NODE_ENV": '"production"', IS_WATCHED: String(isWatched) },
  });
  return await Promise.all(
    built.outputs.map(async (output) => ({
      name: basename(output.path),
      isEntry: output.kind === "entry-point",
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  );
}

async function build(digest: string): Promise<void> {
  const folder = join(tmpdir(), `turnpike-console-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    const [css, chunks] = await Promise.all([styles(folder), scripts()]);
    const style = `style-${Bun.hash(css).toString(36).slice(0, 8)}.css`;
    const picture = readFileSync(join(source, "icon.svg"));
    const icon = `icon-${Bun.hash(picture).toString(36).slice(0, 8)}.svg`;
    const files = Object.fromEntries([
      [style, compressed(style, css)],
      [icon, compressed(icon, picture)],
      ...chunks.map(({ name, bytes }) => [name, compressed(name, bytes)]),
    ]);
    const entryOf = (start: string) => chunks.find(({ name, isEntry }) => isEntry && name.startsWith(start))?.name;
    const entries = { console: entryOf("main-"), docs: entryOf("docs-") };
    mkdirSync(join(repository, "dist"), { recursive: true });
    writeFileSync(`${target}.${process.pid}`, JSON.stringify({ digest, entries, style, icon, files }));
    // A gateway that reads it meanwhile gets the old or the new one.
    renameSync(`${target}.${process.pid}`, target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds if something changed. */
async function refresh(): Promise<void> {
  const digest = sourceDigest();
  if (isCurrent(digest)) return;
  const startedMs = performance.now();
  await build(digest);
  console.log(`The console was built in ${Math.round(performance.now() - startedMs)} ms.`);
}

if (!existsSync(tailwind)) {
  // An installation without development dependencies keeps what was built before.
  if (!existsSync(target)) console.log("The console was not built: its development dependencies are not installed.");
} else {
  await refresh();
  if (isWatched) {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const failed = (cause: unknown): void => console.log(String(cause));
    const changed = () => {
      clearTimeout(timer);
      timer = setTimeout(() => void refresh().catch(failed), 100);
    };
    watch(source, { recursive: true }, changed);
    watch(join(repository, "docs"), changed);
  }
}
