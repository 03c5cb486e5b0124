// Where a thread's code lies.
import { expect, test } from "bun:test";
import { workerAddress } from "../../src/lib/worker.ts";

test("in the sources it lies beside its starter", () => {
  const meta = { url: "file:///home/me/src/gateway/ledger/checkpoint.ts" };
  expect(workerAddress("gateway/ledger/checkpoint-worker.ts", meta)).toBe(
    "file:///home/me/src/gateway/ledger/checkpoint-worker.ts",
  );
});

test("in an executable it lies under its own path", () => {
  const meta = { url: "file:///$bunfs/root/turnpike" };
  expect(workerAddress("gateway/ledger/checkpoint-worker.ts", meta)).toBe(
    "/$bunfs/root/src/gateway/ledger/checkpoint-worker.ts",
  );
});
