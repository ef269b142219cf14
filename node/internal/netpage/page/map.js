// The map: the objects near the chosen client, and what it knows of them.

import { $, page } from "./page.js";
import { colourOf, css, fit } from "./paint.js";
import { table } from "./table.js";
import { fine, make, put, tenth, whole } from "./text.js";

const statuses = ["", "new", "being created", "live", "being deleted", "being deleted"];
const words = 13;

// thing reads row i of the map. Lengths are in metres.
function thing(rows, i) {
  const r = rows.subarray(i * words, (i + 1) * words), kind = r[2] >>> 0, flags = kind >>> 24, ages = r[11] >>> 0, turning = r[12] >>> 0;
  return {
    id: r[0] >>> 0, ghost: r[1], kind: kind & 0xffff, status: (kind >>> 16) & 0xff,
    known: (flags & 1) !== 0, pending: (flags & 2) !== 0, own: (flags & 4) !== 0,
    x: r[3] / 100, y: r[4] / 100, z: r[5] / 100, atX: r[6] / 100, atY: r[7] / 100, shownX: r[8] / 100, shownY: r[9] / 100,
    error: r[10] / 100, age: ages & 0xffff, sent: ages >>> 16, yaw: ((turning & 0xffff) / 65536) * 2 * Math.PI, weight: turning >>> 16,
  };
}

