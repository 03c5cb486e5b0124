// Makes a picture of each page and state of the console and the documentation, in screenshots/, for someone to look at.
// A word as an argument: only states whose names begin with it.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import "./console.ts";
import { signedIn, startConsole, views } from "../test/console/setting.ts";
import { enter, type State, statesOf } from "../test/console/states.ts";
import { openBrowser } from "../test/support/browser.ts";

const folder = join(import.meta.dir, "..", "screenshots");
mkdirSync(folder, { recursive: true });

const setting = await startConsole();
const browser = await openBrowser();
const { url } = setting.running;
const states = statesOf(setting).filter(({ name }) => name.startsWith(process.argv[2] ?? ""));

try {
  for (const view of views) {
    const { page: first, close } = await signedIn(browser, url, view);
    const signedInto = first.context();
    const { viewport, colorScheme } = { viewport: first.viewportSize(), colorScheme: view.scheme };
    const apart = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
    const take = async (state: State): Promise<void> => {
      const page = await (state.isSignedOut ? apart : signedInto).newPage();
      try {
        await enter(page, url, state);
        await page.screenshot({ path: join(folder, `${state.name}-${view.width}-${view.scheme}.png`) });
      } catch (cause) {
        console.log(`${state.name} at ${view.width} ${view.scheme}: ${String(cause).slice(0, 300)}`);
        process.exitCode = 1;
      }
      await page.close();
    };
    for (const state of states) await take(state);
    await apart.close();
    await close();
  }
} finally {
  await browser.close();
  await setting.running.stop();
}
console.log(`The pictures are in ${folder}.`);
