// Names by which models that make images are known: where one provider converses and draws, nothing but the name tells them apart.

const words =
  /image|imagin|dall-?e|diffusion|flux|sdxl|sd-?3|seedream|cogview|kolors|t2i|i2i|wanx|recraft|ideogram|hidream|banana/i;

/** True for a name that says so. */
export function isImageModelName(model: string): boolean {
  return words.test(model);
}
