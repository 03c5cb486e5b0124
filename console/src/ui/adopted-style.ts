// In place of react-style-singleton, which adds inline styles that the content security policy refuses: the same rules
// as an adopted style sheet.
import { useEffect } from "react";

/** A component that applies its rules while it is shown. */
export const styleSingleton =
  () =>
  ({ styles }: { readonly styles: string }): null => {
    useEffect(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(styles);
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
      return () => {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
      };
    }, [styles]);
    return null;
  };
