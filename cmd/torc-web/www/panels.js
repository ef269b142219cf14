// The panel of a running vote. Its text becomes a text node.
const $ = (id) => document.getElementById(id);
const voteFor = 30000; // milliseconds

export class Panels {
  // key sends the name of a key to the server.
  constructor(key) {
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
}
