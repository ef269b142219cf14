// Forms: windows of rows that the server opens for this player. All texts become text nodes.
import { makeRow } from "./formrows.js";
import { phrase, reason } from "./language.js";

const $ = (id) => document.getElementById(id);

function make(tag, values = {}) { return Object.assign(document.createElement(tag), values); }

export class Forms {
  // page has answer(number, button, values), which returns what is wrong with an answer, and picture(number). Its mouse(free, take) frees the
  // mouse for a form, or gives it back to the game. idle() says whether the player does nothing else, so the form can have
  // the keyboard, and release() ends what the keys of the game hold.
  constructor(page) {
    this.page = page;
    this.made = new Map(); // the windows of open forms, by number
  }

  // show takes the list of open forms, oldest first. The newest one is seen.
  show(list) {
    const before = this.top;
    for (const form of list) {
      const window = this.made.get(form.number) ?? this.open(form);
      window.update(form);
    }
    const open = new Set(list.map((form) => form.number));
    for (const [number, window] of this.made) if (!open.has(number)) this.close(number, window);
    this.top = list.length > 0 ? this.made.get(list.at(-1).number) : null;
    for (const window of this.made.values()) window.root.hidden = window !== this.top;
    $("forms").hidden = !this.top;
    if (this.top && !before) this.page.mouse(true);
    if (this.top && this.top !== before && !this.top.inherited) this.focus();
    if (!this.top && before) this.page.mouse(false, true);
  }

  open(form) {
    const { page } = this, window = new FormWindow(form.number, form.name, (button, values) => page.answer(form.number, button, values), () => page.answer(form.number), page.picture);
    $("forms").append(window.root);
    this.made.set(form.number, window);
    const old = this.made.get(form.replaces);
    if (old) window.inherit(old, form);
    return window;
  }

  close(number, window) {
    this.made.delete(number);
    window.root.remove();
  }

  // moved removes the windows of the server before: another one has other forms with the same numbers. show follows, and then
  // the mouse goes back to the game if there is none.
  moved() { for (const [number, window] of this.made) this.close(number, window); }

  get shown() { return Boolean(this.top); }

  // focus gives the keyboard to the form, unless the player does something else.
  focus() {
    if (!this.page.idle()) return;
    this.page.release();
    this.top.focus();
  }

  // press is a number key: it presses a button. It returns false if there is none.
  press(n) { return this.top?.press(n) ?? false; }

  // cancel closes the form. After the browser has taken the mouse from the game, the form only gets the keyboard.
  cancel(unlocked) {
    if (unlocked) this.focus();
    else this.top.cancel();
  }
}

// FormWindow is the window of one form.
class FormWindow {
  constructor(number, name, send, cancel, picture) {
    Object.assign(this, { number, send, cancel, picture, rows: [], inherited: false });
    this.title = make("h2", { id: "form-" + number });
    const close = make("button", { type: "button", className: "close", textContent: "×" });
    close.setAttribute("aria-label", phrase("close"));
    close.addEventListener("click", () => this.cancel());
    const head = make("header");
    head.append(this.title, close);
    this.list = make("div", { className: "rows" });
    this.note = make("p", { className: "note" });
    this.note.setAttribute("role", "status");
    this.root = make("div", { className: "form", tabIndex: -1 });
    this.root.setAttribute("role", "dialog");
    this.root.setAttribute("aria-labelledby", this.title.id);
    this.root.dataset.name = name;
    this.root.append(head, this.list, this.note);
    this.root.addEventListener("keydown", (e) => this.key(e));
  }

  // update shows the rows that have arrived since.
  update(form) {
    if (this.title.textContent !== form.title) this.title.textContent = form.title;
    this.rows.forEach((row, i) => row.hang?.(form.rows[i].ready));
    const fresh = form.rows.slice(this.rows.length);
    for (const row of fresh) this.add(row);
    if (fresh.length > 0 && this.inherited) this.list.scrollTop = this.scroll;
    if (form.complete && !this.confirm && !this.rows.some((row) => row.kind === "button") && this.rows.some((row) => row.value)) this.offer();
    if (form.answered === this.answered) return;
    this.answered = form.answered;
    this.had = form.answered ? this.focused() : undefined; // a control that is disabled loses the focus
    if (this.had) this.root.focus({ preventScroll: true });
    for (const control of this.root.querySelectorAll(".rows :is(button, input, select)")) control.disabled = form.answered;
    this.root.classList.toggle("answered", form.answered);
  }

  add(row) {
    const made = makeRow(row, this.rows.length, () => this.sends(made), this.picture);
    this.rows.push(made);
    this.list.append(made.element);
    const kept = this.kept?.get(made.key);
    if (kept === undefined) return;
    this.kept.delete(made.key);
    made.restore(kept.value);
    if (kept.focused) made.control.focus();
  }

  // offer adds the button of a form that has fields and no button.
  offer() {
    this.confirm = make("button", { type: "button", textContent: phrase("OK") });
    this.confirm.addEventListener("click", () => this.sends(null));
    this.list.append(this.confirm);
  }

  // inherit takes over what the player has done in the form that this one replaces.
  inherit(old) {
    this.kept = new Map();
    for (const row of old.rows) {
      const focused = row === (old.had ?? old.focused());
      if ((row.touched || focused) && !this.kept.has(row.key)) this.kept.set(row.key, { value: row.touched ? row.value() : undefined, focused });
    }
    this.scroll = old.list.scrollTop;
    this.inherited = true;
    if (old.root.contains(document.activeElement)) this.focus();
  }

  // focused returns the row whose control has the focus.
  focused() { return this.rows.find((row) => row.control && row.element.contains(document.activeElement)); }

  // sends answers with a button, and with the values that the player has touched. A wrong number is not sent: the browser
  // says what is wrong with it, in its language.
  sends(button) {
    if (this.answered) return;
    const wrong = this.rows.find((row) => row.wrong?.());
    if (wrong) {
      this.note.textContent = wrong.label + ": " + wrong.wrong();
      wrong.control.focus();
      return;
    }
    const values = this.rows.flatMap((row, i) => (row.touched ? [[i, row.value()]] : []));
    const why = this.send(button ? button.index : -1, values);
    this.note.textContent = why ? reason(why) : "";
  }

  // key handles the keys of a form. None of them reaches the game.
  key(e) {
    e.stopPropagation();
    const typing = e.target instanceof HTMLSelectElement || (e.target instanceof HTMLInputElement && e.target.type !== "radio" && e.target.type !== "range");
    if (e.key === "Escape") this.cancel();
    else if (e.key === "Enter" && e.target instanceof HTMLInputElement) this.enter();
    else if (typing || !/^Digit[1-9]$/.test(e.code) || !this.press(+e.code[5])) return;
    e.preventDefault();
  }

  // enter presses the next button after the row with the focus, or that of a form without others.
  enter() {
    const at = this.rows.indexOf(this.focused()), button = this.rows.find((row, i) => i > at && row.kind === "button");
    if (button) this.sends(button);
    else this.confirm?.click();
  }

  press(n) {
    const button = this.rows.filter((row) => row.kind === "button")[n - 1];
    if (!button) return false;
    this.sends(button);
    return true;
  }

  // focus gives the keyboard to the window: to its first field, if the player has a keyboard.
  focus() {
    const first = this.rows.find((row) => row.control);
    const field = first?.kind === "field" && !matchMedia("(pointer: coarse)").matches ? first.control : this.root;
    field.focus({ preventScroll: true });
  }
}
