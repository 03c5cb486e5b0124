// Sizes of images by the rows of their models: within the published bounds, as near as they allow, and untouched without a row.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ImageRequest, ImageSize } from "../../src/canonical/image.ts";
import { fittedPixels, type ImageRow } from "../../src/dialects/images/model-sizes.ts";
import {
  arkModels,
  dashscopeImageModels,
  geminiImageModels,
  imagenModels,
  minimaxImageModels,
  openaiImageModels,
  xaiModels,
  zhipuModels,
} from "../../src/dialects/images/model-tables.ts";
import {
  arkImages,
  geminiImages,
  imagenImages,
  minimaxImages,
  xaiImages,
  zhipuImages,
} from "../../src/dialects/index.ts";
import { type DeclaredModel, findRow, type ModelRow, type ModelTable } from "../../src/dialects/shared/model-table.ts";
import { publishedTypes } from "../support/model-types.ts";

const plain: ImageRequest = {
  operation: "image",
  task: "generate",
  model: "m",
  stream: false,
  prompt: "a fox",
  images: [],
  unmappedFields: [],
};
type Shape = Omit<ImageSize, "path">;
type Params = Partial<Omit<ImageRequest, "size">> & Shape;
const contextOf = (model: string, declared?: readonly DeclaredModel[]) => ({
  ...{ model, origin: "o", options: {}, fieldPath: (field: string) => field },
  ...(declared === undefined ? {} : { declared }),
});
const rendered = (
  dialect: typeof arkImages,
  model: string,
  { width, height, ratio, resolution, ...params }: Params,
  declared?: DeclaredModel[],
) => {
  const shape: Shape = JSON.parse(JSON.stringify({ width, height, ratio, resolution }));
  const size = Object.keys(shape).length === 0 ? {} : { size: { ...shape, path: "size" } };
  const { call, warnings } = dialect.request.render({ ...plain, ...size, ...params }, contextOf(model, declared));
  return { path: call.path, body: call.body, warnings: warnings.map(({ code, path }) => `${code} ${path}`) };
};

describe("Seedream", () => {
  test.each([
    ["doubao-seedream-4-5-251128", { width: 1024, height: 1024 }, "1920x1920", ["approximated size"]],
    ["doubao-seedream-4-5-251128", { width: 2048, height: 2048 }, "2048x2048", []],
    ["doubao-seedream-4-5-251128", { resolution: "1K" }, "1920x1920", ["approximated size"]],
    ["doubao-seedream-4-5-251128", { resolution: "2K" }, "2K", []],
    ["doubao-seedream-5-0-260128", { width: 1280, height: 720 }, "2560x1440", ["approximated size"]],
    ["doubao-seedream-5-0-260128", { width: 4096, height: 4096 }, "3216x3216", ["approximated size"]],
    ["doubao-seedream-4-0-250828", { width: 1024, height: 1024 }, "1024x1024", []],
    ["doubao-seedream-3-0-t2i-250415", { width: 256, height: 512 }, "512x1024", ["approximated size"]],
    ["ep-20261122-abcde", { width: 1024, height: 1024 }, "1024x1024", ["unverified model"]],
    ["ep-20261122-abcde", { resolution: "1K" }, "1K", ["unverified model"]],
    ["ep-20261122-abcde", {}, undefined, []],
  ] as [string, Params, string | undefined, string[]][])("%s %j", (model, params, size, warnings) => {
    const { body, warnings: result } = rendered(arkImages, model, params);
    expect([body["size"], result]).toEqual([size, warnings]);
  });

  test("a declared row counts before the table", () => {
    const declared = [{ models: /^ep-/, like: "seedream-4-5", capabilities: {} }];
    expect(rendered(arkImages, "ep-1", { width: 1024, height: 1024 }, declared)).toMatchObject({
      body: { size: "1920x1920" },
      warnings: ["approximated size"],
    });
    const only = [{ models: /seedream/, capabilities: { sizes: ["512x512", "640x360"] } }];
    expect(rendered(arkImages, "seedream-9", { width: 1600, height: 900 }, only).body["size"]).toBe("640x360");
  });
});

