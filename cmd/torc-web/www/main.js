// The page: joins the game of the link, and connects input, program, picture and menu.
import { again, cache } from "./again.js";
import { Line } from "./channel.js";
import { Forms } from "./forms.js";
import { Hud } from "./hud.js";
import { identity } from "./identity.js";
import { Input } from "./input.js";
import { asked as language, phrase, reason } from "./language.js";
import { Lines } from "./lines.js";
import { Menu } from "./menu.js";
import { ask, here, show } from "./place.js";
import { Program } from "./program.js";
import { download, offer, Reel } from "./reel.js";
import { change, onChange, settings } from "./settings.js";
import { Speakers } from "./speakers.js";
import { Touch } from "./touch.js";
import { View } from "./view.js";
import { Voice } from "./voice.js";
import { Voices } from "./voices.js";

const $ = (id) => document.getElementById(id);
const form = $("start").querySelector("form"), button = form.querySelector("button"), canvas = $("view"), say = $("say");
const stepTime = 24; // milliseconds after which the program runs without a frame

let watching = /^watch\/?$/.test(location.pathname.slice(here.length));
let began = false; // a game or a demo
let loading = null; // the program

function status(text) { $("status").textContent = text; }

// waits says what a join waits for, also that it failed and is tried again. A demo waits for nothing.
function waits(why) {
  const told = reason(why), text = told.slice(0, 1).toUpperCase() + told.slice(1);
  if (text && text !== $("status").textContent) status(text);
}

// askName waits until the player has given a name, now or on an earlier visit. It returns whether it was now.
function askName() {
  $("name").value = settings.name;
  if (watching) $("name").parentElement.hidden = true;
  if (settings.name || watching) return Promise.resolve(false);
  button.textContent = phrase("Join");
  $("name").focus();
  return new Promise((done) => form.addEventListener("submit", (e) => {
    change({ name: $("name").value.trim() || "Player" });
    button.disabled = true;
    done(true);
  }, { once: true }));
}

// load loads the program, once. There is no line to a server before the join.
const ways = new Map(), lineKind = new URLSearchParams(location.search).get("line"); // ways are the lines by number, from 1
function load() { return loading ??= Program.load((number, bytes) => ways.get(number)?.send(bytes), status); }

// showDemo shows a demo instead of a game. Nothing of it leaves the page.
async function showDemo(file) {
  if (began) return status(phrase("To open a demo, leave the game first: %1", location.origin + here + "?demo"));
  began = true;
  $("name").parentElement.hidden = true;
  button.disabled = true;
  try {
    status(phrase("Loading…"));
    const demo = new Uint8Array(await file.arrayBuffer());
    const program = await load();
    watching = true;
    play(program, { demo }, true, null);
  } catch (e) {
    began = false;
    status(String(e?.message ?? e));
  }
}

// ownKey returns the key of the server that the page comes from, or "". Over HTTPS the page is trusted with it as with
// the program: a link without a key joins, too.
async function ownKey() { return isSecureContext && (await ask(here))?.key || ""; }

async function main() {
  form.addEventListener("submit", (e) => e.preventDefault());
  offer(showDemo);
  if (new URLSearchParams(location.search).has("demo")) {
    $("name").parentElement.hidden = button.hidden = true;
    return status(phrase("Demos are recorded with the command record."));
  }
  show(here);
  const key = location.hash.slice(1) || await ownKey();
  if (!/^[a-z2-7]{20,}$/.test(key)) {
    button.disabled = true;
    return status(phrase("This link has no key of a server: it must end with #KEY, as torc prints it."));
  }
  status(phrase("Loading…"));
  void load();
  const asked = await askName();
  if (began) return;
  began = true;
  const program = await load(), fresh = () => program.calls.identity();
  const id = watching ? fresh() : await identity(fresh); // a spectator with the key of a player would replace it
  status(phrase("Joining…"));
  const address = location.host.includes(":") ? location.host : location.host + ":28000";
  play(program, { address, key, name: settings.name || "spectator", password: "", identity: id, language, watch: watching }, asked,
    (receive) => ways.set(1, new Line((bytes) => receive(1, bytes), lineKind, here)).get(1));
}

