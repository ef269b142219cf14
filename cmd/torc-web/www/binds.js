// Keys that mods ask for: the question, the answer of the player, and their buttons in the menu. The answers stay in this
// browser, beside the key of the server. All texts become text nodes.
import { codeOf, keyName, keyNames, nextKey } from "./keys.js";
import { phrase } from "./language.js";
import { change, settings } from "./settings.js";

const $ = (id) => document.getElementById(id);
const askFor = 30000; // milliseconds
const mostServers = 100, mostNames = 64; // answers that are kept
const fixed = /^(Escape|Digit[1-9])$/;

function make(tag, values = {}) { return Object.assign(document.createElement(tag), values); }

function idOf(bind) { return bind.mod + "." + bind.name; }

// actionOf returns the action of the page that has a key, or "".
export function actionOf(code) { return Object.keys(keyNames).find((action) => settings.keys[action] === code) ?? ""; }

// last returns the newest entries of an object.
function last(all, n) { return Object.fromEntries(Object.entries(all).slice(-n)); }

export class Binds {
  // server is the key of the server. page has send(command), and silent(), whether nobody is to be asked now.
  constructor(server, page) {
    Object.assign(this, { server, page, list: [], asked: new Set() });
    this.heading = make("h2", { textContent: phrase("Keys of this server"), hidden: true });
    this.rows = make("article");
    this.note = make("p");
    this.note.setAttribute("role", "status");
    $("keys").append(this.heading, this.note, this.rows);
    this.text = make("p");
    this.yes = make("button", { type: "button" });
    this.other = make("button", { type: "button", textContent: phrase("Another key") });
    this.no = make("button", { type: "button" });
    for (const [button, action] of [[this.yes, () => this.accept()], [this.other, () => this.choose()], [this.no, () => this.settle("")]]) button.addEventListener("click", action);
    $("ask").append(this.text, this.yes, this.other, this.no);
  }

  // answers are the keys that the player has chosen at this server, "" for none, by mod and name.
  get answers() { return settings.asked[this.server] ?? {}; }

  // codeOf returns the key of a bind. A key that the page has meanwhile is none.
  codeOf(bind) {
    const code = this.answers[idOf(bind)] ?? "";
    return actionOf(code) ? "" : code;
  }

  // holder returns what has a key already, as the player reads it, or "".
  holder(code, bind) {
    const action = actionOf(code), other = this.list.find((b) => b !== bind && this.codeOf(b) === code);
    return action ? keyNames[action] : fixed.test(code) ? phrase("slot %1", code.slice(5)) : other?.text ?? "";
  }

  keep(bind, code) {
    const own = { ...this.answers }, all = { ...settings.asked };
    delete own[idOf(bind)];
    delete all[this.server];
    change({ asked: last({ ...all, [this.server]: last({ ...own, [idOf(bind)]: code }, mostNames) }, mostServers) });
    this.draw();
  }

  // show takes the keys that mods ask for now.
  show(list) {
    this.list = list;
    this.draw();
    for (const b of $("game").querySelectorAll("[data-bind]")) b.remove();
    for (const bind of list) {
      const b = make("button", { type: "button", textContent: bind.text });
      b.dataset.bind = idOf(bind);
      b.addEventListener("click", () => { this.page.close(); this.page.send(bind.name); });
      $("game").querySelector("[data-do=leave]").before(b);
    }
    if (!list.includes(this.question)) this.end();
    this.ask();
  }

  // moved says that the player is at another server. That has its own answers.
  moved(server) {
    this.server = server;
    this.asked.clear();
    this.show([]);
  }

  // ask asks the next question. Nobody is asked twice in a visit.
  ask() {
    if (this.question || this.page.silent()) return;
    const bind = this.list.find((b) => this.answers[idOf(b)] === undefined && !this.asked.has(idOf(b)));
    if (!bind) return;
    this.question = bind;
    this.asked.add(idOf(bind));
    this.wanted = codeOf(bind.key);
    const taken = this.holder(this.wanted, bind), key = (action) => (settings.keys[action] ? "  " + keyName(settings.keys[action]) : "");
    this.text.textContent = taken ? phrase("This server would like a key for “%1”.", bind.text) : phrase("This server would like %1 for “%2”.", keyName(this.wanted), bind.text);
    this.yes.textContent = phrase(taken ? "Another key" : "Yes") + key("yes");
    this.no.textContent = phrase("No") + key("no");
    this.other.hidden = Boolean(taken);
    $("ask").hidden = false;
    this.timer = setTimeout(() => { this.end(); this.ask(); }, askFor);
  }

  end() {
    clearTimeout(this.timer);
    this.question = this.waits = null;
    $("ask").hidden = true;
  }

  // answer is a key of the player for yes or no. It returns whether it was for the question.
  answer(action) {
    if (!this.question || this.waits || !$("vote").hidden) return false;
    if (action === "no") this.settle("");
    else this.accept();
    return true;
  }

  accept() {
    if (this.holder(this.wanted, this.question)) this.choose();
    else this.settle(this.wanted);
  }

  settle(code) {
    this.keep(this.question, code);
    this.end();
    this.ask();
  }

  // choose waits for another key.
  choose() {
    const bind = this.question;
    clearTimeout(this.timer);
    this.text.textContent = phrase("press a key…");
    this.waits = true;
    nextKey((code) => {
      if (this.question !== bind) return;
      this.waits = false;
      const holder = this.holder(code, bind);
      if (code && !holder) this.settle(code);
      else this.text.textContent = holder ? phrase("“%1” has %2 already.", holder, keyName(code)) : phrase("This server would like a key for “%1”.", bind.text);
    });
  }

  // draw writes the rows of the menu.
  draw() {
    this.heading.hidden = this.list.length === 0;
    this.note.textContent = "";
    this.rows.replaceChildren(...this.list.map((bind) => this.row(bind)));
  }

  row(bind) {
    const row = make("div"), code = this.codeOf(bind), b = make("button", { type: "button", textContent: keyName(code) }), none = make("button", { type: "button", textContent: "×" });
    b.setAttribute("aria-label", bind.text + ": " + b.textContent);
    none.setAttribute("aria-label", bind.text + ": " + phrase("none"));
    none.addEventListener("click", () => this.rekey(bind, ""));
    b.addEventListener("click", () => {
      b.textContent = phrase("press a key…");
      nextKey((chosen) => (chosen ? this.rekey(bind, chosen) : this.draw()));
    });
    row.append(make("span", { textContent: bind.text }), b, none);
    return row;
  }

  // rekey is an answer from the menu.
  rekey(bind, code) {
    const holder = code && this.holder(code, bind);
    if (!holder) this.keep(bind, code);
    else this.draw();
    if (holder) this.note.textContent = phrase("“%1” has %2 already.", holder, keyName(code));
    if (!holder && bind === this.question) this.end();
    this.ask();
  }

  // lose takes a key away that the page needs itself, and returns the texts of those that had it.
  lose(code) {
    const had = code ? this.list.filter((b) => this.answers[idOf(b)] === code) : [];
    for (const bind of had) this.keep(bind, "");
    return had.map((bind) => bind.text);
  }

  // press runs the command of a key, and returns whether there is one.
  press(code) {
    const bind = code && this.list.find((b) => this.codeOf(b) === code);
    if (bind) this.page.send(bind.name);
    return Boolean(bind);
  }
}
