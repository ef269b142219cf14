// Keys, mouse, touch and gamepad. They hold actions, and turn the view at once.
import { settings } from "./settings.js";

const perPixel = 0.055; // degrees
const sights = 3, steps = { fire: 1, jet: -1 }; // of a spectator
const answerTime = 2000; // milliseconds from a key to a panel that answers it
const triggers = { fire: 0, alt: 1, jump: 2, jet: 3, crouch: 4 };
const voiceKeys = { talk: false, radio: true }; // whether only the team hears it
const serverKeys = { use: "use", drop: "drop", loadout: "loadout", yes: "vote yes", no: "vote no" };

export class Input {
  // page has the actions that are no moves: menu(tab), chat(team), key(name), person(), talk(down, radio), and
  // cancel(unlocked), which returns whether it has closed something; unlocked: the browser has taken the mouse. bound(code) and answer(action) are for the keys of mods, and return whether they have used it. For a spectator it has watch, with look(sight) and next(step).
  constructor(canvas, program, page) {
    Object.assign(this, { canvas, program, page });
    this.held = new Set();
    this.stick = [0, 0];
    this.pad = { x: 0, y: 0, look: [0, 0], triggers: 0, buttons: [] };
    this.scores = false;
    this.freed = false; // the mouse, for a panel
    this.asked = -Infinity; // when the player has pressed a key of the server
    addEventListener("keydown", (e) => this.key(e, true));
    addEventListener("keyup", (e) => this.key(e, false));
    this.byTouch = matchMedia("(pointer: coarse)").matches; // the last pointer was a finger
    addEventListener("pointerdown", (e) => { this.byTouch = e.pointerType === "touch"; }, { capture: true });
    canvas.addEventListener("mousedown", (e) => this.mouse(e, true));
    addEventListener("mouseup", (e) => this.mouse(e, false));
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    addEventListener("mousemove", (e) => { if (this.locked) this.turn(e.movementX, e.movementY, perPixel); });
    addEventListener("blur", () => this.release());
    addEventListener("gamepadconnected", () => { this.padded = true; });
    document.addEventListener("pointerlockchange", () => {
      if (this.locked) this.freed = false;
      if (this.locked || this.freed) return; // for a panel the mouse is free, and the player goes on
      this.release();
      if (!this.page.busy() && !this.page.cancel(true)) this.page.menu();
    });
  }

  get locked() { return document.pointerLockElement === this.canvas; }
  get zoom() { return this.held.has("zoom"); }
  get firing() { return this.held.has("fire") || (this.pad.triggers & 1) !== 0; }

  // lock takes the mouse. Who plays by touch keeps it free: a locked mouse takes the fingers away, too. A browser without
  // a mouse refuses, and that is no failure.
  lock() {
    this.canvas.focus();
    if (this.byTouch) return;
    const asked = this.canvas.requestPointerLock?.();
    asked?.catch?.(() => {});
  }

  // free frees the mouse for a panel that answers a key of the player. A panel that the server opens by itself must
  // not take the mouse from the game. free(false) ends that, and with take the game takes the mouse back.
  free(on, take) {
    if (on && this.locked && performance.now() - this.asked < answerTime) {
      this.freed = true;
      document.exitPointerLock();
    } else if (!on && this.freed) {
      this.freed = false;
      if (take && !this.page.busy()) this.lock();
    }
  }

  // lend frees the mouse for a question of the browser, or takes it back.
  lend(free) {
    this.asked = performance.now();
    this.free(free, true);
  }

  // ask sends a key of the server while the mouse is free. The game takes it back when the panel that answers has closed.
  ask(name) {
    this.freed = true;
    this.page.key(name);
  }

  unlock() { if (this.locked) document.exitPointerLock(); }

  release() {
    this.held.clear();
    this.page.talk(false);
    this.stick[0] = this.stick[1] = 0;
    this.apply();
  }

  // turn turns the view by pixels.
  turn(dx, dy, unit) {
    const k = unit * settings.sensitivity * (this.zoom ? 0.3 : 1);
    this.program.turn(-dx * k, (settings.invert ? dy : -dy) * k);
  }

  action(code) {
    for (const name in settings.keys) if (code && settings.keys[name] === code) return name;
    return "";
  }

