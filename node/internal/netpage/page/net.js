// The net page: it reads snapshots of a server from a stream, and draws them. It sends nothing but the
// parameters of the stream: the key, the chosen client, and for a server that runs again from its journal the tick and the speed.

const $ = (id) => document.getElementById(id);

const memory = 600; // samples of a client: five minutes
const mostClients = 256; // with samples
const retry = 2000; // ms

const page = {
  client: 0, // chosen; 0: the server chooses
  steering: {}, // what the next stream asks of a recorded server: at (a tick), speed
  key: location.hash.slice(1),
  snapshot: null,
  rows: null, // of the map, as Int32Array
  details: null,
  before: null, // the details before
  histories: new Map(), // by client
  loop: [], // samples
  sample: null, // the newest one of a recorded server
  rates: new Map(), // of the clients of a recorded server, by client
  frames: 0,
};
globalThis.net = page; // for people with a console, and tests

// ---- the stream

// parts yields the frames of a response: the JSON, and the rows of the map.
async function* parts(response) {
  const reader = response.body.getReader();
  let rest = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    rest = joined;
    for (;;) {
      if (rest.length < 8) break;
      const view = new DataView(rest.buffer, rest.byteOffset);
      const text = view.getUint32(0, true), rows = view.getUint32(4, true), end = 8 + text + rows;
      if (rest.length < end) break;
      yield [JSON.parse(new TextDecoder().decode(rest.subarray(8, 8 + text))), new Int32Array(rest.slice(8 + text, end).buffer)];
      rest = rest.slice(end);
    }
  }
}

let stream = null; // the AbortController of the open stream
let timer = 0;

// connect opens the stream, and ends the one before.
async function connect() {
  clearTimeout(timer);
  stream?.abort();
  if (document.hidden) return; // nobody looks
  const own = (stream = new AbortController());
  const query = new URLSearchParams();
  if (page.client) query.set("client", page.client);
  const steering = page.steering;
  for (const [name, value] of Object.entries(steering)) query.set(name, value);
  try {
    const response = await fetch("/net/stream?" + query, { headers: { "Torc-Net-Key": page.key }, signal: own.signal, cache: "no-store" });
    // Once: a stream that comes back must not seek again, nor ask again what the server rejects.
    if ((response.ok || response.status === 400) && page.steering === steering) page.steering = {};
    if (!response.ok) {
      refused(response.status, (await response.text()).trim());
      return;
    }
    $("access").hidden = true;
    $("page").hidden = false;
    for await (const [snapshot, rows] of parts(response)) {
      if (own.signal.aborted) return;
      show(snapshot, rows);
    }
    again("the server has ended the stream, trying again…", retry);
  } catch (error) {
    if (!own.signal.aborted) again("no connection to the server, trying again…", retry);
  }
}

function again(why, after) {
  tell(why, "lost");
  timer = setTimeout(connect, after);
}

// refused says why the server gives nothing. A missing or wrong key can be typed.
function refused(status, why) {
  if (status === 401 || status === 403) {
    tell("closed", "lost");
    $("why").textContent = why;
    $("page").hidden = true;
    $("access").hidden = false;
    return;
  }
  again(why, status === 429 ? 60000 : 5000);
}

function tell(text, kind) {
  const s = $("status");
  if (s.textContent !== text) s.textContent = text;
  s.className = kind;
}

// choose shows another client.
function choose(id) {
  if (id === page.client) return;
  page.client = id;
  map.reset();
  connect();
}

// ---- samples

// The values of a sample of a client.
const fields = ["time", "out", "in", "rtt", "least", "outPackets", "inPackets", "rate", "size", "loss", "events", "moves", "waiting", "inFlight", "corrections", "nulls"];

