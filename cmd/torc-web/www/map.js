// The map around the player, north up: ground, team, flags as goals, vehicles and buildings.
import { css, signs } from "./teams.js";

const across = 420, pixels = 128;

export class SmallMap {
  constructor(canvas, view) {
    this.canvas = canvas;
    this.view = view;
    this.context = canvas.getContext("2d");
    this.image = document.createElement("canvas");
    this.image.width = this.image.height = pixels;
    this.due = 0;
  }

  // ground draws one tile of the terrain.
  ground(terrain) {
    const c = this.image.getContext("2d"), data = c.createImageData(pixels, pixels), { x, y, size, square } = terrain.land;
    this.tile = size * square;
    this.x = x;
    this.y = y;
    const step = this.tile / pixels;
    for (let j = 0, k = 0; j < pixels; j++) {
      for (let i = 0; i < pixels; i++, k += 4) {
        const px = x + (i + 0.5) * step, py = y + this.tile - (j + 0.5) * step, h = terrain.height(px, py);
        const slope = terrain.height(px - step, py + step) - h, light = Math.max(0.35, Math.min(1.5, 0.9 + slope * 0.06)), up = (h - terrain.land.z) / 80;
        data.data[k] = (88 + 80 * up) * light;
        data.data[k + 1] = (102 + 66 * up) * light;
        data.data[k + 2] = (60 + 46 * up) * light;
        data.data[k + 3] = 255;
      }
    }
    c.putImageData(data, 0, 0);
  }

  update(now) {
    if (now < this.due) return;
    this.due = now + 100;
    const { program, things, camera } = this.view, c = this.context, w = this.canvas.width, scale = w / across;
    const mine = program.number("team"), cx = camera.position.x, cy = camera.position.y;
    c.save();
    c.beginPath();
    c.arc(w / 2, w / 2, w / 2, 0, 7);
    c.clip();
    c.fillStyle = "#58663f";
    c.fillRect(0, 0, w, w);
    c.translate(w / 2, w / 2);
    if (this.tile) {
      const t = this.tile, i0 = Math.floor((cx - across / 2 - this.x) / t), i1 = Math.floor((cx + across / 2 - this.x) / t);
      const j0 = Math.floor((cy - across / 2 - this.y) / t), j1 = Math.floor((cy + across / 2 - this.y) / t);
      for (let j = j0; j <= j1; j++) for (let i = i0; i <= i1; i++) c.drawImage(this.image, (this.x + i * t - cx) * scale, -(this.y + (j + 1) * t - cy) * scale, t * scale, t * scale);
    }
    for (const k of things.marks) this.square(c, k, cx, cy, scale);
    for (const k of things.people) if (!k.isOwn && !k.down && k.team === mine) this.dot(c, k, cx, cy, scale);
    for (const k of things.goals) this[k.kind === "banner" ? "goal" : "place"](c, k, cx, cy, scale, w);
    c.rotate(-program.get("yaw") * Math.PI / 180);
    c.fillStyle = "#fff";
    c.strokeStyle = "#000";
    c.beginPath();
    c.moveTo(0, -8); c.lineTo(5.5, 6); c.lineTo(0, 3); c.lineTo(-5.5, 6);
    c.closePath();
    c.fill();
    c.stroke();
    c.restore();
  }

  // square draws a structure or a vehicle: the sign of its team, or a square.
  square(c, k, cx, cy, scale) {
    const x = (k.x - cx) * scale, y = -(k.y - cy) * scale, sign = signs[k.team & 15];
    c.fillStyle = k.down ? "#555" : css[k.team & 15];
    if (sign) this.sign(c, sign, x, y, 9); else c.fillRect(x - 2, y - 2, 4, 4);
  }

  // sign draws the sign of a team around a point.
  sign(c, sign, x, y, size) {
    c.font = `700 ${size}px system-ui, sans-serif`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.strokeStyle = "#000";
    c.strokeText(sign, x, y);
    c.fillText(sign, x, y);
  }

  dot(c, k, cx, cy, scale) {
    c.fillStyle = css[k.team & 15];
    c.strokeStyle = "#000";
    c.beginPath();
    c.arc((k.x - cx) * scale, -(k.y - cy) * scale, 3.5, 0, 7);
    c.fill();
    c.stroke();
  }

  // place draws a diamond, at the edge of the map if the place is outside.
  place(c, k, cx, cy, scale, w) {
    const x = (k.x - cx) * scale, y = -(k.y - cy) * scale, inside = Math.min(1, (w / 2 - 11) / Math.hypot(x, y));
    c.fillStyle = css[k.team & 15];
    this.sign(c, "◆", x * inside, y * inside, 12);
  }

  // goal draws a flag with the sign of its team, at the edge of the map if it is outside.
  goal(c, k, cx, cy, scale, w) {
    let x = (k.x - cx) * scale, y = -(k.y - cy) * scale;
    const d = Math.hypot(x, y), edge = w / 2 - 11, far = d > edge;
    if (far) { x *= edge / d; y *= edge / d; }
    c.strokeStyle = "#000";
    c.fillStyle = css[k.team & 15];
    c.beginPath();
    if (far) {
      c.arc(x, y, 6, 0, 7);
    } else {
      c.moveTo(x, y + 7); c.lineTo(x, y - 9); c.lineTo(x + 10, y - 5); c.lineTo(x, y - 1);
    }
    c.fill();
    c.stroke();
    c.fillStyle = far ? "#000" : css[k.team & 15];
    if (far) c.strokeStyle = "transparent";
    this.sign(c, signs[k.team & 15], far ? x : x - 8, y, far ? 8 : 11);
  }
}
