// Path prefixes of Google's clients: the versions of the Gemini API, and the resource names of Vertex AI.

export interface Prefix {
  readonly prefix: string;
  /** The path of its model collection. */
  readonly models: string;
  readonly operationId: string;
}

/** The Gemini API; newer SDKs call `/v1`. */
export const developerPrefixes: readonly Prefix[] = [
  { prefix: "/v1beta", models: "/models", operationId: "relayV1Beta" },
  { prefix: "/v1", models: "/models", operationId: "relayV1" },
];

const published = "/publishers/{publisher}/models";

/** Images and videos: the npm package @google/genai 3.1.0 generates both on Vertex AI only. */
export const googlePrefixes: readonly Prefix[] = [
  ...developerPrefixes,
  { prefix: "/v1beta1", models: published, operationId: "relayVertex" },
  {
    prefix: "/v1beta1/projects/{project}/locations/{location}",
    models: published,
    operationId: "relayVertexProject",
  },
];
