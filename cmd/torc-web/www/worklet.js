// The two ends of voice in the thread of the sound: frames of 20 ms of the microphone, and the ring of a talker.
import { frame, Ring } from "./ring.js";

class Capture extends AudioWorkletProcessor {
  constructor() {
    super();
    this.talks = false;
    this.port.onmessage = (e) => {
      this.talks = e.data === true;
      this.n = 0;
    };
    this.n = 0; // samples of the frame
    this.samples = new Float32Array(frame);
  }

  process([[input]]) {
    if (!input || !this.talks) return true;
    for (let i = 0; i < input.length; i++) {
      this.samples[this.n++] = input[i];
      if (this.n < frame) continue;
      this.port.postMessage({ samples: this.samples, at: currentTime }, [this.samples.buffer]);
      this.samples = new Float32Array(frame);
      this.n = 0;
    }
    return true;
  }
}

class Play extends AudioWorkletProcessor {
  constructor() {
    super();
    this.ring = new Ring();
    this.alive = true;
    this.port.onmessage = (e) => {
      if (e.data === null) {
        this.alive = false;
        return;
      }
      const { ring } = this;
      ring.put(e.data.samples, e.data.gap);
      this.port.postMessage({ waiting: ring.waiting, holes: ring.holes, number: e.data.number });
    };
  }

  process(_, [[output]]) {
    this.ring.pull(output);
    return this.alive;
  }
}

registerProcessor("capture", Capture);
registerProcessor("play", Play);
