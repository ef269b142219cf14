// The settings of the player, kept in this browser.
const standard = {
  name: "", language: "", sensitivity: 1, invert: false, fov: 90, volume: 0.7, muted: false, quality: innerWidth < 720 ? "low" : "high",
  voices: 1, channel: 0, range: 1, microphone: "", speaker: "", // of voice
  asked: {}, // the keys of mods by the key of the server, see binds.js
  keys: {
    forward: "KeyW", back: "KeyS", left: "KeyA", right: "KeyD", jump: "Space", jet: "Mouse2", fire: "Mouse0", alt: "KeyF", crouch: "KeyC",
    zoom: "KeyZ", voice: "KeyV", person: "KeyX", use: "KeyE", drop: "KeyG", loadout: "KeyL", chat: "KeyT", team: "KeyY", scores: "Tab", yes: "F2", no: "F3", menu: "Backquote",
    talk: "KeyB", radio: "KeyN",
  },
};

export const qualities = {
  low: { shadow: 0, far: 550, pixels: 1, particles: 0.4 },
  medium: { shadow: 1024, far: 850, pixels: 1.25, particles: 0.7 },
  high: { shadow: 2048, far: 1200, pixels: 2, particles: 1 },
};

// moved keeps the keys that a player has chosen before V was the key of the V menu. An action whose key is taken has none.
function moved(keys = {}) {
  if (keys.voice !== undefined) return keys;
  const used = (code) => Object.values(keys).includes(code), person = keys.person === "KeyV" ? (used("KeyX") ? "" : "KeyX") : keys.person ?? (used("KeyX") ? "" : "KeyX");
  return { ...keys, person, voice: keys.person !== "KeyV" && used("KeyV") ? "" : "KeyV" };
}

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem("torc") ?? "{}");
    return { ...standard, ...kept, keys: { ...standard.keys, ...moved(kept.keys) } };
  } catch {
    return structuredClone(standard);
  }
}

export const settings = read();
const listeners = [];

// onChange calls f now and after each change.
export function onChange(f) {
  listeners.push(f);
  f(settings);
}

// change sets values and keeps them.
export function change(values) {
  Object.assign(settings, values);
  try { localStorage.setItem("torc", JSON.stringify(settings)); } catch { /* a private window keeps nothing */ }
  for (const f of listeners) f(settings);
}
