// Writes multipart/form-data with a boundary that occurs in none of the parts.

/** A part of a form: a text, or a file. */
export type WrittenPart =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly fileName: string; readonly type: string; readonly bytes: Uint8Array };

const encoder = new TextEncoder();

/** Escapes a name in quotes as browsers do. */
function quoted(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** A media type is written into a header, so it must not end it. */
function oneLine(type: string): string {
  return type.replace(/[^\x20-\x7e]/g, "");
}

function headOf(part: WrittenPart, boundary: string): string {
  const disposition = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(part.name)}"`;
  if ("value" in part) return `${disposition}\r\n\r\n`;
  return `${disposition}; filename="${quoted(part.fileName)}"\r\nContent-Type: ${oneLine(part.type)}\r\n\r\n`;
}

/**
 * The body of a form in pieces, with files uncopied. `boundary` is a token of at most 70 characters that occurs in no
 * part: make it of random letters.
 */
export function writeMultipart(parts: readonly WrittenPart[], boundary: string): Uint8Array[] {
  const end = encoder.encode("\r\n");
  const pieces = parts.flatMap((part) => [
    encoder.encode(headOf(part, boundary)),
    "value" in part ? encoder.encode(part.value) : part.bytes,
    end,
  ]);
  return [...pieces, encoder.encode(`--${boundary}--\r\n`)];
}
