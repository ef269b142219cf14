// The page of a public list. All that servers say is put into text nodes.

const path = "/servers.json";
const every = 15000; // milliseconds between two looks at the list
const most = 2000; // rows that are shown
const store = "torc.favourites";

const at = (id) => document.getElementById(id);
let servers = [];
let marked = favourites();

// favourites returns the keys of the favourites that this browser keeps.
function favourites() {
  try {
    const all = JSON.parse(localStorage.getItem(store) ?? "[]");
    return new Set(Array.isArray(all) ? all.filter((k) => typeof k === "string" && /^[a-z2-7]{52}$/.test(k)).slice(0, 500) : []);
  } catch {
    return new Set();
  }
}

// mark adds or removes a favourite.
function mark(key) {
  if (!marked.delete(key)) marked.add(key);
  try {
    localStorage.setItem(store, JSON.stringify([...marked]));
  } catch {
    // The browser keeps nothing: it is a favourite until the page is closed.
  }
  show();
}

const text = (v) => (typeof v === "string" ? v : "");
const number = (v) => (Number.isInteger(v) && v >= 0 ? v : 0);

// read checks a server of the list.
function read(s) {
  if (typeof s !== "object" || s === null || !/^[a-z2-7]{52}$/.test(s.key)) return null;
  return {
    key: s.key, address: text(s.address), via: text(s.via), name: text(s.name), mission: text(s.mission),
    draining: s.draining === true, players: number(s.players), bots: number(s.bots), max: number(s.max), password: s.password === true,
    mods: Array.isArray(s.mods) ? s.mods.filter((m) => typeof m === "string") : [],
    protocol: number(s.protocol), web: link(text(s.web), s.key), old: s.old === true,
  };
}

// link returns the link that joins in the browser, or "".
function link(web, key) {
  try {
    const url = new URL(web);
    const place = /^\/s\/[a-z0-9-]{1,32}$/.test(url.pathname) ? url.pathname : "";
    return url.protocol === "http:" || url.protocol === "https:" ? `${url.origin}${place}/#${key}` : "";
  } catch {
    return "";
  }
}

// fingerprint is the beginning of a key, for people to compare.
const fingerprint = (key) => key.slice(0, 16).match(/..../g).join("-");

// host is the address of a server without its port.
const host = (s) => s.address.slice(0, s.address.lastIndexOf(":"));

// address is what torc join takes: through the rendezvous, and at the address of the server.
function address(s) {
  const via = s.via.startsWith(":") ? location.hostname + s.via : s.via;
  return [via && `via:${via}`, s.address].filter(Boolean).join(",") + "#" + s.key;
}

// wanted reports whether the filter shows a server.
function wanted(s) {
  const words = at("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [s.name, s.mission, ...s.mods, s.key, fingerprint(s.key), s.address].join("\n").toLowerCase();
  return words.every((w) => all.includes(w)) && (!at("players").checked || s.players > 0) && (!at("open").checked || !s.password) && (!at("browser").checked || s.web !== "");
}

// element makes an element with text.
function element(name, content, className) {
  const e = document.createElement(name);
  e.textContent = content ?? "";
  if (className) e.className = className;
  return e;
}

// foreign makes an element with texts of a server. Each has its own direction, whatever is beside it.
function foreign(texts, className) {
  const e = element("div", "", className);
  texts.forEach((t, i) => e.append(i > 0 ? ", " : "", element("bdi", t)));
  return e;
}

// row makes the row of a server. same says that the row above has the same address.
function row(s, same) {
  const r = element("tr");
  r.dataset.key = s.key;
  if (same) r.className = "same";
  const star = element("button", marked.has(s.key) ? "★" : "☆");
  star.type = "button";
  star.ariaPressed = String(marked.has(s.key));
  star.ariaLabel = `favourite: ${s.name}`;
  star.addEventListener("click", () => mark(s.key));
  const name = element("td");
  name.append(foreign([s.name || "(no name)"], "name"), element("div", fingerprint(s.key), "key"));
  if (same) name.append(element("div", "at the same address as the server above", "group"));
  const notes = [s.draining && "ends soon", s.password && "password", s.old && "does not answer now", s.bots > 0 && `${s.bots} bots`, `protocol ${s.protocol}`].filter(Boolean);
  const players = element("td", `${s.players} of ${s.max}`);
  players.append(element("div", notes.join(", "), "note"));
  const what = element("td");
  what.append(foreign([s.mission || "no mission"]), foreign(s.mods, "note"));
  const first = element("td", "", "mark");
  first.append(star);
  r.append(first, name, players, what, joining(s));
  return r;
}

// joining makes the cell with the ways to join a server.
function joining(s) {
  const cell = element("td");
  if (s.web) {
    const a = element("a", "Play in the browser");
    a.href = s.web;
    a.rel = "noopener noreferrer";
    cell.append(a);
  }
  const command = element("input", "", "address");
  command.readOnly = true;
  command.value = `torc join '${address(s)}'`;
  command.ariaLabel = `the command that joins ${s.name}`;
  const copy = element("button", "Copy torc join");
  copy.type = "button";
  copy.addEventListener("click", async () => {
    const done = await navigator.clipboard?.writeText(command.value).then(() => true, () => false); // pages over plain HTTP have none
    if (!done) command.select();
    copy.textContent = done || document.execCommand("copy") ? "Copied" : "Copy the selected text";
  });
  cell.append(command, copy);
  return cell;
}

// grouped puts servers of one address behind the first of them.
function grouped(all) {
  const groups = new Map();
  for (const s of all) {
    const of = host(s) || s.key;
    groups.set(of, [...(groups.get(of) ?? []), s]);
  }
  return [...groups.values()];
}

// controls lists what can have the focus in a row.
const controls = (r) => Array.from(r?.querySelectorAll("a, button, input") ?? []);

// show shows the servers that the filter wants, the favourites first.
function show() {
  const focused = document.activeElement, old = focused?.closest("#servers tr"), place = old && controls(old).indexOf(focused);
  const all = servers.filter(wanted);
  all.sort((a, b) => Number(marked.has(b.key)) - Number(marked.has(a.key)));
  const rows = grouped(all.slice(0, most)).flatMap((g) => g.map((s, i) => row(s, i > 0)));
  at("servers").replaceChildren(...rows);
  const more = all.length > most ? `, and ${all.length - most} more` : "";
  at("state").textContent = `${Math.min(all.length, most)} of ${servers.length} servers${more}`;
  if (old) controls(rows.find((r) => r.dataset.key === old.dataset.key))[place]?.focus();
}

// load reads the list. An unchanged one is not drawn again.
let tag = null;
async function load() {
  try {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    if (tag !== null && tag === answer.headers.get("ETag")) return;
    tag = answer.headers.get("ETag");
    const all = await answer.json();
    servers = Array.isArray(all) ? all.map(read).filter(Boolean) : [];
    show();
  } catch (err) {
    tag = null; // the next answer is shown, even if it is the same
    at("state").textContent = `The list does not answer (${err.message}). These servers may be gone.`;
  }
}

at("filter").addEventListener("input", show);
at("filter").addEventListener("submit", (e) => e.preventDefault());
load();
setInterval(load, every);
