// The entry of the console: session, theme, router and queries.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRootRoute, createRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { lazy, StrictMode, Suspense, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { ApiError, consolePath, currentSession, onSignedOut, type Session, signOut } from "./data/api.ts";
import { readSearch, writeSearch } from "./data/url.ts";
import { followBuilds, withReload } from "./shell/reload.ts";
import { ShellSession } from "./shell/session.ts";
import { Shell } from "./shell/shell.tsx";
import { hasArrival, SignIn } from "./shell/sign-in.tsx";
import { applyTheme } from "./shell/theme.ts";
import { Failure, Skeleton } from "./ui/states.tsx";

const pages = {
  "/": withReload(() => import("./pages/overview.tsx")),
  "/requests": withReload(() => import("./pages/requests.tsx")),
  "/playground": withReload(() => import("./pages/playground.tsx")),
  "/providers": withReload(() => import("./pages/providers.tsx")),
  "/models": withReload(() => import("./pages/models.tsx")),
  "/keys": withReload(() => import("./pages/keys.tsx")),
  "/settings": withReload(() => import("./pages/settings.tsx")),
} as const;

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: () => <Failure error="This page does not exist." />,
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

const router = createRouter({
  routeTree: rootRoute.addChildren(routes),
  basepath: consolePath,
  parseSearch: readSearch,
  stringifySearch: writeSearch,
});

const isFinal = (cause: unknown): boolean => cause instanceof ApiError && cause.status >= 400 && cause.status < 500;
const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 15_000, retry: (tries, cause) => tries < 2 && !isFinal(cause) } },
});

function App() {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    // One-time links and invites are used by the sign-in page.
    if (hasArrival()) setSession(null);
    else currentSession().then(setSession, setError);
    // A link that is followed in this tab changes only what follows `#`.
    addEventListener("hashchange", () => hasArrival() && location.reload());
    return onSignedOut(() => setSession(null));
  }, []);
  if (error !== null) return <Failure error={error} retry={() => location.reload()} />;
  if (session === undefined) return <Skeleton />;
  if (session === null) return <SignIn done={setSession} />;
  const leave = () => {
    queries.clear();
    void signOut().then(() => setSession(null));
  };
  return (
    <QueryClientProvider client={queries}>
      <ShellSession.Provider value={{ session, leave }}>
        <RouterProvider router={router} />
      </ShellSession.Provider>
    </QueryClientProvider>
  );
}

applyTheme();
followBuilds();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