  key(e, down) {
    if (this.page.typing()) return;
    if (down && !e.repeat && !this.page.busy() && this.page.lines?.key(e.code)) return e.preventDefault();
    const action = this.action(e.code);
    if (!down) return this.hold(action, false);
    if (this.page.busy()) {
      if (action === "menu" || e.code === "Escape") { e.preventDefault(); this.page.resume(); }
      return;
    }
    if (action || /^(Digit|F\d|Tab)/.test(e.code)) e.preventDefault();
    if (e.repeat) return;
    if (!action && !e.ctrlKey && !e.altKey && !e.metaKey && this.page.bound(e.code)) return e.preventDefault();
    if (!action && /^Digit[1-9]$/.test(e.code)) this.slot(+e.code[5]);
    if (e.code === "Escape" && !this.page.cancel()) this.page.menu();
    this.press(action);
  }

  // slot is a number key.
  slot(n) {
    if (!this.page.watch) this.page.slot(n);
    else if (n <= sights) this.page.watch.look(n - 1);
  }

  // press begins an action.
  press(action) {
    if (action === "menu") return this.page.menu("console");
    if (this.page.answer(action)) return;
    if (this.page.watch) return this.observe(action);
    switch (action) {
      case "chat": return this.page.chat(false);
      case "team": return this.page.chat(true);
      case "person": return this.page.person();
      case "voice": return this.page.lines.toggle();
      case "scores":
        this.scores = !this.scores;
        return this.page.key("scores");
    }
    if (serverKeys[action]) {
      this.asked = performance.now();
      this.page.key(serverKeys[action]);
    }
    this.hold(action, true);
  }

  // observe begins an action of a spectator.
  observe(action) {
    const { watch } = this.page;
    if (action === "person") watch.look((this.program.number("sight") + 1) % sights);
    else if (action === "scores") this.scores = !this.scores;
    else this.hold(action, true);
  }

  // tapped is a tap on a button that has no key. That of the menu opens its first page.
  tapped(action) { if (action === "menu") this.page.menu(); else this.tap(action); }

  // tap presses an action and releases it.
  tap(action) {
    this.press(action);
    this.hold(action, false);
  }

  hold(action, down) {
    if (!action) return;
    if (this.page.watch && steps[action]) {
      if (down) this.page.watch.next(steps[action]);
      return;
    }
    if (voiceKeys[action] !== undefined && down !== this.held.has(action)) this.page.talk(down, voiceKeys[action]);
    if (down) this.held.add(action); else this.held.delete(action);
    this.apply();
  }

  mouse(e, down) {
    if (down && !this.locked) {
      if (!this.page.busy() && e.button === 0) this.lock();
      return;
    }
    e.preventDefault?.();
    const code = "Mouse" + e.button, action = this.action(code);
    if (down && !action && this.page.bound(code)) return;
    if (down) this.press(action); else this.hold(action, false);
  }

  // apply passes what is held to the program.
  apply() {
    const h = (name) => (this.held.has(name) ? 1 : 0);
    let bits = this.pad.triggers;
    for (const name in triggers) if (h(name)) bits |= 1 << triggers[name];
    this.program.hold(h("right") - h("left") + this.stick[0] + this.pad.x, h("forward") - h("back") + this.stick[1] + this.pad.y, h("jump") - h("crouch"), bits);
  }

  // update reads the gamepad, once per frame.
  update(dt) {
    if (!this.padded) return;
    const g = navigator.getGamepads?.().find((p) => p?.connected && p.mapping === "standard");
    if (!g) return;
    const dead = (v) => (Math.abs(v) < 0.15 ? 0 : v), p = this.pad, on = (i) => g.buttons[i]?.value > 0.4;
    p.x = dead(g.axes[0]);
    p.y = -dead(g.axes[1]);
    this.turn(dead(g.axes[2]) * dt * 60, dead(g.axes[3]) * dt * 60, 2.6);
    p.triggers = (on(7) ? 1 : 0) | (on(5) ? 2 : 0) | (on(0) ? 4 : 0) | (on(6) ? 8 : 0) | (on(1) ? 16 : 0);
    const taps = { 2: "use", 3: "person", 8: "scores", 9: "menu", 12: "loadout" };
    for (const i in taps) {
      if (on(i) && !p.buttons[i]) this.tapped(taps[i]);
      p.buttons[i] = on(i);
    }
    for (const [i, action] of this.page.watch ? [[7, "fire"], [6, "jet"]] : []) {
      if (on(i) && !p.buttons[i]) this.tap(action);
      p.buttons[i] = on(i);
    }
    this.apply();
  }
}
