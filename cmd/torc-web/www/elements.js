// The parts of the HUD that mods show at places of the screen. All texts become text nodes.
import { makeRow } from "./formrows.js";

const places = ["top left", "top", "top right", "left", "center", "right", "bottom left", "bottom", "bottom right"];

export class Elements {
  // root is the element of the HUD. picture returns a picture by its number.
  constructor(root, picture) {
    this.picture = picture;
    this.shown = new Map(); // by number
    this.places = new Map(places.map((name) => {
      const div = document.createElement("div");
      div.className = "place " + name.split(" ").map((word) => "at-" + word).join(" ");
      root.prepend(div); // under everything that has a button
      return [name, div];
    }));
    const low = this.places.get("bottom left"); // the messages stand above it
    new ResizeObserver(() => { document.getElementById("messages").style.marginBottom = low.offsetHeight + "px"; }).observe(low);
  }

  // show takes the list of elements, the oldest first. Rows that are as before stay.
  show(list) {
    const open = new Set(list.map((element) => element.number));
    for (const [number, { root }] of this.shown) if (!open.has(number)) { root.remove(); this.shown.delete(number); }
    for (const element of list) this.update(element);
  }

  update({ number, name, at, rows }) {
    let is = this.shown.get(number);
    if (!is) {
      is = { root: document.createElement("div"), rows: [] };
      is.root.className = "element";
      is.root.dataset.name = name;
      this.shown.set(number, is);
    }
    const place = this.places.get(at);
    if (place && is.root.parentElement !== place) place.append(is.root);
    while (is.rows.length > rows.length) is.rows.pop().element.remove();
    rows.forEach((row, i) => {
      const text = JSON.stringify(row);
      if (is.rows[i]?.text === text) return;
      const { element } = makeRow(row, i, () => {}, this.picture);
      element.dir = "auto";
      if (is.rows[i]) is.rows[i].element.replaceWith(element);
      else is.root.append(element);
      is.rows[i] = { text, element };
    });
  }
}
