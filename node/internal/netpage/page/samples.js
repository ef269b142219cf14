// Samples: what the snapshots say about each client over time.

import { page } from "./page.js";

const memory = 600; // samples of a client: five minutes
const mostClients = 256; // with samples

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
export function record(was, now) {
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
export function recordPast(past) {
  for (const { time, loop, client } of past) {
    const now = { time, loop, clients: { list: client ? [client] : [] } };
    record(page.sample, now);
    page.sample = now;
  }
}

// rate computes the rates of all clients of a recorded server since the snapshot before.
export function rate(was, now) {
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
