// The menu: what a player can do, settings, keys and the console.
import { keyName, keyNames, learnLayout, nextKey } from "./keys.js";
import { languages, phrase } from "./language.js";
import { here } from "./place.js";
import { change, onChange, qualities, settings } from "./settings.js";

const $ = (id) => document.getElementById(id);
const mostLines = 600, mostHistory = 200;
const qualityNames = { low: phrase("low"), medium: phrase("medium"), high: phrase("high") };

export class Menu {
  // page has the actions outside of the menu: resume, ask(key), leave, shown(tab) when a page of it is opened, and
  // lose(code), which takes a key from the mods and returns what had it. voice opens the V menu.
  constructor(program, page) {
    this.program = program;
    this.page = page;
    this.input = $("console").querySelector("input");
    this.history = read();
    this.at = this.history.length;
    for (const b of $("menu").querySelectorAll("[data-tab]")) b.addEventListener("click", () => this.tab(b.dataset.tab));
    const actions = {
      resume: () => this.resume(),
      team: () => this.ask("team"),
      loadout: () => this.ask("loadout"),
      voice: () => { this.resume(); this.page.voice(); },
      mute: () => change({ muted: !settings.muted }),
      demo: () => location.assign(here + "?demo"),
      full: () => document.documentElement.requestFullscreen?.().catch(() => {}),
      leave: () => { this.hide(); page.leave(); },
    };
    for (const b of $("menu").querySelectorAll("[data-do]")) b.addEventListener("click", actions[b.dataset.do]);
    onChange((s) => { $("menu").querySelector("[data-do=mute]").textContent = phrase(s.muted ? "Sound on" : "Mute"); });
    $("menu").addEventListener("keydown", (e) => {
      if (e.key !== "Escape") return;
      e.preventDefault();
      e.stopPropagation();
      this.resume();
    });
    $("console").querySelector("form").addEventListener("submit", (e) => { e.preventDefault(); this.enter(); });
    this.input.addEventListener("keydown", (e) => this.key(e));
    this.settings();
    this.keys();
  }

  get open() { return !$("menu").hidden; }

  // speaks shows or hides the button of the V menu.
  speaks(on) { $("menu").querySelector("[data-do=voice]").hidden = !on; }

  show(tab = "game") {
    $("menu").hidden = false;
    this.tab(tab);
  }

  hide() { $("menu").hidden = true; }

  resume() {
    this.hide();
    this.page.resume();
  }

  // ask asks the server for one of its panels.
  ask(key) {
    this.hide();
    this.page.ask(key);
  }

  tab(name) {
    for (const b of $("menu").querySelectorAll("nav [data-tab]")) {
      b.classList.toggle("on", b.dataset.tab === name);
      b.setAttribute("aria-pressed", b.dataset.tab === name);
    }
    for (const id of ["game", "settings", "keys", "voices", "console"]) $(id).hidden = id !== name;
    this.page.shown(name);
    if (name === "game") $("game").querySelector("button").focus();
    if (name === "console") {
      this.input.focus();
      $("output").scrollTop = 1e9;
    }
  }

  // print adds lines to the console.
  print(text, kind = "") { this.add(text.split("\n"), kind); }

  // tell adds a message of the server as one piece, so no line of it looks like another message.
  tell(text) { if (text !== "") this.add([text], ""); }

  // add adds elements to the console. Their text can come from anybody, so it only becomes text.
  add(texts, kind) {
    const list = $("output"), low = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
    for (const text of texts) {
      const div = document.createElement("div");
      div.textContent = text;
      div.className = kind || kindOf(text);
      list.append(div);
    }
    while (list.childElementCount > mostLines) list.firstChild.remove();
    if (low) list.scrollTop = 1e9;
  }

  enter() {
    const line = this.input.value;
    this.input.value = "";
    this.words([]);
    if (line.trim() === "") return;
    this.print("> " + line, "typed");
    if (line !== this.history.at(-1)) this.history.push(line);
    this.history = this.history.slice(-mostHistory);
    this.at = this.history.length;
    try { localStorage.setItem("torc.history", JSON.stringify(this.history)); } catch { /* a private window keeps nothing */ }
    this.program.calls.line(line);
  }