export const map = {
  canvas: $("map"),
  scale: 0, // pixels per metre; 0: chosen by the next snapshot
  away: [0, 0], // metres from the client to the middle
  things: [],
  names: new Map(),
  marked: 0, // the object of the tip

  reset() {
    this.scale = 0;
    this.away = [0, 0];
    this.marked = 0;
  },

  take(now, rows) {
    this.now = now.map;
    this.tickMs = now.tickMs;
    this.names = new Map([...now.clients.list, ...now.clients.bots].filter((c) => c.object).map((c) => [c.object, c.name]));
    this.things = Array.from({ length: rows.length / words }, (_, i) => thing(rows, i));
    this.middle = now.map.looks ? now.map.eye : this.mean();
    if (this.scale === 0 && this.things.length > 0) this.scale = this.usual();
  },

  mean() {
    const n = Math.max(1, this.things.length);
    return [this.things.reduce((sum, t) => sum + t.x, 0) / n, this.things.reduce((sum, t) => sum + t.y, 0) / n];
  },

  // usual returns the scale at which nine of ten ghosts are on the map.
  usual() {
    const far = this.things.filter((t) => t.ghost >= 0).map((t) => Math.max(Math.abs(t.x - this.middle[0]), Math.abs(t.y - this.middle[1]))).sort((a, b) => a - b);
    const reach = Math.max(20, far[Math.floor(far.length * 0.9)] ?? this.now.distance);
    return Math.min(this.canvas.clientWidth, this.canvas.clientHeight) / 2.1 / reach;
  },

  zoom(by) {
    this.scale = Math.min(200, Math.max(0.02, this.scale * by));
    this.draw();
  },

  pan(dx, dy) {
    this.away = [this.away[0] + dx / this.scale, this.away[1] - dy / this.scale];
    this.draw();
  },

  // on returns the pixel of a place. X grows to the right, Y upwards.
  on(x, y) {
    return [this.w / 2 + (x - this.middle[0] - this.away[0]) * this.scale, this.h / 2 - (y - this.middle[1] - this.away[1]) * this.scale];
  },

  draw() {
    const [g, w, h] = fit(this.canvas);
    if (!this.now || this.scale === 0) return;
    [this.w, this.h] = [w, h];
    this.grid(g);
    if (this.now.looks) this.view(g);
    for (const t of this.things) if (t.ghost < 0) this.unseen(g, t);
    for (const t of this.things) if (t.ghost >= 0) this.seen(g, t);
    for (const t of this.things) this.name(g, t);
    this.tip();
  },

  grid(g) {
    const step = niceStep(90 / this.scale);
    g.strokeStyle = css("--line");
    g.fillStyle = css("--soft");
    g.font = "11px system-ui, sans-serif";
    g.lineWidth = 1;
    const left = this.middle[0] + this.away[0] - this.w / 2 / this.scale, low = this.middle[1] + this.away[1] - this.h / 2 / this.scale;
    g.beginPath();
    for (let x = Math.ceil(left / step) * step; (x - left) * this.scale < this.w; x += step) {
      const at = Math.round(this.on(x, 0)[0]) + 0.5;
      g.moveTo(at, 0);
      g.lineTo(at, this.h);
    }
    for (let y = Math.ceil(low / step) * step; (y - low) * this.scale < this.h; y += step) {
      const at = Math.round(this.on(0, y)[1]) + 0.5;
      g.moveTo(0, at);
      g.lineTo(this.w, at);
    }
    g.stroke();
    g.fillText(`${Number(step.toPrecision(3))} m`, 10, 18);
    g.fillRect(10, 23, step * this.scale, 2);
  },

  // view draws how far and where the client looks.
  view(g) {
    const [x, y] = this.on(this.now.eye[0], this.now.eye[1]), reach = this.now.distance * this.scale;
    const middle = Math.atan2(-this.now.look[1], this.now.look[0]), half = (Math.min(this.now.fov, 360) / 360) * Math.PI;
    g.fillStyle = css("--blue");
    g.globalAlpha = 0.07;
    g.beginPath();
    g.moveTo(x, y);
    g.arc(x, y, Math.min(reach, 4000), middle - half, middle + half);
    g.fill();
    g.globalAlpha = 0.35;
    g.strokeStyle = css("--blue");
    g.setLineDash([3, 5]);
    g.beginPath();
    g.arc(x, y, reach, 0, 2 * Math.PI);
    if (reach < 20000) g.stroke();
    g.setLineDash([]);
    g.globalAlpha = 1;
  },

  unseen(g, t) {
    const [x, y] = this.on(t.x, t.y);
    g.strokeStyle = css("--soft");
    g.globalAlpha = 0.55;
    g.beginPath();
    g.arc(x, y, 3, 0, 2 * Math.PI);
    g.stroke();
    g.globalAlpha = 1;
  },

  // seen draws the object, and its ghost as a ring where the client shows it.
  seen(g, t) {
    const [x, y] = this.on(t.x, t.y), named = this.names.has(t.id), colour = colourOf(t.kind), size = named ? 5 : 3.5;
    if (t.known) {
      const [sx, sy] = this.on(t.shownX, t.shownY), late = this.lateness(t);
      g.strokeStyle = late;
      g.lineWidth = t.age > 0 ? 1.5 : 1;
      g.beginPath();
      if (Math.hypot(sx - x, sy - y) > 2) {
        g.moveTo(x, y);
        g.lineTo(sx, sy);
        g.stroke();
        g.beginPath();
      }
      g.arc(sx, sy, size + 3, 0, 2 * Math.PI);
      g.stroke();
    }
    g.fillStyle = colour;
    g.strokeStyle = colour;
    g.lineWidth = 1.5;
    g.beginPath();
    if (named) {
      const fx = -Math.sin(t.yaw), fy = -Math.cos(t.yaw);
      g.moveTo(x + fx * 9, y + fy * 9);
      g.lineTo(x - fx * 5 - fy * 5, y - fy * 5 + fx * 5);
      g.lineTo(x - fx * 5 + fy * 5, y - fy * 5 - fx * 5);
      g.closePath();
    } else g.arc(x, y, size, 0, 2 * Math.PI);
    if (t.known || t.own) g.fill();
    else g.stroke();
  },

  // lateness returns the colour of a ghost by the age of what the client has.
  lateness(t) {
    const ms = t.age * this.tickMs;
    return css(ms >= 1000 || t.error >= 2 ? "--red" : ms >= 300 || t.error >= 0.5 ? "--amber" : "--green");
  },

  name(g, t) {
    const name = this.names.get(t.id) ?? (t.id === this.marked ? this.now.classes[t.kind] : "");
    if (!name) return;
    const [x, y] = this.on(t.x, t.y);
    g.font = t.id === this.marked ? "600 12px system-ui, sans-serif" : "12px system-ui, sans-serif";
    g.lineWidth = 3;
    g.strokeStyle = css("--back");
    g.fillStyle = css(t.ghost < 0 ? "--soft" : "--ink");
    g.strokeText(name, x + 11, y + 4);
    g.fillText(name, x + 11, y + 4);
  },

  tip() {
    const t = this.marked && this.things.find((one) => one.id === this.marked);
    $("tip").hidden = !t;
    if (t) put($("tip"), this.describe(t));
  },

  describe(t) {
    const who = (this.names.get(t.id) ? this.names.get(t.id) + ", " : "") + this.now.classes[t.kind] + " " + t.id;
    const where = `at ${tenth.format(t.x)} ${tenth.format(t.y)} ${tenth.format(t.z)}`;
    if (t.ghost < 0) return `${who}\n${where}, not in scope`;
    if (t.own) return `${who}\n${where}, moved by the client itself`;
    if (!t.known) return `${who}, ghost ${t.ghost}, ${statuses[t.status]}\n${where}, the client's place is not known`;
    const age = t.age === 0 ? "up to date" : `known to be ${t.age * this.tickMs} ms old`;
    return `${who}, ghost ${t.ghost}, ${statuses[t.status]}\n${where}, ${age}, shown ${fine.format(t.error)} m away`;
  },

  // mark describes the thing nearest to a pixel.
  mark(px, py) {
    let best = null, least = 24;
    for (const t of this.things) {
      const [x, y] = this.on(t.x, t.y), d = Math.hypot(x - px, y - py);
      if (d < least) [best, least] = [t, d];
    }
    this.marked = best?.id ?? 0;
    this.draw();
  },
};

