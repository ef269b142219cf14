// The V menu: what a player says with some keys. The server gives the lines. All texts become text nodes.
import { keyName } from "./keys.js";
import { phrase } from "./language.js";

const openFor = 15000; // milliseconds

function make(tag, values = {}) { return Object.assign(document.createElement(tag), values); }

export class Lines {
  // page has say(keys), which says a line.
  constructor(element, page) {
    Object.assign(this, { element, page, entries: [] });
    this.keys = ""; // of the open part
  }

  // set takes the menu: entries with ¦ between them, each with its keys, a blank or > for a part, and its text.
  set(text) {
    this.entries = text.split("¦").map((entry) => /^([A-Z0-9]+)([ >])(.*)$/s.exec(entry)).filter(Boolean).map(([, keys, mark, label]) => ({ keys, label, part: mark === ">" }));
    this.close();
  }

  get some() { return this.entries.length > 0; }
  get open() { return !this.element.hidden; }

  // toggle opens the menu, or closes it.
  toggle() {
    if (this.open) this.close();
    else if (this.some) this.show("");
  }

  show(keys) {
    this.keys = keys;
    const below = this.entries.filter((e) => e.keys.length === keys.length + 1 && e.keys.startsWith(keys));
    const title = this.entries.find((e) => e.keys === keys)?.label ?? phrase("say a line");
    this.element.replaceChildren(make("p", { textContent: title }), ...below.map((e) => this.button(e)));
    this.element.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.close(), openFor);
  }

  button(entry) {
    const b = make("button", { type: "button" });
    b.append(make("b", { textContent: entry.keys.at(-1) }), entry.label + (entry.part ? " …" : ""));
    b.addEventListener("pointerdown", (e) => { e.preventDefault(); this.take(entry); });
    return b;
  }

  take(entry) {
    if (entry.part) return this.show(entry.keys);
    this.close();
    this.page.say(entry.keys);
  }

  close() {
    clearTimeout(this.timer);
    this.element.hidden = true;
  }

  // key is a key while the menu is open. It returns whether the key was for the menu. Any other letter closes it.
  key(code) {
    if (!this.open) return false;
    if (code === "Escape") return this.close(), true;
    const sign = keyName(code), entry = this.entries.find((e) => e.keys === this.keys + sign);
    if (entry) this.take(entry);
    else if (/^[A-Z0-9]$/.test(sign)) this.close();
    return Boolean(entry);
  }
}
