// What a snapshot changes on the page.

import { charts, numbers, tickChart } from "./charts.js";
import { clients, facts } from "./clients.js";
import { loop, slow } from "./loop.js";
import { world } from "./map.js";
import { page } from "./page.js";
import { rate, record, recordPast } from "./samples.js";
import { tell } from "./text.js";
import { timeline } from "./timeline.js";

export function show(now, rows) {
  if (now.course) {
    recordPast(now.course.past);
    rate(page.snapshot, now);
  } else record(page.snapshot, now);
  page.snapshot = now;
  page.rows = rows;
  if (now.details) {
    page.before = page.details;
    page.details = { ...now.details, time: now.time };
  }
  page.frames++;
  if (!now.course) tell("live", "live");
  facts(now);
  timeline(now);
  clients(now);
  world(now, rows);
  const samples = page.histories.get(now.map.client) ?? [];
  for (const c of charts) c.show(samples);
  numbers(samples);
  loop(now);
  if (now.details) slow();
}

export function redraw() {
  if (!page.snapshot) return;
  world(page.snapshot, page.rows);
  for (const c of charts) c.draw();
  tickChart.draw();
  numbers(page.histories.get(page.snapshot.map.client) ?? []);
}
