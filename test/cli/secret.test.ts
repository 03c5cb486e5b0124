// The secret of an installation: another one than the data was written under is refused, by the gateway and by commands.
import { afterAll, expect, test } from "bun:test";
import { place } from "./command.ts";

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

test("keys from the environment that are too short stop the start", async () => {
  for (const name of ["TURNPIKE_KEY", "TURNPIKE_ADMIN_KEY"]) {
    const { code, err } = await here.run([], { ...first, [name]: "abc" });
    expect({ code, err }).toEqual({
      code: 1,
      err: `turnpike: ${name} is too short: it must have at least 8 characters.\n`,
    });
  }
});
