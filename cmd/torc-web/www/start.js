// The start of the page: downloads the modules into the cache of the browser, and runs them.
import { again, cache } from "./again.js";
import { phrase, speak } from "./language.js";

const files = [
  "./batches.js", "./channel.js", "./compass.js", "./effects.js", "./formlook.js", "./formrows.js", "./forms.js", "./hud.js", "./identity.js", "./input.js", "./keys.js", "./language.js", "./lines.js", "./looks.js", "./main.js", "./map.js", "./menu.js",
  "./microphone.js", "./panels.js", "./people.js", "./place.js", "./places.js", "./program.js", "./reel.js", "./settings.js", "./signs.js", "./sky.js", "./sounds.js", "./speakers.js", "./tags.js",
  "./teams.js", "./terrain.js", "./things.js", "./three.js", "./touch.js", "./view.js", "./voice.js", "./voices.js", "./walls.js", "./wasm_exec.js",
];

function say(text) { document.getElementById("status").textContent = text; }

// load loads the file of a language. Without it, the page stays English.
async function load(file) {
  await cache([file], say);
  return import(file);
}

try {
  await speak(load).catch(console.error);
  await cache(files, say);
  await again(() => import("./main.js"), say);
} catch (e) {
  say(phrase("The page could not be loaded: %1", e?.message ?? e));
  console.error(e);
}
