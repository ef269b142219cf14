// A look as a small picture: its parts from the front and a little from above, far ones first.
const tilt = 0.4, round = ["sphere", "capsule", "torus"], pointed = ["cone", "flame"];
const parts = ["box", "cylinder", "plane", "cloth", ...round, ...pointed];

// corners returns where the corners of a part are in the picture.
function corners({ kind, at: [x, y, z], size: [w, d, h] }) {
  const all = [], width = (k) => (pointed.includes(kind) && k > 0 ? 0 : w), depth = (k) => (pointed.includes(kind) && k > 0 ? 0 : d);
  for (const i of [-0.5, 0.5]) for (const j of [-0.5, 0.5]) for (const k of [-0.5, 0.5]) all.push(seen(x + i * width(k), y + j * depth(k), z + k * h));
  return all;
}

function seen(x, y, z) { return [x * 0.9 + y * tilt, -z + y * tilt * 0.6]; }

// drawLook draws the parts of a look into a canvas.
export function drawLook(canvas, elements) {
  const solid = elements.filter((e) => parts.includes(e.kind) && e.when === "").sort((a, b) => b.at[1] - a.at[1] || a.at[2] - b.at[2]);
  const all = solid.flatMap(corners), c = canvas.getContext("2d");
  if (all.length === 0) return;
  const left = Math.min(...all.map((p) => p[0])), right = Math.max(...all.map((p) => p[0])), top = Math.min(...all.map((p) => p[1])), bottom = Math.max(...all.map((p) => p[1]));
  const scale = 0.9 * canvas.width / Math.max(right - left, bottom - top, 0.01);
  c.translate(canvas.width / 2, canvas.height / 2);
  c.scale(scale, scale);
  c.translate(-(left + right) / 2, -(top + bottom) / 2);
  c.lineWidth = 1 / scale;
  c.strokeStyle = "rgb(0 0 0 / .45)";
  for (const e of solid) draw(c, e);
}

function draw(c, e) {
  c.fillStyle = e.color >= 0 ? "#" + e.color.toString(16).padStart(6, "0") : "#9fb2c0";
  const points = corners(e), [x, y] = seen(...e.at), [w, d, h] = e.size;
  c.beginPath();
  if (round.includes(e.kind)) {
    c.ellipse(x, y, Math.max(w * 0.45 + d * tilt / 2, 0.01), Math.max(h / 2 + d * tilt * 0.3, 0.01), 0, 0, 7);
  } else {
    outline(points).forEach(([px, py], i) => (i ? c.lineTo(px, py) : c.moveTo(px, py)));
    c.closePath();
  }
  c.fill();
  c.stroke();
}

// outline returns the convex outline of points, in order.
function outline(points) {
  const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => {
    const kept = [];
    for (const p of list) {
      while (kept.length > 1 && turn(kept.at(-2), kept.at(-1), p) <= 0) kept.pop();
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.toReversed())];
}

function turn(a, b, p) { return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]); }
