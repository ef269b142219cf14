// What the player wants to hear of others, kept in this browser. Its key is the mark that the server sends with a name.
const name = "torc.people", most = 500;

function read() {
  try {
    return new Map(JSON.parse(localStorage.getItem(name) ?? "[]"));
  } catch {
    return new Map();
  }
}

export class People {
  constructor() { this.kept = read(); }

  // of returns the volume (0…2) and whether the player is mute.
  of(mark) { return this.kept.get(mark) ?? { volume: 1, mute: false }; }

  // change changes what is kept of a mark. The oldest change is forgotten if there are too many.
  change(mark, values) {
    const now = { ...this.of(mark), ...values };
    this.kept.delete(mark);
    if (now.mute || now.volume !== 1) this.kept.set(mark, now);
    while (this.kept.size > most) this.kept.delete(this.kept.keys().next().value);
    try { localStorage.setItem(name, JSON.stringify([...this.kept])); } catch { /* a private window keeps nothing */ }
  }
}
