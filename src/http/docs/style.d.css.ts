// The style as text, as page.ts imports it.
declare const style: string;
export default style;
