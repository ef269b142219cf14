// The state of the page.

export const $ = (id) => document.getElementById(id);

export const page = {
  client: 0, // chosen; 0: the server chooses
  steering: {}, // what the next stream asks of a recorded server: at (a tick), speed
  key: location.hash.slice(1),
  snapshot: null,
  rows: null, // of the map, as Int32Array
  details: null,
  before: null, // the details before
  histories: new Map(), // by client
  loop: [], // samples
  sample: null, // the newest one of a recorded server
  rates: new Map(), // of the clients of a recorded server, by client
  frames: 0,
};

globalThis.net = page; // for people with a console, and tests
