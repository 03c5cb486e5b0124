// The launcher: which environment a process must have, and that it keeps its process id on the way there.
import { expect, test } from "bun:test";
import { removedVariable, requiredEnvironment } from "../../src/runtime-environment.ts";

const right = { BUN_CONFIG_MAX_HTTP_REQUESTS: "65336" };

test("the right environment is left alone", () => {
  expect(requiredEnvironment({ ...right, PATH: "/bin", PROXY_HINT: "x", HTTP_PROXY_PORT: "1" })).toBeNull();
});

test.each([{}, { BUN_CONFIG_MAX_HTTP_REQUESTS: "256" }, { BUN_CONFIG_MAX_HTTP_REQUESTS: "" }])(
  "%j gets the bound",
  (given) => {
    expect(requiredEnvironment({ PATH: "/bin", ...given })).toEqual({ PATH: "/bin", ...right });
  },
);

const proxies = [
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  "NO_PROXY",
  "No_Proxy",
];
test.each([...proxies, "NODE_TLS_REJECT_UNAUTHORIZED", "BUN_CONFIG_VERBOSE_FETCH"])(
  "%s is taken away, even when it is empty, and named",
  (name) => {
    for (const value of ["http://127.0.0.1:1", "0", ""])
      expect(requiredEnvironment({ ...right, A: "1", [name]: value })).toEqual({
        ...right,
        A: "1",
        [removedVariable]: name,
      });
  },
);

test("authorities of one's own stay", () => {
  expect(requiredEnvironment({ ...right, NODE_EXTRA_CA_CERTS: "/etc/company.pem" })).toBeNull();
});

test("mending twice changes nothing more", () => {
  const once = requiredEnvironment({ HTTP_PROXY: "x", A: "1" });
  expect(requiredEnvironment(once ?? {})).toBeNull();
});
