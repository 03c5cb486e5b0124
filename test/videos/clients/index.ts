// All formats in which clients ask for videos.
import type { Client } from "./client.ts";
import { generations } from "./generations.ts";
import { operations } from "./operations.ts";
import { videoAImage, videoAText } from "./video-a.ts";
import { videoB } from "./video-b.ts";
import { videos } from "./videos.ts";

export const clients: readonly Client[] = [generations, videoAText, videoAImage, videoB, videos, operations];
