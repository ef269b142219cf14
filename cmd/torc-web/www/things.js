// Turns the rows of a frame into parts of looks, effects and sounds.
import { Color, Euler, Matrix4, Quaternion, Vector3 } from "./three.js";
import { Looks, shown } from "./looks.js";

const degrees = Math.PI / 180, fineDistance = 55, effectDistance = 250, faded = 0.5; // from this fade on, nothing but the faint shape is shown
const base = new Matrix4(), made = new Matrix4(), motion = new Matrix4(), shift = new Matrix4(), rotation = new Quaternion(), euler = new Euler(0, 0, 0, "ZXY");
const place = new Vector3(), one = new Vector3(1, 1, 1), scale = new Vector3(), tint = new Color(), at = new Vector3(), way = new Vector3();
const concrete = new Color(0xa7a9a6), platform = new Color(0x8b9096), ash = new Color(0x1c1c1c);
const toCamera = new Matrix4().makeRotationX(-Math.PI / 2).scale(new Vector3(0.5, 0.5, 0.5));

export class Things {
  constructor(program, batches, signs, effects, sounds) {
    Object.assign(this, { program, batches, signs, effects, sounds });
    this.known = new Map(); // what is kept of a thing from frame to frame, by id
    this.looks = new Looks(program, batches, signs);
    this.recoil = 0;
    const names = program.layout.kinds;
    this.kindNames = [];
    for (const name in names) this.kindNames[names[name]] = name;
    this.people = []; // the records of visible players, for tags and map
    this.boxes = [];  // the records of buildings
    this.marks = [];  // those of structures, turrets, vehicles, for the map
    this.goals = [];  // those of flags, and of places: what is shown at any distance
    this.frame = 0;
  }

  // update draws the rows of the frame. hideOwn leaves the own body out, for the first person.
  update(time, dt, hideOwn, camera) {
    this.prepare();
    const { program } = this, { rows, rowNumbers, row } = program, words = program.layout.rowWords, n = program.number("rows");
    this.time = time;
    this.camera = camera;
    this.eye = camera.position;
    this.dt = dt;
    this.frame++;
    this.people.length = this.marks.length = this.goals.length = this.boxes.length = 0;
    this.own = null;
    for (let i = 0, at = 0; i < n; i++, at += words) {
      const kind = this.kindNames[rowNumbers[at + row.kind]], k = this.record(rowNumbers[at + row.id], kind);
      k.seen = this.frame;
      k.flags = rowNumbers[at + row.flags];
      k.isOwn = (k.flags & row.own) !== 0;
      k.down = (k.flags & row.down) !== 0;
      k.team = rowNumbers[at + row.team];
      k.name = rowNumbers[at + row.name];
      k.mount = rowNumbers[at + row.mount];
      k.states = rowNumbers[at + row.states];
      k.state = program.text(rowNumbers[at + row.state]);
      k.look = this.looks.get(rowNumbers[at + row.look]);
      k.held = rowNumbers[at + row.held];
      k.before = k.health;
      k.health = rows[at + row.health];
      const p = at + row.position, v = at + row.velocity, r = at + row.rotation, s = at + row.size;
      k.x = rows[p]; k.y = rows[p + 1]; k.z = rows[p + 2];
      k.vx = rows[v]; k.vy = rows[v + 1]; k.vz = rows[v + 2];
      k.yaw = rows[r]; k.pitch = rows[r + 1]; k.roll = rows[r + 2];
      k.sx = rows[s]; k.sy = rows[s + 1]; k.sz = rows[s + 2];
      k.age = rows[at + row.age];
      k.fade = rows[at + row.fade];
      k.placed = k.fade < faded || k.isOwn; // it has a name, and a place on map and compass
      if (k.isOwn) this.own = k;
      if (k.fade < 1) this[kind]?.(k, hideOwn);
      k.fresh = false;
    }
    if (hideOwn && this.own) this.hold(camera);
    if (this.frame % 64 === 0) for (const [id, k] of this.known) if (k.seen < this.frame) this.known.delete(id);
    this.batches.time.value = time;
    this.effects.drawBeams(this.batches.of("beam"));
    this.batches.end();
    this.signs.end();
    this.sounds.end();
  }

  // prepare fetches the texts and looks of the frame from the program, which can move the rows.
  prepare() {
    const { program, looks } = this, { row } = program, words = program.layout.rowWords;
    for (let i = 0; i < program.number("rows"); i++) {
      const at = i * words;
      program.text(program.rowNumbers[at + row.state]);
      looks.get(program.rowNumbers[at + row.look]);
      looks.get(program.rowNumbers[at + row.held]);
    }
  }

  // record returns what is kept of a thing. An explosion has the id of its projectile.
  record(id, kind) {
    let k = this.known.get(id);
    if (!k || k.kind !== kind) {
      k = { id, kind, flew: k !== undefined, fresh: true, phase: 0, stride: 0, trailX: 0, trailY: 0, trailZ: 0, health: -1, seen: 0, sounding: 0 };
      this.known.set(id, k);
    }
    return k;
  }

