// The launcher: which environment a process must have, and that it keeps its process id on the way there.
import { expect, test } from "bun:test";
import { mendedEnvironment } from "../../src/launch.ts";

const right = { BUN_CONFIG_MAX_HTTP_REQUESTS: "65336" };

test("the right environment is left alone", () => {
  expect(mendedEnvironment({ ...right, PATH: "/bin", PROXY_HINT: "x", HTTP_PROXY_PORT: "1" })).toBeNull();
});

test.each([{}, { BUN_CONFIG_MAX_HTTP_REQUESTS: "256" }, { BUN_CONFIG_MAX_HTTP_REQUESTS: "" }])(
  "%j gets the bound",
  (given) => {
    expect(mendedEnvironment({ PATH: "/bin", ...given })).toEqual({ PATH: "/bin", ...right });
  },
);

test.each(["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "No_Proxy"])(
  "%s is taken away, even when it is empty",
  (name) => {
    for (const value of ["http://127.0.0.1:1", ""])
      expect(mendedEnvironment({ ...right, A: "1", [name]: value })).toEqual({ ...right, A: "1" });
  },
);

test("mending twice changes nothing more", () => {
  const once = mendedEnvironment({ HTTP_PROXY: "x", A: "1" });
  expect(mendedEnvironment(once ?? {})).toBeNull();
});
