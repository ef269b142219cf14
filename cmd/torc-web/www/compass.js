// The compass at the top: the directions, and the way to each flag and each place with its distance.
import { phrase } from "./language.js";
import { css, signs } from "./teams.js";

const across = 130; // degrees of the strip
const names = { 0: "N", 45: "NE", 90: "E", 135: "SE", 180: "S", 225: "SW", 270: "W", 315: "NW" };

export class Compass {
  constructor(canvas, view) {
    this.canvas = canvas;
    this.view = view;
    this.context = canvas.getContext("2d");
    this.context.textAlign = "center";
  }

  update() {
    const { program, things, camera } = this.view, c = this.context, { width: w, height: h } = this.canvas;
    const heading = -program.get("yaw"); // degrees to the right of north
    c.clearRect(0, 0, w, h);
    c.font = "600 11px system-ui, sans-serif";
    for (let d = 0; d < 360; d += 15) {
      const x = this.place(d - heading);
      if (x === null) continue;
      c.globalAlpha = this.fade(x);
      c.fillStyle = "#dfe6ea";
      if (names[d]) c.fillText(names[d], x, 11); else c.fillRect(x - 0.5, 5, 1, 5);
    }
    for (const k of things.goals) {
      const dx = k.x - camera.position.x, dy = k.y - camera.position.y;
      const x = this.place(Math.atan2(dx, dy) * 180 / Math.PI - heading, true);
      c.globalAlpha = 1;
      c.fillStyle = css[k.team & 15];
      c.strokeStyle = "#000";
      c.beginPath();
      c.moveTo(x - 5, 15); c.lineTo(x + 5, 15); c.lineTo(x, 21);
      c.closePath();
      c.stroke();
      c.fill();
      c.font = "600 10px system-ui, sans-serif";
      c.fillText(signs[k.team & 15] + " " + phrase("%1 m", Math.round(Math.hypot(dx, dy))), Math.min(Math.max(x, 24), w - 24), 30);
    }
    c.globalAlpha = 1;
  }

  // place returns where an angle to the right is on the strip. Outside, it is null, or the edge.
  place(degrees, edge = false) {
    const d = ((degrees % 360) + 540) % 360 - 180, w = this.canvas.width;
    if (Math.abs(d) > across / 2) return edge ? (d < 0 ? 6 : w - 6) : null;
    return w / 2 + d / across * w;
  }

  fade(x) { return Math.max(0.15, 1 - Math.abs(x / this.canvas.width * 2 - 1)); }
}
