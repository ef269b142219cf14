// Flags and places over the picture, at any distance: their text and how far they are.
import { phrase } from "./language.js";
import { Vector3 } from "./three.js";
import { css, signs } from "./teams.js";

const at = new Vector3(), most = 32, near = 15; // metres: a flag is then seen itself

export class Places {
  constructor(element, view) {
    this.view = view;
    this.pool = Array.from({ length: most }, () => {
      const div = element.appendChild(document.createElement("div"));
      div.hidden = true;
      return { div, text: "" };
    });
  }

  update() {
    const { things, camera, canvas } = this.view, w = canvas.clientWidth, h = canvas.clientHeight;
    let n = 0;
    for (const k of things.goals) {
      if (n === most) break;
      at.set(k.x, k.y, k.z + (k.kind === "banner" ? 4 : 0));
      const far = at.distanceTo(camera.position);
      if (k.kind === "banner" && far < near) continue;
      at.project(camera);
      if (at.z <= 1 && Math.abs(at.x) <= 1 && Math.abs(at.y) <= 1) this.show(this.pool[n++], k, (at.x + 1) / 2 * w, (1 - at.y) / 2 * h, far);
    }
    for (; n < most && !this.pool[n].div.hidden; n++) this.pool[n].div.hidden = true;
  }

  show(place, k, x, y, far) {
    const text = [k.kind === "banner" ? "⚑" : "◆", signs[k.team & 15], this.view.program.text(k.name), phrase("%1 m", Math.round(far))].filter(Boolean).join(" ");
    if (text !== place.text) place.div.textContent = place.text = text;
    place.div.hidden = false;
    place.div.style.color = css[k.team & 15];
    place.div.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
  }
}