// play joins and draws. With at once, the game begins without another click. A demo connects to nothing.
function play(program, options, atOnce, connect) {
  let hud, menu, input, forms, reel, clock, voice, binds, bindsLoading, elements, follow, following, left = false, named = options.name, last = 0, running = true;
  const step = () => {
    last = performance.now();
    if (!running) return;
    running = program.step();
    if (running && !program.is("ready")) waits(program.calls.wrong());
  };
  const between = () => { if (performance.now() - last > stepTime) step(); };
  const page = {
    print: (text) => { menu.print(text); for (const l of text.split("\n")) hud.message(l, l.startsWith("error:") ? "error" : ""); },
    message: (kind, text) => { menu.tell(text); hud.told(kind, text); },
    effect: (kind) => {
      if (!kind.startsWith("voices ")) return hud.effect(kind);
      lines.set(watching ? "" : kind.slice(7));
      menu.speaks(lines.some);
    },
    hud: (n, text) => hud.setLine(n, text),
    demo: download,
    forms: (list) => forms.show(list),
    elements: (list) => void (elements ??= loadElements()).then((all) => all.show(list)),
    binds: (list) => void (bindsLoading ??= loadBinds()).then((all) => all.show(list)),
    reach: (...order) => void followed().then((f) => f.reach(...order)),
    asked: (name) => void followed().then((f) => f.asked(name)),
    arrives: (number) => follow.arrived(number),
    leaves: (number) => follow?.left(number),
    voice: (rules) => voice.obey(rules),
    heard: (...frame) => voice.hear(...frame),
    log: (text) => menu.print(text, "log"),
    ended: (why) => {
      running = false;
      clearInterval(clock);
      for (const line of ways.values()) line.close();
      follow?.end();
      view.sounds.end();
      voice.end();
      forms.show([]);
      binds?.show([]);
      void elements?.then((all) => all.show([]));
      lines.set("");
      end(left ? phrase("You have left the game.") : reason(why));
    },
  };
  // loadBinds loads what most servers do not need.
  const loadBinds = async () => {
    await cache(["./binds.js"]);
    const { Binds } = await again(() => import("./binds.js"), () => {});
    return binds = new Binds(options.key, {
      send: (name) => program.calls.command(name),
      close: () => menu.resume(),
      silent: () => !$("start").hidden || matchMedia("(pointer: coarse)").matches, // fingers have the buttons of the menu
    });
  };
  const picture = (number) => program.calls.picture(number);
  const loadElements = async () => {
    await cache(["./elements.js"]);
    const { Elements } = await again(() => import("./elements.js"), () => {});
    return new Elements($("hud"), picture);
  };
  // followed loads what only players need who are sent to another server.
  const receive = (number, bytes) => {
    program.receive(number, bytes);
    between();
  };
  const followed = () => following ??= (async () => {
    await cache(["./follow.js"]);
    const { Follow } = await again(() => import("./follow.js"), () => {});
    return follow = new Follow(ways, {
      protocol: program.layout.protocol, kind: lineKind, receive,
      reached: (number, why) => program.calls.reached(number, why),
      answer: (goes) => program.calls.follow(goes),
      arrived: (number, name, key) => {
        hud.moved(ways.get(number));
        view.moved();
        voice.moved();
        forms.moved();
        void elements?.then((all) => all.show([]));
        lines.set("");
        menu.speaks(lines.some);
        options.key = key;
        void bindsLoading?.then((all) => all.moved(key));
        hud.message(phrase("You are at %1 now.", name), "server");
      },
    });
  })();
  program.start(options, page);
  const view = new View(canvas, program);
  hud = new Hud(view, (name) => program.calls.command("Key", name));
  forms = new Forms({
    answer: (...answer) => program.calls.answer(...answer),
    picture,
    mouse: (free, take) => input.free(free, take),
    idle: () => (!input.locked || input.freed) && !input.page.busy() && !input.page.typing(),
    release: () => input.release(),
  });
  voice = new Voice(program, view, {
    say: (text) => hud.message(text, "server"),
    mouse: (free) => input.lend(free),
  }, watching);
  const lines = new Lines($("lines"), { say: (keys) => program.calls.command("VoiceLine", keys) });
  const speakers = new Speakers(voice), voices = new Voices(voice);
  hud.tags.speakers = speakers;
  menu = new Menu(program, {
    resume: () => input.lock(),
    shown: (tab) => { if (tab === "voices") void voices.show(); },
    ask: (name) => { canvas.focus(); input.ask(name); },
    voice: () => lines.toggle(),
    lose: (code) => binds?.lose(code) ?? [],
    leave: () => {
      if (!connect) return location.assign(here + "?demo");
      left = true;
      program.calls.line("quit");
    },
  });
  input = new Input(canvas, program, {
    busy: () => menu.open || !say.hidden || !$("start").hidden,
    typing: () => document.activeElement instanceof HTMLInputElement,
    menu: (tab) => { menu.show(tab); input.unlock(); },
    resume: () => { if (menu.open) menu.resume(); },
    cancel: (unlocked) => {
      if (!forms.shown) return false;
      forms.cancel(unlocked);
      return true;
    },
    chat: (team) => openChat(team, input, program),
    key: (name) => program.calls.command("Key", name),
    slot: (n) => { if (!forms.press(n)) program.calls.command("Key", "slot" + n); },
    watch: watching ? { look: (sight) => program.calls.observe(sight), next: (step) => program.calls.next(step) } : null,
    person: () => { third = !third; program.calls.view(!third, settings.fov); },
    talk: (down, radio) => voice.talk(down, radio),
    lines,
    bound: (code) => binds?.press(code) ?? false,
    answer: (action) => (action === "yes" || action === "no") && (follow?.answer(action) || binds?.answer(action) || false),
  });
  let third = false;
  new Touch($("touch"), canvas, input);
  onChange((s) => {
    program.calls.view(!third, s.fov);
    if (connect && !watching && s.name && s.name !== named) program.calls.rename(named = s.name);
  });
  if (connect) {
    hud.line = connect(receive);
    clock = setInterval(between, stepTime); // a slow browser has no frames for seconds, and one in the background has none at all
  } else {
    reel = new Reel(program, canvas, input, () => voice.jump());
  }
  const begin = () => {
    enter(input);
    binds?.ask();
  };
  form.addEventListener("submit", begin);
  $("start").addEventListener("click", (e) => { if (ready() && !e.target.closest("label, button")) begin(); });
  button.hidden = button.disabled = false;
  button.textContent = phrase(watching ? "Watch" : "Play");
  let before = performance.now(), seen = false;
  const frame = (now) => {
    if (!running) return;
    requestAnimationFrame(frame);
    const dt = Math.min((now - before) / 1000, 0.25);
    before = now;
    input.update(dt);
    step();
    if (!running) return;
    if (program.is("ready") !== seen) {
      seen = !seen;
      $("start").classList.toggle("ready", seen);
      if (seen) status(phrase(watching ? "Click to watch. Esc opens the menu." : "You are in the game. Click to play. Esc opens the menu."));
      document.body.classList.toggle("watching", watching);
      if (seen) program.calls.view(!third, settings.fov);
      if (seen && atOnce) begin();
    }
    if (!seen) return; // the first picture can take seconds, and the server waits 5 s for the next step of a join
    view.draw(now / 1000, dt, input);
    voice.update(now);
    speakers.update(now);
    voices.update(now);
    hud.update(now, dt, input);
    reel?.update();
  };
  requestAnimationFrame(frame);
  globalThis.torc = { program, view, hud, forms, menu, input, reel, voice, page }; // for the developer tools, and for tests
}

