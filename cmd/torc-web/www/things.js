// Turns the rows of a frame into instances of models, trails, explosions and name tags.
import { Color, Euler, Matrix4, Quaternion, Vector3 } from "./three.js";
import { flames, models, trails, weapon } from "./models.js";

const degrees = Math.PI / 180;
const base = new Matrix4(), made = new Matrix4(), motion = new Matrix4(), rotation = new Quaternion(), euler = new Euler(0, 0, 0, "ZXY");
const place = new Vector3(), one = new Vector3(1, 1, 1), scale = new Vector3(), tint = new Color();
const concrete = new Color(0xa7a9a6), platform = new Color(0x8b9096), ash = new Color(0x1c1c1c);
const burstColors = { 1: 0x6fc8ff, 2: 0xff9a40, 3: 0xb56bff };

export class Things {
  constructor(program, batches, effects) {
    Object.assign(this, { program, batches, effects });
    this.known = new Map(); // what is kept of a thing from frame to frame, by id
    this.models = {};
    for (const kind in models) {
      this.models[kind] = new Map();
      for (const shape in models[kind]) this.models[kind].set(shape, batches.prepare(models[kind][shape]));
    }
    this.flames = batches.prepare(flames);
    this.weapon = batches.prepare(weapon);
    this.recoil = 0;
    const names = program.layout.kinds;
    this.kindNames = [];
    for (const name in names) this.kindNames[names[name]] = name;
    this.people = []; // the records of visible players, for tags and map
    this.marks = [];  // those of flags, structures, turrets, vehicles, for the map
    this.frame = 0;
  }

  // update draws the rows of the frame. hideOwn leaves the own body out, for the first person.
  update(time, dt, hideOwn, jetting, camera) {
    const { program } = this, { rows, rowNumbers, row } = program, words = program.layout.rowWords, n = program.number("rows");
    this.time = time;
    this.eye = camera.position;
    this.dt = dt;
    this.frame++;
    this.people.length = this.marks.length = 0;
    this.own = null;
    for (let i = 0, at = 0; i < n; i++, at += words) {
      const kind = this.kindNames[rowNumbers[at + row.kind]], k = this.record(rowNumbers[at + row.id], kind);
      k.seen = this.frame;
      k.kind = kind;
      k.flags = rowNumbers[at + row.flags];
      k.isOwn = (k.flags & row.own) !== 0;
      k.down = (k.flags & row.down) !== 0;
      k.team = rowNumbers[at + row.team];
      k.name = rowNumbers[at + row.name];
      k.shape = rowNumbers[at + row.shape];
      k.mount = rowNumbers[at + row.mount];
      k.before = k.health;
      k.health = rows[at + row.health];
      const p = at + row.position, v = at + row.velocity, r = at + row.rotation, s = at + row.size;
      k.x = rows[p]; k.y = rows[p + 1]; k.z = rows[p + 2];
      k.vx = rows[v]; k.vy = rows[v + 1]; k.vz = rows[v + 2];
      k.yaw = rows[r]; k.pitch = rows[r + 1]; k.roll = rows[r + 2];
      k.sx = rows[s]; k.sy = rows[s + 1]; k.sz = rows[s + 2];
      k.age = rows[at + row.age];
      if (k.isOwn) this.own = k;
      this[kind]?.(k, hideOwn, jetting);
    }
    if (hideOwn && this.own) this.hold(camera);
    if (this.frame % 64 === 0) for (const [id, k] of this.known) if (k.seen < this.frame) this.known.delete(id);
    this.batches.time.value = time;
    this.batches.end();
  }

  // record returns what is kept of a thing. An explosion has the id of its projectile.
  record(id, kind) {
    let k = this.known.get(id);
    if (!k || k.kind !== kind) {
      k = { id, kind, phase: 0, fresh: true, trailX: 0, trailY: 0, trailZ: 0, shapeBefore: k?.shape ?? 0, health: -1, seen: 0 };
      this.known.set(id, k);
    }
    return k;
  }

