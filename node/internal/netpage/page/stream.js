// The stream of snapshots. It sends nothing but its parameters: the key, the chosen client, and for a server that runs again from
// its journal the tick and the speed.

import { $, page } from "./page.js";
import { show } from "./show.js";
import { tell } from "./text.js";

const retry = 2000; // ms

// parts yields the frames of a response: the JSON, and the rows of the map.
async function* parts(response) {
  const reader = response.body.getReader();
  let rest = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const joined = new Uint8Array(rest.length + value.length);
    joined.set(rest);
    joined.set(value, rest.length);
    rest = joined;
    for (;;) {
      if (rest.length < 8) break;
      const view = new DataView(rest.buffer, rest.byteOffset);
      const text = view.getUint32(0, true), rows = view.getUint32(4, true), end = 8 + text + rows;
      if (rest.length < end) break;
      yield [JSON.parse(new TextDecoder().decode(rest.subarray(8, 8 + text))), new Int32Array(rest.slice(8 + text, end).buffer)];
      rest = rest.slice(end);
    }
  }
}

let stream = null; // the AbortController of the open stream
let timer = 0;

// connect opens the stream, and ends the one before.
export async function connect() {
  clearTimeout(timer);
  stream?.abort();
  if (document.hidden) return; // nobody looks
  const own = (stream = new AbortController());
  const query = new URLSearchParams();
  if (page.client) query.set("client", page.client);
  const steering = page.steering;
  for (const [name, value] of Object.entries(steering)) query.set(name, value);
  try {
    const response = await fetch("net/stream?" + query, { headers: { "Torc-Net-Key": page.key }, signal: own.signal, cache: "no-store" });
    // Once: a stream that comes back must not seek again, nor ask again what the server rejects.
    if ((response.ok || response.status === 400) && page.steering === steering) page.steering = {};
    if (!response.ok) {
      refused(response.status, (await response.text()).trim());
      return;
    }
    $("access").hidden = true;
    $("page").hidden = false;
    for await (const [snapshot, rows] of parts(response)) {
      if (own.signal.aborted) return;
      show(snapshot, rows);
    }
    again("the server has ended the stream, trying again…", retry);
  } catch (error) {
    if (!own.signal.aborted) again("no connection to the server, trying again…", retry);
  }
}

function again(why, after) {
  tell(why, "lost");
  timer = setTimeout(connect, after);
}

// refused says why the server gives nothing. A missing or wrong key can be typed.
function refused(status, why) {
  if (status === 401 || status === 403) {
    tell("closed", "lost");
    $("why").textContent = why;
    $("page").hidden = true;
    $("access").hidden = false;
    return;
  }
  again(why, status === 429 ? 60000 : 5000);
}
