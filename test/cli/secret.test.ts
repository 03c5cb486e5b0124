// The secret of an installation: another one than the data was written under is refused, by the gateway and by commands.
import { afterAll, expect, test } from "bun:test";
import { askSandbox, place } from "./command.ts";

const here = place();
afterAll(() => here.remove());
const first = { TURNPIKE_SECRET: "the first secret of this installation" };
const other = { TURNPIKE_SECRET: "another secret of sixteen characters" };
const refusal = /^turnpike: TURNPIKE_SECRET does not match the stored data/;

test("a gateway that is started again with another secret does not start, and neither does a command", async () => {
  const gateway = here.start(first);
  await gateway.url();
  expect((await here.run(["keys", "create", "robot"], other)).err).toMatch(refusal);
  expect(await here.run(["keys", "create", "robot"], first)).toMatchObject({ code: 0, err: "" });
  expect(await gateway.stop()).toBe(0);

  const again = await here.run([], other);
  expect(again.code).toBe(1);
  expect(again.err).toMatch(refusal);

  const generated = await here.run(["keys", "list"]);
  expect(generated.err).toMatch(
    /^turnpike: The data folder .*data has no secret\. Set TURNPIKE_SECRET to the gateway's secret\./,
  );
});

test("a secret is replaced while the earlier one is given, and keys stay valid", async () => {
  const own = place();
  const replacing = { ...other, TURNPIKE_PREVIOUS_SECRET: first.TURNPIKE_SECRET };
  const statusOf = async (environment: Record<string, string>): Promise<number> => {
    const gateway = own.start(environment);
    const { status } = await askSandbox(await gateway.url(), key, "hi");
    expect(await gateway.stop()).toBe(0);
    return status;
  };
  const before = own.start(first);
  await before.url();
  const { key } = JSON.parse((await own.run(["keys", "create", "robot", "--json"], first)).out) as { key: string };
  expect(await before.stop()).toBe(0);

  expect(await statusOf(replacing)).toBe(200);
  expect(await statusOf(other)).toBe(200);
  expect((await own.run([], first)).err).toMatch(refusal);
  expect(await own.run(["keys", "list"], other)).toMatchObject({ code: 0 });
  const back = { ...first, TURNPIKE_PREVIOUS_SECRET: other.TURNPIKE_SECRET };
  expect(await statusOf(back)).toBe(200);
  const wrong = await own.run([], { ...other, TURNPIKE_PREVIOUS_SECRET: "a third secret that was never used" });
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(refusal)]);
  own.remove();
});

test("keys from the environment that are too short stop the start", async () => {
  for (const name of ["TURNPIKE_KEY", "TURNPIKE_ADMIN_KEY"]) {
    const { code, err } = await here.run([], { ...first, [name]: "abc" });
    expect({ code, err }).toEqual({
      code: 1,
      err: `turnpike: ${name} is too short: it must have at least 8 characters.\n`,
    });
  }
});