// sampleOf computes rates from two states of a client, seconds apart.
function sampleOf(time, was, now, seconds) {
  const per = (name) => (seconds > 0 ? Math.max(0, now[name] - was[name]) / seconds : 0);
  const outPackets = per("outPackets");
  return {
    time, out: (per("outBytes") * 8) / 1000, in: (per("inBytes") * 8) / 1000, rtt: now.rtt, least: now.leastRtt,
    outPackets, inPackets: per("inPackets"), rate: now.rate, size: outPackets > 0 ? per("outBytes") / outPackets : 0, loss: 100 * now.loss,
    events: now.events, moves: now.moves, waiting: now.waiting, inFlight: now.inFlight, corrections: per("mismatches"), nulls: per("nullMoves"),
  };
}

// record adds a sample of every client. After a jump in time, the samples begin anew.
function record(was, now) {
  const seconds = (now.time - (was?.time ?? now.time)) / 1000;
  if (!was || seconds <= 0 || seconds > 10) {
    page.histories.clear();
    page.loop = [];
    return;
  }
  const before = new Map(was.clients.list.map((c) => [c.id, c]));
  const present = new Set();
  for (const c of now.clients.list) {
    present.add(c.id);
    const old = before.get(c.id);
    if (!old) continue;
    let list = page.histories.get(c.id);
    if (!list) {
      if (page.histories.size >= mostClients) continue;
      page.histories.set(c.id, (list = []));
    }
    push(list, sampleOf(now.time, old, c, seconds));
  }
  for (const id of page.histories.keys()) if (!present.has(id)) page.histories.delete(id);
  const ticks = now.loop.ticks - was.loop.ticks;
  push(page.loop, { time: now.time, mean: ticks > 0 ? (now.loop.busyUs - was.loop.busyUs) / ticks / 1000 : 0, longest: now.loop.maxUs / 1000, phases: phasesBetween(was.loop, now.loop) });
}

// recordPast adds the samples of a recorded server. They are of the chosen client.
function recordPast(past) {
  for (const { time, loop, client } of past) {
    const now = { time, loop, clients: { list: client ? [client] : [] } };
    record(page.sample, now);
    page.sample = now;
  }
}

// rate computes the rates of all clients of a recorded server since the snapshot before.
function rate(was, now) {
  const seconds = (now.time - (was?.time ?? now.time)) / 1000;
  if (seconds === 0) return; // paused
  page.rates.clear();
  if (seconds < 0 || seconds > 60) return;
  const before = new Map(was.clients.list.map((c) => [c.id, c]));
  for (const c of now.clients.list) if (before.has(c.id)) page.rates.set(c.id, sampleOf(now.time, before.get(c.id), c, seconds));
}

function push(list, sample) {
  list.push(sample);
  if (list.length > memory) list.shift();
}

// phasesBetween returns the time in each phase per tick in ms.
function phasesBetween(was, now) {
  const ticks = now.looked - was.looked;
  return now.phaseUs.map((us, i) => (ticks > 0 ? (us - was.phaseUs[i]) / ticks / 1000 : 0));
}

// ---- showing a snapshot

