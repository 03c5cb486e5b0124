// Images of the next message: files of this computer as data URLs, or addresses.
import { useId, useState } from "react";
import { fill, texts } from "../../texts.ts";
import { Button } from "../../ui/basics.tsx";
import { Field } from "../../ui/form.tsx";
import { imageName } from "./media.tsx";

const words = texts.playground;

const read = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error(words.unreadable));
    reader.readAsDataURL(file);
  });

interface ImagesProps {
  readonly images: readonly string[];
  readonly change: (images: readonly string[]) => void;
}

export function Images({ images, change }: ImagesProps) {
  const id = useId();
  const [url, setUrl] = useState("");
  const add = () => {
    if (url !== "") change([...images, url]);
    setUrl("");
  };
  const upload = (files: FileList | null) =>
    void Promise.all([...(files ?? [])].map(read)).then((added) => change([...images, ...added]));
  return (
    <details open={images.length > 0}>
      <summary>{words.images}</summary>
      <div className="mt-2 flex flex-wrap items-end gap-3">
        <div className="flex min-w-0 flex-col gap-1">
          <label htmlFor={id} className="text-muted">
            {words.imageFile}
          </label>
          <input
            id={id}
            type="file"
            accept="image/*"
            multiple
            className="max-w-full"
            onChange={(event) => upload(event.target.files)}
          />
        </div>
        <Field label={words.imageUrl} type="url" value={url} change={setUrl} />
        <Button onClick={add}>{words.addImage}</Button>
      </div>
      <ul className="mt-2 flex flex-wrap gap-2">
        {images.map((image, at) => (
          <li key={image.slice(0, 200)} className="flex flex-col items-start gap-1">
            <span className="break-all">{imageName(image)}</span>
            <Button look="quiet" onClick={() => change(images.filter((_, index) => index !== at))}>
              {fill(words.removeImage, { n: at + 1 })}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
