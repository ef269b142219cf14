// The net page: it reads snapshots of a server from a stream, and draws them.

import "./input.js";
import { $, page } from "./page.js";
import { redraw } from "./show.js";
import { connect } from "./stream.js";

for (const id of ["ghosts", "numbers"]) $(id).addEventListener("toggle", () => page.snapshot && redraw());
addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: light)").addEventListener("change", redraw);
addEventListener("hashchange", () => {
  page.key = location.hash.slice(1);
  connect();
});
document.addEventListener("visibilitychange", connect);

connect();