page.map = map;

// niceStep returns 1, 2 or 5 times a power of ten, at least x.
export function niceStep(x) {
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * ([1, 2, 5].find((n) => n * ten >= x) ?? 10);
}

export function world(now, rows) {
  map.take(now, rows);
  map.draw();
  const m = now.map, ghosts = map.things.filter((t) => t.ghost >= 0), outside = map.things.length - ghosts.length;
  if (m.client === 0) {
    put($("seen"), "Nobody is connected.");
    return;
  }
  const known = ghosts.filter((t) => t.known), stale = known.filter((t) => t.age > 0), pending = ghosts.filter((t) => t.pending).length;
  const worst = known.reduce((a, t) => (!a || t.error > a.error ? t : a), null);
  const oldest = stale.reduce((a, t) => Math.max(a, t.age), 0) * now.tickMs;
  let text = `${m.ghosts} ghosts, ${outside} objects out of scope nearby. `;
  text += pending ? `${pending} of them wait for a packet. ` : "No ghost waits for a packet. ";
  text += stale.length ? `${stale.length} known ${stale.length === 1 ? "place is" : "places are"} older than the object, at most ${whole.format(oldest)} ms. ` : "All known places are the newest. ";
  if (worst && worst.error >= 0.01) text += `Largest difference ${fine.format(worst.error)} m: ${map.names.get(worst.id) ?? m.classes[worst.kind] + " " + worst.id}.`;
  if (m.omitted) text += ` ${m.omitted} more objects are not on the map.`;
  put($("seen"), text);
  map.canvas.setAttribute("aria-label", "map of the world. " + text);
  legend(m.classes, map.things);
  if ($("ghosts").open) ghostTable(ghosts, now);
}

function legend(classes, things) {
  const list = $("legend"), counts = classes.map((_, i) => things.filter((t) => t.kind === i).length);
  const entries = classes.map((name, i) => [colourOf(i), `${name} ${counts[i]}`, "dot"]);
  entries.push([css("--green"), "ring: where the client shows it", "ring"], [css("--amber"), "over 300 ms or 0.5 m", "ring"], [css("--red"), "over 1 s or 2 m", "ring"], [css("--soft"), "out of scope", "ring"]);
  while (list.children.length > entries.length) list.lastChild.remove();
  entries.forEach(([colour, text, shape], i) => {
    let li = list.children[i];
    if (!li) {
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      svg.setAttribute("viewBox", "0 0 12 12");
      svg.setAttribute("aria-hidden", "true");
      for (const name of ["cx", "cy"]) circle.setAttribute(name, "6");
      circle.setAttribute("stroke-width", "2");
      svg.append(circle);
      li = list.appendChild(make("li", {}, svg, make("span")));
    }
    const circle = li.querySelector("circle");
    circle.setAttribute("r", shape === "dot" ? "5" : "4");
    circle.setAttribute("fill", shape === "dot" ? colour : "none");
    circle.setAttribute("stroke", shape === "dot" ? "none" : colour);
    put(li.lastChild, text);
  });
}

function ghostTable(ghosts, now) {
  const list = [...ghosts].sort((a, b) => b.error - a.error || b.age - a.age || a.id - b.id).slice(0, 40);
  table($("ghosts-table"), ["<object", "<class", "<state", "difference m", "age ms", "sent ms ago", "priority"], list.map((t) => ({
    cells: [
      (map.names.get(t.id) ? map.names.get(t.id) + " " : "") + t.id, now.map.classes[t.kind], t.own ? "own" : statuses[t.status] + (t.pending ? ", waits" : ""),
      t.known ? fine.format(t.error) : "–", t.known ? whole.format(t.age * now.tickMs) : "–", t.own ? "–" : whole.format(t.sent * now.tickMs), String(t.weight),
    ],
  })));
}
