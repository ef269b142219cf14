// Labels and sprites: pictures on squares, which share one texture. A label is drawn from its text alone.
import { AdditiveBlending, CanvasTexture, DynamicDrawUsage, InstancedBufferAttribute, Matrix4, MeshBasicMaterial, NormalBlending, PlaneGeometry, Quaternion, SRGBColorSpace, Vector3 } from "./three.js";
import { Batch } from "./batches.js";

const width = 1024, height = 2048, picture = 128, lineHeight = 64, lineWidth = 512, most = 2048, degrees = Math.PI / 180;
const labels = (height - picture) / lineHeight * (width / lineWidth);
const at = new Vector3(), size = new Vector3(), turn = new Quaternion(), spin = new Quaternion(), made = new Matrix4(), z = new Vector3(0, 0, 1);
const upright = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI / 2).premultiply(new Quaternion().setFromAxisAngle(z, Math.PI));

// pictures draw the sprites in white on a square from -1 to 1.
const pictures = {
  glow: (c) => fade(c, [[0, 1], [0.25, 0.55], [1, 0]]),
  flare: (c) => { fade(c, [[0, 1], [0.15, 0.4], [0.6, 0]]); rays(c, 4, 0.05); },
  star: (c) => rays(c, 5, 0.22),
  smoke: (c) => { for (let i = 0; i < 14; i++) { c.save(); c.translate(Math.cos(i * 2.4) * 0.05 * i / 1.6, Math.sin(i * 2.4) * 0.05 * i / 1.6); c.scale(0.5, 0.5); fade(c, [[0, 0.25], [1, 0]]); c.restore(); } },
  dot: (c) => disc(c, 0.9),
  ring: (c) => { c.lineWidth = 0.14; c.beginPath(); c.arc(0, 0, 0.85, 0, 7); c.stroke(); },
  cross: (c) => { c.fillRect(-0.25, -0.85, 0.5, 1.7); c.fillRect(-0.85, -0.25, 1.7, 0.5); },
  arrow: (c) => { c.beginPath(); for (const p of [[0, 0.9], [0.7, -0.1], [0.28, -0.1], [0.28, -0.9], [-0.28, -0.9], [-0.28, -0.1], [-0.7, -0.1]]) c.lineTo(p[0], -p[1]); c.fill(); },
};

function fade(c, stops) {
  const g = c.createRadialGradient(0, 0, 0, 0, 0, 1);
  for (const [where, alpha] of stops) g.addColorStop(where, `rgb(255 255 255 / ${alpha})`);
  c.fillStyle = g;
  c.fillRect(-1, -1, 2, 2);
  c.fillStyle = "#fff";
}

function disc(c, r) { c.beginPath(); c.arc(0, 0, r, 0, 7); c.fill(); }

function rays(c, n, inner) {
  c.beginPath();
  for (let i = 0; i < 2 * n; i++) {
    const r = i % 2 ? inner * 1.7 : 0.95, a = Math.PI * i / n;
    c.lineTo(Math.sin(a) * r, -Math.cos(a) * r);
  }
  c.fill();
}

export class Signs {
  constructor(scene) {
    this.canvas = document.createElement("canvas");
    this.canvas.width = width;
    this.canvas.height = height;
    this.draw = this.canvas.getContext("2d", { willReadFrequently: true }); // it is only read, by the texture
    this.texture = new CanvasTexture(this.canvas);
    this.texture.colorSpace = SRGBColorSpace;
    this.texture.generateMipmaps = false;
    this.texture.minFilter = this.texture.magFilter;
    this.images = {};
    Object.keys(pictures).forEach((name, i) => {
      const c = this.draw;
      c.save();
      c.beginPath();
      c.rect(i * picture, 0, picture, picture);
      c.clip();
      c.translate((i + 0.5) * picture, picture / 2);
      c.scale(picture / 2, picture / 2);
      c.fillStyle = c.strokeStyle = "#fff";
      pictures[name](c);
      c.restore();
      this.images[name] = [i * picture / width, 1 - picture / height, picture / width, picture / height];
    });
    this.labels = new Map(); // by text: {place, cell, ratio, used}
    this.frame = 0;
    this.sheets = { label: new Sheet(scene, this.texture, NormalBlending), sprite: new Sheet(scene, this.texture, AdditiveBlending) };
  }

