// Before anything is timed: does the peer answer what the upstream answers?
import type { RunningPeer } from "./measure.ts";
import { chatPath, type WorkloadName, workloads } from "./workloads.ts";

type Completion = { choices?: { message?: { content?: string } }[] };

async function ask(running: RunningPeer, workload: WorkloadName): Promise<Response> {
  return fetch(`http://127.0.0.1:${running.target.port}${chatPath}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...running.target.headers },
    body: workloads[workload].body,
  });
}

async function contentOf(running: RunningPeer, workload: WorkloadName): Promise<string> {
  const answer = await ask(running, workload);
  const body = await answer.text();
  const content = answer.ok ? (JSON.parse(body) as Completion).choices?.[0]?.message?.content : undefined;
  if (content === undefined) throw new Error(`${running.peer.name} answered ${answer.status}: ${body.slice(0, 300)}`);
  return content;
}

/** Throws when an answer through `running` differs from the upstream's own. */
export async function verify(running: RunningPeer, upstream: RunningPeer): Promise<void> {
  for (const workload of ["json-1k", "json-100k"] as const) {
    if ((await contentOf(running, workload)) !== (await contentOf(upstream, workload))) {
      throw new Error(`${running.peer.name} changed the answer of ${workload}`);
    }
  }
}
