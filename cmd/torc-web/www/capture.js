// The device behind the microphone: what the browser hears, as frames of Opus.
import { phrase } from "./language.js";
import { settings } from "./settings.js";
import { frame, rate } from "./ring.js";

const perFrame = 20000, most = 160; // microseconds, and bytes that a frame can have
const old = 0.1; // seconds after which nobody needs a frame any more
const longest = 100; // frames of silence that are told
const opus = { frameDuration: perFrame, application: "voip", signal: "voice", usedtx: true, useinbandfec: true, packetlossperc: 5, complexity: 5 };
const config = { codec: "opus", sampleRate: rate, numberOfChannels: 1, bitrate: 24000, opus };

// reasons are the errors of a browser as a player understands them.
const reasons = {
  NotAllowedError: phrase("the browser does not allow this page the microphone. Allow it in the settings of the page; if the server has just begun to allow voice, load the page again"),
  NotFoundError: phrase("there is no microphone"), OverconstrainedError: phrase("the microphone of the settings is not there"), NotReadableError: phrase("another program has the microphone"),
};

export class Capture {
  // said gets each frame as bytes, and how many frames of silence were before it. lost is called when the device is gone.
  constructor(said, lost) {
    this.said = said;
    this.lost = lost;
    this.closed = 0;
  }

  // open asks the browser for the microphone.
  async open() {
    const turn = ++this.closed, audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };
    if (settings.microphone) audio.deviceId = { exact: settings.microphone };
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio });
    } catch (e) {
      throw new Error(reasons[e.name] ?? e.message);
    }
    if (turn !== this.closed) return stop(stream); // closed meanwhile
    this.stream = stream;
    this.context = new AudioContext({ sampleRate: rate, latencyHint: "interactive" });
    await this.context.audioWorklet.addModule(new URL("./worklet.js", import.meta.url));
    if (turn !== this.closed) return;
    for (const track of stream.getTracks()) track.onended = () => this.lost(phrase("the microphone is gone"));
    this.node = new AudioWorkletNode(this.context, "capture", { numberOfOutputs: 0 });
    this.node.port.onmessage = (e) => this.encode(e.data);
    this.context.createMediaStreamSource(stream).connect(this.node);
    this.encoder = new AudioEncoder({ output: (chunk) => this.encoded(chunk), error: (e) => this.lost(e.message) });
    this.talk(false);
  }

  // talk passes on what the microphone hears, or nothing.
  talk(on) {
    if (!this.node) return;
    for (const track of this.stream.getTracks()) track.enabled = on;
    this.talks = on;
    if (on) {
      void this.context.resume();
      this.encoder.reset();
      this.encoder.configure(config);
      this.frames = 0; // of this press
      this.next = 0; // the frame that is said next
    } else {
      this.ended = performance.now();
    }
    this.node.port.postMessage(on);
  }

  // encode takes the samples of a frame, and the time of their end. After a page has stood still, the old frames would use
  // up the budget of the new ones.
  encode({ samples, at }) {
    if (!this.talks) return;
    const timestamp = this.frames++ * perFrame;
    if (this.context.currentTime - at > old) return;
    const data = new AudioData({ format: "f32-planar", sampleRate: rate, numberOfFrames: frame, numberOfChannels: 1, timestamp, data: samples });
    this.encoder.encode(data);
    data.close();
  }

  // encoded passes on a frame. The encoder leaves out silence.
  encoded(chunk) {
    if (!this.talks || chunk.byteLength > most) return;
    const bytes = new Uint8Array(chunk.byteLength), at = Math.round(chunk.timestamp / perFrame);
    chunk.copyTo(bytes);
    const before = this.next === 0 ? Math.floor((performance.now() - this.ended) * 1000 / perFrame) : 0;
    this.said(bytes, Math.min(Math.max(at - this.next, 0) + before, longest));
    this.next = at + 1;
  }

  close() {
    this.closed++;
    if (this.stream) stop(this.stream);
    if (this.encoder?.state !== "closed") this.encoder?.close();
    void this.context?.close();
    this.stream = this.context = this.node = this.encoder = null;
  }
}

function stop(stream) {
  for (const track of stream.getTracks()) track.stop();
}
