// The page of the menu about voice: whom the player hears, how loud, and with which devices.
import { phrase } from "./language.js";
import { change, settings } from "./settings.js";
import { channelNames, rangeNames } from "./voice.js";

const $ = (id) => document.getElementById(id);
const often = 150; // milliseconds between two looks

function make(tag, values = {}) { return Object.assign(document.createElement(tag), values); }

export class Voices {
  constructor(voice) {
    this.voice = voice;
    this.rows = new Map(); // by mark
    const section = $("voices");
    this.note = section.appendChild(make("p"));
    this.note.setAttribute("role", "status");
    this.range(phrase("Volume of voices"), "voices");
    this.choose(phrase("Talk to"), "channel", channelNames.map((name, i) => [name, i]));
    this.choose(phrase("Reach"), "range", rangeNames.map((name, i) => [name, i]));
    this.devices = [[phrase("Microphone"), "microphone", "audioinput"], [phrase("Speaker"), "speaker", "audiooutput"]].map(([text, key, kind]) => ({ key, kind, select: this.choose(text, key, [[phrase("standard"), ""]]) }));
    const deaf = section.appendChild(make("button", { textContent: phrase("Deafen") }));
    deaf.addEventListener("click", () => {
      voice.deafen(!voice.deaf);
      deaf.textContent = phrase(voice.deaf ? "Hear again" : "Deafen");
      deaf.setAttribute("aria-pressed", voice.deaf);
    });
    this.list = section.appendChild(make("div", { className: "people" }));
  }

  row(text, control) {
    const label = make("label");
    label.append(text, control);
    $("voices").append(label);
    return control;
  }

  range(text, key) {
    const r = this.row(text, make("input", { type: "range", min: 0, max: 2, step: 0.05 }));
    r.value = settings[key];
    r.addEventListener("input", () => change({ [key]: Number(r.value) }));
  }

  // choose is a list of [name, value] for a setting.
  choose(text, key, values) {
    const select = this.row(text, make("select"));
    this.fill(select, key, values);
    select.addEventListener("change", () => change({ [key]: typeof settings[key] === "number" ? Number(select.value) : select.value }));
    return select;
  }

  fill(select, key, values) { select.replaceChildren(...values.map(([name, value]) => new Option(name, value, false, value === settings[key]))); }

  // show lists the devices. Browsers tell their names once the player has allowed the microphone.
  async show() {
    const all = (await navigator.mediaDevices?.enumerateDevices().catch(() => [])) ?? [];
    for (const { key, kind, select } of this.devices) {
      const known = all.filter((d) => d.kind === kind && d.label && d.deviceId !== "default");
      this.fill(select, key, [[phrase("standard"), ""], ...known.map((d) => [d.label, d.deviceId])]);
    }
  }

  // update shows levels while the page is open.
  update(now) {
    if ($("voices").hidden || now - (this.at ?? 0) < often) return;
    this.at = now;
    const { voice } = this, loud = new Map(voice.speaking(now).map((t) => [t.mark, t.level])), delay = voice.talkers?.delay(now);
    const note = (voice.watches ? "" : voice.wrong()) || (delay ? phrase("The voices are heard %1 ms after they arrive.", Math.round(delay)) : "");
    if (this.note.textContent !== note) this.note.textContent = note;
    for (const { mark, name } of voice.known.values()) {
      const row = this.rows.get(mark) ?? this.person(mark);
      if (row.name.textContent !== name) row.name.textContent = name;
      row.meter.value = Math.min(1, (loud.get(mark) ?? 0) * 5);
    }
    for (const [mark, row] of this.rows) {
      if (voice.known.has(mark)) continue;
      row.div.remove();
      this.rows.delete(mark);
    }
  }

  // person adds the row of a player.
  person(mark) {
    const { people } = this.voice, div = make("div"), name = make("span"), meter = make("meter", { min: 0, max: 1 });
    const volume = make("input", { type: "range", min: 0, max: 2, step: 0.1 }), mute = make("button");
    const label = () => {
      mute.textContent = phrase(people.of(mark).mute ? "Muted" : "Mute");
      mute.setAttribute("aria-pressed", people.of(mark).mute);
    };
    volume.value = people.of(mark).volume;
    volume.setAttribute("aria-label", phrase("volume"));
    meter.setAttribute("aria-label", phrase("level"));
    volume.addEventListener("input", () => people.change(mark, { volume: Number(volume.value) }));
    mute.addEventListener("click", () => {
      people.change(mark, { mute: !people.of(mark).mute });
      label();
    });
    label();
    div.append(name, meter, volume, mute);
    this.list.append(div);
    const row = { div, name, meter };
    this.rows.set(mark, row);
    return row;
  }
}
