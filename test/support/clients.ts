// The official SDKs as clients of a gateway (or of a scripted upstream), without retries of their own.
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

/** `url` without `/v1`: each SDK gets the base URL that it wants. */
export function openaiClient(url: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, timeout: 120_000 });
}

export function anthropicClient(url: string, apiKey: string): Anthropic {
  return new Anthropic({ baseURL: url, apiKey, maxRetries: 0, timeout: 120_000 });
}

export function geminiClient(url: string, apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, timeout: 120_000 } });
}

/** The same SDK on Vertex AI's paths, where it generates images and videos. */
export function vertexClient(url: string, apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ vertexai: true, apiKey, httpOptions: { baseUrl: url, timeout: 120_000 } });
}
