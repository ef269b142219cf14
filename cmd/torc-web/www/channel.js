// The channel: carries each datagram as one binary message over a WebSocket.
export class WebSocketChannel {
  // onmessage gets the bytes of a datagram, onclose nothing.
  constructor(onmessage, onclose) {
    const url = new URL("/ws", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.hash = "";
    this.socket = new WebSocket(url, "torc");
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = (e) => { if (e.data instanceof ArrayBuffer) onmessage(new Uint8Array(e.data)); };
    this.socket.onclose = onclose;
  }

  // send passes a datagram on. While the line is behind, datagrams are dropped: the game sends newer ones.
  send(bytes) {
    if (this.socket.readyState === WebSocket.OPEN && this.socket.bufferedAmount < 16384) this.socket.send(bytes);
  }

  get open() { return this.socket.readyState === WebSocket.OPEN; }
  close() { this.socket.close(); }
}

// Line is a channel that opens again when it has closed.
export class Line {
  constructor(onmessage) {
    this.onmessage = onmessage;
    this.connect();
  }

  connect() {
    this.channel = new WebSocketChannel(this.onmessage, () => setTimeout(() => this.connect(), 1000));
  }

  send(bytes) { this.channel.send(bytes); }
}
