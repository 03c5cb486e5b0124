// The form of a provider, loaded when it is opened.
import { type ComponentProps, lazy, Suspense } from "react";
import { withReload } from "../../shell/reload.ts";
import { Skeleton } from "../../ui/states.tsx";

const Loaded = lazy(withReload(() => import("./form.tsx").then(({ ProviderForm: Form }) => ({ default: Form }))));

export const ProviderForm = (props: ComponentProps<typeof Loaded>) => (
  <Suspense fallback={<Skeleton />}>
    <Loaded {...props} />
  </Suspense>
);