describe("glm-image", () => {
  test.each([
    [{ width: 512, height: 512 }, "1024x1024"],
    [{ width: 1000, height: 1500 }, "1024x1536"],
    [{ width: 1280, height: 1280 }, "1280x1280"],
    [{ width: 4096, height: 4096 }, "2048x2048"],
  ])("%j", (params, size) => {
    expect(rendered(zhipuImages, "glm-image", params).body["size"]).toBe(size);
  });

  test("has one quality", () => {
    const requestWith = (quality: string) => {
      const { body, warnings } = rendered(zhipuImages, "glm-image", { quality });
      return [body["quality"], warnings];
    };
    expect(requestWith("standard")).toEqual(["hd", ["approximated quality"]]);
    expect(requestWith("hd")).toEqual(["hd", []]);
    expect(requestWith("auto")).toEqual(["hd", []]);
  });
});

describe("xAI", () => {
  const link = (url: string) => ({ source: { kind: "url", url } as const, path: "image" });
  test("edits have a path of their own", () => {
    const { path, body } = rendered(xaiImages, "grok-imagine-image", { images: [link("https://a.example/1.png")] });
    expect([path, body]).toEqual([
      "images/edits",
      {
        model: "grok-imagine-image",
        prompt: "a fox",
        image: { type: "image_url", url: "https://a.example/1.png" },
      },
    ]);
    const two = rendered(xaiImages, "grok-imagine-image", {
      images: [link("https://a.example/1.png"), link("https://a.example/2.png")],
    });
    expect(two.body["images"]).toHaveLength(2);
    expect(two.body).not.toHaveProperty("image");
  });

  test("a resolution goes to models that have some", () => {
    expect(rendered(xaiImages, "grok-imagine-image", { ratio: "16:9", resolution: "2K" }).body).toMatchObject({
      aspect_ratio: "16:9",
      resolution: "2k",
    });
    expect(rendered(xaiImages, "grok-2-image", { ratio: "16:9", resolution: "2K" }).body).not.toHaveProperty(
      "resolution",
    );
  });
});

interface Published {
  readonly geminiImageConfig: { readonly aspectRatio: readonly string[]; readonly imageSize: readonly string[] };
  readonly imagen: { readonly aspectRatio: readonly string[]; readonly sampleImageSize: readonly string[] };
}
const published = await publishedTypes<Published>("google-genai");
const unique = (values: readonly string[]): string[] => [...new Set(values)].sort();

describe("ratios and resolutions", () => {
  const config = (model: string, params: Params, declared?: DeclaredModel[]) => {
    const { body, warnings } = rendered(geminiImages, model, params, declared);
    return [(body["generationConfig"] as { imageConfig?: object }).imageConfig, warnings];
  };
  const parameters = (model: string, params: Params, declared?: DeclaredModel[]) => {
    const { body, warnings } = rendered(imagenImages, model, params, declared);
    return [body["parameters"], warnings];
  };
  const strange = { ratio: "7:4", resolution: "4K" };
  const declared = [{ models: /./, capabilities: { ratios: ["1:1", "2:1"], resolutions: ["1K"] } }];

  test("of Gemini, by the row of the model", () => {
    expect(config("gemini-3.1-flash-image", { ratio: "1:8", resolution: "512" })).toEqual([
      { aspectRatio: "1:8", imageSize: "512" },
      [],
    ]);
    expect(config("gemini-3-pro-image", { ratio: "1:8", resolution: "512" })).toEqual([
      { aspectRatio: "9:16", imageSize: "1K" },
      ["approximated size"],
    ]);
    expect(config("gemini-2.5-flash-image", { ratio: "21:9" })).toEqual([{ aspectRatio: "21:9" }, []]);
    expect(config("gemini-9-image", strange)).toEqual([{ aspectRatio: "7:4", imageSize: "4K" }, ["unverified model"]]);
    expect(config("gemini-9-image", {})).toEqual([undefined, []]);
    expect(config("gemini-9-image", strange, declared)).toEqual([
      { aspectRatio: "2:1", imageSize: "1K" },
      ["approximated size"],
    ]);
  });

  test("of Imagen, by the row of the model", () => {
    expect(parameters("imagen-4.0-generate-001", strange)).toEqual([
      { sampleCount: 1, aspectRatio: "16:9", sampleImageSize: "2K" },
      ["approximated size"],
    ]);
    for (const model of ["imagen-3.0-generate-002", "imagen-4.0-fast-generate-001"])
      expect(parameters(model, { resolution: "2K" })).toEqual([{ sampleCount: 1 }, ["approximated size"]]);
    expect(parameters("imagen-9", strange)).toEqual([
      { sampleCount: 1, aspectRatio: "7:4", sampleImageSize: "4K" },
      ["unverified model"],
    ]);
    expect(parameters("imagen-9", strange, declared)[0]).toMatchObject({ aspectRatio: "2:1", sampleImageSize: "1K" });
  });

  test("of MiniMax, by the row of the model", () => {
    const made = (model: string, rows?: DeclaredModel[]) => {
      const { body, warnings } = rendered(minimaxImages, model, { ratio: "7:4" }, rows);
      return [body["aspect_ratio"], warnings];
    };
    expect(made("image-01-live")).toEqual(["16:9", ["approximated size"]]);
    const sized = (model: string, width: number, height: number) => {
      const { body, warnings } = rendered(minimaxImages, model, { width, height });
      return [body["width"], body["height"], body["aspect_ratio"], warnings];
    };
    expect(sized("image-01", 1280, 720)).toEqual([1280, 720, undefined, []]);
    expect(sized("image-01", 1001, 3000)).toEqual([680, 2048, undefined, ["approximated size"]]);
    expect(sized("image-01-live", 1280, 720)).toEqual([undefined, undefined, "16:9", ["approximated size"]]);
    expect(made("image-09")).toEqual(["7:4", ["unverified model"]]);
    expect(made("image-09", declared)).toEqual(["2:1", ["approximated size"]]);
  });

  test("are those that Google's own SDK publishes", () => {
    const of = (table: ModelTable<ModelRow>, member: "ratios" | "resolutions") =>
      unique(table.rows.flatMap((row) => row[member] ?? []));
    expect(of(geminiImageModels, "ratios")).toEqual(unique(published.geminiImageConfig.aspectRatio));
    expect(of(geminiImageModels, "resolutions")).toEqual(unique(published.geminiImageConfig.imageSize));
    expect(of(imagenModels, "ratios")).toEqual(unique(published.imagen.aspectRatio));
    expect(of(imagenModels, "resolutions")).toEqual(unique(published.imagen.sampleImageSize));
  });
});

