// Colours and canvases.

const colours = ["--blue", "--amber", "--violet", "--teal", "--green", "--red"];

// css returns the value of a variable of the style.
const style = getComputedStyle(document.documentElement);
export const css = (name) => style.getPropertyValue(name).trim();
export const colourOf = (kind) => css(colours[kind % colours.length]);

// fit makes a canvas as large as it is shown, and returns its context in CSS pixels.
export function fit(canvas) {
  const ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  return [g, w, h];
}