// ready reports whether a click anywhere begins to play.
function ready() { return $("start").classList.contains("ready"); }

// enter begins to play. After the end of a game it begins anew.
function enter(input) {
  const name = $("name").value.trim();
  if (name && name !== settings.name) change({ name });
  if (globalThis.torc.ended !== undefined) return location.reload();
  $("start").hidden = true;
  input.lock();
}

// end says why the client has ended. From then on the page is silent.
function end(why) {
  globalThis.torc.ended = why;
  status(why === "EOF" ? phrase("The server has ended the game.") : why);
  $("start").hidden = false;
  $("start").classList.remove("ready");
  button.textContent = phrase("Join again");
  if (document.pointerLockElement) document.exitPointerLock();
}

// openChat opens the line for chat.
function openChat(team, input, program) {
  const text = say.querySelector("input");
  say.hidden = false;
  say.querySelector("label").textContent = phrase(team ? "say to the team" : "say");
  text.value = "";
  input.release();
  text.focus();
  const done = () => {
    say.hidden = true;
    say.onsubmit = text.onkeydown = text.onblur = null;
    canvas.focus();
  };
  say.onsubmit = (e) => {
    e.preventDefault();
    const line = text.value.trim();
    done();
    if (line) program.calls.command(team ? "TeamMessageSent" : "MessageSent", line);
  };
  text.onkeydown = (e) => {
    e.stopPropagation();
    if (e.key === "Escape") done();
  };
  text.onblur = done;
}

main().catch((e) => {
  status(String(e?.message ?? e));
  throw e; // for the developer tools
});
