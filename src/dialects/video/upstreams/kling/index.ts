// Kling as an upstream of videos, on its older and its newer paths.
export { klingTasks } from "./current.ts";
export { klingVideos } from "./legacy.ts";
