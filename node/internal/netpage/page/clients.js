// The facts about the server, and the list of its clients.

import { map } from "./map.js";
import { $, page } from "./page.js";
import { connect } from "./stream.js";
import { level, table } from "./table.js";
import { clock, fine, make, put, short, tenth, whole } from "./text.js";

export function facts(now) {
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

export function clients(now) {
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

// choose shows another client.
export function choose(id) {
  if (id === page.client) return;
  page.client = id;
  map.reset();
  connect();
}
