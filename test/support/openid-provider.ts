// A real OpenID provider for tests, without pages: it signs in whoever the test names.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Account {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

export interface OpenIdProvider {
  readonly issuer: string;
  /** Begins to answer, for this client. */
  open(redirectUrl: string): Promise<void>;
  /** Who signs in next; null: the person declines. */
  account: Account | null;
  stop(): Promise<void>;
}

export const clientId = "turnpike";
export const clientSecret = "a-secret-of-the-client";

interface Grant {
  addOIDCScope(scopes: string): void;
  save(): Promise<string>;
}

interface Provider {
  readonly Grant: new (of: object) => Grant;
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
}

/** What is used of the package, which has no types of its own. */
export interface Library {
  readonly default: new (issuer: string, configuration: object) => Provider;
}

// A name that is only found out when it runs: types are checked without the package too.
const packageName: string = "oidc-provider";

/** The package, or null where it is not installed. */
export const library: Library | null = await import(packageName).catch(() => null);

export async function openIdProvider({ default: Provider }: Library): Promise<OpenIdProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own: OpenIdProvider = {
    issuer,
    account: null,
    async open(redirectUrl) {
      const provider = new Provider(issuer, {
        clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUrl] }],
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
        findAccount: (_context: unknown, id: string) => ({
          accountId: id,
          claims: () => ({ ...own.account, sub: id }),
        }),
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
        pkce: { required: () => true },
        async loadExistingGrant({ oidc }: { oidc: { session?: { accountId?: string } } }) {
          const grant = new provider.Grant({ clientId, accountId: oidc.session?.accountId ?? "" });
          grant.addOIDCScope("openid email profile");
          await grant.save();
          return grant;
        },
      });
      const answer = provider.callback();
      handle = (request, response) => {
        if (!request.url?.startsWith("/interaction/")) return void answer(request, response);
        const { account } = own;
        const result =
          account === null ? { error: "access_denied" } : { login: { accountId: account.sub, remember: false } };
        void provider.interactionFinished(request, response, result);
      };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return own;
}