  // draw adds the parts of a model at the place in base.
  draw(parts, team, k, burnt) {
    const far = Math.hypot(k.x - this.eye.x, k.y - this.eye.y) > 55;
    for (const p of parts) {
      if (far && p.fine) continue;
      let m = p.matrix;
      if (p.moves) m = this.moved(p, k);
      made.multiplyMatrices(base, m);
      p.batch.add(made, burnt ? ash : p.colors[team & 15]);
    }
  }

  // hold draws the own weapon. It sways with the steps, and kicks when a shot leaves.
  hold(camera) {
    const k = this.own, sway = Math.min(Math.hypot(k.vx, k.vy) / 12, 1);
    k.phase += Math.min(Math.hypot(k.vx, k.vy), 12) * this.dt * 1.35;
    this.recoil *= Math.exp(-this.dt * 12);
    base.copy(camera.matrixWorld).multiply(shift.makeTranslation(0.11 + Math.cos(k.phase) * 0.008 * sway, -0.1 + Math.abs(Math.sin(k.phase)) * 0.012 * sway, this.recoil * 0.1 - 0.12)).scale(small);
    this.draw(this.weapon, k.team, k, false);
  }

  // moved applies the motion of a part.
  moved(p, k) {
    switch (p.moves) {
      case "spin": rotation.setFromEuler(euler.set(0, 0, this.time * (k.kind === "shot" ? 22 : 1.6))); break;
      case "left": rotation.setFromEuler(euler.set(Math.sin(k.phase) * k.stride, 0, 0)); break;
      case "right": rotation.setFromEuler(euler.set(-Math.sin(k.phase) * k.stride, 0, 0)); break;
      case "head": case "aim": rotation.setFromEuler(euler.set(k.pitch * degrees, 0, 0)); break;
    }
    const pivot = p.moves === "spin" ? 0 : p.moves === "aim" ? 1.28 : p.moves === "head" ? 1.75 : 0.85;
    motion.compose(place.set(0, 0, pivot), rotation, one).multiply(shift.makeTranslation(0, 0, -pivot));
    return motion.multiply(p.matrix);
  }

  at(k, pitch, roll) {
    rotation.setFromEuler(euler.set(pitch * degrees, roll * degrees, k.yaw * degrees));
    base.compose(place.set(k.x, k.y, k.z), rotation, one);
  }

  model(kind, k) { return this.models[kind].get(this.program.text(k.shape)) ?? this.models[kind].get(""); }

  person(k, hideOwn, jetting) {
    this.people.push(k);
    if (k.mount || (k.isOwn && hideOwn)) return;
    const speed = Math.hypot(k.vx, k.vy);
    k.phase += Math.min(speed, 12) * this.dt * 1.35;
    k.stride = Math.min(speed / 9, 0.75) * (Math.abs(k.vz) > 3 ? 0.3 : 1);
    if (k.down) {
      rotation.setFromEuler(euler.set(-82 * degrees, 0, k.yaw * degrees));
      base.compose(place.set(k.x, k.y, k.z + 0.35), rotation, one);
    } else {
      this.at(k, 0, 0);
    }
    this.draw(this.model("person", k), k.team, k, k.down);
    k.jets = !k.down && (k.isOwn ? jetting : k.vz > 1.5 || k.jets && k.vz > -1);
    if (k.jets) this.jet(k);
  }

  jet(k) {
    for (const p of this.flames) {
      const f = 0.75 + 0.35 * Math.random();
      scale.set(1, 1, f);
      made.multiplyMatrices(base, p.matrix).scale(scale);
      p.batch.add(made, p.colors[0]);
    }
    if (Math.random() < this.dt * 30 * this.effects.share) {
      this.effects.particle(k.x, k.y, k.z + 0.6, k.vx * 0.5, k.vy * 0.5, k.vz * 0.3 - 4, 0.5, 0xffa850, 0.4, 1, 0);
      this.effects.particle(k.x, k.y, k.z + 0.3, k.vx * 0.4, k.vy * 0.4, k.vz * 0.2 - 3, 0.9, 0x9a958c, 0.45, 0, 0);
    }
  }

