// A port of this machine that answers no connection: a listener whose queue is full and is never emptied, as a host that is gone.
import { dlopen, ptr } from "bun:ffi";
import type { Socket } from "bun";

const libc = dlopen("libc.so.6", {
  socket: { args: ["int", "int", "int"], returns: "int" },
  bind: { args: ["int", "ptr", "int"], returns: "int" },
  listen: { args: ["int", "int"], returns: "int" },
  getsockname: { args: ["int", "ptr", "ptr"], returns: "int" },
  close: { args: ["int"], returns: "int" },
});

export interface BlackHole {
  readonly url: string;
  close(): void;
}

export async function blackHole(): Promise<BlackHole> {
  const { socket, bind, listen, getsockname, close } = libc.symbols;
  const descriptor = socket(2, 1, 0);
  const address = new Uint8Array([2, 0, 0, 0, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
  if (bind(descriptor, ptr(address), address.length) !== 0 || listen(descriptor, 0) !== 0)
    throw new Error("No port for a black hole.");
  getsockname(descriptor, ptr(address), ptr(new Uint32Array([address.length])));
  const port = new DataView(address.buffer).getUint16(2);
  const held: Socket[] = [];
  for (let isFull = false; !isFull; ) {
    const connected = Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => undefined } }).then(
      (open) => {
        held.push(open);
        return false;
      },
      () => true,
    );
    isFull = await Promise.race([connected, Bun.sleep(300).then(() => true)]);
    if (held.length > 8) throw new Error("The queue does not become full.");
  }
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      for (const each of held) each.terminate();
      close(descriptor);
    },
  };
}
