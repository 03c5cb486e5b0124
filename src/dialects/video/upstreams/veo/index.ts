// Google's Veo as an upstream of videos, on the Gemini API and on Vertex AI.
export { geminiVeo } from "./gemini.ts";
export { vertexVeo } from "./vertex.ts";
