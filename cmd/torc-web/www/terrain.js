// The ground: a height field that repeats endlessly, as chunks around the camera.
import { BufferAttribute, BufferGeometry, Mesh, MeshLambertMaterial } from "./three.js";

const chunkSquares = 32;

// flat is the ground of a world without terrain.
const flat = { size: 32, square: 8, x: -128, y: -128, z: 0, heights: new Float32Array(32 * 32) };

export class Terrain {
  constructor(scene) {
    this.scene = scene;
    this.material = groundMaterial();
    this.meshes = [];
    this.fine = [];   // geometries, by the place of a chunk in its tile
    this.coarse = []; // with a quarter of the triangles, for chunks far away in the fog
    this.far = 0;
    this.set(null);
  }

  // set replaces the ground. land is that of Program.terrain.
  set(land) {
    this.land = land ?? flat;
    const { size, square, heights, z } = this.land;
    this.squares = Math.min(chunkSquares, size);
    this.side = this.squares * square;
    this.around = size / this.squares;
    for (const g of [...this.fine, ...this.coarse]) g.dispose();
    this.fine = [];
    this.coarse = [];
    const index = indexOf(this.squares, 1), rough = indexOf(this.squares, 2);
    for (let j = 0; j < this.around; j++) {
      for (let i = 0; i < this.around; i++) {
        const g = this.chunk(i, j, index);
        this.fine.push(g);
        this.coarse.push(g.clone().setIndex(rough));
      }
    }
    let low = Infinity, high = -Infinity;
    for (const h of heights) { low = Math.min(low, h); high = Math.max(high, h); }
    this.material.userData.range.value = [z + low, Math.max(high - low, 1)];
    this.middle = null;
  }

  // corner is the height of a corner of the grid.
  corner(i, j) {
    const { size, heights } = this.land, mask = size - 1;
    return heights[(j & mask) * size + (i & mask)];
  }

  // height is the height of the ground at a place.
  height(x, y) {
    const t = this.land, u = (x - t.x) / t.square, v = (y - t.y) / t.square, i = Math.floor(u), j = Math.floor(v);
    const a = u - i, b = v - j, h00 = this.corner(i, j), h11 = this.corner(i + 1, j + 1);
    if (a >= b) {
      const h10 = this.corner(i + 1, j);
      return t.z + h00 + (h10 - h00) * a + (h11 - h10) * b;
    }
    const h01 = this.corner(i, j + 1);
    return t.z + h00 + (h11 - h01) * a + (h01 - h00) * b;
  }

  chunk(ci, cj, index) {
    const n = this.squares + 1, { square, z } = this.land;
    const at = new Float32Array(3 * n * n), normal = new Float32Array(3 * n * n);
    for (let j = 0, k = 0; j < n; j++) {
      for (let i = 0; i < n; i++, k += 3) {
        const gi = ci * this.squares + i, gj = cj * this.squares + j;
        at[k] = i * square; at[k + 1] = j * square; at[k + 2] = z + this.corner(gi, gj);
        const dx = this.corner(gi - 1, gj) - this.corner(gi + 1, gj), dy = this.corner(gi, gj - 1) - this.corner(gi, gj + 1);
        const l = Math.hypot(dx, dy, 2 * square);
        normal[k] = dx / l; normal[k + 1] = dy / l; normal[k + 2] = 2 * square / l;
      }
    }
    const g = new BufferGeometry();
    g.setAttribute("position", new BufferAttribute(at, 3));
    g.setAttribute("normal", new BufferAttribute(normal, 3));
    g.setIndex(index);
    g.computeBoundingSphere();
    return g;
  }

