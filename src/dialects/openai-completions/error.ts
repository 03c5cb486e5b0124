// Errors of text completions: the envelope that all OpenAI-shaped dialects share.
export { openaiErrors as error } from "../openai-error.ts";
