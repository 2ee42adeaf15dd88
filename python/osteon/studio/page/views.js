// The scan in linked slices and in three dimensions: the report's viewer with data from the server.
// Slices are exact; the 3-D view shows a level that fits the graphics card. The threshold is a
// uniform of the shader and one pass over each slice, so that no texture changes during a drag of
// the threshold.
// @ts-check
// @ts-ignore (the report's modules, merged by the server)
import {AXES, slicesOf, surfaceOf} from '../viewer.js';
import {bytes, post} from './api.js';
import {round, signal} from './dom.js';
import {
  PALETTE,
  allRoles,
  at,
  checked,
  colourOf,
  data,
  histogram,
  job,
  numberOf,
  scan,
  spacing,
  threshold,
  thresholdOfJob,
} from './store.js';

const root = /** @type {HTMLElement} */ (document.getElementById('views'));
const MOST_CACHED = 64e6; // bytes of slices
// Slices with more pixels are subsampled while the threshold is dragged.
const COARSE_DRAG = 400 * 400;
// Slices with more pixels have their outline drawn as pixels instead of lines.
const FINE_OUTLINE = 300 * 300;
const OUTLINE = [255, 168, 48],
  IVORY = [236, 227, 208];
const AXIS_OF = ['x', 'y', 'z'];

export const cursor = signal(/** @type {number[]} */ ([0, 0, 0])); // voxel z, y, x
export const lastHit = signal(/** @type {any} */ (null)); // hit of the last click
/**
 * The dragged arrow, and its free end in mm from the low corner, x, y, z.
 */
export const dragged = signal(/** @type {{name: string, free: number[]} | null} */ (null));
export const counts = {slices: 0, frames: 0};

let viewer = /** @type {any} */ (null),
  surface = /** @type {any} */ (null),
  level = /** @type {any} */ (null),
  slices = /** @type {any} */ (null);

// Received slices, with the least recently used slice first. A slice in transfer is a promise.
const cache = new Map();
let held = 0;
/** @param {string} key @param {string} path */
const fetched = (key, path) => {
  const known = cache.get(key);
  if (known) {
    cache.delete(key);
    cache.set(key, known);
    return known.data;
  }
  const entry = {data: /** @type {any} */ (null), size: 0};
  cache.set(key, entry);
  bytes(path)
    .then(({data}) => {
      entry.data = data;
      entry.size = data.byteLength;
      held += entry.size;
      while (held > MOST_CACHED && cache.size > 6) {
        const [first, oldest] = /** @type {[string, any]} */ (cache.entries().next().value);
        if (first === key) break;
        cache.delete(first);
        held -= oldest.size;
      }
      redraw('slices');
    })
    .catch(() => cache.delete(key));
  return null;
};
const forget = (/** @type {string} */ prefix) => {
  for (const [key, entry] of [...cache])
    if (key.startsWith(prefix)) {
      cache.delete(key);
      held -= entry.size;
    }
};

// ---- slices

/** Table of solid codes, and of their colours. Rebuilt when the threshold moves. */
let table = {key: '', solid: new Uint8Array(0), colour: new Uint32Array(0)};
const tableOf = () => {
  const {codes} = scan.value,
    segment = data().segment || {},
    n = codes.bytes === 1 ? 256 : 65536;
  const voids = segment.labels === true ? segment.void_labels || [0] : null,
    upper = segment.upper;
  const key = `${scan.value.source} ${voids} ${voids ? '' : threshold.value} ${upper} ${histogram.value?.low}`;
  if (table.key === key) return table;
  const solid = new Uint8Array(n),
    colour = new Uint32Array(n);
  const [low, high] = windowOf();
  for (let c = 0; c < n; c++) {
    const grey = codes.low + codes.step * c;
    const is = voids
      ? !voids.includes(Math.round(grey))
      : grey > threshold.value && (typeof upper !== 'number' || grey <= upper);
    solid[c] = is ? 1 : 0;
    if (voids) {
      const [r, g, b] = is
        ? PALETTE[Math.round(grey) % PALETTE.length].map((v) => v * 0.55 + 90)
        : [16, 18, 22];
      colour[c] = 0xff000000 | (b << 16) | (g << 8) | r;
      continue;
    }
    const v = Math.max(0, Math.min(1, (grey - low) / (high - low || 1))) * 255;
    const [r, g, b] = is
      ? [v * 0.86 + 34, v * 0.82 + 28, v * 0.74 + 20]
      : [v * 0.8, v * 0.84, v * 0.9];
    colour[c] = 0xff000000 | ((b & 255) << 16) | ((g & 255) << 8) | (r & 255);
  }
  table = {key, solid, colour};
  return table;
};
/** Grey values from black to white, without the outermost thousandth. */
export const windowOf = () => {
  // Before all voxels have been counted.
  if (!histogram.value) return [scan.value.grey_min, scan.value.grey_max];
  const {counts: all, low, width} = histogram.value;
  const total = all.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
  let first = 0,
    last = all.length - 1;
  for (let sum = 0; first < last && (sum += all[first]) < total / 1000;) first++;
  for (let sum = 0; last > first && (sum += all[last]) < total / 1000;) last--;
  return [low + first * width, low + (last + 1) * width];
};

