// Made by scripts/sandbox-sound.ts with FFmpeg (LAME, its own AAC, libopus): one frame of a hum and one of silence for each codec.

/** In Base64. */
export const frameTexts = {
  mp3: {
    hum: "//NExAAHaFocAA3qSMl5fCPemDD2nwiuwZMv///t+j/6NGnT/o/+S/0/SmIKaimZcYmBgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    silence:
      "//NExAAAAANIAAAAAExBTUUzLjEwMAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  },
  aac: {
    hum: "//FYQBe//ADkNihsiyIpUmoehGeh54AQi0wqqKKCdkp2SnZJ5nZ2dnYXp7qe6btwkw0yOf+bRP5Bf3JSH9V75sEfkLqyE0exYs0plk8KD3QlKlShJVKElSqW7du5cjPQ1rttZJcpuSgFzzmruacdFOOl3Nzc3NOLjHHRbnK+c0Kc5pcnnq3GKU4qcT2VKKKK1oVqorVSpX3FVFB7hWtVFKUqKKUFVAopRShWtFRVSla1BWtaUVoaFVaU06qO",
    silence: "//FYQAF//AEYIAc=",
  },
  opus: {
    hum: "uCGj4MhaSNG7df1GTcOFLVsqSw+DkZT96cUhzDCVf2Ts1lvpKtzrK7l6Uxq8/nLVX7Zcr7Blor8pQ457",
    silence: "2P/+AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  },
} as const;