  // follow places the chunks within sight of a camera.
  follow(x, y, far) {
    const i0 = Math.floor((x - this.land.x) / this.side), j0 = Math.floor((y - this.land.y) / this.side), middle = i0 * 65537 + j0;
    if (middle === this.middle && far === this.far) return;
    this.middle = middle;
    this.far = far;
    const r = Math.ceil(far / this.side);
    let n = 0;
    for (let j = j0 - r; j <= j0 + r; j++) {
      for (let i = i0 - r; i <= i0 + r; i++) {
        const mesh = this.meshes[n] ?? this.more();
        n++;
        const near = Math.max(Math.abs(i - i0), Math.abs(j - j0)) * this.side < far * 0.4;
        mesh.geometry = (near ? this.fine : this.coarse)[modulo(j, this.around) * this.around + modulo(i, this.around)];
        mesh.position.set(this.land.x + i * this.side, this.land.y + j * this.side, 0);
        mesh.visible = true;
        mesh.updateMatrix();
        mesh.updateMatrixWorld(true);
      }
    }
    for (; n < this.meshes.length; n++) this.meshes[n].visible = false;
  }

  more() {
    const mesh = new Mesh(this.fine[0], this.material);
    mesh.matrixAutoUpdate = false;
    mesh.receiveShadow = true;
    this.scene.add(mesh);
    this.meshes.push(mesh);
    return mesh;
  }
}

function modulo(a, n) { return ((a % n) + n) % n; }

// indexOf returns the triangles of a chunk, of step squares each: the diagonal goes from the first to the last
// corner of a square.
function indexOf(squares, step) {
  const n = squares + 1, index = new Uint16Array(6 * (squares / step) ** 2);
  for (let j = 0, k = 0; j < squares; j += step) {
    for (let i = 0; i < squares; i += step) {
      const a = j * n + i, b = a + step, c = a + step * n, d = c + step;
      index[k++] = a; index[k++] = b; index[k++] = d;
      index[k++] = a; index[k++] = d; index[k++] = c;
    }
  }
  return new BufferAttribute(index, 1);
}

// groundMaterial colours the ground by height and slope, and draws a grid on it.
function groundMaterial() {
  const material = new MeshLambertMaterial({ color: 0xffffff });
  const range = material.userData.range = { value: [0, 1] };
  material.onBeforeCompile = (shader) => {
    shader.uniforms.range = range;
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 at; varying vec3 up;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nat = (modelMatrix * vec4(position, 1.)).xyz; up = normal;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>
        varying vec3 at; varying vec3 up; uniform vec2 range;
        float hash(vec2 p) { p = fract(p * vec2(.1031, .103)); p += dot(p, p.yx + 33.33); return fract((p.x + p.y) * p.x); }
        float noise(vec2 p) {
          vec2 i = floor(p), f = fract(p); f = f * f * (3. - 2. * f);
          return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x), mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), f.x), f.y);
        }
        float lines(vec2 p, float step) {
          vec2 q = p / step, w = fwidth(q) * 1.2, d = abs(fract(q - .5) - .5);
          vec2 l = 1. - smoothstep(vec2(0), w, d);
          return max(l.x, l.y) * (1. - smoothstep(.12, .5, max(w.x, w.y)));
        }`)
      .replace("#include <color_fragment>", `#include <color_fragment>
        float rough = noise(at.xy * .05) * .5 + noise(at.xy * .21) * .3 + noise(at.xy * 1.3) * .2;
        rough += (noise(at.xy * 5.) - .5) * .22 * (1. - smoothstep(4., 40., distance(at, cameraPosition)));
        float high = clamp((at.z - range.x) / range.y, 0., 1.) + (rough - .5) * .25;
        vec3 grass = mix(vec3(.085, .125, .05), vec3(.25, .25, .10), smoothstep(.05, .6, high));
        grass = mix(grass, vec3(.50, .46, .27), smoothstep(.62, .95, high));
        vec3 rock = mix(vec3(.21, .185, .165), vec3(.36, .33, .30), rough);
        float steep = smoothstep(.05, .2, 1. - normalize(up).z + (rough - .5) * .09);
        diffuseColor.rgb = mix(grass, rock, steep) * (.72 + .56 * rough);
        diffuseColor.rgb *= 1. - .16 * lines(at.xy, 8.) - .22 * lines(at.xy, 64.);`);
  };
  return material;
}
