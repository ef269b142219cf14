// The models of things: lists of parts, in metres. Z is up, and a thing looks along Y.
//
// A part has a shape, a place (at), a rotation (turn, in degrees around X, Y, Z), a size, and a colour: a
// number, "team", or "dark" for a darker team colour. glow is its own light. moves names a motion. Parts
// that are fine are left out far away.

export const teams = [0xd8d8d8, 0xff5549, 0x3f97ff, 0x58e06a, 0xf4e04a, 0xff72ff, 0x58ffff, 0xffaf5f, 0xaf87ff, 0xafd787, 0xd7d7ff, 0x87afd7, 0xd7af87, 0x87d787, 0xd787d7, 0xafafd7];

const metal = 0x767f88, dark = 0x454c54, glass = 0x35d6ff;

export const person = [
  { shape: "capsule", at: [-0.17, 0, 0.45], size: [0.27, 0.3, 0.9], color: dark, moves: "left" },
  { shape: "capsule", at: [0.17, 0, 0.45], size: [0.27, 0.3, 0.9], color: dark, moves: "right" },
  { shape: "capsule", at: [0, 0, 1.2], size: [0.74, 0.58, 0.98], color: "team" },
  { shape: "box", at: [0, 0.22, 1.3], size: [0.5, 0.2, 0.36], color: "dark", fine: true },
  { shape: "sphere", at: [-0.4, 0, 1.5], size: [0.34, 0.36, 0.34], color: "dark", fine: true },
  { shape: "sphere", at: [0.4, 0, 1.5], size: [0.34, 0.36, 0.34], color: "dark", fine: true },
  { shape: "capsule", at: [-0.44, 0.12, 1.2], turn: [42, 0, 0], size: [0.2, 0.2, 0.62], color: dark, fine: true },
  { shape: "capsule", at: [0.44, 0.18, 1.22], turn: [58, 0, 0], size: [0.2, 0.2, 0.62], color: dark, fine: true },
  { shape: "sphere", at: [0, 0.03, 1.83], size: [0.46, 0.5, 0.48], color: "team", moves: "head" },
  { shape: "sphere", at: [0, 0.13, 1.85], size: [0.4, 0.36, 0.22], color: glass, glow: 0.9, moves: "head" },
  { shape: "box", at: [0, -0.36, 1.3], size: [0.52, 0.24, 0.58], color: metal },
  { shape: "cylinder", at: [-0.17, -0.42, 0.98], size: [0.2, 0.2, 0.26], color: dark, fine: true },
  { shape: "cylinder", at: [0.17, -0.42, 0.98], size: [0.2, 0.2, 0.26], color: dark, fine: true },
  { shape: "box", at: [0.4, 0.55, 1.28], size: [0.13, 0.9, 0.17], color: metal, moves: "aim" },
  { shape: "cylinder", at: [0.4, 1.02, 1.3], turn: [90, 0, 0], size: [0.1, 0.1, 0.3], color: dark, moves: "aim", fine: true },
];

export const flames = [
  { shape: "flame", at: [-0.17, -0.44, 0.5], turn: [180, 0, 0], size: [0.26, 0.26, 0.9] },
  { shape: "flame", at: [0.17, -0.44, 0.5], turn: [180, 0, 0], size: [0.26, 0.26, 0.9] },
];

// weapon is what the player sees of their own weapon, in front of the camera: it looks along -Z, and Y is up.
export const weapon = [
  { shape: "box", at: [0.26, -0.24, -0.62], size: [0.1, 0.12, 0.7], color: metal },
  { shape: "box", at: [0.26, -0.2, -0.5], size: [0.07, 0.07, 0.4], color: "dark" },
  { shape: "cylinder", at: [0.26, -0.225, -1.0], size: [0.075, 0.075, 0.3], color: dark },
  { shape: "torus", at: [0.26, -0.225, -0.9], size: [0.13, 0.13, 0.3], color: glass, glow: 0.9 },
  { shape: "box", at: [0.26, -0.36, -0.42], turn: [20, 0, 0], size: [0.07, 0.2, 0.1], color: dark },
  { shape: "capsule", at: [0.33, -0.42, -0.25], turn: [35, 20, 0], size: [0.13, 0.13, 0.5], color: "team" },
];

