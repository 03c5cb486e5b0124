// The dialects of ranking.
export { cohereRerank, plainRerank } from "./clients.ts";
export { dashscopeFlatRerank, dashscopeRerank, teiRerank, voyageRerank } from "./servers.ts";
