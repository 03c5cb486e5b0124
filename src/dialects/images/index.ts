// The dialects of images.
export { dashscopeImageEdits, dashscopeImages, dashscopeImageTasks, speaksImages } from "./dashscope.ts";
export { geminiImages } from "./gemini.ts";
export { wantsImages } from "./gemini-request.ts";
export { imagenImages } from "./imagen.ts";
export { minimaxImages } from "./minimax.ts";
export { openaiImageEdits, openaiImages, openaiImageVariations } from "./openai.ts";
export { arkImages, siliconflowImages, xaiImages, zhipuImages } from "./openai-compatible-images.ts";
