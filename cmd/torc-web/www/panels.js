// Panels that the server opens: a running vote, and menus of choices. All texts become text nodes.
import { phrase } from "./language.js";

const $ = (id) => document.getElementById(id);
const voteFor = 30000, menuFor = 15000; // milliseconds

function paragraph(text) {
  const p = document.createElement("p");
  p.textContent = text;
  return p;
}

export class Panels {
  // key sends the name of a key to the server. mouse frees the mouse for a panel, or gives it back to the game.
  constructor(key, mouse) {
    this.key = key;
    this.mouse = mouse;
    for (const b of $("vote").querySelectorAll("button")) b.addEventListener("pointerdown", (e) => {
      e.preventDefault();
      key(b.dataset.key);
      this.endVote();
    });
  }

  // vote shows what the vote is about. Buttons are for those who may vote.
  vote(text, may) {
    $("vote").firstElementChild.textContent = text;
    for (const b of $("vote").querySelectorAll("button")) b.hidden = !may;
    $("vote").hidden = false;
    clearTimeout(this.voteEnds);
    this.voteEnds = setTimeout(() => this.endVote(), voteFor);
  }

  endVote() { $("vote").hidden = true; }

  // menu shows the lines of a menu: a title, and choices that begin with the number of their key. A menu without
  // lines closes.
  menu(text) {
    if (text === "") return this.endMenu();
    const [title, ...lines] = text.split("\n"), cancel = this.button("", phrase("close"), "cancel");
    cancel.className = "cancel";
    $("choices").replaceChildren(paragraph(title), ...lines.map((line) => this.line(line)), cancel);
    $("choices").hidden = false;
    this.mouse(true);
    clearTimeout(this.menuEnds);
    this.menuEnds = setTimeout(() => this.endMenu(), menuFor);
  }

  // line is a choice, or a text between choices.
  line(text) {
    const found = /^([1-9])\s+(.+)$/.exec(text);
    return found ? this.button(found[1], found[2], "slot" + found[1]) : paragraph(text);
  }

  // button sends a key to the server and closes the menu.
  button(number, text, key) {
    const b = document.createElement("button"), mark = document.createElement("b");
    mark.textContent = number;
    b.append(...(number ? [mark] : []), text);
    b.addEventListener("pointerdown", (e) => {
      e.preventDefault();
      this.key(key);
      this.endMenu();
    });
    return b;
  }

  get open() { return !$("choices").hidden; }

  // cancel closes the menu without a choice, for Escape. The mouse stays free: the browser would free it again at once.
  cancel() {
    this.key("cancel");
    this.endMenu(false);
  }

  // endMenu closes the menu. With take, the game takes the mouse back.
  endMenu(take = true) {
    if (!this.open) return;
    $("choices").hidden = true;
    this.mouse(false, take);
  }
}
