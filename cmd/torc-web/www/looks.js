// Looks, made ready to be drawn: parts with their batch, matrix and colours, and lists of effects and sounds.
import { Color, Euler, Matrix4, Quaternion, Vector3 } from "./three.js";
import { teams } from "./teams.js";

const degrees = Math.PI / 180, team = -1, dark = -2, nothing = { parts: [], signs: [], trails: [], beams: [], emitters: [], explosions: [], sounds: [] };
const emitters = ["jet", "smoke", "sparks"];

export class Looks {
  constructor(program, batches, signs) {
    Object.assign(this, { program, batches, signs });
    this.made = new Map();
  }

  // get returns a look by its number in the slab. Numbers belong to an edition of the texts.
  get(number) {
    const edition = this.program.number("edition");
    if (edition !== this.edition) {
      this.edition = edition;
      this.made.clear();
    }
    let look = this.made.get(number);
    if (!look) this.made.set(number, look = number ? this.make(this.program.look(number)) : nothing);
    return look;
  }

  make(elements) {
    const look = { parts: [], signs: [], trails: [], beams: [], emitters: [], explosions: [], sounds: [] };
    for (const e of elements) {
      e.bit = Object.hasOwn(this.program.layout.states, e.when) ? this.program.layout.states[e.when] : 0;
      if (e.color !== undefined) e.colors = teams.map((t) => colorOf(e, t));
      if (e.kind === "trail") look.trails.push(e);
      else if (e.kind === "beam") look.beams.push(e);
      else if (e.kind === "explosion") look.explosions.push(e);
      else if (e.kind === "sound") look.sounds.push(e);
      else if (emitters.includes(e.kind)) look.emitters.push(e);
      else if (e.kind === "label" || e.kind === "sprite") look.signs.push(this.sign(e));
      else look.parts.push(this.part(e));
    }
    return look;
  }

  part(e) {
    e.batch = this.batches.of(e.kind, e.glow > 0);
    e.matrix = new Matrix4().compose(new Vector3(...e.at), turned(e.rotation), new Vector3(...e.size));
    e.moves = e.spin !== 0 || e.bob !== 0 || e.motion !== "" || e.kind === "flame";
    return e;
  }

  sign(e) {
    e.turn = turned(e.rotation);
    return e;
  }
}

// shown reports whether an element is shown on a thing.
export function shown(e, k) { return e.when === "" || (k.states & e.bit) !== 0 || e.when === k.state; }

function turned([yaw, pitch, roll]) { return new Quaternion().setFromEuler(new Euler(pitch * degrees, roll * degrees, yaw * degrees, "ZXY")); }

function colorOf(e, ofTeam) {
  const c = new Color(e.color === team || e.color === dark ? ofTeam : e.color);
  if (e.color === dark) c.multiplyScalar(0.42);
  return e.glow > 0 ? c.multiplyScalar(e.glow) : c;
}
