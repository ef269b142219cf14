// What lies over the picture. All texts of the server and of players become text nodes.
import { Compass } from "./compass.js";
import { Panels } from "./panels.js";
import { phrase, reason } from "./language.js";
import { SmallMap } from "./map.js";
import { Places } from "./places.js";
import { Tags } from "./tags.js";
import { css, signs } from "./teams.js";

const $ = (id) => document.getElementById(id);
const deaths = ["MsgClientKilled", "MsgFrag"]; // the types of messages that tell of a death
const minute = 60000;
const bars = [phrase("health"), phrase("energy")];
const lines = 16, centre = 15, bottom = 16, scores = 4, shownFor = 12000, mostShown = 9;

// unbarred returns line 3 without what the bars show. Mods say it in the language of the player.
function unbarred(text) { return text.split(/ {2,}/).filter((part) => !bars.some((word) => part.startsWith(word + " ") && /^\d+$/.test(part.slice(word.length + 1).replace(/[\u2066-\u2069]/g, "")))).join("   "); }

// set changes the text of an element if it is another one.
function set(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export class Hud {
  // key sends the name of a key to the server.
  constructor(view, key) {
    this.view = view;
    this.map = new SmallMap($("map"), view);
    this.compass = new Compass($("compass"), view);
    this.panels = new Panels(key);
    this.corrections = []; // when and how many, of the last minute
    this.tags = new Tags($("tags"), view);
    this.places = new Places($("places"), view);
    view.onground = (terrain) => this.map.ground(terrain);
    this.lines = Array(lines + 1).fill("");
    this.board = Array.from({ length: centre - scores }, () => $("board").appendChild(document.createElement("tr")));
    this.messages = [];
    this.frames = 0;
    this.since = 0;
    this.flash = 0;
    this.bars = [["health", document.querySelector(".bar.health")], ["energy", document.querySelector(".bar.energy")], ["ride", document.querySelector(".bar.ride")]];
    $("hud").hidden = false;
  }

  // setLine sets a line of the HUD that a server writes.
  setLine(n, text) {
    if (!(n >= 1 && n <= lines)) return;
    this.lines[n] = text;
    if (n === 3) set($("hud3"), unbarred(text));
    else if (n < 3) set($("hud" + n), text);
    else if (n === centre) set($("centre"), text);
    else if (n === bottom) set($("bottom"), text);
    else this.score(n);
  }

  // score shows a line of the scoreboard in columns. The first line says how many there are.
  score(n) {
    const columns = this.lines[scores].split(/ {2,}/).length, cells = this.lines[n].split(/ {2,}/);
    if (columns > 1 && cells.length > columns) cells.push(cells.splice(columns - 1).join("  ")); // a name can have spaces
    this.board[n - scores].replaceChildren(...cells.map((text) => {
      const cell = document.createElement(n === scores ? "th" : "td");
      cell.textContent = text;
      if (cells.length < columns) cell.colSpan = columns;
      return cell;
    }));
    if (n === scores && columns !== this.columns) {
      this.columns = columns;
      for (let i = scores + 1; i < centre; i++) this.score(i);
    }
  }

  // moved shows the line to another server. Its votes are others.
  moved(line) {
    this.line = line;
    this.corrections.length = 0;
    this.panels.endVote();
  }

  showScores(on) {
    document.body.classList.toggle("scored", on); // spectators see an element of this name then
    $("board").hidden = !on || this.lines.slice(scores, centre).every((l) => l === "");
  }

  // told handles a message of the server by its type.
  told(kind, text) {
    const watching = this.view.program.is("watching");
    if (text === "") return;
    if (kind === "MsgVote") this.panels.vote(text, !watching);
    if (kind === "MsgVoteEnd") this.panels.endVote();
    if (deaths.includes(kind)) this.obituary(text);
    else this.message(text, text.startsWith("*** ") ? "server" : "", kind.includes("Chat"));
  }

  // effect shows a short effect of the server.
  effect(kind) { if (kind === "hit") this.hit(); }

  // message shows a line for some seconds. Chat begins with the name of a player.
  message(text, kind, chat = false) {
    const div = document.createElement("div"), said = chat && /^([^:\n]{1,40}): (.*)$/s.exec(text);
    div.className = kind;
    if (said) {
      const name = document.createElement("b");
      name.textContent = said[1];
      div.append(name, ": " + said[2]);
    } else {
      div.textContent = text;
    }
    this.keep($("messages"), div, mostShown);
  }

  // obituary shows who has died, and why.
  obituary(text) {
    const div = document.createElement("div");
    div.textContent = text;
    this.keep($("feed"), div, 5);
  }

  keep(list, div, most) {
    list.append(div);
    while (list.childElementCount > most) list.firstChild.remove();
    setTimeout(() => { div.style.opacity = 0; setTimeout(() => div.remove(), 700); }, shownFor);
  }

  // update shows the state of a frame. now is in milliseconds.
  update(now, dt, input) {
    const { program } = this.view;
    this.frames++;
    if (now - this.since > 500) {
      set($("fps"), phrase("%1 fps", Math.round(this.frames * 1000 / (now - this.since))));
      set($("trouble"), reason(program.calls.wrong()));
      this.quality();
      this.corrected(now);
      this.watch();
      this.frames = 0;
      this.since = now;
      this.showScores(input.scores);
    }
    for (const [word, bar] of this.bars) {
      const part = program.get(word), off = !(part >= 0) || !program.is("body");
      if (bar.hidden !== off) bar.hidden = off;
      if (!off) bar.lastChild.style.transform = `scaleX(${part})`;
    }
    this.team(program.number("team"));
    this.speed(program.is("body") ? Math.round(program.get("speed") * 3.6) : -1);
    this.tint(dt);
    this.map.update(now);
    this.compass.update();
    this.tags.update();
    this.places.update();
  }

  // team shows the sign of the own team.
  team(now) {
    if (now === this.shownTeam) return;
    this.shownTeam = now;
    set($("team"), signs[now & 15]);
    $("team").style.color = css[now & 15];
  }

  // speed shows a speed in km/h; below 0 there is none.
  speed(now) {
    if (now === this.shownSpeed) return;
    this.shownSpeed = now;
    set($("speed"), now < 0 ? "" : phrase("%1 km/h", now));
  }

  quality() {
    const { program } = this.view, bars = program.get("bars"), all = $("bars");
    for (let i = 0; i < 4; i++) all.children[i].className = i < bars ? "on" : "";
    all.className = bars < 2 ? "bad" : bars < 3 ? "poor" : "";
    const loss = program.get("loss"), kind = this.line?.kind ?? "";
    set($("ping"), (kind && kind + "  ") + phrase("%1 ms", Math.round(program.get("ping"))) + (loss >= 0.005 ? "  " + phrase("%1 % lost", (loss * 100).toFixed(0)) : ""));
  }

  // corrected shows how many moves of the last minute the server has corrected.
  corrected(now) {
    const all = this.view.program.number("corrections"), list = this.corrections;
    list.push([now, all]);
    while (list[0][0] < now - minute) list.shift();
    const n = Math.max(0, all - list[0][1]); // a new connection counts from 0
    set($("corrections"), n > 0 ? phrase("%1 corrected", n) : "");
  }

  // watch shows how a spectator looks at the game.
  watch() {
    const { program } = this.view, on = program.is("watching");
    $("watch").hidden = !on;
    if (!on) return;
    const name = program.calls.followed(), how = [phrase("flying"), phrase("following %1", name), phrase("above %1", name)][program.number("sight")];
    set($("watch"), [name || program.number("sight") === 0 ? how : phrase("nobody plays"), phrase("1 fly · 2 follow · 3 above"), phrase(this.line ? "click: next player" : "K pause · ← → 10 s")].join("   "));
  }

  // hit marks a hit of the player.
  hit() {
    const c = $("cross");
    c.classList.remove("hit");
    void c.offsetWidth; // begins the animation again
    c.classList.add("hit");
  }

  // tint shows pain and bright light, by the values of the server and by lost health.
  tint(dt) {
    const { program, things } = this.view, own = things.own, el = $("tint");
    if (own && own.before > own.health + 1e-4) this.flash = Math.min(0.75, this.flash + 0.25 + (own.before - own.health));
    this.flash = Math.max(0, this.flash - dt * 0.9);
    const white = program.get("whiteOut"), red = Math.max(program.get("damageFlash"), this.flash), kind = white > red ? "white" : "red";
    const strength = Math.max(white, red);
    if (kind !== this.kind) {
      this.kind = kind;
      el.style.background = kind === "white" ? "#fff" : "radial-gradient(ellipse at center, rgb(255 40 20 / .12) 35%, rgb(220 10 0 / .85))";
    }
    if (strength !== this.strength) el.style.opacity = this.strength = strength;
  }
}
