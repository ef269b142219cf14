// Texts: numbers, and the elements that show them.

import { $ } from "./page.js";

export const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const tenth = new Intl.NumberFormat("en", { maximumFractionDigits: 1, minimumFractionDigits: 1 });
export const fine = new Intl.NumberFormat("en", { maximumFractionDigits: 2, minimumFractionDigits: 2 });
export const short = (x) => (x >= 100 || x === 0 ? whole.format(x) : x >= 10 ? tenth.format(x) : fine.format(x));

export const clock = (ms) => {
  const s = Math.floor(ms / 1000), two = (n) => String(n).padStart(2, "0");
  return (s >= 3600 ? Math.floor(s / 3600) + ":" : "") + two(Math.floor(s / 60) % 60) + ":" + two(s % 60);
};

// put sets a text if it has changed.
export function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// make returns an element with properties and children.
export function make(name, properties = {}, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

export function tell(text, kind) {
  const s = $("status");
  if (s.textContent !== text) s.textContent = text;
  s.className = kind;
}
