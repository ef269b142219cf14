// Batches of equal shapes. Each shape is one draw call, however many parts have it.
import {
  AdditiveBlending, BoxGeometry, CapsuleGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, DynamicDrawUsage, FrontSide, InstancedMesh,
  MeshBasicMaterial, MeshLambertMaterial, MeshStandardMaterial, PlaneGeometry, SphereGeometry, TorusGeometry,
} from "./three.js";

const firstRoom = 64, mostRoom = 16384; // instances
const fadeLevels = 16;

// A Batch draws instances of a geometry. It grows when more are added, up to a limit.
export class Batch {
  constructor(scene, geometry, material, shadow) {
    Object.assign(this, { scene, geometry, material, shadow, count: 0 });
    this.room(firstRoom);
  }

  room(n) {
    const old = this.mesh, mesh = new InstancedMesh(this.geometry, this.material, n);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.setColorAt(0, white);
    mesh.instanceColor.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = this.shadow;
    if (old) {
      mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      mesh.instanceColor.array.set(old.instanceColor.array);
      this.scene.remove(old);
      old.dispose();
    }
    this.mesh = mesh;
    this.scene.add(mesh);
  }

  // add returns the number of the new instance, or -1 if there are too many.
  add(matrix, color) {
    if (this.count === mostRoom) return -1;
    if (this.count === this.mesh.instanceMatrix.count) this.room(2 * this.count);
    matrix.toArray(this.mesh.instanceMatrix.array, 16 * this.count);
    color.toArray(this.mesh.instanceColor.array, 3 * this.count);
    return this.count++;
  }

  end() {
    const { mesh } = this;
    mesh.count = this.count;
    mesh.visible = this.count > 0;
    if (this.count > 0) {
      this.upload(mesh.instanceMatrix, 16);
      this.upload(mesh.instanceColor, 3);
    }
    this.count = 0;
  }

  // upload marks the used part of an attribute. The card gets a little more, so the range stays the same object.
  upload(a, n) {
    if (a.updateRanges.length === 0) a.addUpdateRange(0, 0);
    a.updateRanges[0].count = n * this.count;
    a.needsUpdate = true;
  }
}

const white = new Color(1, 1, 1);

function upright(geometry) { return geometry.rotateX(Math.PI / 2); }

// geometries have a size of 1 in each direction, along Z where one is longer.
const geometries = {
  box: new BoxGeometry(1, 1, 1),
  sphere: new SphereGeometry(0.5, 14, 9),
  capsule: upright(new CapsuleGeometry(0.5, 1, 3, 10)).scale(1, 1, 0.5),
  cylinder: upright(new CylinderGeometry(0.5, 0.5, 1, 14)),
  cone: upright(new ConeGeometry(0.5, 1, 16)),
  torus: new TorusGeometry(0.45, 0.05, 6, 22),
  flame: upright(new ConeGeometry(0.5, 1, 12, 1, true)),
  ball: new SphereGeometry(1, 20, 14),
  plane: new PlaneGeometry(1, 1),
  cloth: new PlaneGeometry(1, 1, 14, 6).rotateX(Math.PI / 2).translate(0.5, 0, 0),
  beam: new BoxGeometry(1, 1, 1).translate(0, 0.5, 0),
  wall: new BoxGeometry(1, 1, 1).translate(0, 0, 0.5),
};

export class Batches {
  constructor(scene) {
    this.time = { value: 0 };
    const solid = new MeshStandardMaterial({ roughness: 0.6, metalness: 0 }), glow = new MeshBasicMaterial({ toneMapped: true });
    const light = new MeshBasicMaterial({ blending: AdditiveBlending, transparent: true, depthWrite: false, fog: false, side: DoubleSide });
    this.batches = {};
    this.fadedBatches = [];
    const sheet = new MeshStandardMaterial({ roughness: 0.6, side: DoubleSide }), bright = new MeshBasicMaterial({ side: DoubleSide });
    for (const shape of ["box", "sphere", "capsule", "cylinder", "cone", "torus", "plane"]) {
      this.batches[shape] = new Batch(scene, geometries[shape], shape === "plane" ? sheet : solid, true);
      this.batches[shape + "*"] = new Batch(scene, geometries[shape], shape === "plane" ? bright : glow, false);
    }
    this.batches.flame = new Batch(scene, geometries.flame, light, false);
    this.batches.beam = new Batch(scene, geometries.beam, light, false);
    this.batches.ball = new Batch(scene, geometries.ball, ballMaterial(light), false);
    this.batches.cloth = new Batch(scene, geometries.cloth, clothMaterial(this.time), true);
    this.batches.wall = new Batch(scene, geometries.wall, wallMaterial(), true);
  }

