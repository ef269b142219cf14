// The microphone of the player: closed until they press the key, and open only while they hold it. No text and no frame
// of a server comes here.
const keeps = 10000; // milliseconds that the device stays ready for the next press

export class Microphone {
  // device has open(), a promise that fails with the reason, talk(on) and close(). changed is called after each change.
  constructor(device, changed) {
    this.device = device;
    this.changed = changed;
    this.state = "closed"; // or "asking", "ready", "open"
    this.held = false;
    this.allowed = false; // the player has once allowed it
    this.why = ""; // the last press did not open it
  }

  get open() { return this.state === "open"; }

  // press opens the microphone. The browser asks the player the first time.
  press() {
    this.held = true;
    clearTimeout(this.timer);
    this.why = "";
    if (this.state === "ready") return this.become("open");
    if (this.state !== "closed") return;
    const turn = this.turn = {};
    this.become("asking");
    Promise.resolve().then(() => this.device.open()).then(() => this.granted(turn), (e) => this.failed(turn, e));
  }

  // release closes it for the ears of others, and the device itself when the key stays up.
  release() {
    this.held = false;
    if (this.state === "open") this.become("ready");
    if (this.state === "ready") this.rest();
  }

  granted(turn) {
    if (turn !== this.turn) return; // it has ended meanwhile
    this.allowed = true;
    this.become(this.held ? "open" : "ready");
    if (!this.held) this.rest();
  }

  failed(turn, error) {
    if (turn === this.turn) this.end(String(error?.message ?? error));
  }

  rest() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), keeps);
  }

  // end closes the device: the game has ended, or the device is gone. The player reads why.
  end(why = "") {
    clearTimeout(this.timer);
    this.turn = null;
    this.why = why;
    this.become("closed");
  }

  become(state) {
    if (state === this.state) return;
    const was = this.state;
    this.state = state;
    if (state === "open" || was === "open") this.device.talk(state === "open");
    if (state === "closed") this.device.close();
    this.changed();
  }
}
