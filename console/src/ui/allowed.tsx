// What is shown only to callers whose role allows it: the gateway refuses the rest anyway.
import { type ReactNode, useContext } from "react";
import { may } from "../data/api.ts";
import { ShellSession } from "../shell/session.ts";

interface AllowedProps {
  readonly resource: string;
  readonly verb: string;
  readonly children: ReactNode;
}

export function Allowed({ resource, verb, children }: AllowedProps): ReactNode {
  const session = useContext(ShellSession)?.session;
  return session == null || may(session, resource, verb) ? children : null;
}
