// Voice: what the server allows, the key of the player, and who is heard. The code behind it is loaded at the first press
// and at the first frame.
import { again, cache } from "./again.js";
import { phrase } from "./language.js";
import { Microphone } from "./microphone.js";
import { People } from "./people.js";
import { settings } from "./settings.js";

export const channelNames = [phrase("near"), phrase("team"), phrase("all"), phrase("mod")], rangeNames = [phrase("whisper"), phrase("talk"), phrase("shout")];
const ears = ["./budget.js", "./order.js", "./ring.js", "./talkers.js", "./worklet.js"], mouth = ["./capture.js", "./ring.js", "./worklet.js"];
const none = { mode: "off", channels: 0, permit: "may", recorded: false };

export class Voice {
  // page has say(text) for the player, and mouse(free) while the browser asks. watches means that the player shows a
  // recording: its voices come without rules, and nobody talks.
  constructor(program, view, page, watches) {
    Object.assign(this, { program, view, page, watches });
    this.people = new People();
    this.rules = none;
    this.channel = 0;
    this.loading = null; // of the ears
    this.talkers = null;
    this.deaf = false;
    this.known = new Map(); // who was heard in this game, by mark
    this.microphone = new Microphone({ open: () => this.prepare(), talk: (on) => this.capture.talk(on), close: () => this.capture?.close() }, () => this.turned());
  }

  // obey takes over the rules of the server.
  obey(rules) {
    const was = this.rules;
    this.rules = rules;
    if (rules.mode === "off" || rules.channels === 0) this.microphone.end();
    if (rules.recorded && !was.recorded) this.page.say(phrase("This server records what players say."));
    if (was.mode === "off" && rules.mode !== "off" && !hears()) this.page.say(phrase("Players talk here.") + " " + deafness);
    document.body.classList.toggle("voiced", rules.mode !== "off" && hears());
  }

  // wrong says why the player cannot talk, or "".
  wrong() {
    const { mode, channels, permit } = this.rules;
    if (this.watches) return phrase("You cannot talk here.");
    if (mode === "off") return phrase("There is no voice at this server.");
    if (!hears()) return deafness;
    if (permit === "muted") return phrase("You cannot talk: the operator has muted you.");
    if (permit === "role") return phrase("You cannot talk: only players with a role talk at this server. Ask the operator.");
    if (document.featurePolicy?.allowsFeature("microphone") === false) return phrase("You cannot talk before you load the page again.");
    if (channels === 0) return phrase("You cannot talk here.");
    if (!navigator.mediaDevices?.getUserMedia || typeof AudioEncoder !== "function") return phrase("You can hear, not talk: this browser cannot encode voice. Chromium can.");
    return "";
  }

  // talk is the key of the player. With radio, they talk to the team.
  talk(down, radio) {
    if (!down) return this.microphone.release();
    const why = this.wrong();
    if (why) return this.page.say(why);
    const channel = radio ? 1 : settings.channel, open = (c) => (this.rules.channels >> c & 1) !== 0;
    this.channel = open(channel) ? channel : [0, 2, 3, 1].find(open);
    this.microphone.press();
  }

  // prepare loads the code of the microphone and opens the device.
  async prepare() {
    if (!this.capture) {
      await cache(mouth);
      const { Capture } = await again(() => import("./capture.js"), () => {});
      this.capture = new Capture((bytes, silence) => this.program.calls.say(this.channel, settings.range, silence, bytes), (why) => this.microphone.end(why));
    }
    return this.capture.open();
  }

  // turned shows what the microphone does.
  turned() {
    const { state, why, allowed } = this.microphone;
    if (state === "asking" && !allowed) this.page.mouse(true);
    if (this.asked && state !== "asking") this.page.mouse(false);
    this.asked = state === "asking" && !allowed;
    if (why) this.page.say(phrase("You cannot talk: %1.", why));
  }

  // hear takes a frame of a talker.
  hear(number, client, name, mark, object, channel, count, data) {
    if (!hears() || this.rules.mode === "off" && !this.watches) return;
    const who = { number, client, name, mark, object };
    this.meet(who);
    if (this.talkers) this.talkers.hear(who, channel, count, data, performance.now());
    else void this.listen();
  }

  // meet notes whom the player can mute.
  meet({ mark, name }) {
    if (this.known.get(mark)?.name === name) return;
    this.known.delete(mark);
    this.known.set(mark, { mark, name });
    if (this.known.size > 100) this.known.delete(this.known.keys().next().value);
  }

  // listen loads the ears. Voices of the meantime are lost.
  listen() {
    return this.loading ??= (async () => {
      await cache(ears);
      const { Talkers } = await again(() => import("./talkers.js"), () => {});
      const talkers = await Talkers.load(this.people, this.view);
      talkers.deafen(this.deaf);
      this.talkers = talkers;
    })().catch((e) => { this.page.say(phrase("You cannot hear the others: %1", e.message)); });
  }

  deafen(on) {
    this.deaf = on;
    this.talkers?.deafen(on);
  }

  // moved closes the microphone, and forgets the talkers: another server has others with the same numbers. The player presses
  // the key again to talk there.
  moved() {
    this.microphone.end();
    this.talkers?.forget();
    this.known.clear();
    this.rules = none;
    document.body.classList.remove("voiced");
  }

  // jump lets each talker begin with any frame: a demo goes on elsewhere.
  jump() { this.talkers?.jump(); }

  update(now) { this.talkers?.update(now); }

  speaking(now) { return this.deaf ? [] : this.talkers?.speaking(now).filter((t) => !this.people.of(t.mark).mute) ?? []; }

  end() {
    this.microphone.end();
    this.talkers?.close();
    this.talkers = null;
    this.rules = none;
  }
}

const deafness = phrase("Here you can neither hear nor talk: browsers allow voice only on pages over HTTPS, and on the machine of the server.");

// hears reports whether this browser can play voice on this page.
export function hears() { return typeof AudioDecoder === "function" && typeof AudioWorkletNode === "function"; }