  // add draws a label or a sprite of a thing with the matrix base.
  add(e, base, k, time, camera, color) {
    const label = e.kind === "label" ? this.label(e.text) : null, cell = label ? label.cell : this.images[e.image];
    if (!cell) return;
    at.set(...e.at);
    at.z += e.bob * Math.sin(time * 2 + k.id);
    at.applyMatrix4(base);
    if (e.fixed) turn.setFromRotationMatrix(base).multiply(e.turn).multiply(upright);
    else turn.copy(camera.quaternion);
    if (e.spin) turn.multiply(spin.setFromAxisAngle(z, time * e.spin * degrees));
    this.sheets[e.kind].add(made.compose(at, turn, size.set(e.size * (label?.ratio ?? 1), e.size, 1)), color, cell);
  }

  // label returns where the text is in the texture. The text that has not been drawn for longest gives up its place.
  label(text) {
    let l = this.labels.get(text);
    if (!l) {
      let place = this.labels.size;
      if (place === labels) {
        const [oldest, was] = [...this.labels].reduce((a, b) => a[1].used < b[1].used ? a : b);
        if (was.used === this.frame) return null;
        this.labels.delete(oldest);
        place = was.place;
      }
      this.labels.set(text, l = this.write(text, place));
    }
    l.used = this.frame;
    return l;
  }

  write(text, place) {
    const c = this.draw, x = place % 2 * lineWidth, y = picture + Math.floor(place / 2) * lineHeight, pad = 8;
    c.clearRect(x, y, lineWidth, lineHeight);
    c.font = "700 46px system-ui, sans-serif";
    const w = Math.min(Math.max(c.measureText(text).width, 1), lineWidth - 2 * pad);
    c.textBaseline = "middle";
    c.lineWidth = 6;
    c.strokeStyle = "rgb(0 0 0 / .7)";
    c.fillStyle = "#fff";
    c.strokeText(text, x + pad, y + lineHeight / 2, w);
    c.fillText(text, x + pad, y + lineHeight / 2, w);
    this.texture.needsUpdate = true;
    return { place, used: 0, ratio: (w + 2 * pad) / lineHeight, cell: [x / width, 1 - (y + lineHeight) / height, (w + 2 * pad) / width, lineHeight / height] };
  }

  end() {
    this.frame++;
    this.sheets.label.end();
    this.sheets.sprite.end();
  }
}

// A Sheet draws squares, each with a part of the texture.
class Sheet {
  constructor(scene, texture, blending) {
    const geometry = new PlaneGeometry(1, 1), material = new MeshBasicMaterial({ map: texture, transparent: true, depthWrite: false, blending });
    this.cell = new InstancedBufferAttribute(new Float32Array(4 * most), 4);
    this.cell.setUsage(DynamicDrawUsage);
    geometry.setAttribute("cell", this.cell);
    material.onBeforeCompile = (shader) => {
      shader.vertexShader = shader.vertexShader.replace("#include <common>", "#include <common>\nattribute vec4 cell;")
        .replace("#include <uv_vertex>", "#include <uv_vertex>\nvMapUv = cell.xy + uv * cell.zw;");
    };
    this.batch = new Batch(scene, geometry, material, false);
  }

  add(matrix, color, cell) {
    if (this.batch.count === most) return;
    this.cell.set(cell, 4 * this.batch.add(matrix, color));
  }

  end() {
    if (this.batch.count > 0) this.cell.needsUpdate = true;
    this.batch.end();
  }
}