  // of returns the batch of a kind of parts. Those with their own light have another one.
  of(kind, glows) { return this.batches[glows ? kind + "*" : kind] ?? this.batches[kind]; }

  // faded returns the batch for parts of a thing that has faded, or nothing if it is invisible. The levels of a batch are
  // made when they are first needed.
  faded(batch, fade) {
    const level = Math.round(fade * fadeLevels);
    if (level <= 0) return batch;
    if (level >= fadeLevels) return undefined;
    batch.faded ??= [];
    return batch.faded[level] ??= this.fadedBatch(batch, 1 - level / fadeLevels);
  }

  fadedBatch({ scene, geometry, material }, opacity) {
    const m = material.clone();
    Object.assign(m, { transparent: true, opacity, depthWrite: false, onBeforeCompile: material.onBeforeCompile });
    const made = new Batch(scene, geometry, m, false);
    this.fadedBatches.push(made);
    return made;
  }

  end() {
    for (const name in this.batches) this.batches[name].end();
    for (const batch of this.fadedBatches) batch.end();
  }
}

// ballMaterial is light that is brightest in the middle of a ball and ends softly at its rim.
function ballMaterial(light) {
  const m = light.clone();
  m.side = FrontSide;
  m.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace("#include <common>", "#include <common>\nvarying float facing;")
      .replace("#include <project_vertex>", `#include <project_vertex>
        facing = abs(dot(normalize(mvPosition.xyz), normalize((modelViewMatrix * instanceMatrix * vec4(position, 0.)).xyz)));`);
    shader.fragmentShader = shader.fragmentShader.replace("#include <common>", "#include <common>\nvarying float facing;")
      .replace("#include <color_fragment>", "#include <color_fragment>\ndiffuseColor.rgb *= facing * facing * 1.6;");
  };
  return m;
}

// clothMaterial waves: more at the end that is away from the pole.
function clothMaterial(time) {
  const m = new MeshLambertMaterial({ side: DoubleSide });
  m.onBeforeCompile = (shader) => {
    shader.uniforms.time = time;
    shader.vertexShader = shader.vertexShader.replace("#include <common>", "#include <common>\nuniform float time;")
      .replace("#include <beginnormal_vertex>", `#include <beginnormal_vertex>
        float phase = position.x * 7. - time * 6. + instanceMatrix[3].x;
        objectNormal = normalize(vec3(-cos(phase) * position.x, 1., 0.));`)
      .replace("#include <begin_vertex>", `#include <begin_vertex>
        transformed.y += sin(phase) * .16 * position.x;
        transformed.z += sin(phase * .7) * .06 * position.x - .12 * position.x * position.x;`);
  };
  return m;
}

// wallMaterial draws the panels of buildings by their place in the world.
function wallMaterial() {
  const m = new MeshStandardMaterial({ roughness: 0.85, metalness: 0 });
  m.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace("#include <common>", "#include <common>\nvarying vec3 at; varying vec3 face;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nat = (instanceMatrix * vec4(position, 1.)).xyz; face = normal;");
    shader.fragmentShader = shader.fragmentShader.replace("#include <common>", "#include <common>\nvarying vec3 at; varying vec3 face;")
      .replace("#include <color_fragment>", `#include <color_fragment>
        vec3 n = abs(face); vec2 q = n.z > .5 ? at.xy : n.x > .5 ? at.yz : at.xz;
        vec2 p = q / 2., w = fwidth(p) * 1.5, d = abs(fract(p - .5) - .5), l = 1. - smoothstep(vec2(.012), vec2(.012) + w, d);
        float seam = max(l.x, l.y) * (1. - smoothstep(.1, .5, max(w.x, w.y)));
        float tone = fract(sin(dot(floor(p), vec2(12.9898, 78.233))) * 43758.5453);
        diffuseColor.rgb *= (.9 + .16 * tone) * (1. - .5 * seam);`);
  };
  return m;
}
