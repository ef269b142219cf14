// The sky with sun and clouds, and the light of the world.
import { BackSide, Color, DirectionalLight, HemisphereLight, Mesh, ShaderMaterial, SphereGeometry, Vector3 } from "./three.js";

const sun = new Vector3(-0.55, 0.42, 0.62).normalize();
export const horizon = new Color(0xb4c6d0);

export class Sky {
  constructor(scene) {
    const material = new ShaderMaterial({
      side: BackSide, depthWrite: false, fog: false,
      uniforms: { sun: { value: sun }, horizon: { value: horizon }, time: { value: 0 } },
      vertexShader: "varying vec3 way; void main() { way = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.); }",
      fragmentShader: `
        varying vec3 way; uniform vec3 sun, horizon; uniform float time;
        float hash(vec2 p) { p = fract(p * vec2(.1031, .103)); p += dot(p, p.yx + 33.33); return fract((p.x + p.y) * p.x); }
        float noise(vec2 p) {
          vec2 i = floor(p), f = fract(p); f = f * f * (3. - 2. * f);
          return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x), mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), f.x), f.y);
        }
        void main() {
          vec3 d = normalize(way); float up = max(d.z, 0.), near = max(dot(d, sun), 0.);
          vec3 c = mix(horizon, vec3(.10, .25, .52), pow(up, .55));
          c = mix(c, vec3(1., .82, .58), .5 * pow(near, 8.) * (1. - up * .6));
          if (d.z > .02) {
            vec2 p = d.xy / (d.z + .12) * 1.7 + time * .004;
            float n = noise(p) * .5 + noise(p * 2.1) * .28 + noise(p * 4.7) * .15 + noise(p * 9.) * .07;
            float cover = smoothstep(.5, .78, n) * smoothstep(.02, .25, d.z);
            c = mix(c, mix(vec3(.62, .68, .75), vec3(1., .97, .92), smoothstep(.5, .9, n) * .6 + near * .4), cover * .75);
          }
          c += vec3(1., .86, .62) * (pow(near, 900.) * 6. + pow(near, 60.) * .35);
          gl_FragColor = vec4(c, 1.);
          #include <tonemapping_fragment>
          #include <colorspace_fragment>
        }`,
    });
    this.mesh = new Mesh(new SphereGeometry(1, 32, 20), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1;
    this.material = material;
    this.light = new DirectionalLight(0xffdfae, 3.0);
    this.light.shadow.camera.near = 1;
    this.light.shadow.camera.far = 400;
    this.light.shadow.bias = -0.0006;
    this.light.shadow.normalBias = 0.06;
    const around = new HemisphereLight(0xcfe2f5, 0x6b6444, 2.1);
    around.position.set(0, 0, 1);
    scene.add(this.mesh, this.light, this.light.target, around);
  }

  // quality sets the size of the shadow map in pixels, 0 for no shadows.
  quality(pixels) {
    const s = this.light.shadow;
    this.light.castShadow = pixels > 0;
    if (!pixels || s.mapSize.x === pixels) return;
    s.mapSize.set(pixels, pixels);
    s.map?.dispose();
    s.map = null;
    const half = 70;
    Object.assign(s.camera, { left: -half, right: half, top: half, bottom: -half });
    s.camera.updateProjectionMatrix();
  }

  // follow keeps sky and shadows around the camera. The shadow moves in whole steps, so its edges stand still.
  follow(camera, far, time) {
    this.mesh.position.copy(camera.position);
    this.mesh.scale.setScalar(far * 1.6);
    this.material.uniforms.time.value = time;
    const step = 8, p = this.light.target.position;
    p.set(Math.round(camera.position.x / step) * step, Math.round(camera.position.y / step) * step, Math.round(camera.position.z / step) * step);
    this.light.position.copy(p).addScaledVector(sun, 200);
  }
}
