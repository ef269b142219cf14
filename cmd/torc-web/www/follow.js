// Follows a server that sends the player to another one of the same origin: a second line, the question to the player, and a
// link to click where the page cannot go. A server gives only names, addresses and keys. All texts become text nodes.
import { cache } from "./again.js";
import { Line } from "./channel.js";
import { keyName } from "./keys.js";
import { phrase } from "./language.js";
import { ask, placeOf, show } from "./place.js";
import { settings } from "./settings.js";

const openFor = 60000, openTime = 4000; // milliseconds that a link is shown, and that a line has to open
const later = ["./binds.js", "./budget.js", "./capture.js", "./order.js", "./ring.js", "./talkers.js", "./worklet.js"];

function make(tag, values = {}) { return Object.assign(document.createElement(tag), values); }

// elsewhere returns the address of a page at another origin, or "". address is HOST:PORT of the game: the page has the same
// port if the operator has chosen none.
function elsewhere(address, key) {
  if (!/^(\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253}):\d{1,5}$/i.test(address) || !/^[a-z2-7]{52}$/.test(key)) return "";
  try {
    return new URL(location.protocol + "//" + address + "/#" + key).href;
  } catch {
    return ""; // such as a port above 65535
  }
}

export class Follow {
  // lines are the open lines by number. page has protocol, kind of the lines, receive(number, bytes), reached(number, why),
  // answer(goes), and arrived(number, name, key).
  constructor(lines, page) {
    Object.assign(this, { lines, page, orders: new Map(), waits: false, timer: 0 });
    this.box = document.getElementById("follow");
  }

  // reach opens a line to a server that the player is sent to.
  async reach(number, name, address, key) {
    const place = placeOf(name), there = place && await ask(place);
    if (this.over) return;
    if (!there || there.key !== key) return this.refuse(number, name, elsewhere(address, key));
    if (there.protocol !== this.page.protocol) return this.refuse(number, name, new URL(place + "#" + key, location.href).href);
    void cache(later).catch(() => {}); // the server that the page comes from can end
    const line = new Line((bytes) => this.page.receive(number, bytes), this.page.kind, place);
    this.lines.set(number, line);
    this.orders.set(number, { name, place, key });
    await Promise.race([line.opened, new Promise((done) => setTimeout(done, openTime))]);
    this.page.reached(number, "");
  }

  // refuse tells the server that the page cannot go there. The player can, by a link.
  refuse(number, name, link) {
    this.page.reached(number, "the page cannot go to this server");
    if (!link) return;
    const url = new URL(link), a = make("a", { href: url.href, rel: "noopener noreferrer", textContent: url.host + (url.pathname === "/" ? "" : url.pathname) });
    this.say(phrase("This page cannot go to %1. Its own page is here:", name), a);
    this.timer = setTimeout(() => this.hide(), openFor);
  }

  // arrived says that the player is at the server of a number.
  arrived(number) {
    const { name, place, key } = this.orders.get(number);
    this.hide();
    history.replaceState(null, "", place + location.search + "#" + key);
    show(place);
    this.page.arrived(number, name, key);
  }

  // left says that the program no longer uses a line.
  left(number) {
    this.lines.get(number)?.close();
    this.lines.delete(number);
    this.orders.delete(number);
  }

  // asked asks the player whether to go to a server; null: there is no question any more.
  asked(name) {
    if (name === null) return this.waits && this.hide();
    const button = (text, action, goes) => {
      const b = make("button", { type: "button", textContent: phrase(text) + (settings.keys[action] ? "  " + keyName(settings.keys[action]) : "") });
      const take = (e) => { e.preventDefault(); this.take(goes); };
      b.addEventListener("pointerdown", take);
      b.addEventListener("click", take); // of a keyboard
      return b;
    };
    this.say(phrase("This server sends you to %1. Do you want to go?", name), button("Yes", "yes", true), button("No", "no", false));
    this.waits = true;
  }

  // answer is a key of the player for yes or no. It returns whether it was for the question.
  answer(action) {
    if (!this.waits || !document.getElementById("vote").hidden) return false;
    this.take(action === "yes");
    return true;
  }

  take(goes) {
    if (!this.waits) return;
    this.hide();
    this.page.answer(goes);
  }

  say(text, ...parts) {
    this.hide();
    this.box.replaceChildren(make("p", { textContent: text }), ...parts);
    this.box.hidden = false;
  }

  // end ends it with the game.
  end() {
    this.over = true;
    this.hide();
  }

  hide() {
    clearTimeout(this.timer);
    this.waits = false;
    this.box.hidden = true;
  }
}
