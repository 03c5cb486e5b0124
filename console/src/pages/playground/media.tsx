// Images and audio of a conversation: shown from their own bytes. Nothing is loaded from an address that a model names.
import { useEffect, useState } from "react";
import { fill, texts } from "../../texts.ts";
import { Button, joined } from "../../ui/basics.tsx";
import { bytesOf, dataOf, playable } from "./media-bytes.ts";
import type { Part } from "./message.ts";

const words = texts.playground;

/** Types that the browser draws without interpreting them as a document, and their file names. */
const imageFiles: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
  "image/avif": "avif",
};

/** A larger one is only offered as a file: the page would keep it in memory several times. */
const shownBytes = 20 * 1_024 * 1_024;
const bytesPerChar = 0.75;
const sizeOf = (base64: string): number => base64.length * bytesPerChar;
const kilobytes = (bytes: number): number => Math.ceil(bytes / 1_024);

/** Its type and size, or its address. */
export function imageName(url: string): string {
  const data = dataOf(url);
  if (data === null) return fill(words.imageAt, { url });
  return fill(words.imageOf, { type: data.type, size: kilobytes(sizeOf(data.data)) });
}

/** An address for these bytes, for as long as they are shown. */
function useBlob(type: string, read: () => readonly BlobPart[], key: unknown): string | null {
  const [url, setUrl] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the bytes are those of the key
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([...read()], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [key, type]);
  return url;
}

function Download({ url, name }: { readonly url: string; readonly name: string }) {
  return (
    <a href={url} download={name} className="text-accent underline">
      {words.download}
    </a>
  );
}

interface ImageProps {
  readonly url: string;
  /** Puts it into the next message; absent where that is not possible. */
  readonly use?: ((url: string) => void) | undefined;
}

function DrawnImage({ type, data, use }: { readonly type: string; readonly data: string; readonly use?: () => void }) {
  const file = imageFiles[type];
  const isShown = file !== undefined && sizeOf(data) <= shownBytes;
  const url = useBlob(isShown ? type : "application/octet-stream", () => [bytesOf(data)], data);
  const [isBroken, setBroken] = useState(false);
  const name = fill(words.imageOf, { type, size: kilobytes(sizeOf(data)) });
  if (url === null) return null;
  return (
    <figure className="flex flex-col items-start gap-1">
      {isShown && !isBroken ? (
        <img
          src={url}
          alt={name}
          onError={() => setBroken(true)}
          className="max-h-96 max-w-full rounded border border-line"
        />
      ) : null}
      <figcaption className="flex flex-wrap items-center gap-x-3 text-muted">
        <span className={joined("break-all", isBroken && "text-failing")}>
          {isBroken ? fill(words.imageBroken, { name }) : name}
        </span>
        <Download url={url} name={`image.${file ?? "bin"}`} />
        {use === undefined ? null : (
          <Button look="quiet" onClick={use}>
            {words.useImage}
          </Button>
        )}
      </figcaption>
    </figure>
  );
}

/** An image from its bytes. One at an address is named, and linked: it is loaded only by who opens the link. */
export function ImageView({ url, use }: ImageProps) {
  const data = dataOf(url);
  if (data !== null)
    return <DrawnImage type={data.type} data={data.data} {...(use === undefined ? {} : { use: () => use(url) })} />;
  const name = imageName(url.slice(0, 2_000));
  return (
    <p className="break-all text-muted">
      {/^https?:\/\//.test(url) ? (
        <a href={url} target="_blank" rel="noreferrer noopener" className="underline">
          {name}
        </a>
      ) : (
        name
      )}
    </p>
  );
}

export function AudioView({ part }: { readonly part: Extract<Part, { kind: "audio" }> }) {
  const { type, blobType, pieces } = playable(part);
  const url = useBlob(blobType, () => pieces, part);
  const size = kilobytes(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  const name = fill(words.audioOf, { type, size });
  if (url === null) return null;
  return (
    <figure className="flex flex-col items-start gap-1">
      {/* biome-ignore lint/a11y/useMediaCaption: the transcript, where there is one, is the text before it */}
      <audio controls src={url} aria-label={name} className="w-full max-w-md" />
      <figcaption className="flex flex-wrap items-center gap-x-3 text-muted">
        {name}
        <Download url={url} name={`audio.${blobType === "audio/wav" ? "wav" : "bin"}`} />
      </figcaption>
    </figure>
  );
}
