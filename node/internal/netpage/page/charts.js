// Graphs of the samples.

import { niceStep } from "./map.js";
import { $ } from "./page.js";
import { css, fit } from "./paint.js";
import { table } from "./table.js";
import { make, put, short, whole } from "./text.js";

// Chart draws some values of samples over time.
class Chart {
  constructor(parent, title, unit, lines, least = 1) {
    Object.assign(this, { title, unit, lines, least, samples: [], cursor: -1 }); // least: the height of the picture, at least
    this.canvas = make("canvas", { tabIndex: 0 });
    this.canvas.setAttribute("role", "img");
    this.values = lines.map(() => make("output"));
    const caption = make("figcaption", {}, make("b", { textContent: title }));
    this.unitLabel = caption.appendChild(make("span", { textContent: unit }));
    lines.forEach(([name, , colour], i) => {
      const swatch = make("i");
      swatch.style.background = `var(${colour})`;
      caption.append(make("span", {}, swatch, name + " ", this.values[i]));
    });
    parent.append(make("figure", {}, caption, this.canvas));
    this.canvas.addEventListener("pointermove", (e) => this.point(e.offsetX));
    this.canvas.addEventListener("pointerdown", (e) => this.point(e.offsetX));
    this.canvas.addEventListener("pointerleave", () => this.move(-1));
    this.canvas.addEventListener("blur", () => this.move(-1));
    this.canvas.addEventListener("keydown", (e) => this.press(e));
  }

  show(samples) {
    this.samples = samples;
    this.draw();
  }

  // span returns the first and the last time of the picture.
  span() {
    const last = this.samples.at(-1)?.time ?? 0, long = Math.min(300000, Math.max(60000, last - (this.samples[0]?.time ?? last)));
    return [last - long, last];
  }

  draw() {
    const [g, w, h] = fit(this.canvas), left = 40, bottom = 16, top = 6;
    const [from, to] = this.span(), shown = this.samples.filter((s) => s.time >= from);
    const most = Math.max(0, ...this.lines.map(([, name]) => Math.max(0, ...shown.map((s) => s[name]))));
    const step = niceStep(Math.max(most, this.least) / 2.5), high = Math.max(step, Math.ceil((most * 1.02) / step) * step);
    const x = (time) => left + ((time - from) / (to - from || 1)) * (w - left - 4), y = (v) => top + (1 - v / high) * (h - top - bottom);
    g.font = "11px system-ui, sans-serif";
    g.textAlign = "right";
    g.fillStyle = css("--soft");
    g.strokeStyle = css("--line");
    g.lineWidth = 1;
    for (let v = 0; v <= high + step / 2; v += step) {
      const at = Math.round(y(v)) + 0.5;
      g.beginPath();
      g.moveTo(left, at);
      g.lineTo(w, at);
      g.stroke();
      g.fillText(String(Number(v.toPrecision(3))), left - 6, at + 4);
    }
    g.textAlign = "left";
    g.fillText(`−${Math.round((to - from) / 1000)} s`, left, h - 3);
    g.textAlign = "right";
    g.fillText("now", w - 4, h - 3);
    g.lineWidth = 1.6;
    g.lineJoin = "round";
    for (const [, name, colour] of this.lines) {
      g.strokeStyle = css(colour);
      g.beginPath();
      shown.forEach((s, i) => (i ? g.lineTo(x(s.time), y(s[name])) : g.moveTo(x(s.time), y(s[name]))));
      g.stroke();
    }
    const at = this.cursor >= 0 ? this.samples[Math.min(this.cursor, this.samples.length - 1)] : null;
    if (at) {
      g.strokeStyle = css("--soft");
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(x(at.time), top);
      g.lineTo(x(at.time), h - bottom);
      g.stroke();
    }
    this.tell(at ?? this.samples.at(-1), at ? Math.round((to - at.time) / 1000) : 0);
  }

  tell(s, ago) {
    this.lines.forEach(([, name], i) => put(this.values[i], s ? short(s[name]) : "–"));
    put(this.unitLabel, this.unit + (ago ? `, ${ago} s ago` : ""));
    this.canvas.setAttribute("aria-label", `${this.title} in ${this.unit}: ` + this.lines.map(([name, field]) => `${name} ${s ? short(s[field]) : "unknown"}`).join(", "));
  }

  point(px) {
    const [from, to] = this.span(), time = from + ((px - 40) / Math.max(1, this.canvas.clientWidth - 44)) * (to - from);
    let best = -1;
    this.samples.forEach((s, i) => { if (best < 0 || Math.abs(s.time - time) < Math.abs(this.samples[best].time - time)) best = i; });
    this.move(best);
  }

  press(e) {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[e.key];
    if (!by || this.samples.length === 0) return;
    e.preventDefault();
    const from = this.cursor < 0 ? this.samples.length - 1 : this.cursor;
    this.move(Math.min(this.samples.length - 1, Math.max(0, from + by)));
  }

  move(to) {
    this.cursor = to;
    this.draw();
  }
}

export const charts = [
  ["Bandwidth", "kbit/s", [["to client", "out", "--blue"], ["from client", "in", "--amber"]]],
  ["Round-trip time", "ms", [["now", "rtt", "--blue"], ["least", "least", "--green"]]],
  ["Packets", "/s", [["to client", "outPackets", "--blue"], ["from client", "inPackets", "--amber"]]],
  ["Packet size", "bytes", [["to client", "size", "--blue"]]],
  ["Loss", "%", [["to client", "loss", "--red"]]],
  ["Queues", "", [["events", "events", "--blue"], ["moves", "moves", "--amber"], ["ghosts", "waiting", "--violet"], ["packets in flight", "inFlight", "--teal"]]],
  ["Corrections", "/s", [["corrected moves", "corrections", "--red"], ["missing moves", "nulls", "--amber"]]],
].map(([title, unit, lines]) => new Chart($("charts"), title, unit, lines));

export const tickChart = new Chart($("loop-charts"), "Tick", "ms", [["mean", "mean", "--blue"], ["longest", "longest", "--amber"]], 0.1);

// numbers shows the newest samples as a table, one of four.
export function numbers(samples) {
  if (!$("numbers").open) return;
  const list = samples.filter((_, i) => (samples.length - 1 - i) % 4 === 0).slice(-20).reverse(), last = samples.at(-1)?.time ?? 0;
  table($("numbers-table"), ["seconds ago", "to kbit/s", "from kbit/s", "RTT ms", "least ms", "to packets/s", "from packets/s", "bytes", "loss %", "events", "moves", "ghosts", "in flight", "corrections/s", "missing moves/s"],
    list.map((s) => ({ cells: [whole.format((last - s.time) / 1000), ...["out", "in", "rtt", "least", "outPackets", "inPackets", "size", "loss", "events", "moves", "waiting", "inFlight", "corrections", "nulls"].map((f) => short(s[f]))] })));
}