/**
 * Paint every second or third voxel, while the threshold is dragged.
 * @param {Uint8Array | Uint16Array} codes
 * @param {number} w
 * @param {number} h
 */
const coarse = (codes, w, h) => {
  const step = Math.ceil(Math.sqrt((w * h) / COARSE_DRAG)),
    W = Math.floor(w / step),
    H = Math.floor(h / step);
  const {colour} = tableOf(),
    image = new ImageData(W, H),
    pixels = new Uint32Array(image.data.buffer);
  for (let j = 0; j < H; j++)
    for (let i = 0, q = j * step * w, to = (H - 1 - j) * W; i < W; i++, q += step)
      pixels[to + i] = colour[codes[q]];
  counts.slices++;
  return {image, outline: null};
};

/** @param {number[]} plane column axis, row axis, axis across: of x, y, z */
const paint = (plane) => {
  const [a, b, n] = plane,
    axis = 2 - n,
    w = viewer.shape[a],
    h = viewer.shape[b],
    place = viewer.at[n];
  const raw = fetched(`slice/${axis}/${place}`, `slice/${axis}/${place}`);
  if (!raw) return null;
  const codes = scan.value.codes.bytes === 1 ? new Uint8Array(raw) : new Uint16Array(raw);
  const stamp = checked.value?.loads ? checked.value.digest : '';
  const marks = stamp && fetched(`sets/${stamp}/${axis}/${place}`, `sets/slice/${axis}/${place}`);
  const sets = marks ? new Uint8Array(marks) : null;
  if (w * h > COARSE_DRAG && threshold.value !== thresholdOfJob()) return coarse(codes, w, h);
  const {solid, colour} = tableOf(),
    image = new ImageData(w, h),
    pixels = new Uint32Array(image.data.buffer),
    isFine = w * h <= FINE_OUTLINE;
  const outline = isFine ? new Path2D() : null,
    edge = 0xff000000 | (OUTLINE[2] << 16) | (OUTLINE[1] << 8) | OUTLINE[0];
  const tints = viewer.palette.map(
    (/** @type {number[]} */ c) => c && 0xff000000 | (c[2] << 16) | (c[1] << 8) | c[0],
  );
  for (let j = 0, q = 0; j < h; j++) {
    const row = (h - 1 - j) * w;
    for (let i = 0; i < w; i++, q++) {
      const c = codes[q],
        is = solid[c];
      let pixel = colour[c];
      if (sets && sets[q] && tints[sets[q]]) {
        const t = tints[sets[q]];
        pixel =
          0xff000000 |
          (mixed((pixel >> 16) & 255, (t >> 16) & 255) << 16) |
          (mixed((pixel >> 8) & 255, (t >> 8) & 255) << 8) |
          mixed(pixel & 255, t & 255);
      } else if (
        !isFine &&
        is &&
        ((i && !solid[codes[q - 1]]) ||
          (i + 1 < w && !solid[codes[q + 1]]) ||
          (j && !solid[codes[q - w]]) ||
          (j + 1 < h && !solid[codes[q + w]]))
      )
        pixel = edge;
      pixels[row + i] = pixel;
      if (!outline) continue;
      if (i && is !== solid[codes[q - 1]]) {
        outline.moveTo(i, h - j - 1);
        outline.lineTo(i, h - j);
      }
      if (j && is !== solid[codes[q - w]]) {
        outline.moveTo(i, h - j);
        outline.lineTo(i + 1, h - j);
      }
    }
  }
  counts.slices++;
  return {image, outline};
};
const mixed = (/** @type {number} */ a, /** @type {number} */ b) => (a + (b - a) * 0.7) | 0;

