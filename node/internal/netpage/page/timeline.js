// The timeline of a journal.

import { $, page } from "./page.js";
import { connect } from "./stream.js";
import { clock, make, put, tell, whole } from "./text.js";

let dragging = false;

// timeOf returns about the time of a tick of the journal in ms.
const timeOf = (now, tick) => Math.max(0, now.time + (tick - now.course.tick) * now.tickMs);

// timeline shows where a recorded server is.
export function timeline(now) {
  const c = now.course;
  $("timeline").hidden = !c;
  if (!c) return;
  const seeks = c.goal !== c.tick, slider = $("time");
  put($("play"), c.speed > 0 ? "Pause" : "Play");
  paces(c.speed);
  if (c.marks) marks(now, c.marks);
  $("why-not").hidden = !c.why;
  put($("why-not"), c.why);
  $("seek").hidden = !seeks;
  if (seeks) {
    const done = c.tick < c.goal ? c.tick / c.goal : 0; // behind the goal, the journal begins again
    $("seek").value = done;
    tell(`runs to ${clock(timeOf(now, c.goal))}, ${whole.format(100 * done)} %`, "busy");
  } else if (c.speed > 0) tell(`plays at ${c.speed} ×`, "live");
  else tell(c.tick < c.last ? "paused" : "the end", "busy");
  if (dragging) return;
  slider.max = c.last;
  slider.value = c.goal;
  put($("clock"), `${clock(now.time)} of ${clock(timeOf(now, c.last))}, tick ${whole.format(c.tick)}`);
  slider.setAttribute("aria-valuetext", `tick ${c.goal}, ${clock(timeOf(now, c.goal))}`);
}

const speeds = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];

// paces shows the speed. While the server is paused, the speed at which it goes on stays.
function paces(speed) {
  const select = $("speed");
  if (select.length === 0) {
    for (const s of speeds) select.append(make("option", { value: s, textContent: s + " ×", selected: s === 1 }));
  }
  if (speed === 0 || document.activeElement === select) return; // its list is open
  if (!speeds.includes(speed) && ![...select.options].some((o) => Number(o.value) === speed)) select.append(make("option", { value: speed, textContent: speed + " ×" }));
  select.value = speed;
}

// marks lists the marks of the journal.
function marks(now, list) {
  $("marks").hidden = list.length === 0;
  $("marks").replaceChildren(make("option", { value: "", textContent: list.length === 1 ? "1 mark" : `${list.length} marks` }),
    ...list.map((m) => make("option", { value: m.tick, textContent: `${clock(timeOf(now, m.tick))}, tick ${m.tick}: ${m.text}` })));
}

// steer asks the recorded server for a tick or a speed.
function steer(change) {
  page.steering = { ...page.steering, ...change };
  connect();
}

$("play").onclick = () => steer({ speed: page.snapshot?.course.speed > 0 ? 0 : Number($("speed").value) });
$("speed").addEventListener("change", (e) => {
  e.target.blur();
  steer({ speed: Number(e.target.value) });
});
$("time").addEventListener("input", () => {
  dragging = true;
  const tick = Number($("time").value);
  put($("clock"), `${clock(timeOf(page.snapshot, tick))}, tick ${whole.format(tick)}`);
});
$("time").addEventListener("change", () => {
  dragging = false;
  steer({ at: Number($("time").value) });
});
$("marks").addEventListener("change", (e) => {
  if (e.target.value) steer({ at: Number(e.target.value) });
  e.target.selectedIndex = 0;
});
$("go").addEventListener("submit", (e) => {
  e.preventDefault();
  const text = $("where").value.trim(), now = page.snapshot;
  const ok = /^\d+(:[0-5]?\d){0,2}$/.test(text);
  $("where").setAttribute("aria-invalid", String(!ok));
  if (!ok) return;
  const seconds = text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
  steer({ at: text.includes(":") ? Math.max(0, Math.round(now.course.tick + (1000 * seconds - now.time) / now.tickMs)) : Number(text) });
});
