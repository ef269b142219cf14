// Keys, pointers and forms.

import { choose } from "./clients.js";
import { map, world } from "./map.js";
import { $, page } from "./page.js";
import { connect } from "./stream.js";

$("access").addEventListener("submit", (e) => {
  e.preventDefault();
  page.key = $("key").value.trim().replace(/^.*#/, ""); // also a whole link
  connect();
});
$("client").addEventListener("change", (e) => {
  choose(Number(e.target.value));
  e.target.blur();
});
$("closer").onclick = () => map.zoom(1.5);
$("farther").onclick = () => map.zoom(1 / 1.5);
$("centre").onclick = () => {
  map.reset();
  if (page.snapshot) world(page.snapshot, page.rows);
};

map.canvas.addEventListener("keydown", (e) => {
  const keys = { "+": () => map.zoom(1.25), "=": () => map.zoom(1.25), "-": () => map.zoom(0.8), ArrowLeft: () => map.pan(-40, 0), ArrowRight: () => map.pan(40, 0), ArrowUp: () => map.pan(0, -40), ArrowDown: () => map.pan(0, 40), Home: $("centre").onclick };
  if (!keys[e.key]) return;
  e.preventDefault();
  keys[e.key]();
});
map.canvas.addEventListener("wheel", (e) => {
  e.preventDefault();
  map.zoom(Math.exp(-e.deltaY / 400));
}, { passive: false });

const fingers = new Map(); // by pointer
map.canvas.addEventListener("pointerdown", (e) => {
  map.canvas.setPointerCapture(e.pointerId);
  fingers.set(e.pointerId, { x: e.offsetX, y: e.offsetY, moved: 0 });
});
map.canvas.addEventListener("pointermove", (e) => {
  const f = fingers.get(e.pointerId);
  if (!f) return;
  const dx = e.offsetX - f.x, dy = e.offsetY - f.y;
  const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1];
  if (other) {
    const was = Math.hypot(f.x - other.x, f.y - other.y), is = Math.hypot(e.offsetX - other.x, e.offsetY - other.y);
    if (was > 0) map.zoom(is / was);
  } else map.pan(-dx, -dy);
  Object.assign(f, { x: e.offsetX, y: e.offsetY, moved: f.moved + Math.abs(dx) + Math.abs(dy) });
});
for (const end of ["pointerup", "pointercancel"]) {
  map.canvas.addEventListener(end, (e) => {
    const f = fingers.get(e.pointerId);
    fingers.delete(e.pointerId);
    if (f && f.moved < 6 && end === "pointerup") map.mark(e.offsetX, e.offsetY);
  });
}
