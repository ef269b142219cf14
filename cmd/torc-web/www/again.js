// Downloads that are repeated when they are cut off.
import { phrase } from "./language.js";

const tries = 6, pause = 500; // milliseconds before the second try; before each further one twice as long

// again calls get until it succeeds, a bounded number of times. say gets what the player must know.
export async function again(get, say) {
  for (let n = 1; ; n++) {
    try {
      const got = await get();
      if (n > 1) say(phrase("Loading…"));
      return got;
    } catch (e) {
      if (n === tries || e.final || e instanceof WebAssembly.CompileError || e instanceof WebAssembly.LinkError) throw e;
      say(phrase("A download was cut off. Trying again (%1 of %2)…", n, tries - 1));
      await new Promise((done) => setTimeout(done, pause * 2 ** (n - 1)));
    }
  }
}

// cache downloads files of the page into the cache of the browser. A module that is cut off while it is imported is lost:
// the browser does not ask for it again.
export function cache(files, say = () => {}) {
  return Promise.all(files.map((file) => again(async () => {
    const body = (await answer(new URL(file, import.meta.url))).body.getReader();
    while (!(await body.read()).done);
  }, say)));
}

// answer begins a download. An answer of the server that it has no such file is no reason to ask again.
export async function answer(url) {
  const r = await fetch(url);
  if (!r.ok) throw Object.assign(new Error(phrase("The server has no such file any more (%1). Load the page again.", r.status)), { final: r.status < 500 });
  return r;
}