  // show draws a look at the place in base, with its effects and sounds.
  show(k, look = k.look) {
    const far = Math.hypot(k.x - this.eye.x, k.y - this.eye.y);
    this.parts(k, look, far > fineDistance);
    if (k.fade < faded) for (const e of look.signs) {
      if (!(e.near && far > fineDistance) && shown(e, k)) this.signs.add(e, base, k, this.time, this.camera, e.colors[k.team & 15]);
    }
    if (far < effectDistance && k.fade < faded) for (const e of look.emitters) if (shown(e, k)) this.emit(e, k);
    k.sounding = this.sound(k, look, k.sounding, k.id * 64);
  }

  // weapon draws what a person holds, at the place in base.
  weapon(k, far) {
    const look = this.looks.get(k.held);
    if (k.wielded !== k.held) k.ringing = 0;
    k.wielded = k.held;
    this.parts(k, look, far);
    if (!far && k.fade < faded) for (const e of look.emitters) if (shown(e, k)) this.emit(e, k);
    k.ringing = this.sound(k, look, k.ringing, -64 * k.id - 64);
  }

  // parts draws the parts of a look.
  parts(k, look, far) {
    for (const e of look.parts) {
      if ((far && e.near) || !shown(e, k)) continue;
      made.multiplyMatrices(base, e.moves ? this.moved(e, k) : e.matrix);
      const batch = k.fade > 0 ? this.batches.faded(e.batch, k.fade) : e.batch;
      batch?.add(made, k.down ? ash : e.colors[k.team & 15]);
    }
  }

  // moved applies the motion of a part.
  moved(e, k) {
    const [x, y, z] = e.pivot;
    let pitch = 0;
    if (e.motion === "aim") pitch = k.pitch * degrees;
    else if (e.motion !== "") pitch = Math.sin(k.phase) * k.stride * (e.motion === "stride" ? 1 : -1);
    rotation.setFromEuler(euler.set(pitch, 0, e.spin ? (this.time * e.spin % 360) * degrees : 0));
    const up = e.bob ? e.bob * Math.sin(this.time * 2 + k.id) : 0;
    motion.compose(place.set(x, y, z + up), rotation, one).multiply(shift.makeTranslation(-x, -y, -z)).multiply(e.matrix);
    return e.kind === "flame" ? motion.scale(scale.set(1, 1, 0.75 + 0.35 * Math.random())) : motion;
  }

  // emit adds the particles of this frame.
  emit(e, k) {
    const n = Math.floor(Math.min(this.dt, 0.1) * e.rate * this.effects.share + Math.random()), smoke = e.kind === "smoke", r = () => (Math.random() * 2 - 1) * e.spread;
    if (n === 0) return;
    at.set(...e.at).applyMatrix4(base);
    way.set(...e.velocity).transformDirection(base).multiplyScalar(Math.hypot(...e.velocity));
    for (let i = 0; i < n; i++) {
      this.effects.particle(at.x, at.y, at.z, way.x + k.vx * 0.5 + r(), way.y + k.vy * 0.5 + r(), way.z + k.vz * 0.3 + r(), e.life, e.colors[k.team & 15], e.size, smoke ? 0 : 1, e.fall);
    }
  }

  // sound plays what begins now, and keeps loops sounding. What is heard first when a thing comes into view is only what
  // its appearance says. sounding has the bits of what sounded in the frame before; the result has those of this frame.
  sound(k, look, sounding, number) {
    const speed = look.sounds.length > 0 ? Math.hypot(k.vx, k.vy, k.vz) : 0;
    for (let i = 0; i < look.sounds.length; i++) {
      const s = look.sounds[i], bit = 1 << i % 31, on = shown(s, k);
      if (on && s.loop) this.sounds.loop(number + i, s, k.x, k.y, k.z, speed);
      else if (on && !(sounding & bit) && (!k.fresh || s.when === "")) this.sounds.play(s, k.x, k.y, k.z, speed);
      sounding = on ? sounding | bit : sounding & ~bit;
    }
    return sounding;
  }

  // hold draws the own weapon. It sways with the steps, and kicks when a shot leaves.
  hold(camera) {
    const k = this.own, sway = Math.min(Math.hypot(k.vx, k.vy) / 12, 1);
    k.phase += Math.min(Math.hypot(k.vx, k.vy), 12) * this.dt * 1.35;
    this.recoil *= Math.exp(-this.dt * 12);
    base.copy(camera.matrixWorld).multiply(shift.makeTranslation(0.24 + Math.cos(k.phase) * 0.008 * sway, -0.22 + Math.abs(Math.sin(k.phase)) * 0.012 * sway, this.recoil * 0.1 - 0.3)).multiply(toCamera);
    const { pitch } = k;
    k.pitch = 0;
    this.weapon(k, false);
    k.pitch = pitch;
    k.sounding = this.sound(k, k.look, k.sounding, k.id * 64);
  }

