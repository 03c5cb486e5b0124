// Asks for the client key with which the reference is read.
import { useState } from "react";
import { base } from "../data/gateway.ts";
import { Field, Form } from "../ui/form.tsx";
import { useReader } from "./reader.ts";
import { texts } from "./texts.ts";

export function KeyForm() {
  const [key, setKey] = useState("");
  const [isStored, setStored] = useState(false);
  const { open } = useReader();
  return (
    <div className="mt-4 max-w-sm">
      <Form label={texts.showApi} submit={() => open(key.trim(), isStored)}>
        {() => (
          <>
            <Field label={texts.key} type="password" value={key} change={setKey} hint={texts.keyLead} isRequired />
            <label className="flex min-h-8 items-center gap-2">
              <input type="checkbox" checked={isStored} onChange={({ target }) => setStored(target.checked)} />
              {texts.keepKey}
            </label>
          </>
        )}
      </Form>
    </div>
  );
}

/** The address for clients. */
export function BaseUrl() {
  return (
    <p className="wrap-anywhere mt-1">
      {texts.baseUrl} <code className="font-mono">{`${base}/v1`}</code>
      <br />
      {texts.baseNote}
    </p>
  );
}
