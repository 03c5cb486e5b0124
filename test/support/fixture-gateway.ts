// The world of the scenarios: four compatible upstreams, an anthropic one, one that speaks responses, a gemini one, and routes.
import { type GatewayOptions, gateway, type RunningGateway } from "./gateway.ts";
import { closedAddress, type Upstream, upstream } from "./upstream.ts";

const names = ["alpha", "beta", "gamma", "delta", "claude", "responder", "google"] as const;
export type UpstreamName = (typeof names)[number];

export interface World {
  gateway: RunningGateway;
  upstreams: Record<UpstreamName, Upstream>;
}

/** Every upstream credential holds this word: it may never be seen by a client. */
export const canary = "canary";

/** Starts the upstreams. They outlive gateways. */
export async function startUpstreams(): Promise<Record<UpstreamName, Upstream>> {
  const started = await Promise.all(names.map(async (name) => [name, await upstream()] as const));
  const upstreams = Object.fromEntries(started) as Record<UpstreamName, Upstream>;
  clearUpstreams(upstreams);
  return upstreams;
}

/** What OpenAI says on its other paths of a model that it serves as responses alone. */
const responsesOnly = {
  status: 404,
  json: {
    error: {
      message: "This model is only supported in v1/responses and not in v1/chat/completions.",
      type: "invalid_request_error",
      param: "model",
      code: null,
    },
  },
};

/** Forgets requests and scripts; `alpha` goes on to have no text completions, and `responder` to know no conversation but responses. */
export function clearUpstreams(upstreams: Record<UpstreamName, Upstream>): void {
  for (const each of Object.values(upstreams)) each.clear();
  upstreams.alpha.on("POST /v1/completions", { status: 404, json: { detail: "Not Found" } });
  for (const path of ["chat/completions", "completions"]) upstreams.responder.on(`POST /v1/${path}`, responsesOnly);
}

/** Starts a gateway in front of them. */
export async function startWorld(
  upstreams: Record<UpstreamName, Upstream>,
  options: GatewayOptions = {},
): Promise<World> {
  return { upstreams, gateway: await gateway({ yaml: configuration(upstreams), ...options }) };
}

/** Stops the gateway and its upstreams. */
export async function stopWorld({ gateway: running, upstreams }: World): Promise<void> {
  await running.stop();
  await Promise.all(Object.values(upstreams).map((each) => each.stop()));
}

/**
 * Models: `gpt-x` and `embed-x` at alpha, `thinker/…` at delta, which leaves its thinking in the text and wants it back, `claude-x` at claude, `gpt-r` at responder, `gemini-x` at google; routes `chain` (alpha, beta, gamma, delta), `mixed`
 * (alpha, then claude) and `lucky` (a refused connection, then beta); `dead/gone` where nobody listens.
 */
export function configuration(upstreams: Record<UpstreamName, Upstream>): string {
  return `providers:
  alpha: { kind: compatible, base_url: "${upstreams.alpha.url}/v1", credential: "${canary}-alpha", models: [gpt-x, embed-x] }
  beta: { kind: compatible, base_url: "${upstreams.beta.url}/v1", credential: "${canary}-beta", models: [gpt-b] }
  gamma: { kind: compatible, base_url: "${upstreams.gamma.url}/v1", credential: "${canary}-gamma", models: [gpt-c] }
  delta: { kind: compatible, base_url: "${upstreams.delta.url}/v1", credential: "${canary}-delta", models: [gpt-d] }
  thinker: { kind: compatible, base_url: "${upstreams.delta.url}/v1", credential: "${canary}-thinker", models: [], splits_thinking: true, replays_thinking: true }
  claude: { kind: anthropic, base_url: "${upstreams.claude.url}", credential: "${canary}-claude", models: [claude-x] }
  responder: { kind: openai, base_url: "${upstreams.responder.url}/v1", credential: "${canary}-responder", models: [gpt-r] }
  google: { kind: gemini, base_url: "${upstreams.google.url}", credential: "${canary}-google", models: [gemini-x] }
  dead: { kind: compatible, base_url: "${closedAddress()}/v1", credential: "${canary}-dead", models: [gone] }
models:
  chain:
    candidates:
      - { provider: alpha, model: gpt-x }
      - { provider: beta, model: gpt-b }
      - { provider: gamma, model: gpt-c }
      - { provider: delta, model: gpt-d }
  mixed:
    candidates:
      - { provider: alpha, model: gpt-x }
      - { provider: claude, model: claude-x }
  lucky:
    candidates:
      - { provider: dead, model: gone }
      - { provider: beta, model: gpt-b }
`;
}
