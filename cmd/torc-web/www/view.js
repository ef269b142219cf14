// The picture: one scene, one camera, and the quality that the player has chosen.
import { ACESFilmicToneMapping, Euler, Fog, PCFShadowMap, PerspectiveCamera, Quaternion, Scene, Vector3, WebGLRenderer } from "./three.js";
import { Batches } from "./batches.js";
import { Effects } from "./effects.js";
import { horizon, Sky } from "./sky.js";
import { onChange, qualities } from "./settings.js";
import { Signs } from "./signs.js";
import { Sounds } from "./sounds.js";
import { Terrain } from "./terrain.js";
import { Things } from "./things.js";
import { share } from "./walls.js";

const degrees = Math.PI / 180, euler = new Euler(0, 0, 0, "ZXY"), back = new Vector3(), eye = new Vector3(), turn = new Quaternion();
const before = 0.3; // metres between the camera and a wall

export class View {
  constructor(canvas, program) {
    this.canvas = canvas;
    this.program = program;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 0.95;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(70, 1, 0.08, 2500);
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(0, -30, 60);
    this.camera.rotation.set(70 * degrees, 0, 0);
    this.sky = new Sky(this.scene);
    this.terrain = new Terrain(this.scene);
    this.effects = new Effects(this.scene);
    this.sounds = new Sounds();
    this.things = new Things(program, new Batches(this.scene), new Signs(this.scene), this.effects, this.sounds);
    this.ground = 0;
    onChange((s) => this.quality(qualities[s.quality] ?? qualities.high));
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  quality(q) {
    this.chosen = q;
    this.scene.fog = new Fog(horizon, q.far * 0.25, q.far);
    this.effects.share = q.particles;
    this.renderer.shadowMap.enabled = q.shadow > 0;
    this.sky.quality(q.shadow);
    this.resize();
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, this.chosen.pixels));
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
  }

  // moved forgets the world of the server before: another one has the same ids.
  moved() {
    this.things.known.clear();
    this.ground = -1;
  }

  // draw draws the frame of the program. input says what is zoomed and held.
  draw(time, dt, input) {
    const { program, camera } = this, ground = program.number("ground");
    if (ground !== this.ground) {
      this.ground = ground;
      this.terrain.set(program.terrain());
      this.onground?.(this.terrain);
    }
    const inside = program.is("firstPerson") && !program.is("riding") && !this.things.own?.down;
    if (program.is("body") || program.is("watching")) this.look(inside, input.zoom);
    this.effects.update(time, dt);
    this.sounds.listen(camera);
    this.things.update(time, dt, inside, camera);
    this.effects.upload();
    this.terrain.follow(camera.position.x, camera.position.y, this.chosen.far);
    this.sky.follow(camera, this.chosen.far, time);
    this.renderer.render(this.scene, camera);
  }

  // look puts the camera at the eye, or behind it, above the ground and before walls.
  look(inside, zoom) {
    const { program, camera } = this, e = program.word.eye, s = program.state;
    eye.set(s[e], s[e + 1], s[e + 2]);
    turn.setFromEuler(euler.set((90 + program.get("pitch")) * degrees, 0, program.get("yaw") * degrees));
    camera.quaternion.copy(turn);
    camera.position.copy(eye);
    if (!inside && !program.is("watching")) { // a spectator's eye is already where it belongs
      const far = program.is("riding") ? 11 : 5.5;
      camera.position.addScaledVector(back.set(0, 0.22, 1).applyQuaternion(turn), far);
      const free = share(this.things.boxes, eye, camera.position);
      if (free < 1) camera.position.lerpVectors(eye, camera.position, Math.max(0, free - before / far));
      camera.position.z = Math.max(camera.position.z, this.terrain.height(camera.position.x, camera.position.y) + 0.4);
    }
    // The field of view of the game is horizontal for a picture of 4:3. A wider picture shows more at the sides. A higher
    // one shows as much area: less at the sides, and more above and below.
    const across = (zoom ? 28 : program.get("fov")) * degrees;
    const fov = 2 * Math.atan(Math.tan(across / 2) * Math.max(0.75, Math.sqrt(0.75 / camera.aspect))) / degrees;
    if (Math.abs(fov - camera.fov) > 0.01 || camera.aspect !== this.aspect) {
      camera.fov += (fov - camera.fov) * 0.35;
      this.aspect = camera.aspect;
      camera.updateProjectionMatrix();
    }
    camera.updateMatrixWorld();
  }
}
