// The test of a provider: its model list is requested with each of its credentials, which costs nothing.
import { concealed, toGatewayError } from "../canonical/error.ts";
import { causeOf } from "../lib/cause.ts";
import type { Clock } from "../lib/clock.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import type { Provider } from "./provider.ts";
import { type Conceal, concealerOf } from "./redaction.ts";

/** The result for one credential. */
export interface CredentialTest {
  /** Null if the provider has only one. */
  readonly credential: string | null;
  readonly ok: boolean;
  /** Models that it listed; null where it did not list any. */
  readonly models: number | null;
  /** The status that the provider returned; null if it returned none. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: { readonly code: string; readonly message: string } | null;
}

const parallelTests = 4;
const okStatus = 200;

type Result = Pick<CredentialTest, "models" | "status" | "error">;

const unsupported: Result = {
  models: null,
  status: null,
  error: { code: "unsupported", message: "Providers of this kind have no call that costs nothing." },
};

/** What failed, without credentials and addresses. */
function failure(thrown: unknown, conceal: Conceal): Result {
  if (thrown instanceof DOMException && thrown.name === "TimeoutError")
    return { models: null, status: null, error: { code: "upstream_timeout", message: "It did not respond in time." } };
  const error = concealed(toGatewayError(thrown), conceal);
  if (error.kind === "internal_error")
    return {
      models: null,
      status: null,
      error: { code: "upstream_failed", message: "The provider did not answer as expected." },
    };
  const message =
    error.upstreamStatus === undefined ? error.message : causeOf(error.cause ?? error).replace(/\s+/g, " ");
  return { models: null, status: error.upstreamStatus ?? null, error: { code: error.code, message } };
}

interface TestOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly conceal: Conceal;
}

async function testCredential(provider: Provider, { clock, timeoutMs, conceal }: TestOptions): Promise<CredentialTest> {
  const startedMs = clock.monotonicMs();
  const { models } = provider.list;
  const result =
    models === undefined
      ? unsupported
      : await models(AbortSignal.timeout(timeoutMs)).then(
          (listed): Result => ({ models: listed.length, status: okStatus, error: null }),
          (thrown: unknown) => failure(thrown, conceal),
        );
  return {
    credential: provider.entry.credentialName ?? null,
    ok: result.error === null,
    ...result,
    durationMs: Math.round(clock.monotonicMs() - startedMs),
  };
}

/** One result for each credential, in the order of the configuration. */
export function testCredentials(provider: Provider, clock: Clock, timeoutMs: number): Promise<CredentialTest[]> {
  const all = [provider, ...(provider.others ?? [])];
  const options = { clock, timeoutMs, conceal: concealerOf(all) };
  return mapConcurrent(all, parallelTests, (each) => testCredential(each, options));
}
