// A client that writes bytes as told, for requests that no well-behaved HTTP library would send.

export interface RawAnswer {
  status: number;
  /** Everything that came back. */
  text: string;
  /** The part behind the head. */
  body: string;
}

/** Sends the pieces one after the other and resolves when the server closes, or has said a whole head and `quietMs` pass. */
export async function sendRaw(url: string, pieces: Iterable<string | Uint8Array>, quietMs = 100): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const done = Promise.withResolvers<void>();
  let drained = Promise.withResolvers<void>();
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let text = "";
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_socket, bytes) {
        text += bytes.toString("latin1");
        clearTimeout(quiet);
        if (text.includes("\r\n\r\n")) quiet = setTimeout(() => done.resolve(), quietMs);
      },
      drain: () => drained.resolve(),
      close() {
        done.resolve();
        drained.resolve();
      },
      error: () => done.resolve(),
    },
  });
  const isOver = done.promise.then(() => true);
  for (const piece of pieces) {
    if (text !== "") break;
    let rest = typeof piece === "string" ? Buffer.from(piece) : Buffer.from(piece);
    while (rest.length > 0 && text === "") {
      drained = Promise.withResolvers();
      const written = socket.write(rest);
      if (written < 0) break;
      rest = rest.subarray(written);
      if (rest.length > 0 && (await Promise.race([isOver, drained.promise]))) break;
    }
  }
  await done.promise;
  clearTimeout(quiet);
  socket.terminate();
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  return { status, text, body: text.slice(text.indexOf("\r\n\r\n") + 4) };
}