  key(e) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[e.key];
    if (step) {
      e.preventDefault();
      this.at = Math.min(Math.max(this.at + step, 0), this.history.length);
      this.input.value = this.history[this.at] ?? "";
    } else if (e.key === "Tab") {
      e.preventDefault();
      this.complete();
    } else if (e.code === settings.keys.menu) {
      e.preventDefault();
      e.stopPropagation();
      this.resume();
    }
  }

  // complete completes the word before the caret as far as all candidates agree, and lists them.
  complete() {
    const { input } = this, caret = input.selectionStart, { start, words } = this.program.complete(input.value, caret);
    if (words.length === 0) return this.words([]);
    let common = words[0];
    for (const w of words) while (!w.startsWith(common)) common = common.slice(0, -1);
    if (words.length === 1 && caret === input.value.length && !/[.:(]$/.test(common)) common += " ";
    if (common.length >= caret - start) input.setRangeText(common, start, caret, "end");
    this.words(words.length > 1 ? words : []);
  }

  words(list) { $("words").textContent = list.slice(0, 120).join("   "); }

  settings() {
    const row = (text, control, note) => {
      const label = document.createElement("label");
      label.append(text, control, note ?? "");
      $("settings").append(label);
      return control;
    };
    const input = (type, value, more) => Object.assign(document.createElement("input"), { type, ...more, value });
    const name = row(phrase("Name"), input("text", settings.name, { maxLength: 24, autocomplete: "nickname" }));
    name.addEventListener("change", () => {
      if (name.value.trim()) change({ name: name.value.trim() });
      name.value = settings.name;
    });
    const range = (text, key, min, max, step) => {
      const value = document.createElement("span"), r = row(text, input("range", 0, { min, max, step }), value);
      r.value = settings[key];
      value.textContent = r.value;
      r.addEventListener("input", () => { value.textContent = r.value; change({ [key]: Number(r.value) }); });
    };
    range(phrase("Sensitivity"), "sensitivity", 0.2, 4, 0.05);
    range(phrase("Field of view"), "fov", 60, 130, 1);
    range(phrase("Volume"), "volume", 0, 1, 0.05);
    const invert = row(phrase("Invert up and down"), input("checkbox", ""));
    invert.checked = settings.invert;
    invert.addEventListener("change", () => change({ invert: invert.checked }));
    const quality = row(phrase("Picture"), document.createElement("select"));
    for (const q in qualities) quality.append(new Option(qualityNames[q], q, false, q === settings.quality));
    quality.addEventListener("change", () => change({ quality: quality.value }));
    this.language(row);
  }

  // language chooses the language. A page that runs keeps its own.
  language(row) {
    const note = document.createElement("span"), choice = row(phrase("Language"), document.createElement("select"), note);
    note.setAttribute("role", "status");
    choice.append(new Option(phrase("that of the browser"), ""));
    for (const tag in languages) choice.append(new Option(languages[tag], tag, false, tag === settings.language));
    choice.addEventListener("change", () => {
      change({ language: choice.value });
      note.textContent = phrase("From the next visit on.");
    });
  }

  // keys lists the actions. Each has a button that changes its key.
  keys() {
    const note = $("keys").appendChild(document.createElement("p"));
    note.setAttribute("role", "status");
    this.note = note;
    for (const action in keyNames) {
      const row = document.createElement("div"), name = document.createElement("span"), b = document.createElement("button");
      name.textContent = keyNames[action];
      b.dataset.action = action;
      b.addEventListener("click", () => this.bind(b, action));
      row.append(name, b);
      $("keys").append(row);
    }
    this.named();
    void learnLayout(() => this.named());
  }

  // named writes the names of the keys.
  named() {
    for (const b of $("keys").querySelectorAll("[data-action]")) {
      b.textContent = keyName(settings.keys[b.dataset.action]);
      b.setAttribute("aria-label", keyNames[b.dataset.action] + ": " + b.textContent);
    }
  }

  // bind waits for the next key or button.
  bind(b, action) {
    b.textContent = phrase("press a key…");
    nextKey((code) => {
      if (code) this.take(action, code);
      this.named();
    });
  }

  // take gives an action a key. The action that had the key before loses it, and the player reads so.
  take(action, code) {
    const keys = { ...settings.keys }, lost = Object.keys(keyNames).filter((other) => other !== action && keys[other] === code);
    for (const other of lost) keys[other] = "";
    change({ keys: { ...keys, [action]: code } });
    this.note.textContent = [...lost.map((other) => keyNames[other]), ...this.page.lose(code)].map((name) => phrase("“%1” had %2 and now has no key.", name, keyName(code))).join(" ");
  }
}

function kindOf(line) {
  return line.startsWith("error:") ? "error" : line.startsWith("*** ") ? "server" : "";
}

function read() {
  try {
    return JSON.parse(localStorage.getItem("torc.history") ?? "[]");
  } catch {
    return [];
  }
}
