// Tables that reuse their cells.

import { choose } from "./clients.js";
import { make, put } from "./text.js";

export const level = (text, value, warn, bad) => [text, value >= bad ? "bad" : value >= warn ? "warn" : ""];

// table shows rows of texts, and reuses the cells. A cell is a text, or [text, class], or {button, id}.
export function table(element, head, rows) {
  if (!element.tHead) {
    element.append(make("thead", {}, make("tr")), make("tbody"));
    for (const h of head) element.tHead.rows[0].append(make("th", { scope: "col", textContent: h.replace("<", ""), className: h.startsWith("<") ? "text" : "" }));
  }
  const body = element.tBodies[0];
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((row, i) => {
    const tr = body.rows[i] ?? body.insertRow();
    tr.className = row.chosen ? "chosen" : "";
    head.forEach((h, k) => {
      const td = tr.cells[k] ?? tr.insertCell();
      let cell = row.cells[k] ?? "", kind = h.startsWith("<") ? "text" : "";
      if (Array.isArray(cell)) [cell, kind] = [cell[0], (kind + " " + cell[1]).trim()];
      if (td.className !== kind) td.className = kind;
      if (typeof cell !== "object") {
        put(td, String(cell));
        return;
      }
      if (!td.firstElementChild) td.replaceChildren(make("button", { type: "button", onclick: (e) => choose(Number(e.currentTarget.dataset.id)) }));
      const button = td.firstElementChild;
      put(button, cell.button);
      button.dataset.id = cell.id;
      if (row.chosen) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
  });
}
