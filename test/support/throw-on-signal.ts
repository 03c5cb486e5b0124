// Loaded into a gateway's process before it starts: errors that nothing catches, when a test sends a signal.

process.on("SIGUSR2", () => {
  setTimeout(() => {
    throw new Error("nothing catches this exception");
  });
});
process.on("SIGWINCH", () => void Promise.reject(new Error("nothing catches this rejection")));
