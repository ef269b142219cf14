// Name tags above players, as text in the page. The own team's have a bar of health.
import { Vector3 } from "./three.js";
import { css, signs } from "./teams.js";
import { share } from "./walls.js";

const at = new Vector3(), head = new Vector3(), most = 64;

export class Tags {
  constructor(element, view) {
    this.view = view;
    this.pool = Array.from({ length: most }, () => {
      const div = document.createElement("div"), sign = document.createElement("s"), name = document.createTextNode(""), bar = document.createElement("i"), part = document.createElement("b");
      bar.append(part);
      div.append(sign, name, bar);
      div.hidden = true;
      element.append(div);
      return { div, sign, name, bar, part, text: "", team: -1, shown: false, speaks: false };
    });
  }

  update() {
    const { things, camera, canvas, program } = this.view, w = canvas.clientWidth, h = canvas.clientHeight, mine = program.number("team");
    let n = 0;
    for (const k of things.people) {
      if (k.isOwn || k.down || k.name === 0 || n === most) continue;
      at.set(k.x, k.y, k.z + 2.3);
      const far = at.distanceTo(camera.position);
      at.project(camera);
      const friend = k.team !== 0 && k.team === mine, aimed = Math.hypot(at.x, at.y) < 0.12;
      if (at.z > 1 || Math.abs(at.x) > 1 || Math.abs(at.y) > 1 || far > (friend ? 400 : aimed ? 250 : 45) || !this.sees(k)) continue;
      this.show(this.pool[n++], k, friend, (at.x + 1) / 2 * w, (1 - at.y) / 2 * h, far);
    }
    for (; n < most && this.pool[n].shown; n++) {
      this.pool[n].shown = false;
      this.pool[n].div.hidden = true;
    }
  }

  show(tag, k, friend, x, y, far) {
    const text = this.view.program.text(k.name);
    if (text !== tag.text) tag.name.data = tag.text = text;
    if (k.team !== tag.team) {
      tag.team = k.team;
      tag.sign.textContent = signs[k.team & 15];
      tag.sign.style.color = tag.part.style.background = css[k.team & 15];
    }
    if (!tag.shown) {
      tag.shown = true;
      tag.div.hidden = false;
    }
    const speaks = this.speakers?.says(k.id) ?? false;
    if (speaks !== tag.speaks) tag.div.classList.toggle("speaking", tag.speaks = speaks);
    tag.bar.hidden = !friend || k.health < 0;
    tag.part.style.transform = `scaleX(${Math.max(k.health, 0)})`;
    tag.div.style.opacity = Math.min(1, Math.max(0.75, 30 / far));
    tag.div.style.transform = `translate(${x}px, ${y}px) translate(-50%, -100%)`;
  }

  // sees reports whether no hill and no building is between the camera and a thing.
  sees(k) {
    const { camera, terrain, things } = this.view, p = camera.position;
    if (share(things.boxes, p, head.set(k.x, k.y, k.z + 1.8)) < 1) return false;
    for (let i = 1; i < 12; i++) {
      const f = i / 12, x = p.x + (k.x - p.x) * f, y = p.y + (k.y - p.y) * f;
      if (terrain.height(x, y) > p.z + (k.z + 1.8 - p.z) * f + 0.3) return false;
    }
    return true;
  }
}
