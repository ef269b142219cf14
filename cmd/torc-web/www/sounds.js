// Synthesised sounds: an oscillator or noise, an envelope, and distance and direction. They begin with the first
// gesture of the player, because browsers allow no sound before.
import { onChange } from "./settings.js";

const mostVoices = 24, mostLoops = 12, least = 0.004, full = 10; // metres where a sound has its own volume

export class Sounds {
  constructor() {
    this.voices = 0;
    this.played = 0;
    this.loops = new Map();
    this.ear = { x: 0, y: 0, z: 0, rightX: 1, rightY: 0 };
    onChange((s) => {
      this.volume = s.muted ? 0 : s.volume;
      this.master?.gain.setTargetAtTime(this.volume, this.context.currentTime, 0.05);
    });
    for (const gesture of ["pointerdown", "keydown", "touchend"]) addEventListener(gesture, () => this.start(), { capture: true });
  }

  // start makes the sound work, or makes it work again.
  start() {
    if (this.context) {
      if (this.context.state === "suspended") this.context.resume();
      return;
    }
    const c = this.context = new AudioContext();
    this.master = c.createGain();
    this.master.gain.value = this.volume;
    this.master.connect(c.createDynamicsCompressor()).connect(c.destination);
    this.noise = c.createBuffer(1, c.sampleRate, c.sampleRate);
    const samples = this.noise.getChannelData(0);
    for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  }

  // listen places the ear.
  listen(camera) {
    const p = camera.position, m = camera.matrixWorld.elements;
    Object.assign(this.ear, { x: p.x, y: p.y, z: p.z, rightX: m[0], rightY: m[1] });
  }

  // heard returns volume and direction (-1 left … 1 right) of a sound at a place.
  heard(s, x, y, z) {
    const { ear } = this, dx = x - ear.x, dy = y - ear.y, far = Math.hypot(dx, dy, z - ear.z);
    if (far >= s.reach) return { gain: 0, pan: 0 };
    return { gain: s.volume * Math.min(1.5, full / Math.max(far, 1)) * (1 - far / s.reach), pan: far < 0.5 ? 0 : 0.8 * (dx * ear.rightX + dy * ear.rightY) / far };
  }

  // play plays a sound once.
  play(s, x, y, z, speed = 0) {
    this.played++;
    const { context: c } = this, { gain, pan } = this.heard(s, x, y, z);
    if (c?.state !== "running" || gain < least || this.voices >= mostVoices) return;
    const voice = this.voice(s, factor(s, speed)), now = c.currentTime, end = now + s.attack + s.hold + s.release + 0.01, slid = voice.frequency.value * s.slide;
    voice.level.gain.setValueAtTime(0, now);
    voice.level.gain.linearRampToValueAtTime(gain, now + s.attack + 0.002);
    voice.level.gain.setValueAtTime(gain, now + s.attack + s.hold + 0.002);
    voice.level.gain.linearRampToValueAtTime(0, end);
    voice.frequency.setValueAtTime(voice.frequency.value, now);
    voice.frequency.exponentialRampToValueAtTime(Math.min(Math.max(slid, 10), 20000), end);
    voice.pan.pan.value = pan;
    voice.source.stop(end);
    this.voices++;
    voice.source.onended = () => { this.voices--; voice.pan.disconnect(); };
  }

  // loop keeps a sound sounding during this frame.
  loop(key, s, x, y, z, speed) {
    const { context: c } = this, { gain, pan } = this.heard(s, x, y, z);
    if (c?.state !== "running") return;
    let l = this.loops.get(key);
    if (l && l.s !== s) l = undefined; // the look has changed: the old one fades in end
    if (!l) {
      if (gain < least || this.loops.size >= mostLoops || this.loops.has(key)) return;
      l = { s, voice: this.voice(s, factor(s, speed)) };
      l.voice.level.gain.value = 0;
      this.loops.set(key, l);
      this.played++;
    }
    l.heard = true;
    const now = c.currentTime;
    l.voice.level.gain.setTargetAtTime(gain, now, Math.max(s.attack, 0.03));
    l.voice.pan.pan.setTargetAtTime(pan, now, 0.03);
    l.voice.frequency.setTargetAtTime(pitch(s, factor(s, speed)), now, 0.05);
  }

  // end ends the loops that no thing has kept since the last frame.
  end() {
    for (const [key, l] of this.loops) {
      if (!l.heard) {
        const now = this.context.currentTime, fade = Math.max(l.s.release, 0.03);
        l.voice.level.gain.cancelScheduledValues(now);
        l.voice.level.gain.setTargetAtTime(0, now, fade / 3);
        l.voice.source.stop(now + fade * 2);
        l.voice.source.onended = () => l.voice.pan.disconnect();
        this.loops.delete(key);
      }
      l.heard = false;
    }
  }

  // voice makes the nodes of a sound and starts its source. frequency is that of the oscillator, or the limit of noise.
  voice(s, by) {
    const c = this.context, level = c.createGain(), pan = c.createStereoPanner();
    level.connect(pan).connect(this.master);
    if (s.wave === "noise") {
      const source = c.createBufferSource(), filter = c.createBiquadFilter();
      source.buffer = this.noise;
      source.loop = true;
      filter.frequency.value = pitch(s, by);
      source.connect(filter).connect(level);
      source.start(c.currentTime, Math.random());
      return { source, level, pan, frequency: filter.frequency };
    }
    const source = c.createOscillator();
    source.type = s.wave === "saw" ? "sawtooth" : s.wave;
    source.frequency.value = pitch(s, by);
    source.connect(level);
    source.start();
    return { source, level, pan, frequency: source.frequency };
  }
}

function factor(s, speed) { return Math.min(Math.max(1 + s.bend * speed / 10, 0.05), 8); }
function pitch(s, by) { return Math.min(Math.max(s.pitch * by, 10), 20000); }