const turret = [
  { shape: "cylinder", at: [0, 0, 0.35], size: [1.7, 1.7, 0.7], color: metal },
  { shape: "cylinder", at: [0, 0, 0.78], size: [1.3, 1.3, 0.2], color: dark },
  { shape: "sphere", at: [0, 0, 1.15], size: [1.25, 1.25, 1.1], color: "team" },
  { shape: "box", at: [0, 0.2, 1.25], size: [0.8, 0.7, 0.5], color: "dark", moves: "aim" },
  { shape: "cylinder", at: [-0.2, 1.1, 1.25], turn: [90, 0, 0], size: [0.18, 0.18, 1.5], color: dark, moves: "aim" },
  { shape: "cylinder", at: [0.2, 1.1, 1.25], turn: [90, 0, 0], size: [0.18, 0.18, 1.5], color: dark, moves: "aim" },
  { shape: "sphere", at: [0, 0.5, 1.45], size: [0.2, 0.2, 0.2], color: 0xff5030, glow: 1.5 },
];

const station = [
  { shape: "box", at: [0, 0, 0.08], size: [1.9, 1.9, 0.16], color: metal },
  { shape: "box", at: [0, -0.62, 1.0], size: [1.5, 0.35, 1.9], color: "dark" },
  { shape: "box", at: [0, -0.42, 1.25], turn: [-12, 0, 0], size: [1.1, 0.06, 0.75], color: glass, glow: 0.8 },
  { shape: "box", at: [0, -0.5, 2.02], size: [1.7, 0.5, 0.14], color: "team" },
  { shape: "torus", at: [0, 0.15, 0.17], size: [1.3, 1.3, 0.5], color: "team", glow: 0.9, moves: "spin" },
];

const pad = [
  { shape: "box", at: [0, 0, 0.1], size: [8, 10, 0.2], color: 0x4c535a },
  { shape: "box", at: [-3.8, 0, 0.22], size: [0.3, 9.6, 0.06], color: "team", glow: 0.7 },
  { shape: "box", at: [3.8, 0, 0.22], size: [0.3, 9.6, 0.06], color: "team", glow: 0.7 },
  { shape: "box", at: [0, 3.2, 0.22], turn: [0, 0, 38], size: [0.35, 2.2, 0.04], color: 0xffc658, glow: 0.5 },
  { shape: "box", at: [0, 3.2, 0.22], turn: [0, 0, -38], size: [0.35, 2.2, 0.04], color: 0xffc658, glow: 0.5 },
];

const scout = [
  { shape: "capsule", at: [0, 0, 0.7], turn: [90, 0, 0], size: [1.0, 0.7, 3.6], color: "team" },
  { shape: "box", at: [0, -0.9, 0.7], size: [2.6, 0.8, 0.14], color: "dark" },
  { shape: "sphere", at: [0, 0.5, 1.0], size: [0.6, 1.0, 0.5], color: glass, glow: 0.5 },
  { shape: "cylinder", at: [-0.75, -1.3, 0.6], turn: [90, 0, 0], size: [0.45, 0.45, 1.2], color: metal },
  { shape: "cylinder", at: [0.75, -1.3, 0.6], turn: [90, 0, 0], size: [0.45, 0.45, 1.2], color: metal },
  { shape: "box", at: [0, -1.5, 1.15], size: [0.1, 0.7, 0.8], color: "team" },
];

const tank = [
  { shape: "box", at: [0, 0, 1.0], size: [2.6, 4.8, 0.9], color: "team" },
  { shape: "box", at: [-1.35, 0, 0.6], size: [0.7, 5.2, 0.9], color: dark },
  { shape: "box", at: [1.35, 0, 0.6], size: [0.7, 5.2, 0.9], color: dark },
  { shape: "cylinder", at: [0, -0.3, 1.75], size: [2.0, 2.0, 0.7], color: "dark" },
  { shape: "cylinder", at: [0, 2.0, 1.85], turn: [90, 0, 0], size: [0.3, 0.3, 3.6], color: metal },
  { shape: "box", at: [0, 2.3, 1.2], turn: [-25, 0, 0], size: [1.6, 0.1, 0.4], color: glass, glow: 0.4 },
];