const tables = { ark: arkModels, zhipu: zhipuModels, dashscope: dashscopeImageModels, openai: openaiImageModels };
const rows = Object.entries(tables).flatMap(([name, { rows: all }]) => all.map((row) => [name, row] as const));

test("every row has a source and a day", () => {
  const others = [xaiModels, geminiImageModels, imagenModels, minimaxImageModels].flatMap((table) => table.rows);
  for (const { source, checkedOn } of [...rows.map(([, row]) => row), ...others])
    expect([source, checkedOn]).toEqual([expect.any(String), "2026-11-22"]);
});

/** A name whose row this is. */
const nameFor = (rowsOfTable: readonly ImageRow[], row: ImageRow): string =>
  [
    ...["doubao-seedream-5-0", "seedream-4-5", "seedream-4-0", "seedream-3-0", "seededit-3", "glm-image", "cogview-4"],
    ...["qwen-image-edit-plus", "qwen-image-edit", "qwen-image-2.0", "qwen-image", "wan2.6-image"],
    ...["gpt-image-1", "gpt-image-2", "dall-e-3", "dall-e-2"],
  ].find((name) => findRow(rowsOfTable, name) === row) ?? "";

test.each(rows.map(([name, row]) => [name, nameFor(tables[name as keyof typeof tables].rows, row), row] as const))(
  "%s %s: any size is fitted",
  (table, model, row) => {
    expect(model).not.toBe("");
    const side = fc.integer({ min: 64, max: 8192 });
    fc.assert(
      fc.property(side, side, (width, height) => {
        fc.pre(Math.max(width, height) / Math.min(width, height) <= 2);
        const notes = { context: contextOf(model), warnings: [] };
        const fitted = fittedPixels({ width, height, path: "size" }, notes, tables[table as keyof typeof tables]);
        if (row.keepsSize) return fitted === undefined;
        if (fitted === undefined) return false;
        const sides = [fitted.width, fitted.height];
        const area = fitted.width * fitted.height;
        return (
          (row.sizes === undefined || row.sizes.includes(`${fitted.width}x${fitted.height}`)) &&
          (row.step === undefined || sides.every((each) => each % (row.step ?? 1) === 0)) &&
          (row.sides === undefined || sides.every((each) => each >= row.sides!.min && each <= row.sides!.max)) &&
          (row.area === undefined || (area >= row.area.min && area <= row.area.max))
        );
      }),
      { numRuns: 300 },
    );
  },
);
