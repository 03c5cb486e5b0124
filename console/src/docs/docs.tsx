// The entry of the documentation: router, keys, and the pages, each in a file of its own.
import { createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { lazy, type ReactNode, StrictMode, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { createRoot } from "react-dom/client";
import { base } from "../data/gateway.ts";
import { followBuilds, withReload } from "../shell/reload.ts";
import { applyTheme } from "../shell/theme.ts";
import { Failure, Skeleton } from "../ui/states.tsx";
import { Frame } from "./frame.tsx";
import { fetchSpec, initialKey, type Reader, ReaderContext, storeKey } from "./reader.ts";
import type { Spec } from "./spec.ts";
import { texts } from "./texts.ts";

const pages = {
  "/": withReload(() => import("./reference.tsx")),
  "/api/$operation": withReload(() => import("./operation.tsx")),
  "/guides/$guide": withReload(() => import("./guide.tsx")),
  "/search": withReload(() => import("./search.tsx")),
} as const;

const rootRoute = createRootRoute({
  component: Frame,
  notFoundComponent: () => <Failure error={texts.missing} />,
});
const routes = Object.entries(pages).map(([path, page]) => {
  const Page = lazy(page);
  const component = () => (
    <Suspense fallback={<Skeleton />}>
      <Page />
    </Suspense>
  );
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    component,
    errorComponent: ({ error }) => <Failure error={error} retry={() => location.reload()} />,
  });
});

/** Keys and the document; children are shown once it is known whether the tab has a key. */
function WithReader({ children }: { readonly children: ReactNode }) {
  const [isReady, setReady] = useState(false);
  const [opened, setOpened] = useState<{ readonly key: string; readonly spec: Spec } | null>(null);
  const [adminKey, setAdminKey] = useState("");
  const open = useCallback(async (key: string, isStored: boolean) => {
    const spec = await fetchSpec(key);
    storeKey(isStored ? key : null);
    setOpened({ key, spec });
  }, []);
  const forget = useCallback(() => {
    storeKey(null);
    setOpened(null);
    setAdminKey("");
  }, []);
  useEffect(() => {
    const isStored = sessionStorage.getItem("turnpike.docs.key") !== null;
    const key = initialKey();
    // A key that is not valid any more: the page asks for another one.
    if (key !== null)
      void open(key, isStored)
        .catch(forget)
        .finally(() => setReady(true));
    else setReady(true);
  }, [open, forget]);
  const reader: Reader = useMemo(
    () => ({ spec: opened?.spec ?? null, key: opened?.key ?? "", adminKey, setAdminKey, open, forget }),
    [opened, adminKey, open, forget],
  );
  return <ReaderContext.Provider value={reader}>{isReady ? children : <Skeleton />}</ReaderContext.Provider>;
}

const router = createRouter({
  routeTree: rootRoute.addChildren(routes),
  basepath: new URL(`${base}/docs`).pathname,
});

applyTheme();
followBuilds();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <WithReader>
      <RouterProvider router={router as never} />
    </WithReader>
  </StrictMode>,
);