  gun(k) {
    this.marks.push(k);
    this.at(k, 0, 0);
    this.draw(this.model("gun", k), k.team, k, k.down);
    if (k.down) this.smoke(k, 1);
  }

  structure(k) {
    this.marks.push(k);
    this.at(k, 0, 0);
    this.draw(this.model("structure", k), k.team, k, k.down);
    if (k.down) this.smoke(k, 1.5);
  }

  ride(k) {
    this.marks.push(k);
    this.at(k, k.pitch, k.roll);
    this.draw(this.model("ride", k), k.team, k, k.down);
    if (k.down || (k.health >= 0 && k.health < 0.35)) this.smoke(k, 1);
  }

  smoke(k, high) {
    if (Math.random() < this.dt * 9 * this.effects.share) this.effects.particle(k.x, k.y, k.z + high, 0, 0, 1.5, 2.2, 0x2c2a28, 0.9, 0, -0.5);
  }

  pickup(k) {
    this.at(k, 0, 0);
    base.elements[14] += 0.12 * Math.sin(this.time * 2 + k.x);
    this.draw(this.model("pickup", k), k.team, k, false);
  }

  banner(k) {
    this.marks.push(k);
    rotation.setFromEuler(euler.set(0, 0, 0.6));
    base.compose(place.set(k.x, k.y, k.z), rotation, one);
    this.draw(this.model("banner", k), k.team, k, false);
  }

  building(k) {
    base.compose(place.set(k.x, k.y, k.z), rotation.identity(), scale.set(k.sx, k.sy, k.sz));
    this.batches.batches.wall.add(base, k.sz < 4 ? platform : concrete);
  }

  shot(k) {
    rotation.setFromEuler(euler.set(Math.atan2(k.vz, Math.hypot(k.vx, k.vy)), 0, Math.atan2(-k.vx, k.vy)));
    base.compose(place.set(k.x, k.y, k.z), rotation, one);
    this.draw(this.model("shot", k), k.team, k, false);
    const shape = this.program.text(k.shape), t = shape in trails ? trails[shape] : trails[""];
    if (!t) return;
    if (k.fresh) {
      k.fresh = false;
      if (this.own && Math.hypot(k.x - this.own.x, k.y - this.own.y, k.z - this.own.z - 1.5) < 6) this.recoil = 1;
      k.trailX = k.x; k.trailY = k.y; k.trailZ = k.z;
    }
    const dx = k.x - k.trailX, dy = k.y - k.trailY, dz = k.z - k.trailZ, steps = Math.min(Math.floor(Math.hypot(dx, dy, dz) / 0.9), 12);
    for (let i = 1; i <= steps; i++) {
      const f = i / steps;
      this.effects.particle(k.trailX + dx * f, k.trailY + dy * f, k.trailZ + dz * f, 0, 0, t.smoke ? 0.4 : 0, t.life, t.color, t.size, t.smoke ? 0 : 1, 0);
    }
    if (steps > 0) { k.trailX = k.x; k.trailY = k.y; k.trailZ = k.z; }
  }

  burst(k) {
    if (k.fresh) {
      k.fresh = false;
      const shape = this.program.text(k.shapeBefore);
      k.color = burstColors[shape === "disc" ? 1 : shape === "plasma" ? 3 : 2];
      if (k.sx > 2.5) this.effects.explode(k.x, k.y, k.z, k.sx, k.color);
      else for (let i = 0; i < 5; i++) this.effects.particle(k.x, k.y, k.z, Math.random() * 6 - 3, Math.random() * 6 - 3, Math.random() * 5, 0.4, 0xffd890, 0.13, 1, 12);
    }
    if (k.sx <= 2.5) return;
    const r = k.sx * (0.2 + 0.5 * Math.sqrt(k.age));
    base.compose(place.set(k.x, k.y, k.z), rotation.identity(), scale.set(r, r, r));
    this.batches.batches.ball.add(base, tint.set(k.color).multiplyScalar(0.32 * (1 - k.age) ** 2));
  }
}

const shift = new Matrix4(), small = new Vector3(0.5, 0.5, 0.75);
