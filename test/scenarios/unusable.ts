// What upstreams answer whose model or ability is missing, as their services word it.
import type { Reply } from "../support/upstream.ts";

/** https://platform.openai.com/docs/guides/error-codes, as the service answers for a model that it has shut down. */
export const gone: Reply = {
  status: 404,
  json: {
    error: {
      message: "The model `gpt-x` does not exist or you do not have access to it.",
      type: "invalid_request_error",
      param: null,
      code: "model_not_found",
    },
  },
};

/** llama.cpp, tools/server: a server that was started for chat is asked for vectors. */
export const lacksAbility: Reply = {
  status: 501,
  json: {
    error: {
      code: 501,
      message: "This server does not support embeddings. Start it with `--embeddings`",
      type: "not_supported_error",
    },
  },
};