function show(now, rows) {
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

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat("en", { maximumFractionDigits: 1, minimumFractionDigits: 1 });
const fine = new Intl.NumberFormat("en", { maximumFractionDigits: 2, minimumFractionDigits: 2 });
const short = (x) => (x >= 100 || x === 0 ? whole.format(x) : x >= 10 ? tenth.format(x) : fine.format(x));
const clock = (ms) => {
  const s = Math.floor(ms / 1000), two = (n) => String(n).padStart(2, "0");
  return (s >= 3600 ? Math.floor(s / 3600) + ":" : "") + two(Math.floor(s / 60) % 60) + ":" + two(s % 60);
};

// put sets a text if it has changed.
function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// make returns an element with properties and children.
function make(name, properties = {}, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

function facts(now) {
  put($("name"), now.server.name);
  put($("version"), now.server.version);
  document.title = "net: " + now.server.name;
  const last = page.loop.at(-1);
  const mib = (n) => whole.format(n / 1048576) + " MiB";
  const list = [
    ["up", clock(now.time)], ["clients", String(now.clients.list.length + now.clients.omitted)], ["bots", String(now.clients.bots.length)],
    ["objects", whole.format(now.server.objects)], ["tick", last ? fine.format(last.mean) + " ms" : "–"],
    ["p99", page.details ? fine.format(page.details.p99Us / 1000) + " ms" : "–"], ["late", whole.format(now.loop.late)],
    ["heap", mib(now.server.heap)], ["memory", mib(now.server.memory)], ["this page", fine.format(now.server.takeUs / 1000) + " ms"],
  ];
  const dl = $("facts");
  list.forEach(([name, value], i) => {
    if (!dl.children[i]) dl.append(make("div", {}, make("dt"), make("dd")));
    put(dl.children[i].children[0], name);
    put(dl.children[i].children[1], value);
  });
}

// table shows rows of texts, and reuses the cells. A cell is a text, or [text, class], or {button, id}.
function table(element, head, rows) {
  if (!element.tHead) {
    element.append(make("thead", {}, make("tr")), make("tbody"));
    for (const h of head) element.tHead.rows[0].append(make("th", { scope: "col", textContent: h.replace("<", ""), className: h.startsWith("<") ? "text" : "" }));
  }
  const body = element.tBodies[0];
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((row, i) => {
    const tr = body.rows[i] ?? body.insertRow();
    tr.className = row.chosen ? "chosen" : "";
    head.forEach((h, k) => {
      const td = tr.cells[k] ?? tr.insertCell();
      let cell = row.cells[k] ?? "", kind = h.startsWith("<") ? "text" : "";
      if (Array.isArray(cell)) [cell, kind] = [cell[0], (kind + " " + cell[1]).trim()];
      if (td.className !== kind) td.className = kind;
      if (typeof cell !== "object") {
        put(td, String(cell));
        return;
      }
      if (!td.firstElementChild) td.replaceChildren(make("button", { type: "button", onclick: (e) => choose(Number(e.currentTarget.dataset.id)) }));
      const button = td.firstElementChild;
      put(button, cell.button);
      button.dataset.id = cell.id;
      if (row.chosen) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
  });
}

const level = (text, value, warn, bad) => [text, value >= bad ? "bad" : value >= warn ? "warn" : ""];

function clients(now) {
  const c = now.clients, count = c.list.length + c.omitted;
  put($("clients-note"), count === 0 ? "Nobody is connected." : `${count} connected, ${c.bots.length} bots.` + (c.omitted ? ` ${c.omitted} are not listed.` : ""));
  const rows = c.list.map((one) => {
    const s = (now.course && page.rates.get(one.id)) || page.histories.get(one.id)?.at(-1);
    const state = one.interrupted > 0 ? [`silent ${tenth.format(one.interrupted / 1000)} s`, "bad"] : one.phase;
    return {
      chosen: one.id === now.map.client,
      cells: [
        { button: one.name || "(no name)", id: one.id }, state, one.way + " " + one.address, level(short(one.rtt), one.rtt, 150, 300), level(tenth.format(100 * one.loss) + " %", one.loss, 0.03, 0.1),
        s ? short(s.out) : "–", s ? short(s.in) : "–", s ? short(s.outPackets) : "–", whole.format(one.ghosts), whole.format(one.waiting),
        level(whole.format(one.events), one.events, 200, 1000), whole.format(one.moves), s ? short(s.corrections) : "–",
      ],
    };
  });
  table($("clients-table"), ["<client", "<state", "<address", "RTT ms", "loss", "to client kbit/s", "from client kbit/s", "packets/s", "ghosts", "waiting", "events", "moves", "corrections/s"], rows);
  options(now);
}

// options lists the clients in the choice.
function options(now) {
  const select = $("client");
  if (document.activeElement === select) return; // its list is open
  const list = now.clients.list;
  while (select.length > list.length) select.remove(select.length - 1);
  list.forEach((c, i) => {
    const o = select.options[i] ?? select.appendChild(make("option"));
    put(o, c.name || "(no name)");
    o.value = c.id;
    if (c.id === now.map.client) select.selectedIndex = i;
  });
  const c = list.find((one) => one.id === now.map.client);
  put($("whose"), c?.name ?? "nobody");
  put($("line-note"), c ? `At most ${whole.format(c.rate)} packets/s of ${whole.format(c.size)} bytes. The congestion control allows ${whole.format(c.line / 1000)} kbit/s. Jitter ${short(c.jitter)} ms.` : "");
}

// ---- the map

const colours = ["--blue", "--amber", "--violet", "--teal", "--green", "--red"];
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

// css returns the value of a variable of the style.
let style = getComputedStyle(document.documentElement);
const css = (name) => style.getPropertyValue(name).trim();
const colourOf = (kind) => css(colours[kind % colours.length]);

// fit makes a canvas as large as it is shown, and returns its context in CSS pixels.
function fit(canvas) {
  const ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  return [g, w, h];
}

const map = {
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
function niceStep(x) {
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * ([1, 2, 5].find((n) => n * ten >= x) ?? 10);
}

function world(now, rows) {
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

// ---- graphs

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

const charts = [
  ["Bandwidth", "kbit/s", [["to client", "out", "--blue"], ["from client", "in", "--amber"]]],
  ["Round-trip time", "ms", [["now", "rtt", "--blue"], ["least", "least", "--green"]]],
  ["Packets", "/s", [["to client", "outPackets", "--blue"], ["from client", "inPackets", "--amber"]]],
  ["Packet size", "bytes", [["to client", "size", "--blue"]]],
  ["Loss", "%", [["to client", "loss", "--red"]]],
  ["Queues", "", [["events", "events", "--blue"], ["moves", "moves", "--amber"], ["ghosts", "waiting", "--violet"], ["packets in flight", "inFlight", "--teal"]]],
  ["Corrections", "/s", [["corrected moves", "corrections", "--red"], ["missing moves", "nulls", "--amber"]]],
].map(([title, unit, lines]) => new Chart($("charts"), title, unit, lines));

const tickChart = new Chart($("loop-charts"), "Tick", "ms", [["mean", "mean", "--blue"], ["longest", "longest", "--amber"]], 0.1);

// numbers shows the newest samples as a table, one of four.
function numbers(samples) {
  if (!$("numbers").open) return;
  const list = samples.filter((_, i) => (samples.length - 1 - i) % 4 === 0).slice(-20).reverse(), last = samples.at(-1)?.time ?? 0;
  table($("numbers-table"), ["seconds ago", "to kbit/s", "from kbit/s", "RTT ms", "least ms", "to packets/s", "from packets/s", "bytes", "loss %", "events", "moves", "ghosts", "in flight", "corrections/s", "missing moves/s"],
    list.map((s) => ({ cells: [whole.format((last - s.time) / 1000), ...["out", "in", "rtt", "least", "outPackets", "inPackets", "size", "loss", "events", "moves", "waiting", "inFlight", "corrections", "nulls"].map((f) => short(s[f]))] })));
}

// ---- the loop, classes and mods

const phaseColours = ["--teal", "--soft", "--green", "--blue", "--violet", "--amber", "--red"];
const phaseTexts = { receive: "open packets", inbox: "joins, commands, answers", moves: "players' moves", simulate: "world", scripts: "events and timers of mods", replicate: "snapshots and scope", send: "fill, seal, send packets" };

function loop(now) {
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
function slow() {
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

// ---- the timeline of a journal

let dragging = false;

// timeOf returns about the time of a tick of the journal in ms.
const timeOf = (now, tick) => Math.max(0, now.time + (tick - now.course.tick) * now.tickMs);

// timeline shows where a recorded server is.
function timeline(now) {
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

// ---- input

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

for (const id of ["ghosts", "numbers"]) $(id).addEventListener("toggle", () => page.snapshot && redraw());
addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: light)").addEventListener("change", redraw);
addEventListener("hashchange", () => {
  page.key = location.hash.slice(1);
  connect();
});
document.addEventListener("visibilitychange", connect);

function redraw() {
  if (!page.snapshot) return;
  world(page.snapshot, page.rows);
  for (const c of charts) c.draw();
  tickChart.draw();
  numbers(page.histories.get(page.snapshot.map.client) ?? []);
}

connect();
