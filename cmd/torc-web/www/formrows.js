// The rows of a form, each as an element, with the value of the player.
import { drawLook } from "./formlook.js";

const utf8 = new TextEncoder(), largest = 512; // pixels of a side of a picture

function make(tag, values = {}) { return Object.assign(document.createElement(tag), values); }

// labelled is a label before a control.
function labelled(text, ...controls) {
  const label = make("label"), name = make("span", { textContent: text });
  label.append(name, ...controls);
  return label;
}

// kinds make the parts of a row: its element, and for one with a value the control, value() and restore(value).
// touch notes that the player has changed it.
const kinds = {
  text: (row) => ({ element: make("p", { textContent: row.text }) }),

  button(row, touch, press) {
    const element = make("button", { type: "button", textContent: row.text || row.name });
    element.addEventListener("click", press);
    return { element, control: element };
  },

  field(row, touch) {
    const number = "min" in row, control = make("input", number ? { type: "number", min: row.min, max: row.max, step: row.integer ? 1 : "any", required: true, value: row.value } : { type: "text", value: row.value, autocomplete: "off" });
    control.addEventListener("input", () => {
      if (!number) control.value = cut(control.value, row.length);
      touch();
    });
    return { element: labelled(row.text || row.name, control), control, label: row.text || row.name, wrong: () => control.validationMessage, value: () => (number ? control.valueAsNumber : control.value), restore: (value) => { control.value = number ? value : cut(value, row.length); } };
  },

  choice(row, touch) {
    const control = make("select");
    if (row.value === 0) control.append(new Option("–", 0, true, true));
    row.choices.forEach((text, i) => control.append(new Option(text, i + 1, i + 1 === row.value, i + 1 === row.value)));
    control.addEventListener("change", touch);
    return { element: labelled(row.text || row.name, control), control, value: () => Number(control.value), restore: (value) => { if (value <= row.choices.length) control.value = value; } };
  },

  slider(row, touch) {
    const control = make("input", { type: "range", min: row.min, max: row.max, step: row.step || "any" }), shown = make("output");
    const tell = () => { shown.textContent = String(Math.round(control.valueAsNumber * 100) / 100); };
    control.value = row.value;
    control.addEventListener("input", () => { tell(); touch(); });
    tell();
    return { element: labelled(row.text || row.name, control, shown), control, value: () => control.valueAsNumber, restore: (value) => { control.value = value; tell(); } };
  },

  table(row, touch, press, index) {
    const element = make("div", { className: "wide" }), table = element.appendChild(make("table")), head = table.createTHead().insertRow(), body = table.createTBody(), radios = [];
    if (row.text) table.createCaption().textContent = row.text;
    if (row.name) head.append(make("td"));
    for (const text of row.columns) head.append(make("th", { textContent: text, scope: "col" }));
    row.rows.forEach((cells, i) => {
      const line = body.insertRow();
      if (row.name) {
        const radio = make("input", { type: "radio", name: "table-" + index + "-" + row.name, checked: i + 1 === row.value });
        radio.setAttribute("aria-label", cells.join(", ") || String(i + 1));
        radio.addEventListener("change", touch);
        line.insertCell().append(radio);
        line.addEventListener("click", () => { if (!radio.checked && !radio.disabled) radio.click(); });
        radios.push(radio);
      }
      for (const text of cells) line.insertCell().textContent = text;
    });
    if (!row.name) return { element };
    return { element, control: radios[0], value: () => radios.findIndex((r) => r.checked) + 1, restore: (value) => { if (radios[value - 1]) radios[value - 1].checked = true; } };
  },

  bar(row) {
    const meter = make("meter", { min: 0, max: 1, value: row.value });
    return { element: labelled(row.text || row.name, meter) };
  },

  look(row) {
    const canvas = make("canvas", { width: 128, height: 128 }), element = make("figure");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", row.text || row.name || "◆");
    if (row.look) drawLook(canvas, row.look);
    element.append(canvas, make("figcaption", { textContent: row.text }));
    return { element };
  },

  // image shows the text until the picture is there. The program has checked the type and the size by the bytes.
  image(row, touch, press, index, picture) {
    const element = make("figure"), text = () => element.replaceChildren(row.text);
    let shown;
    const hang = (ready) => {
      if (ready === shown) return;
      shown = ready;
      const found = ready && picture(row.picture);
      if (!found) return text();
      const img = make("img", { alt: row.text, width: found.width, height: found.height, src: URL.createObjectURL(new Blob([found.bytes], { type: found.type })) });
      img.addEventListener("load", () => { URL.revokeObjectURL(img.src); if (Math.max(img.naturalWidth, img.naturalHeight) > largest) text(); });
      img.addEventListener("error", () => { URL.revokeObjectURL(img.src); text(); });
      element.replaceChildren(img);
    };
    hang(row.ready);
    return { element, hang };
  },
};

// makeRow makes the row of a form. press is called when its button is pressed. picture returns a picture by its number. Rows of other kinds are empty: a newer
// server has them.
export function makeRow(row, index, press, picture) {
  const made = { kind: row.kind, index, touched: false, key: row.kind + "\n" + (row.name ? "name\n" + row.name : "text\n" + row.text) };
  const parts = Object.hasOwn(kinds, row.kind) ? kinds[row.kind](row, () => { made.touched = true; }, press, index, picture) : { element: make("p") };
  parts.element.classList.add("row-" + row.kind);
  const restore = parts.restore;
  return Object.assign(made, parts, { restore(value) {
    if (value === undefined || !restore) return;
    restore(value);
    made.touched = true;
  } });
}

// cut cuts a text to a number of bytes, between two characters.
function cut(text, bytes) {
  if (utf8.encode(text).length <= bytes) return text;
  let kept = "";
  for (const character of text) {
    if (utf8.encode(kept + character).length > bytes) break;
    kept += character;
  }
  return kept;
}