  at(k, pitch, roll) {
    rotation.setFromEuler(euler.set(pitch * degrees, roll * degrees, k.yaw * degrees));
    base.compose(place.set(k.x, k.y, k.z), rotation, one);
  }

  person(k, hideOwn) {
    if (k.placed) this.people.push(k);
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
    this.show(k);
    if (k.held && !k.down) {
      base.multiply(shift.makeTranslation(0, 0, 1.28)).multiply(motion.makeRotationX(k.pitch * degrees)).multiply(shift.makeTranslation(0.4, 0.25, 0));
      this.weapon(k, Math.hypot(k.x - this.eye.x, k.y - this.eye.y) > fineDistance);
    }
  }

  gun(k) {
    if (k.placed) this.marks.push(k);
    this.at(k, 0, 0);
    this.show(k);
  }

  structure(k) {
    if (k.placed) this.marks.push(k);
    this.pickup(k);
  }

  ride(k) { this.structure(k); }

  banner(k) {
    if (k.placed) this.goals.push(k);
    this.pickup(k);
  }

  waypoint(k) { this.goals.push(k); }

  pickup(k) {
    this.at(k, k.pitch, k.roll);
    this.show(k);
  }

  building(k) {
    if (k.placed) this.boxes.push(k);
    base.compose(place.set(k.x, k.y, k.z), rotation.identity(), scale.set(k.sx, k.sy, k.sz));
    this.batches.faded(this.batches.of("wall"), k.fade)?.add(base, k.sz < 4 ? platform : concrete);
  }

  shot(k) {
    rotation.setFromEuler(euler.set(Math.atan2(k.vz, Math.hypot(k.vx, k.vy)), 0, Math.atan2(-k.vx, k.vy)));
    base.compose(place.set(k.x, k.y, k.z), rotation, one);
    if (k.fresh) this.fired(k);
    this.show(k);
    const dx = k.x - k.trailX, dy = k.y - k.trailY, dz = k.z - k.trailZ, steps = Math.min(Math.floor(Math.hypot(dx, dy, dz) / 0.9), 12);
    for (const t of k.look.trails) {
      if (!shown(t, k)) continue;
      for (let i = 1; i <= steps; i++) {
        const f = i / steps;
        this.effects.particle(k.trailX + dx * f, k.trailY + dy * f, k.trailZ + dz * f, 0, 0, t.smoke ? 0.4 : 0, t.life, t.colors[k.team & 15], t.size, t.smoke ? 0 : 1, 0);
      }
    }
    if (steps > 0) { k.trailX = k.x; k.trailY = k.y; k.trailZ = k.z; }
  }

  // fired begins the flight of a shot.
  fired(k) {
    if (this.own && k.mount === this.own.id) this.recoil = 1;
    k.trailX = k.x; k.trailY = k.y; k.trailZ = k.z;
  }

  burst(k) {
    if (k.fresh) this.explode(k);
    const e = k.look.explosions.find((e) => shown(e, k)), radius = e ? e.size * k.sx : 0;
    if (radius <= 1) return;
    const r = radius * (0.2 + 0.5 * Math.sqrt(k.age));
    base.compose(place.set(k.x, k.y, k.z), rotation.identity(), scale.set(r, r, r));
    this.batches.of("ball").add(base, tint.copy(e.colors[k.team & 15]).multiplyScalar(0.32 * (1 - k.age) ** 2));
  }

  // explode begins an explosion. A shot that hits at once is seen only here, so its beam and the sound of its firing
  // begin at the shooter.
  explode(k) {
    for (const e of k.look.explosions) if (shown(e, k)) this.effects.explode(k.x, k.y, k.z, k.sx * e.size, e.colors[k.team & 15], e.light, e.smoke);
    const from = this.known.get(k.mount), own = from && from === this.own;
    if (own && !k.flew) this.recoil = 1;
    for (const s of k.look.sounds) {
      if (s.loop) continue;
      if (s.when !== "") {
        if (shown(s, k)) this.sounds.play(s, k.x, k.y, k.z);
      } else if (from && !k.flew) {
        this.sounds.play(s, from.x, from.y, from.z + 1.5);
      }
    }
    if (!from || k.flew) return;
    for (const e of k.look.beams) {
      if (own) at.set(0.2, -0.2, -0.6).applyMatrix4(this.camera.matrixWorld);
      else at.set(from.x, from.y, from.z + (from.kind === "person" ? 1.5 : 1.25));
      if (shown(e, k)) this.effects.beam(at.x, at.y, at.z, k.x, k.y, k.z, e, e.colors[k.team & 15]);
    }
  }
}
