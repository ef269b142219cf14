// Demos: files that the viewer opens, the controls over them, and files that the player has recorded.
const $ = (id) => document.getElementById(id);
const perPixel = 0.2; // degrees
const seekStep = 10; // seconds
const kept = 60000; // milliseconds until a file that was given away is forgotten
const speeds = [10, 25, 50, 100, 200, 400, 800, 1600]; // percent

// offer calls take with each file that is dropped on the page or chosen with the button.
export function offer(take) {
  const choose = $("file");
  addEventListener("dragover", (e) => e.preventDefault());
  addEventListener("drop", (e) => {
    e.preventDefault();
    if (e.dataTransfer?.files.length) take(e.dataTransfer.files[0]);
  });
  choose.addEventListener("change", () => { if (choose.files.length) take(choose.files[0]); });
  $("open").addEventListener("click", () => choose.click());
}

// download gives the player a file, in parts.
export function download(name, parts) {
  const href = URL.createObjectURL(new Blob(parts));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), kept);
}

const clock = (s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;

export class Reel {
  // jumped is called when the demo goes on elsewhere, or at another speed.
  constructor(program, canvas, input, jumped) {
    Object.assign(this, { program, input, jumped });
    this.bar = $("reel");
    this.slider = this.bar.querySelector("input");
    this.button = this.bar.querySelector("[data-do=pause]");
    this.speed = this.bar.querySelector("select");
    for (const s of speeds) this.speed.add(new Option(s / 100 + "×", s, s === 100, s === 100));
    this.bar.hidden = false;
    document.body.classList.add("demo");
    this.button.addEventListener("click", () => this.pause());
    this.speed.addEventListener("change", () => { this.set("speed", +this.speed.value); this.speed.blur(); });
    this.slider.addEventListener("input", () => this.set("seek", +this.slider.value));
    this.slider.addEventListener("change", () => this.slider.blur());
    this.bar.querySelector("[data-do=next]").addEventListener("click", () => program.calls.next(1));
    canvas.addEventListener("pointermove", (e) => { if (e.pointerType === "mouse" && e.buttons & 1) input.turn(e.movementX, e.movementY, perPixel); });
    addEventListener("keydown", (e) => this.key(e));
    input.lock = () => canvas.focus(); // the mouse is for the slider
    this.update();
  }

  set(what, value) {
    this.show(this.program.calls.reel(what, value));
    this.jumped();
  }

  pause() { this.set("pause", !this.state.paused); }

  key(e) {
    if (this.input.page.busy() || e.target instanceof HTMLSelectElement) return;
    if (e.code === "KeyK") this.pause();
    else if (e.code === "ArrowLeft") this.set("seek", this.state.at - seekStep);
    else if (e.code === "ArrowRight") this.set("seek", this.state.at + seekStep);
    else return;
    e.preventDefault();
  }

  update() { this.show(this.program.calls.reel()); }

  show(state) {
    this.state = state;
    this.slider.max = state.length;
    if (document.activeElement !== this.slider) this.slider.value = state.at;
    this.button.textContent = state.paused ? "▶" : "❚❚";
    this.bar.querySelector("span").textContent = clock(state.at) + " / " + clock(state.length);
  }
}
