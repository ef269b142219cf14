// The names of keys as the player reads them on the keyboard.
const marks = {
  "": "none", Mouse0: "left button", Mouse1: "middle button", Mouse2: "right button", Mouse3: "fourth button", Mouse4: "fifth button",
  Backquote: "`", Minus: "-", Equal: "=", BracketLeft: "[", BracketRight: "]", Backslash: "\\", Semicolon: ";", Quote: "'", Comma: ",", Period: ".", Slash: "/", IntlBackslash: "<",
  ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", ControlLeft: "left Ctrl", ControlRight: "right Ctrl", ShiftLeft: "left Shift", ShiftRight: "right Shift",
  AltLeft: "left Alt", AltRight: "right Alt", MetaLeft: "left Meta", MetaRight: "right Meta", CapsLock: "Caps Lock", PageUp: "Page Up", PageDown: "Page Down",
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

// keyName returns the name of a key or button of the mouse by its code.
export function keyName(code) {
  return layout?.get(code)?.toUpperCase() ?? marks[code] ?? code.replace(/^(Key|Digit)/, "").replace(/^Numpad/, "Numpad ");
}
