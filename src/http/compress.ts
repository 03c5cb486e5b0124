// Compression of responses: what a client accepts.

/** Whether the client accepts this content encoding. */
export function accepts(request: Request, encoding: string): boolean {
  const given = request.headers.get("accept-encoding") ?? "";
  return given.split(",").some((each) => {
    const [name = "", weight = ""] = each.split(";");
    return name.trim() === encoding && !/^\s*q=0(?:\.0*)?\s*$/.test(weight);
  });
}

/** The response, compressed if the client accepts that. Only for whole documents. */
export async function compressed(request: Request, response: Response): Promise<Response> {
  response.headers.set("vary", "Accept-Encoding");
  if (!accepts(request, "gzip")) return response;
  response.headers.set("content-encoding", "gzip");
  return new Response(Bun.gzipSync(await response.arrayBuffer()), { headers: response.headers });
}
