// The channel: carries each datagram as one binary message, over WebRTC if it can, else over a WebSocket.
const rtcTime = 3000, againTime = 1000; // milliseconds for WebRTC to open, and until the next try
const lookTime = 100; // milliseconds between two looks at the clock
const lastTime = 200; // milliseconds for the last datagrams of a line that ends
const messages = { ordered: false, maxRetransmits: 0 };

// RtcChannel is a data channel over the UDP port of the game. onmessage gets the bytes of a datagram, onclose nothing.
class RtcChannel {
  kind = "rtc";
  most = 1400; // bytes that wait in the browser: one datagram
  answered = false; // the server has answered the offer

  constructor(onmessage, onclose, place, onopen) {
    Object.assign(this, { onclose, place, onopen });
    let left = rtcTime, last = performance.now();
    this.timer = setInterval(() => { // a page that stood still loses a second, and hears first what has come
      const now = performance.now();
      left -= Math.min(now - last, 1000);
      last = now;
      if (left <= 0) this.close();
    }, lookTime);
    this.call(onmessage).catch(() => this.close());
  }

  // call sends the offer. The server needs no candidates of the browser.
  async call(onmessage) {
    this.peer = new RTCPeerConnection();
    this.data = this.peer.createDataChannel("torc", messages);
    this.data.binaryType = "arraybuffer";
    this.data.onopen = () => { clearInterval(this.timer); this.onopen(); };
    this.data.onmessage = (e) => { if (e.data instanceof ArrayBuffer) onmessage(new Uint8Array(e.data)); };
    this.data.onclose = () => this.close();
    this.peer.onconnectionstatechange = () => { if (this.peer.connectionState === "failed") this.close(); };
    await this.peer.setLocalDescription();
    if (!this.onclose) return; // closed meanwhile: the server gets no offer
    const answer = await fetch(this.place + "rtc", { method: "POST", headers: { "Content-Type": "application/sdp" }, body: this.peer.localDescription.sdp });
    this.answered = true;
    if (answer.status !== 200) throw new Error("no WebRTC here");
    await this.peer.setRemoteDescription({ type: "answer", sdp: await answer.text() });
  }

  get open() { return this.data?.readyState === "open"; }
  get waiting() { return this.data.bufferedAmount; }
  send(bytes) { this.data.send(bytes); }

  close() {
    clearInterval(this.timer);
    this.peer?.close();
    const tell = this.onclose;
    this.onclose = null;
    tell?.();
  }
}

// SocketChannel is a WebSocket, with the same interface.
class SocketChannel {
  kind = "ws";
  most = 16384; // the browser counts bytes until the system has taken them

  constructor(onmessage, onclose, place, onopen) {
    const url = new URL(place + "ws", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.hash = "";
    this.socket = new WebSocket(url, "torc");
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = (e) => { if (e.data instanceof ArrayBuffer) onmessage(new Uint8Array(e.data)); };
    this.socket.onclose = onclose;
    this.socket.onopen = onopen;
  }

  get open() { return this.socket.readyState === WebSocket.OPEN; }
  get waiting() { return this.socket.bufferedAmount; }
  send(bytes) { this.socket.send(bytes); }
  close() { this.socket.close(); }
}

// Line is a channel that opens again when it has closed. A channel of WebRTC that never opened is followed by
// WebSockets.
export class Line {
  // place is that of the server, see place.js. With kind "ws" it does not try WebRTC.
  constructor(onmessage, kind, place) {
    Object.assign(this, { onmessage, place });
    this.opened = new Promise((done) => { this.onopen = done; }); // for the first time
    this.rtc = kind !== "ws" && typeof RTCPeerConnection === "function";
    this.connect();
  }

  connect() {
    if (this.ended) return;
    const Channel = this.rtc ? RtcChannel : SocketChannel;
    let opened = false;
    const heard = (bytes) => { opened = true; this.onmessage(bytes); };
    this.channel = new Channel(heard, () => {
      const first = this.rtc && !opened && this.channel.answered; // a server that does not answer restarts
      if (first) this.rtc = false;
      setTimeout(() => this.connect(), first ? 0 : againTime);
    }, this.place, this.onopen);
  }

  // close ends the line: the last datagrams leave, and no channel opens again.
  close() {
    this.ended = true;
    setTimeout(() => this.channel.close(), lastTime);
  }

  // send passes a datagram on. While the line is behind, datagrams are dropped: the game sends newer ones.
  send(bytes) { if (this.channel.open && this.channel.waiting <= this.channel.most) this.channel.send(bytes); }

  // kind is "rtc", "ws", or "" while no channel is open.
  get kind() { return this.channel.open ? this.channel.kind : ""; }
}
