// Particles, whose motion is computed by the graphics card, beams, and the light of explosions.
import { Color, DynamicDrawUsage, InstancedBufferAttribute, InstancedBufferGeometry, Matrix4, Mesh, NormalBlending, PlaneGeometry, PointLight, Quaternion, ShaderMaterial, Vector3 } from "./three.js";

const most = 3072, mostBeams = 64, color = new Color(), matrix = new Matrix4(), size = new Vector3(), forward = new Vector3(0, 1, 0);

export class Effects {
  constructor(scene) {
    const square = new PlaneGeometry(1, 1), g = new InstancedBufferGeometry();
    g.index = square.index;
    g.setAttribute("position", square.attributes.position);
    const attribute = (name, n) => {
      const a = new InstancedBufferAttribute(new Float32Array(n * most), n);
      a.setUsage(DynamicDrawUsage);
      g.setAttribute(name, a);
      return a;
    };
    this.from = attribute("from", 4);   // place, and time of birth
    this.speed = attribute("speed", 4); // velocity, and life in seconds
    this.look = attribute("look", 4);   // colour, and size
    this.kind = attribute("kind", 2);   // light 0…1, fall in m/s²
    this.uniforms = { time: { value: 0 } };
    const material = new ShaderMaterial({
      transparent: true, depthWrite: false, blending: NormalBlending, premultipliedAlpha: true, uniforms: this.uniforms,
      vertexShader: `
        attribute vec4 from, speed, look; attribute vec2 kind; uniform float time; varying vec2 uv2; varying vec4 c; varying float light;
        void main() {
          float age = time - from.w, part = age / speed.w;
          uv2 = position.xy * 2.; light = kind.x;
          if (part < 0. || part >= 1. || speed.w <= 0.) { gl_Position = vec4(2., 2., 2., 1.); return; }
          float drag = (1. - exp(-2.5 * age)) / 2.5;
          vec3 at = from.xyz + speed.xyz * drag - vec3(0., 0., .5 * kind.y * age * age);
          float size = look.w * mix(1., kind.x > .5 ? .25 : 2.6, part);
          c = vec4(look.rgb, (1. - part) * (kind.x > .5 ? 1. : .5 * min(part * 8., 1.)));
          vec4 view = viewMatrix * vec4(at, 1.);
          view.xy += position.xy * size;
          gl_Position = projectionMatrix * view;
        }`,
      fragmentShader: `
        varying vec2 uv2; varying vec4 c; varying float light;
        void main() {
          float a = c.a * (1. - smoothstep(.15, 1., length(uv2)));
          if (a < .004) discard;
          gl_FragColor = vec4(c.rgb, a);
          #include <tonemapping_fragment>
          #include <colorspace_fragment>
          gl_FragColor = vec4(gl_FragColor.rgb * a * mix(1., 1.6, light), a * (1. - light));
        }`,
    });
    this.mesh = new Mesh(g, material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 2;
    this.next = 0;
    this.first = -1; // of the particles that the card does not have yet
    this.share = 1;
    this.lights = [0, 1, 2].map(() => new PointLight(0xffa050, 0, 40, 1.6));
    this.beams = [];
    scene.add(this.mesh, ...this.lights);
  }

  // particle adds one particle. light is 1 for what shines, 0 for smoke. fall is in m/s².
  particle(x, y, z, vx, vy, vz, life, c, size, light, fall) {
    const i = this.next;
    this.next = (i + 1) % most;
    if (this.first < 0) this.first = i;
    this.added = (this.added ?? 0) + 1;
    this.from.setXYZW(i, x, y, z, this.uniforms.time.value);
    this.speed.setXYZW(i, vx, vy, vz, life);
    color.set(c);
    this.look.setXYZW(i, color.r, color.g, color.b, size);
    this.kind.setXY(i, light, fall);
  }

  // explode shows an explosion with a radius in metres.
  explode(x, y, z, radius, c, light, smoke) {
    const n = Math.round(Math.min(10 + radius * 3, 4 + radius * 8) * this.share), r = () => Math.random() * 2 - 1, v = Math.max(radius * 2.2, 3);
    for (let i = 0; i < n; i++) {
      if (radius > 1) this.particle(x, y, z, r() * v, r() * v, Math.abs(r()) * v, 0.35 + Math.random() * 0.4, i % 3 ? c : 0xfff0c0, radius * 0.34, 1, 0);
      if (i % 2 || radius <= 1) this.particle(x, y, z, r() * v * 2, r() * v * 2, Math.random() * v * 2, 0.4 + Math.random() * 0.6, 0xffd080, 0.16, 1, 14);
      if (smoke && i % 3 === 0) this.particle(x, y, z, r() * v * 0.5, r() * v * 0.5, 1 + Math.random() * v * 0.4, 1.4 + Math.random(), 0x55504a, radius * 0.4, 0, -0.6);
    }
    if (light > 0) this.flash(x, y, z + 1, c, radius * 7, 120 * radius * light);
  }

  // flash lights the surroundings for a moment. The weakest of the lights gives up its place.
  flash(x, y, z, c, distance, intensity) {
    const light = this.lights.reduce((a, b) => a.intensity <= b.intensity ? a : b);
    light.position.set(x, y, z);
    light.color.set(c);
    light.distance = distance;
    light.intensity = intensity;
  }

  // beam shows a line of light between two places.
  beam(fromX, fromY, fromZ, toX, toY, toZ, e, c) {
    if (this.beams.length === mostBeams) this.beams.shift();
    const from = new Vector3(fromX, fromY, fromZ), way = new Vector3(toX, toY, toZ).sub(from), length = way.length();
    if (!(length > 0.1)) return;
    const turn = new Quaternion().setFromUnitVectors(forward, way.divideScalar(length));
    this.beams.push({ from, turn, length, width: e.size, born: this.uniforms.time.value, life: e.life, color: c });
  }

  // drawBeams adds the beams of this frame to a batch. They become thinner and darker.
  drawBeams(batch) {
    const now = this.uniforms.time.value;
    this.beams = this.beams.filter((b) => now - b.born < b.life);
    for (const b of this.beams) {
      const left = 1 - (now - b.born) / b.life;
      batch.add(matrix.compose(b.from, b.turn, size.set(b.width * left, b.length, b.width * left)), color.copy(b.color).multiplyScalar(left));
    }
  }

  update(time, dt) {
    this.uniforms.time.value = time;
    for (const l of this.lights) l.intensity = l.intensity < 1 ? 0 : l.intensity * Math.exp(-dt * 9);
  }

  // upload passes the new particles to the card.
  upload() {
    if (this.first < 0) return;
    const whole = this.added >= most || this.first + this.added > most;
    for (const a of [this.from, this.speed, this.look, this.kind]) {
      a.clearUpdateRanges();
      if (!whole) a.addUpdateRange(this.first * a.itemSize, this.added * a.itemSize);
      a.needsUpdate = true;
    }
    this.first = -1;
    this.added = 0;
  }
}