// ---- arrows: from the forces as resolved by the program, in mm from the low corner, x, y, z

const arrowsOf = () => {
  const loads = checked.value?.loads;
  if (!loads || !viewer) return [];
  const size = viewer.shape.map(
      (/** @type {number} */ n, /** @type {number} */ i) => n * viewer.spacing[i],
    ),
    longest = Math.max(...size);
  const flip = (/** @type {number[]} */ v) => [v[2], v[1], v[0]],
    origin = flip(scan.value.origin_mm),
    found = [];
  const forces = loads.cases.flatMap((/** @type {any} */ c, /** @type {number} */ n) =>
    c.forces.map((/** @type {any} */ f, /** @type {number} */ i) => ({
      ...f,
      of: n,
      nth: c.forces.slice(0, i).filter((/** @type {any} */ other) => other.on === f.on).length,
    })),
  );
  const largest = Math.max(
    ...forces.map((/** @type {any} */ f) => Math.hypot(...f.force_N)),
    1e-300,
  );
  for (const f of forces) {
    const vector = flip(f.force_N),
      strength = Math.hypot(...vector);
    if (!(strength > 0) || f.kind === 'weight') continue;
    const point = flip(f.point_mm).map((v, i) => v - origin[i]),
      away = vector.map((v) => v / strength);
    const length = Math.max((0.3 * longest * strength) / largest, 0.08 * longest);
    const pulls = away.reduce((s, v, i) => s + v * (point[i] - size[i] / 2), 0) > 0;
    const name = `${f.of} ${f.on} ${f.nth}`,
      far =
        dragged.value?.name === name
          ? dragged.value.free
          : point.map((v, i) => v + (pulls ? 1 : -1) * away[i] * length);
    found.push({
      from: pulls ? point : far,
      to: pulls ? far : point,
      colour: colourOf(f.on),
      label: `${f.on} ${round(strength, 3)} N`,
      name,
      point,
      free: far,
      pulls,
      length,
      force: {on: f.on, of: f.of, nth: f.nth},
    });
  }
  const sets = new Map(loads.sets.map((/** @type {any} */ s) => [s.number, s]));
  for (const c of loads.cases)
    for (const s of c.supports) {
      const vector = flip(s.displacement_mm),
        strength = Math.hypot(...vector),
        on = /** @type {any} */ (sets.get(s.set));
      if (!(strength > 0) || !on?.centroid_mm) continue;
      const point = flip(on.centroid_mm).map((v, i) => v - origin[i]),
        away = vector.map((v) => v / strength),
        length = 0.18 * longest;
      const outward = away.reduce((t, v, i) => t + v * (point[i] - size[i] / 2), 0) > 0;
      const far = point.map((v, i) => v + (outward ? 1 : -1) * away[i] * length);
      found.push({
        from: outward ? point : far,
        to: outward ? far : point,
        colour: colourOf(s.on),
        label: `${round(strength, 3)} mm`,
      });
    }
  return found.slice(0, 40);
};

// ---- the viewers: of slices, and of the level; shared properties are those of the first one

const paletteOf = () => {
  const palette = [];
  for (const s of checked.value?.loads?.sets || [])
    if (s.number) palette[s.number] = colourOf(s.name);
  return palette;
};

let waiting = 0,
  part3d = '';
/** @param {'cursor' | 'slices' | 'threshold' | 'view'} part */
export const redraw = (part) => {
  if (part === 'threshold' || part === 'view') part3d = part3d === 'view' ? 'view' : part;
  if (waiting || !viewer) return;
  waiting = requestAnimationFrame(() => {
    waiting = 0;
    slices.draw();
    if (surface && part3d) {
      surface.refresh(part3d === 'threshold');
      counts.frames++;
    }
    part3d = '';
  });
};

