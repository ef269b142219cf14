// The start of the page: downloads the modules into the cache of the browser, and runs them. A module that is cut off
// would end the page, and the browser does not ask for it again.
import { again, answer } from "./again.js";

const files = [
  "./batches.js", "./channel.js", "./compass.js", "./effects.js", "./hud.js", "./identity.js", "./input.js", "./keys.js", "./looks.js", "./main.js", "./map.js", "./menu.js",
  "./panels.js", "./program.js", "./reel.js", "./settings.js", "./signs.js", "./sky.js", "./sounds.js", "./tags.js", "./teams.js", "./terrain.js", "./things.js",
  "./three.js", "./touch.js", "./view.js", "./walls.js", "./wasm_exec.js",
];

function say(text) { document.getElementById("status").textContent = text; }

// download reads a file to its end.
async function download(file) {
  const body = (await answer(new URL(file, import.meta.url))).body.getReader();
  while (!(await body.read()).done);
}

try {
  await Promise.all(files.map((file) => again(() => download(file), say)));
  await again(() => import("./main.js"), say);
} catch (e) {
  say("The page could not be loaded: " + (e?.message ?? e));
  console.error(e);
}
