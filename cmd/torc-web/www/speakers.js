// The marks of those who speak: beside the picture, at name tags and in the scores. The red mark is the own microphone.
import { phrase } from "./language.js";

const $ = (id) => document.getElementById(id);
const signs = ["", phrase("team"), phrase("all"), ""]; // behind a name, by channel

export class Speakers {
  constructor(voice) {
    this.voice = voice;
    this.shown = "";
  }

  // update shows the marks. now is in milliseconds.
  update(now) {
    const { voice } = this, { microphone } = voice, all = voice.speaking(now), names = new Set(all.map((t) => t.name));
    $("mic").hidden = !microphone.open && microphone.state !== "asking";
    const own = phrase(!microphone.open ? "wait for the browser" : voice.rules.recorded ? "talking, recorded" : "talking");
    if ($("mic").textContent !== own) $("mic").textContent = own;
    $("mic").classList.toggle("open", microphone.open);
    this.objects = new Set(all.map((t) => t.object));
    this.mark(names);
    const list = all.map((t) => t.name + (signs[t.channel] && " (" + signs[t.channel] + ")"));
    if (list.join("\n") === this.shown) return;
    this.shown = list.join("\n");
    $("speaking").replaceChildren(...list.map((text) => {
      const div = document.createElement("div");
      div.textContent = text;
      return div;
    }));
  }

  // mark marks the names in the scores, whose cells are new when a number changes.
  mark(names) {
    if (names.size === 0 && !this.marked) return;
    this.marked = names.size > 0;
    for (const cell of document.querySelectorAll("#board td, .element td")) cell.classList.toggle("speaking", names.has(cell.textContent.trim()));
  }

  // says reports whether the player of an object speaks.
  says(object) { return this.objects?.has(object) ?? false; }
}