const transport = [
  { shape: "box", at: [0, 0, 1.4], size: [4.4, 8.2, 1.5], color: "team" },
  { shape: "box", at: [0, 3.9, 1.5], size: [3.0, 1.6, 1.1], color: "dark" },
  { shape: "box", at: [0, 4.5, 1.75], size: [2.2, 0.7, 0.5], color: glass, glow: 0.4 },
  { shape: "box", at: [-3.1, 0, 1.7], size: [2.0, 3.2, 0.3], color: "dark" },
  { shape: "box", at: [3.1, 0, 1.7], size: [2.0, 3.2, 0.3], color: "dark" },
  { shape: "cylinder", at: [-3.6, 0, 1.5], size: [1.5, 1.5, 0.8], color: metal },
  { shape: "cylinder", at: [3.6, 0, 1.5], size: [1.5, 1.5, 0.8], color: metal },
];

const crate = [
  { shape: "box", at: [0, 0, 0.35], size: [0.55, 0.55, 0.55], color: 0x3f4a2f, moves: "spin" },
  { shape: "box", at: [0, 0, 0.35], size: [0.6, 0.6, 0.16], color: 0xffc658, glow: 0.8, moves: "spin" },
];

const flag = [
  { shape: "cylinder", at: [0, 0, 0.06], size: [0.9, 0.9, 0.12], color: metal },
  { shape: "cylinder", at: [0, 0, 1.4], size: [0.09, 0.09, 2.8], color: 0xcfd6dc },
  { shape: "sphere", at: [0, 0, 2.85], size: [0.2, 0.2, 0.2], color: "team", glow: 1 },
  { shape: "cloth", at: [0, 0, 2.25], size: [1.5, 1, 1], color: "team" },
];

const post = [
  { shape: "cylinder", at: [0, 0, 0.5], size: [0.7, 0.7, 1], color: metal },
  { shape: "sphere", at: [0, 0, 1.15], size: [0.5, 0.5, 0.5], color: "team", glow: 0.7 },
];

const disc = [
  { shape: "cylinder", at: [0, 0, 0], size: [0.6, 0.6, 0.08], color: 0x7fd8ff, glow: 2, moves: "spin" },
  { shape: "torus", at: [0, 0, 0], size: [0.75, 0.75, 0.8], color: 0xffffff, glow: 2.5, moves: "spin" },
];
const ball = (color, size, glow) => [{ shape: "sphere", at: [0, 0, 0], size: [size, size, size], color, glow }];
const bullet = [{ shape: "box", at: [0, -2.5, 0], size: [0.05, 5, 0.05], color: 0xffd27a, glow: 2.5 }];
const rocket = [{ shape: "capsule", at: [0, 0, 0], turn: [90, 0, 0], size: [0.2, 0.2, 0.9], color: 0xd0d0d0 }];

// models are the models by kind, then by the shape that the mod names. The first of a kind is for other shapes.
export const models = {
  person: { "": person }, gun: { "": turret }, banner: { "": flag },
  structure: { "": post, station, pad }, pickup: { "": crate }, ride: { "": scout, scout, tank, transport },
  shot: { "": ball(0xffe08a, 0.3, 2), disc, bullet, shell: ball(0x9dff6a, 0.42, 1.6), plasma: ball(0xc27aff, 0.5, 2), rocket },
};

// trails say what shots leave behind: colour, size in metres, and life in seconds.
export const trails = {
  "": { color: 0xffe08a, size: 0.3, life: 0.4 }, disc: { color: 0x6fc8ff, size: 0.45, life: 0.55 }, bullet: null,
  shell: { color: 0x9a9a9a, size: 0.7, life: 1.1, smoke: true }, plasma: { color: 0xb56bff, size: 0.5, life: 0.4 }, rocket: { color: 0xb0b0b0, size: 0.8, life: 1.3, smoke: true },
};
