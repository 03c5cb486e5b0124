// The script as text, as page.ts imports it.
declare const script: string;
export default script;
