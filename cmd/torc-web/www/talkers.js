// The players who are heard: their frames in order, a decoder, and where their voice comes from.
import { Budget } from "./budget.js";
import { Order } from "./order.js";
import { level, rate } from "./ring.js";
import { onChange, settings } from "./settings.js";
import { share } from "./walls.js";

const perFrame = 20000; // microseconds
const most = 8; // decoders: an honest server sends four talkers at a time
const stays = 3000, speaks = 300; // milliseconds after the last frame
const near = 2, head = 1.8; // metres: where a voice has its own volume, and above the feet
const channels = { near: 0, team: 1 };
// sounds are the filters of a voice: as it is, behind boxes, and of a radio.
const sounds = {
  plain: { type: "lowpass", frequency: 20000, loud: 1 }, damp: { type: "lowpass", frequency: 700, loud: 0.7 }, radio: { type: "bandpass", frequency: 1500, loud: 1.5 },
};

export class Talkers {
  // load prepares the sound. people has the volumes, view the places.
  static async load(people, view) {
    const context = new AudioContext({ sampleRate: rate, latencyHint: "interactive" });
    await context.audioWorklet.addModule(new URL("./worklet.js", import.meta.url));
    return new Talkers(context, people, view);
  }

  constructor(context, people, view) {
    Object.assign(this, { context, people, view });
    this.all = new Map(); // by number
    this.deaf = false;
    this.refused = 0; // frames over the budget, or of too many talkers
    this.master = context.createGain();
    this.master.connect(context.destination);
    for (const gesture of ["pointerdown", "keydown", "touchend"]) addEventListener(gesture, () => this.wake(), { capture: true });
    onChange((s) => {
      this.loudness();
      if (context.setSinkId && (s.speaker ?? "") !== context.sinkId) void context.setSinkId(s.speaker ?? "").catch(() => {});
    });
    this.wake();
  }

  wake() { if (this.context.state === "suspended") void this.context.resume(); }

  loudness() { this.master.gain.value = this.deaf || settings.muted ? 0 : settings.voices; }

  // deafen ends or begins hearing. A deaf page decodes nothing.
  deafen(on) {
    this.deaf = on;
    this.loudness();
  }

  // hear takes a frame. who is {number, client, name, mark, object}.
  hear(who, channel, number, data, now) {
    const t = this.of(who, now);
    if (!t) return;
    Object.assign(t, who);
    t.channel = channel;
    if (!t.budget.take(now)) {
      this.refused++;
      return;
    }
    t.at = now;
    if (this.deaf || this.people.of(t.mark).mute) return t.order.clear();
    t.order.put(number, { number, data, came: now }, now);
    this.decode(t, now);
  }

  // of returns the talker of a number. The one who is silent longest makes room.
  of(who, now) {
    const known = this.all.get(who.number);
    if (known) return known;
    if (this.all.size >= most) {
      const old = [...this.all.values()].reduce((a, b) => (b.at < a.at ? b : a));
      if (now - old.at < speaks) {
        this.refused++;
        return null;
      }
      this.end(old);
    }
    const t = this.make(who, now);
    this.all.set(who.number, t);
    return t;
  }

  make(who, now) {
    const c = this.context, t = { ...who, at: now, order: new Order(), budget: new Budget(now), index: 0, times: new Map(), level: 0, delay: 0, decoded: 0 };
    t.node = new AudioWorkletNode(c, "play", { numberOfInputs: 0, outputChannelCount: [1] });
    t.node.port.onmessage = (e) => this.told(t, e.data);
    t.volume = c.createGain();
    t.filter = c.createBiquadFilter();
    t.panner = new PannerNode(c, { panningModel: "equalpower", distanceModel: "inverse", refDistance: near, maxDistance: 60 });
    t.node.connect(t.volume).connect(t.filter).connect(t.panner).connect(this.master);
    this.prepare(t);
    return t;
  }

