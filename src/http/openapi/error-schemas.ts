// The error envelopes, one for each protocol, as components of the OpenAPI document.

const text = { type: "string" } as const;
const whole = { type: "integer" } as const;
const textOrNull = { type: ["string", "null"] } as const;

/** An object with all fields required. */
const whereAll = (properties: Readonly<Record<string, object>>) => ({
  type: "object",
  required: Object.keys(properties),
  properties,
});

const detail = whereAll({ message: text, type: text, param: textOrNull, code: textOrNull });

export const errorSchemas = {
  ErrorResponse: whereAll({ error: detail }),
  MessageErrorResponse: whereAll({
    type: { const: "error" },
    error: whereAll({ type: text, message: text }),
    request_id: textOrNull,
  }),
  GenerateContentErrorResponse: whereAll({
    error: {
      ...whereAll({ code: { ...whole, description: "The HTTP status." }, message: text, status: text }),
      description: "`details` contains the reason and the field.",
    },
  }),
  VideoTaskAErrorResponse: whereAll({ error: detail, code: whole, message: text, request_id: text }),
  VideoTaskBErrorResponse: whereAll({ error: detail, code: whole, message: text, request_id: text, status: whole }),
} as const;

export type ErrorName = keyof typeof errorSchemas;

const statuses = {
  "400": "The request is not valid; the error names the field.",
  "401": "The API key is missing or not valid.",
  "403": "The API key does not have permission for this request.",
  "404": "The model, the path or the object does not exist.",
  "413": "The body is too large.",
  "415": "The content type or encoding is not supported.",
  "429": "A rate limit or budget is exceeded. Wait for the time in the Retry-After header.",
  "500": "An internal error occurred in the gateway.",
  "502": "The provider failed or could not be reached.",
  "503": "No provider is available, or the gateway is overloaded.",
  "504": "The provider timed out.",
} as const;

/** The error responses of an operation with this envelope. */
export function failures(name: ErrorName) {
  const content = { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } };
  return Object.fromEntries(
    Object.entries(statuses).map(([status, description]) => [status, { description, content }]),
  );
}
