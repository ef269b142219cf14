// The names of keys as the player reads them on the keyboard, and of what they do.
import { phrase } from "./language.js";

// keyNames are the actions of the keys, as the player reads them.
export const keyNames = {
  forward: phrase("walk forward"), back: phrase("walk back"), left: phrase("walk left"), right: phrase("walk right"),
  jump: phrase("jump"), jet: phrase("jets"), fire: phrase("fire"), alt: phrase("second trigger"),
  crouch: phrase("crouch"), zoom: phrase("zoom"), voice: phrase("say a line"), person: phrase("first or third person"), use: phrase("use"), drop: phrase("drop"),
  loadout: phrase("choose a loadout"), chat: phrase("say to all"), team: phrase("say to the team"), scores: phrase("scores"),
  yes: phrase("vote yes"), no: phrase("vote no"), menu: phrase("console"), talk: phrase("talk (hold)"), radio: phrase("talk to the team (hold)"),
};

const marks = {
  "": phrase("none"), Mouse0: phrase("left button"), Mouse1: phrase("middle button"), Mouse2: phrase("right button"), Mouse3: phrase("fourth button"), Mouse4: phrase("fifth button"),
  Backquote: "`", Minus: "-", Equal: "=", BracketLeft: "[", BracketRight: "]", Backslash: "\\", Semicolon: ";", Quote: "'", Comma: ",", Period: ".", Slash: "/", IntlBackslash: "<",
  ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", ControlLeft: phrase("left Ctrl"), ControlRight: phrase("right Ctrl"), ShiftLeft: phrase("left Shift"), ShiftRight: phrase("right Shift"),
  AltLeft: phrase("left Alt"), AltRight: phrase("right Alt"), MetaLeft: phrase("left Meta"), MetaRight: phrase("right Meta"), CapsLock: "Caps Lock", PageUp: "Page Up", PageDown: "Page Down",
};

// layout has the signs on the keyboard by code. Only some browsers tell it, and only over HTTPS.
let layout = null;

// learnLayout calls then when the signs on the keyboard are known.
export async function learnLayout(then) {
  try {
    layout = await navigator.keyboard.getLayoutMap();
    then();
  } catch { /* the names of a US keyboard stay */ }
}

// codeOf returns the code of the key with a sign of a mod: A to Z, 0 to 9, F1 to F12.
export function codeOf(sign) {
  for (const [code, own] of layout ?? []) if (own.toUpperCase() === sign) return code;
  return /^[A-Z]$/.test(sign) ? "Key" + sign : /^\d$/.test(sign) ? "Digit" + sign : sign;
}

// nextKey calls then with the code of the next key or button of the mouse, "" for Escape. The game gets none of it.
export function nextKey(then) {
  const done = (e) => {
    e.preventDefault();
    e.stopPropagation();
    for (const type of ["keydown", "mousedown"]) removeEventListener(type, done, true);
    const code = e.type === "mousedown" ? "Mouse" + e.button : e.code;
    then(code === "Escape" ? "" : code);
  };
  for (const type of ["keydown", "mousedown"]) addEventListener(type, done, true);
}

// keyName returns the name of a key or button of the mouse by its code.
export function keyName(code) {
  return layout?.get(code)?.toUpperCase() ?? marks[code] ?? code.replace(/^(Key|Digit)/, "").replace(/^Numpad/, "Numpad ");
}
