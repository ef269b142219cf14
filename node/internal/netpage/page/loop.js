// The loop, classes and mods.

import { tickChart } from "./charts.js";
import { $, page } from "./page.js";
import { level, table } from "./table.js";
import { fine, make, put, short, tenth, whole } from "./text.js";

const phaseColours = ["--teal", "--soft", "--green", "--blue", "--violet", "--amber", "--red"];
const phaseTexts = { receive: "open packets", inbox: "joins, commands, answers", moves: "players' moves", simulate: "world", scripts: "events and timers of mods", replicate: "snapshots and scope", send: "fill, seal, send packets" };

export function loop(now) {
  const recent = page.loop.slice(-8), mean = now.loop.phases.map((_, i) => recent.reduce((sum, s) => sum + s.phases[i], 0) / Math.max(1, recent.length));
  const all = mean.reduce((a, b) => a + b, 0), bar = $("phases");
  put($("loop-note"), `${fine.format(all)} ms of ${now.tickMs} ms per tick, ${tenth.format((100 * all) / now.tickMs)} %. ${whole.format(now.loop.late)} ticks were late, ${whole.format(now.loop.skipped)} skipped.` + (now.course ? " The times are those of the machine that runs the journal." : ""));
  mean.forEach((ms, i) => {
    const part = bar.children[i] ?? bar.appendChild(make("div"));
    part.style.background = `var(${phaseColours[i]})`;
    part.style.flexGrow = ms;
    part.title = `${now.loop.phases[i]} ${fine.format(ms)} ms`;
  });
  bar.setAttribute("aria-label", "phases of a tick: " + now.loop.phases.map((name, i) => `${name} ${fine.format(mean[i])} ms`).join(", "));
  table($("phases-table"), ["<phase", "<", "ms per tick", "share"], now.loop.phases.map((name, i) => ({ cells: [name, phaseTexts[name] ?? "", fine.format(mean[i]), all > 0 ? whole.format((100 * mean[i]) / all) + " %" : "–"] })));
  tickChart.show(page.loop);
}

// slow shows the details.
export function slow() {
  const d = page.details, was = page.before, seconds = was ? (d.time - was.time) / 1000 : 0;
  const bits = d.classes.reduce((sum, c) => sum + c.createBits + c.updateBits, 0);
  const mean = (b, n) => (n > 0 ? short(b / n) : "–");
  table($("classes-table"), ["<class", "creates", "bits each", "updates", "bits each", "share"], d.classes.map((c) => ({
    cells: [c.name, whole.format(c.creates), mean(c.createBits, c.creates), whole.format(c.updates), mean(c.updateBits, c.updates), bits > 0 ? tenth.format((100 * (c.createBits + c.updateBits)) / bits) + " %" : "–"],
  })));
  const rate = (now, list, same) => {
    const old = list?.find(same);
    return old && seconds > 0 ? [Math.max(0, now.us - old.us) / seconds / 1000, Math.max(0, now.calls - old.calls) / seconds] : [0, 0];
  };
  table($("mods-table"), ["<mod", "ms/s", "calls/s", "total ms", "longest ms", "errors", "faults", "<state"], d.mods.map((m) => {
    const [time, calls] = rate(m, was?.mods, (o) => o.name === m.name);
    const state = m.suspended ? [`suspended: ${m.suspended}`, "bad"] : m.handlers.length ? [`suspended in ${m.handlers.join(", ")}`, "warn"] : "runs";
    return { cells: [m.name, fine.format(time), short(calls), whole.format(m.us / 1000), tenth.format(m.maxUs / 1000), level(whole.format(m.errors), m.errors, 1, 100), level(whole.format(m.faults), m.faults, 1, 10), state] };
  }));
  table($("events-table"), ["<event", "ms/s", "calls/s", "total ms", "longest ms", "errors"], d.events.map((e) => {
    const [time, calls] = rate(e, was?.events, (o) => o.mod === e.mod && o.name === e.name);
    return { cells: [`${e.mod} ${e.name}`, fine.format(time), short(calls), whole.format(e.us / 1000), tenth.format(e.maxUs / 1000), whole.format(e.errors)] };
  }));
}
