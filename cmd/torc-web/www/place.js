// The place of a server: one origin can have several, each at /s/NAME/ behind a reverse proxy.

// placeOf returns the place of a server by its name, or "" if no server can have this name.
export function placeOf(name) { return typeof name === "string" && /^[a-z0-9-]{1,32}$/.test(name) ? "/s/" + name + "/" : ""; }

// here is the place that the page was loaded from: "/" for a server at the root of its origin.
export const here = /^\/s\/[a-z0-9-]{1,32}\//.exec(location.pathname)?.[0] ?? "/";

// ask asks the server of a place for its key and its protocol. It returns null without an answer of torc.
export async function ask(place) {
  try {
    const r = await fetch(place + "server.json", { cache: "no-store", redirect: "error", signal: AbortSignal.timeout(5000) });
    const { key, protocol } = await r.json();
    return /^[a-z2-7]{52}$/.test(key) ? { key, protocol } : null;
  } catch {
    return null;
  }
}

// show says in the title which server the page shows.
export function show(place) { document.title = place === "/" ? "torc" : "torc – " + place.slice(3, -1); }
