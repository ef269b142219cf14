// Panels that the server opens: a running vote, and menus of choices. All texts become text nodes.
const $ = (id) => document.getElementById(id);
const voteFor = 30000, menuFor = 15000; // milliseconds

export class Panels {
  // key sends the name of a key to the server.
  constructor(key) {
    this.key = key;
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

  // menu shows the lines of a menu: a title, and choices that begin with the number of their key.
  menu(text) {
    const [title, ...choices] = text.split("\n"), box = $("choices"), head = document.createElement("p");
    head.textContent = title;
    box.replaceChildren(head, ...choices.map((line) => this.choice(line)).filter(Boolean));
    box.hidden = false;
    clearTimeout(this.menuEnds);
    this.menuEnds = setTimeout(() => this.endMenu(), menuFor);
  }

  choice(line) {
    const found = /^([1-9])\s+(.+)$/.exec(line);
    if (!found) return null;
    const b = document.createElement("button");
    b.textContent = found[1] + "  " + found[2];
    b.addEventListener("pointerdown", (e) => {
      e.preventDefault();
      this.key("slot" + found[1]);
      this.endMenu();
    });
    return b;
  }

  endMenu() { $("choices").hidden = true; }
}
