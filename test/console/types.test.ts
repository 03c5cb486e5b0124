// The types that the pages use for objects of the admin API are those that its schemas describe.
import { expect, test } from "bun:test";
import { apiTypes, file } from "../../scripts/api-types.ts";

test("the types of what the admin API serves are those of its schemas (npm run docs)", async () => {
  expect(await Bun.file(file).text()).toBe(await apiTypes());
});
