// The dialects of ranking.
export { cohereRerank } from "./cohere.ts";
export { dashscopeFlatRerank, dashscopeRerank } from "./dashscope.ts";
export { plainRerank } from "./jina-cohere-v1.ts";
export { teiRerank } from "./tei.ts";
export { voyageRerank } from "./voyage.ts";
