// Loaded into a gateway's process before it starts: its wall clock jumps an hour forward or two hours back when a test sends a signal.

const hourMs = 3_600_000;
const now = Date.now.bind(Date);
let offsetMs = 0;
Date.now = () => now() + offsetMs;
process.on("SIGUSR2", () => {
  offsetMs += hourMs;
});
process.on("SIGWINCH", () => {
  offsetMs -= 2 * hourMs;
});