/** Create the views of the open scan. */
export const show = async () => {
  const s = scan.value,
    shape = [...s.shape].reverse();
  cache.clear();
  held = 0;
  const edges = [...spacing()].reverse();
  viewer = {
    root,
    shape,
    spacing: edges,
    origin: [...s.origin_mm].reverse(),
    description: {letters: s.letters},
    count: 0,
    palette: paletteOf(),
    at: [...cursor.value].reverse(),
    paint,
    outline: true,
    showsSets: true,
    showsPeak: false,
    opacity: 1,
    cut: 0,
    mode: 0,
    volumes: {},
    lut: new Uint8Array(1024),
    field: () => null,
    arrows: arrowsOf,
    one: (/** @type {string} */ q) => root.querySelector(q),
    all: (/** @type {string} */ q) => root.querySelectorAll(q),
    stage: () =>
      (getComputedStyle(root).getPropertyValue('--stage').match(/\d+/g) || []).map((v) => +v / 255),
    moveTo: (/** @type {number} */ axis, /** @type {number} */ place) => {
      viewer.at[axis] = Math.max(0, Math.min(shape[axis] - 1, place));
    },
    changed: () => {
      cursor.value = [...viewer.at].reverse();
      redraw('cursor');
    },
  };
  viewer.current = () => ({field: null, scan: null, sets: null});
  if (cursor.value.some((v, i) => v >= s.shape[i]) || cursor.value.every((v) => v === 0))
    cursor.value = s.shape.map((/** @type {number} */ n) => n >> 1);
  viewer.at = [...cursor.value].reverse();
  for (const c of root.querySelectorAll('.slice canvas, .slice input'))
    c.replaceWith(c.cloneNode(true)); // without the listeners of the previous scan
  root.hidden = false;
  slices = slicesOf(viewer);
  root.dispatchEvent(new Event('made'));
  slices.draw();
  await show3d();
};

let requests = 0;
/** Load the level for the 3-D view, and create the view. */
const show3d = async () => {
  const request = ++requests,
    coarse = /** @type {HTMLElement} */ (document.getElementById('coarse'));
  coarse.textContent = 'loading the 3-D view ...';
  const {data: codes, headers} = await bytes('level');
  if (request !== requests) return;
  const shape = (headers.get('X-Shape') || '').split(',').map(Number).reverse(),
    factor = Number(headers.get('X-Factor'));
  level = {shape, factor, low: Number(headers.get('X-Low')), step: Number(headers.get('X-Step'))};
  const own = Object.create(
    viewer,
    Object.fromEntries(
      Object.entries({
        shape,
        spacing: viewer.spacing.map((/** @type {number} */ v) => v * factor),
        solid: new Uint8Array(codes),
        count: shape.reduce((a, b) => a * b),
        stride: [1, shape[0], shape[0] * shape[1]],
        volumes: {sets: new Uint8Array(shape.reduce((a, b) => a * b))},
        live: () =>
          data().segment?.labels === true
            ? 0.5
            : Math.max(
                0.002,
                Math.min(0.998, ((threshold.value - level.low) / level.step + 0.5) / 255),
              ),
        resetCamera() {
          own.azimuth = -60;
          own.elevation = 22;
          own.zoom = own.firstZoom ?? 1;
        },
        description: {
          letters: scan.value.letters,
          arrows: [],
          camera: {is_left_handed: scan.value.is_left_handed},
        },
      }).map(([key, value]) => [
        key,
        {value, writable: true, enumerable: true, configurable: true},
      ]),
    ),
  );
  own.resetCamera();
  const before = surface;
  if (before) own.was = before.own;
  for (const c of root.querySelectorAll('.three canvas')) c.replaceWith(c.cloneNode(true));
  root.classList.remove('nogl');
  surface = null;
  try {
    surface = surfaceOf(own);
  } catch (e) {
    root.classList.add('nogl');
    console.warn(`no 3-D view: ${/** @type {any} */ (e).message}`);
  }
  if (surface) surface.own = own;
  if (surface && before?.own) {
    for (const key of ['azimuth', 'elevation', 'zoom']) own[key] = before.own[key];
    surface.refresh(false);
  }
  coarse.textContent =
    factor > 1 ? `coarse view: blocks of ${factor}³ voxels; slices and picks are exact` : '';
  root.dispatchEvent(new Event('made3d'));
  await showSets();
  root.dataset.ready = 'yes';
};

