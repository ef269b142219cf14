// The samples of one talker between the decoder and the ear. Playing begins when 40 ms are here, so frames that come up
// to that much later leave no hole. It runs in the thread of the sound.
export const rate = 48000, frame = 960; // samples per second, and of 20 ms
const begin = 2 * frame, shorten = 4 * frame, full = 8 * frame; // samples that wait
const size = 16 * frame;
const fade = 120; // samples: 2.5 ms
const quiet = 0.004; // root mean square of a frame that nobody misses

export class Ring {
  constructor() {
    this.samples = new Float32Array(size);
    this.read = this.write = 0;
    this.playing = false;
    this.holes = 0; // times that the samples ended
    this.edge = true; // the next sample stands after silence
  }

  get waiting() { return this.write - this.read; }

  // put adds a frame. gap is how many frames are missing before it, Infinity after a pause of the talker.
  put(samples, gap) {
    if (samples.length > size / 2) return;
    if (gap === Infinity && !this.playing) this.read = this.write; // a rest too short to begin
    if (this.waiting > shorten && level(samples) < quiet) return; // silence shrinks, so the delay of a burst does not stay
    if (this.waiting + samples.length > full) this.skip(this.waiting - begin);
    if (gap > 0 && !this.edge) this.end();
    if (this.playing && gap > 0 && gap !== Infinity) this.silence(Math.min(gap * frame, full - begin - this.waiting));
    for (let i = 0; i < samples.length; i++) this.samples[(this.write + i) % size] = samples[i] * (this.edge && i < fade ? i / fade : 1);
    this.write += samples.length;
    this.edge = false;
  }

  // skip drops the oldest samples.
  skip(n) {
    this.read += n;
    for (let i = 0; i < fade; i++) this.samples[(this.read + i) % size] *= i / fade;
  }

  // end fades the newest samples out.
  end() {
    const n = Math.min(fade, this.waiting);
    for (let i = 1; i <= n; i++) this.samples[(this.write - i) % size] *= (i - 1) / fade;
    this.edge = true;
  }

  silence(n) {
    for (let i = 0; i < n; i++) this.samples[(this.write + i) % size] = 0;
    this.write += Math.max(0, n);
  }

  // pull fills out with the next samples, or with silence. It returns whether there was a sample.
  pull(out) {
    if (!this.playing && this.waiting >= begin) this.playing = true;
    if (!this.playing) return false;
    if (this.waiting < out.length + fade && !this.edge) this.end();
    const n = Math.min(out.length, this.waiting);
    for (let i = 0; i < n; i++) out[i] = this.samples[(this.read + i) % size];
    this.read += n;
    if (this.waiting === 0) {
      this.playing = false;
      this.holes++;
    }
    return true;
  }
}

// level returns the root mean square of samples.
export function level(samples) {
  let sum = 0;
  for (const x of samples) sum += x * x;
  return Math.sqrt(sum / samples.length);
}
