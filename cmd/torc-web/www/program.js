// The program: torc as WebAssembly, and the views of its memory.
import { again, answer } from "./again.js";
import "./wasm_exec.js";

const utf8 = new TextEncoder();

export class Program {
  // load fetches and starts the program. send gets each datagram for a server, with the number of its line, and say what
  // the player must know.
  static async load(send, say) {
    const p = new Program();
    const go = new globalThis.Go();
    go.importObject.torc = { send: (line, at, length) => send(line, new Uint8Array(p.memory.buffer, at, length)) };
    const ready = new Promise((done) => { globalThis.torcReady = done; });
    const url = new URL("./torc.wasm", import.meta.url);
    const { instance } = await again(async () => WebAssembly.instantiateStreaming(await answer(url), go.importObject), say);
    p.exports = instance.exports;
    p.memory = instance.exports.mem;
    p.ended = go.run(instance);
    p.calls = Object.fromEntries(Object.entries(await ready).map(([name, call]) => [name, (...args) => {
      const result = call(...args);
      p.grown();
      return result;
    }]));
    return p;
  }

  // start makes the client and begins to connect. It throws if the options are wrong.
  start(options, page) {
    const layout = this.calls.start(options, page);
    if (typeof layout === "string") throw new Error(layout);
    this.layout = layout;
    this.row = layout.row;
    this.word = layout.frame;
    this.map();
  }

  // map makes the views of the memory. It must run again when the memory has grown.
  map() {
    const { slab, state, inbox, inboxBytes, rowWords, maxRows, stateWords } = this.layout;
    this.buffer = this.memory.buffer;
    this.rows = new Float32Array(this.buffer, slab, rowWords * maxRows);
    this.rowNumbers = new Uint32Array(this.buffer, slab, rowWords * maxRows);
    this.state = new Float32Array(this.buffer, state, stateWords);
    this.numbers = new Uint32Array(this.buffer, state, stateWords);
    this.inbox = new Uint8Array(this.buffer, inbox, inboxBytes);
  }

  // receive handles a datagram of the server of a line.
  receive(line, bytes) {
    if (!this.layout || bytes.length > this.inbox.length) return;
    this.grown();
    this.inbox.set(bytes);
    this.exports.receive(line, bytes.length);
    this.grown();
  }

  // step runs what is due. It returns false when the client has ended.
  step() {
    const running = this.exports.frame() !== 0;
    this.grown();
    return running;
  }

  hold(right, forward, up, triggers) {
    this.exports.hold(right, forward, up, triggers);
    this.grown();
  }

  turn(yaw, pitch) {
    this.exports.turn(yaw, pitch);
    this.grown();
  }

  // is reports whether a flag of the frame is set.
  is(flag) { return (this.numbers[this.word.flags] & this.word[flag]) !== 0; }
  get(word) { return this.state[this.word[word]]; }
  number(word) { return this.numbers[this.word[word]]; }

  // text returns a text of the slab. Texts are kept for an edition.
  text(n) {
    if (n === 0) return "";
    const edition = this.number("edition");
    if (edition !== this.edition) {
      this.edition = edition;
      this.texts = new Map();
    }
    let text = this.texts.get(n);
    if (text === undefined) {
      text = this.calls.text(n);
      this.texts.set(n, text);
    }
    return text;
  }

  // look returns the elements of a look of the slab. The caller keeps them for an edition.
  look(n) { return this.calls.elements(n) ?? []; }

  // grown makes new views if the memory has grown. Every call of the program can do that.
  grown() {
    if (this.layout && this.memory.buffer !== this.buffer) this.map();
  }

  // terrain returns the terrain with a copy of its heights, or null.
  terrain() {
    const t = this.calls.terrain();
    if (!t) return null;
    return { ...t, heights: new Float32Array(this.memory.buffer, t.heights, t.size * t.size).slice() };
  }

  // complete returns the words for Tab and where they begin, in characters.
  complete(line, caret) {
    const found = this.calls.complete(line, utf8.encode(line.slice(0, caret)).length);
    if (!found) return { start: caret, words: [] };
    const head = new TextDecoder().decode(utf8.encode(line).slice(0, found.start));
    return { start: head.length, words: Array.from(found.words) };
  }
}
