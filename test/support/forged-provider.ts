// An OpenID provider that signs whatever the test wants, also what no real one would.
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export interface Forged {
  readonly issuer: string;
  /** Changes the claims of the next ID token. */
  claims: Record<string, unknown>;
  /** Signs with a key that is not in the key set. */
  usesForeignKey: boolean;
  /** The ID token as it is, in place of a signed one. */
  token: string | null;
  /** Members that the discovery document has in addition. */
  metadata: Record<string, unknown>;
  /** What was asked so far, as `POST /token`. */
  readonly requested: string[];
  /** The forms that the token endpoint received. */
  readonly forms: URLSearchParams[];
  stop(): void;
}

export async function forgedProvider(clientId: string): Promise<Forged> {
  const [own, foreign] = await Promise.all([generateKeyPair("ES256"), generateKeyPair("ES256")]);
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "own", alg: "ES256", use: "sig" };
  const server: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request): Promise<Response> {
      const { pathname } = new URL(request.url);
      forged.requested.push(`${request.method} ${pathname}`);
      if (pathname.endsWith("/openid-configuration")) return Response.json({ ...endpoints(), ...forged.metadata });
      if (pathname === "/keys") return Response.json({ keys: [jwk] });
      if (pathname === "/authorize") return back(new URL(request.url).searchParams);
      if (pathname !== "/token") return new Response("not found", { status: 404 });
      forged.forms.push(new URLSearchParams(await request.text()));
      const key = forged.usesForeignKey ? foreign.privateKey : own.privateKey;
      const nowSeconds = Math.floor(Date.now() / 1000);
      const usual = { iss: issuer, aud: clientId, sub: "eve", iat: nowSeconds, exp: nowSeconds + 300 };
      const person = { email: "eve@example.com", groups: ["platform"] };
      const given = Object.entries({ ...usual, ...person, ...forged.claims }).filter(
        ([, value]) => value !== undefined,
      );
      const signed = new SignJWT(Object.fromEntries(given)).setProtectedHeader({ alg: "ES256", kid: "own" }).sign(key);
      return Response.json({ access_token: "x", token_type: "Bearer", id_token: forged.token ?? (await signed) });
    },
  });
  const issuer: string = `http://127.0.0.1:${server.port}`;
  const endpoints = (): Record<string, string> => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
  });
  /** Signs in who is in the claims, without a page. */
  const back = (query: URLSearchParams): Response => {
    forged.claims = { ...forged.claims, nonce: query.get("nonce") };
    return Response.redirect(`${query.get("redirect_uri")}?code=a-code&state=${query.get("state")}`);
  };
  const forged: Forged = {
    ...{ issuer, claims: {}, usesForeignKey: false, token: null, metadata: {}, requested: [], forms: [] },
    stop: () => void server.stop(true),
  };
  return forged;
}
