// Touch: a stick on the left, looking on the right, and buttons. The browser captures each finger where it begins. To
// capture it again is an error while the mouse is locked.
import { phrase } from "./language.js";

const perPixel = 0.28; // degrees
const slots = 9;

export class Touch {
  constructor(root, canvas, input) {
    Object.assign(this, { root, canvas, input });
    this.stick = root.querySelector("#stick");
    this.knob = this.stick.firstElementChild;
    this.moving = this.looking = null; // pointer ids
    canvas.addEventListener("pointerdown", (e) => this.down(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (e) => this.up(e));
    for (const b of root.querySelectorAll("[data-hold]")) this.button(b, b.dataset.hold);
    for (const b of root.querySelectorAll("[data-tap]")) {
      b.addEventListener("pointerdown", (e) => { e.preventDefault(); input.tapped(b.dataset.tap); });
      b.addEventListener("touchend", (e) => e.preventDefault()); // else a click follows, on what the tap has opened
    }
    for (let n = 1; n <= slots; n++) this.slot(n);
    if (matchMedia("(pointer: coarse)").matches) this.show();
  }

  // slot adds the button of a number key. The row of buttons scrolls: a finger that does not scroll chooses. A browser
  // makes no click of a finger while another one holds the stick.
  slot(n) {
    const b = document.createElement("button");
    b.textContent = n;
    b.setAttribute("aria-label", phrase("slot %1", n));
    b.addEventListener("pointerup", () => this.input.slot(n));
    b.addEventListener("click", (e) => { if (e.detail === 0) this.input.slot(n); }); // by a keyboard
    this.root.querySelector("#slots").append(b);
  }

  show() {
    this.root.hidden = false;
    document.body.classList.add("touching");
  }

  // button holds an action. A finger that slides from a button also looks around.
  button(b, action) {
    let last = null;
    b.addEventListener("pointerdown", (e) => {
      e.preventDefault();
      if (e.pointerType === "mouse") b.setPointerCapture(e.pointerId);
      last = e;
      b.classList.add("on");
      this.input.hold(action, true);
    });
    b.addEventListener("pointermove", (e) => {
      if (!last) return;
      this.input.turn(e.clientX - last.clientX, e.clientY - last.clientY, perPixel);
      last = e;
    });
    for (const end of ["pointerup", "pointercancel"]) b.addEventListener(end, () => { last = null; b.classList.remove("on"); this.input.hold(action, false); });
  }

  down(e) {
    if (e.pointerType !== "touch" || this.input.page.busy()) return;
    e.preventDefault(); // else a mouse click follows, and takes the mouse
    this.show();
    if (e.clientX < innerWidth * 0.45 && this.moving === null) {
      this.moving = e.pointerId;
      this.place(e);
    } else if (this.looking === null) {
      this.looking = e.pointerId;
      this.last = e;
    }
  }

  move(e) {
    if (e.pointerId === this.moving) this.place(e);
    if (e.pointerId === this.looking) {
      this.input.turn(e.clientX - this.last.clientX, e.clientY - this.last.clientY, perPixel);
      this.last = e;
    }
  }

  up(e) {
    if (e.pointerId === this.looking) this.looking = null;
    if (e.pointerId !== this.moving) return;
    this.moving = null;
    this.set(0, 0);
  }

  // place moves the stick to a finger.
  place(e) {
    const box = this.stick.getBoundingClientRect(), r = box.width / 2;
    let x = (e.clientX - box.left - r) / r, y = (e.clientY - box.top - r) / r;
    const l = Math.max(1, Math.hypot(x, y));
    this.set(x / l, -y / l);
  }

  set(x, y) {
    this.input.stick[0] = x;
    this.input.stick[1] = y;
    this.input.apply();
    this.knob.style.transform = `translate(${x * 42}px, ${-y * 42}px)`;
  }
}