  // prepare makes the decoder, anew after data that it refuses.
  prepare(t) {
    t.decoder = new AudioDecoder({ output: (data) => this.play(t, data), error: () => { t.decoder = null; } });
    t.decoder.configure({ codec: "opus", sampleRate: rate, numberOfChannels: 1 });
    t.times.clear();
  }

  // decode passes on the frames whose turn has come.
  decode(t, now) {
    for (const { data: { number, data, came }, gap } of t.order.take(now)) {
      if (!t.decoder) this.prepare(t);
      const index = t.index++;
      t.times.set(index, { number, gap, came });
      t.decoder.decode(new EncodedAudioChunk({ type: "key", timestamp: index * perFrame, duration: perFrame, data }));
    }
  }

  // play passes decoded samples to the ring. Chromium's decoder gives back one time in 25 a microsecond less than it got.
  play(t, data) {
    const samples = new Float32Array(data.numberOfFrames), index = Math.round(data.timestamp / perFrame), at = t.times.get(index) ?? { gap: 0 };
    data.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
    data.close();
    t.times.delete(index);
    t.decoded++;
    t.level = level(samples);
    t.came = at.came;
    t.node.port.postMessage({ samples, gap: at.gap, number: at.number }, [samples.buffer]);
  }

  // told notes how long samples wait, from the frame's arrival to the ear.
  told(t, { waiting, holes, number }) {
    t.holes = holes;
    t.heardNumber = number;
    const c = this.context, now = performance.now();
    t.delay = now - (t.came ?? now) + waiting * 1000 / rate + ((c.baseLatency || 0) + (c.outputLatency || 0)) * 1000;
  }

  // jump forgets the frames that wait: the next one of each talker can have any number.
  jump() { for (const t of this.all.values()) t.order.clear(); }

  // update moves the voices with their players, once per picture.
  update(now) {
    for (const t of this.all.values()) {
      if (now - t.at > stays) {
        this.end(t);
        continue;
      }
      this.decode(t, now);
      this.place(t);
    }
  }

  // place puts a voice where its player is. The ear stays at 0, looking along -z.
  place(t) {
    const { camera, things } = this.view, k = t.channel === channels.near ? things.known.get(t.object) : undefined, m = camera.matrixWorld.elements, p = camera.position;
    const dx = k ? k.x - p.x : 0, dy = k ? k.y - p.y : 0, dz = k ? k.z + head - p.z : 0;
    const along = (i) => dx * m[i] + dy * m[i + 1] + dz * m[i + 2], now = this.context.currentTime;
    const free = !k || share(things.boxes, p, { x: k.x, y: k.y, z: k.z + head }) === 1;
    t.sound = t.channel === channels.team ? "radio" : free ? "plain" : "damp";
    const { type, frequency, loud } = sounds[t.sound], { volume, mute } = this.people.of(t.mark);
    if (t.filter.type !== type) t.filter.type = type;
    t.filter.frequency.setTargetAtTime(frequency, now, 0.05);
    t.volume.gain.setTargetAtTime(mute ? 0 : volume * loud, now, 0.03);
    for (const [axis, i] of [["positionX", 0], ["positionY", 4], ["positionZ", 8]]) t.panner[axis].setTargetAtTime(along(i), now, 0.03);
  }

  // speaking returns those who speak now.
  speaking(now) { return [...this.all.values()].filter((t) => now - t.at < speaks); }

  // delay returns the most milliseconds from the arrival of a frame to the ear, of those who speak now.
  delay(now) { return this.speaking(now).reduce((most, t) => Math.max(most, t.delay), 0); }

  end(t) {
    this.all.delete(t.number);
    if (t.decoder && t.decoder.state !== "closed") t.decoder.close();
    t.node.port.postMessage(null);
    for (const node of [t.node, t.volume, t.filter, t.panner]) node.disconnect();
  }

  // forget ends all voices.
  forget() { for (const t of [...this.all.values()]) this.end(t); }

  close() {
    this.forget();
    void this.context.close();
  }
}
