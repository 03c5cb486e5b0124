// The container image, the compose file and the systemd unit of deploy/: what they promise, and the image itself where it can be built.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";

const repository = join(import.meta.dir, "..", "..");
const read = (file: string): string => readFileSync(join(repository, "deploy", file), "utf8");
const folder = mkdtempSync(join(tmpdir(), "turnpike-image-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(command: string[], environment: Record<string, string> = {}) {
  const env = { ...process.env, ...environment };
  const child = Bun.spawn(command, { cwd: repository, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out: out.trim(), err };
}

test("the image has no base, is not root's, listens on all addresses, and checks its health", () => {
  const text = read("Containerfile");
  expect(text.match(/^FROM .*/gm)).toEqual(["FROM scratch"]);
  expect(text).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  expect(text).toMatch(/\bHOST=0\.0\.0\.0\b/);
  expect(text).toMatch(/^VOLUME \["\/data"\]$/m);
  expect(text).toMatch(/\bTURNPIKE_DATA=\/data\b/);
  expect(text).toMatch(/^HEALTHCHECK .* CMD \["\/turnpike", "health"\]$/m);
  // Nothing can be run in an image without a shell.
  expect(text).not.toMatch(/^RUN /m);
});

test("the compose file runs it without privileges, on a root that cannot be written, and stops it in time", () => {
  const { services, volumes } = parse(read("compose.yaml"));
  const { turnpike } = services;
  expect(turnpike).toMatchObject({
    read_only: true,
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
    volumes: ["data:/data"],
    ports: ["127.0.0.1:8080:8080"],
  });
  // One that is not set must not become a text.
  expect(turnpike.environment.filter((each: string) => each.includes("=") && !each.includes(":-"))).toEqual([]);
  expect(Number.parseInt(turnpike.stop_grace_period, 10)).toBeGreaterThan(60);
  expect(volumes).toHaveProperty("data");
});

const hasAnalyze = Bun.which("systemd-analyze") !== null;

test.skipIf(!hasAnalyze)("systemd accepts the unit and finds little exposed", async () => {
  const unit = join(folder, "turnpike.service");
  writeFileSync(unit, read("turnpike.service").replace("/usr/local/bin/turnpike\n", "/bin/true\n"));
  expect(await run(["systemd-analyze", "verify", unit])).toMatchObject({ code: 0, err: "" });
  const { out } = await run(["systemd-analyze", "security", "--offline=true", "--no-pager", unit]);
  expect(Number(/exposure level for turnpike\.service: ([\d.]+)/.exec(out)?.[1])).toBeLessThan(2);
});

/** It mounts the image's root: as root, and not in a container that may not. */
const canBuild =
  Bun.which("buildah") !== null &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(["unshare", "--mount", "true"]).exitCode === 0;

describe.skipIf(!canBuild)("the image, built by buildah", () => {
  const image = "turnpike:test";
  // A store of its own, so that nothing is left on the machine.
  const storage = { CONTAINERS_STORAGE_CONF: join(folder, "storage.conf") };
  const buildah = (...words: string[]) => run(["buildah", ...words], storage);
  let container = "";

  beforeAll(async () => {
    const paths = `graphroot = "${folder}/graph"\nrunroot = "${folder}/run"\n`;
    writeFileSync(storage.CONTAINERS_STORAGE_CONF, `[storage]\ndriver = "vfs"\n${paths}`);
    const built = await run(["bash", "deploy/build-image.sh", image], storage);
    expect(built, built.err).toMatchObject({ code: 0 });
    container = (await buildah("from", image)).out;
  }, 300_000);

  test("it holds the executable, its libraries and the authorities, and little else", async () => {
    const mounted = (await buildah("mount", container)).out;
    const { out } = await run(["find", mounted, "-type", "f", "-printf", "/%P %s\n"]);
    const sizes = new Map(out.split("\n").map((row) => [row.split(" ")[0] ?? "", Number(row.split(" ")[1])]));
    await buildah("umount", container);
    const libraries = (await run(["ldd", join(repository, "dist", "turnpike")])).out;
    for (const [, library = ""] of libraries.matchAll(/(\/[^ ]+) \(0x/g)) expect([...sizes.keys()]).toContain(library);
    for (const name of ["/turnpike", "/etc/ssl/certs/ca-certificates.crt", "/etc/passwd"])
      expect(sizes.has(name)).toBe(true);
    const executable = statSync(join(repository, "dist", "turnpike")).size;
    const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    expect(all - executable).toBeLessThan(8 * 1024 * 1024);
    expect(all).toBeLessThan(140 * 1024 * 1024);
  }, 60_000);

  test("its configuration is that of the file", async () => {
    const { out } = await buildah("inspect", "--type", "image", image);
    const { config } = JSON.parse(out).Docker;
    expect(config).toMatchObject({
      User: "65532:65532",
      Entrypoint: ["/turnpike"],
      WorkingDir: "/etc/turnpike",
      StopSignal: "SIGTERM",
      Volumes: { "/data": {} },
      Healthcheck: { Test: ["CMD", "/turnpike", "health"] },
    });
    expect(config.Env).toContain("HOST=0.0.0.0");
  });

  test("it starts as that user and answers", async () => {
    const inside = ["buildah", "run", "--isolation", "chroot"];
    const variables = ["HOST=127.0.0.1", "PORT=0", "TURNPIKE_KEY=tp-a-client-key"].flatMap((each) => ["--env", each]);
    const command = [...inside, ...variables, container, "--", "/turnpike"];
    const env = { ...process.env, ...storage };
    // Other tests may have left their folder as the current one, and removed it.
    const child = Bun.spawn(command, { cwd: repository, env, stdout: "pipe", stderr: "inherit" });
    let text = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (/^ {2}docs/m.test(text)) break;
    }
    const url = /listening on (\S+)/.exec(text)?.[1] ?? "";
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: "Bearer tp-a-client-key", "content-type": "application/json" },
      body: JSON.stringify({ model: "sandbox/chat", messages: [{ role: "user", content: "hi" }] }),
    });
    expect(answer.status).toBe(200);
    expect(await run([...inside, container, "--", "/turnpike", "health", "--url", url], storage)).toMatchObject({
      code: 0,
      out: "ready",
    });
    const owner = await run([...inside, container, "--", "/turnpike", "doctor", "--offline", "--json"], storage);
    expect(JSON.parse(owner.out).checks).toContainEqual(expect.objectContaining({ name: "data folder", status: "ok" }));
    child.kill("SIGTERM");
    await child.exited;
  }, 60_000);

  afterAll(async () => {
    await buildah("rm", "--all");
    await buildah("rmi", "--all", "--force");
  }, 60_000);
});