/** Show the sets found by the last check. */
export const showSets = async () => {
  if (!viewer) return;
  dragged.value = null;
  viewer.palette = paletteOf();
  forget('sets/');
  if (surface) {
    surface.own.palette = viewer.palette;
    if (checked.value?.loads) {
      const {data: marks} = await bytes('sets/level');
      if (marks.byteLength === surface.own.count) surface.own.volumes.sets = new Uint8Array(marks);
    } else surface.own.volumes.sets = new Uint8Array(surface.own.count);
    surface.setsChanged();
  }
  redraw('view');
};

/** Move the cursor to a voxel. @param {number[]} voxel z, y, x */
export const goTo = (voxel) => {
  if (viewer) {
    voxel.forEach((v, i) => viewer.moveTo(2 - i, v));
    viewer.changed();
  }
};
/** The visible arrows: points in mm from the low corner, x, y, z. @returns {any[]} */
export const shownArrows = () => arrowsOf();
/** Return the position of a point on the page. @param {number[]} point */
export const projected = (point) => surface.place(point);
/**
 * Return the point below a position of the page at the depth of another point.
 * @param {number} x
 * @param {number} y
 * @param {number[]} like
 */
export const unprojected = (x, y, like) => {
  const {from, along} = surface.ray(x, y),
    ahead = surface.ahead(),
    dot = (/** @type {number[]} */ a, /** @type {number[]} */ b) =>
      a.reduce((sum, v, i) => sum + v * b[i], 0);
  const t =
    dot(
      like.map((v, i) => v - from[i]),
      ahead,
    ) / dot(along, ahead);
  return from.map((/** @type {number} */ v, /** @type {number} */ i) => v + t * along[i]);
};
export const hasViews = () => viewer !== null;
export const redrawSurface = () => redraw('view');
export const showAgain = () => viewer && show();
/** State of the 3-D view, for automated browsers. */
export const camera = () => surface?.own;

// ---- hits below a position of the page

const castRay = async (/** @type {number[]} */ begin, /** @type {number[]} */ end) => {
  const segment = data().segment || {},
    isLabels = segment.labels === true;
  const {hit} = await post('meet', {
    begin,
    end,
    threshold: isLabels ? 0 : threshold.value,
    upper: typeof segment.upper === 'number' ? segment.upper : null,
  });
  lastHit.value = hit;
  if (hit) {
    viewer.at = [...hit.voxel].reverse();
    viewer.changed();
  }
  return hit;
};
/** Hit in the 3-D view. @param {number} x @param {number} y in CSS pixels of the page */
export const meetBelow = async (x, y) => {
  if (!surface) return null;
  const {from, along, far} = surface.ray(x, y),
    length = Math.hypot(...along);
  const end = from.map(
    (/** @type {number} */ v, /** @type {number} */ i) => v + (along[i] / length) * far,
  );
  const inVoxels = (/** @type {number[]} */ p) => p.map((v, i) => v / viewer.spacing[i]).reverse();
  return castRay(inVoxels(from), inVoxels(end));
};
/** Hit at the cursor, if there is solid. */
export const meetCursor = async () => {
  const begin = cursor.value.map((v) => v + 0.5);
  return castRay(
    begin,
    begin.map((v) => v + 1e-6),
  );
};

/** Centre of a voxel in mm, z, y, x, in coordinates of the job. @param {number[]} voxel */
export const placeOf = (voxel) =>
  voxel.map((v, i) => {
    const h = spacing()[i];
    return +(scan.value.origin_mm[i] + (v + 0.5) * h).toPrecision(7);
  });
export {AXIS_OF, AXES, IVORY, allRoles, at, job, numberOf};
