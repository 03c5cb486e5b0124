// A sentence of the API's descriptions.

/** A sentence whose names are between backticks. */
export function Prose({ text }: { readonly text: string }) {
  const parts = text.split("`").map((part, at) => ({ part, at, isCode: at % 2 === 1 }));
  return (
    <>
      {parts.map(({ part, at, isCode }) =>
        isCode ? (
          <code key={at} className="font-mono">
            {part}
          </code>
        ) : (
          part
        ),
      )}
    </>
  );
}
