// Loaded into a gateway's process before it starts: measures the longest time that its event loop was kept busy, in the thread's own CPU time.

/** Time that the thread spent computing: other processes on a busy machine do not count. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let longestMs = 0;
let before = { wallMs: performance.now(), cpuMs: cpuMs() };
setInterval(() => {
  const now = { wallMs: performance.now(), cpuMs: cpuMs() };
  longestMs = Math.max(longestMs, Math.min(now.wallMs - before.wallMs, now.cpuMs - before.cpuMs));
  before = now;
}, 1).unref();

/** Any message asks for the longest stretch since the last one. */
process.on("message", () => {
  const message = longestMs;
  longestMs = 0;
  process.send?.(message);
});
