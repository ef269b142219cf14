// The language of the page. English is in the code; each other language has a file of phrases by their English.
import { settings } from "./settings.js";

export const languages = { en: "English", de: "Deutsch", es: "Español", fr: "Français", pl: "Polski", pt: "Português", ar: "العربية", zh: "中文" };
const files = { de: "./text.de.js", es: "./text.es.js", fr: "./text.fr.js", pl: "./text.pl.js", pt: "./text.pt.js", ar: "./text.ar.js", zh: "./text.zh.js" };
const fromRight = ["ar"];
const deepest = 3; // reasons within reasons

// asked is the language that the player has chosen, here or in the browser. The server hears it, too.
export const asked = settings.language || navigator.language || "en";

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

let phrases = {}, reasons = {}, plural = null, patterns = null;

// chosen returns the first language of the player that the page has.
function chosen() {
  const wanted = settings.language ? [settings.language] : navigator.languages ?? [asked];
  return wanted.map((tag) => tag.toLowerCase().split("-")[0]).find((tag) => Object.hasOwn(languages, tag)) ?? "en";
}

// speak loads the language of the player with load, which gets the name of a file and returns its module. Modules with
// phrases must come after it.
export async function speak(load) {
  const name = chosen();
  if (name === "en") return;
  ({ default: phrases, reasons } = await load(files[name]));
  plural = new Intl.PluralRules(name);
  document.documentElement.lang = name;
  if (fromRight.includes(name)) document.documentElement.dir = "rtl";
  translate(document.body);
}

// phrase returns a phrase of the page in the language of the player. %1 to %9 stand for the values, and the first of
// them chooses the plural form.
export function phrase(english, ...values) { return filled(Object.hasOwn(phrases, english) ? phrases[english] : english, values); }

function filled(found, values) {
  const text = typeof found === "string" ? found : found[plural.select(Number(values[0]))] ?? found.other;
  return text.replace(/%([1-9])/g, (place, n) => isolated(values[n - 1] ?? place));
}

// isolated keeps a name from turning the words around it, if one of the two is written from right to left.
function isolated(value) { return document.dir === "rtl" || rightToLeft.test(value) ? "\u2068" + value + "\u2069" : value; }

// reason translates a text of the program. The program speaks English, because people and tools read its lines. A text
// that is not known stays as it is, such as that of a mod or an operator.
export function reason(english, depth = 0) {
  if (Object.hasOwn(reasons, english)) return reasons[english];
  patterns ??= Object.keys(reasons).filter((key) => key.includes("%")).sort((a, b) => b.length - a.length).map((key) => [key, pattern(key)]);
  for (const [key, form] of depth < deepest ? patterns : []) {
    const found = form.exec(english);
    if (found) return filled(reasons[key], found.slice(1).map((part) => reason(part, depth + 1)));
  }
  return english;
}

// pattern matches the texts that a reason with values can be.
function pattern(key) { return new RegExp("^" + key.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%[1-9]/g, "(.+?)") + "$", "s"); }

// translate translates what index.html says.
function translate(root) {
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const english = walk.currentNode.data.trim();
    if (english !== "") walk.currentNode.data = walk.currentNode.data.replace(english, () => phrase(english));
  }
  for (const element of root.querySelectorAll("[aria-label]")) element.setAttribute("aria-label", phrase(element.getAttribute("aria-label")));
}
