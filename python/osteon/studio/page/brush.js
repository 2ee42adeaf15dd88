// The brush. A drag over the surface or in a slice is a stroke, and the points of the stroke become
// a set of the job.
// @ts-check
import {cursor, meetBelow, placeOf} from './views.js';

/**
 * @typedef {{points: number[][], normal: number[]}} Stroke of points in mm, z, y, x, and the
 * outward
 *   normal at the first one
 */

const NEAR = 0.3; // of the radius: points closer than that to the previous one are skipped
const MOST = 400;

/**
 * Reduce a stroke to the points that its radius requires.
 * @param {number[][]} points
 * @param {number} radius
 */
export const thinned = (points, radius) => {
  const kept = points.slice(0, 1);
  for (const p of points) {
    const before = kept[kept.length - 1];
    if (Math.hypot(...p.map((v, i) => v - before[i])) >= NEAR * radius) kept.push(p);
  }
  const every = Math.ceil(kept.length / MOST);
  return kept.filter((_, n) => n % every === 0);
};

/** Strokes on the 3-D view, which then does not turn. @param {HTMLElement} figure around the canvas
 * @param {() => boolean} isOn @param {(stroke: Stroke) => void} take */
export const strokesOnSurface = (figure, isOn, take) => {
  let stroke = /** @type {Stroke | null} */ (null),
    waits = /** @type {Promise<void>} */ (Promise.resolve()),
    isAsked = false;
  // A position is requested after the answer to the previous request. The last position is always
  // requested.
  const add = (/** @type {PointerEvent} */ e, isLast = false) => {
    if (isAsked && !isLast) return;
    isAsked = true;
    waits = waits
      .then(() => meetBelow(e.clientX, e.clientY))
      .then((hit) => {
        if (!hit || !stroke) return;
        if (!stroke.points.length) stroke.normal = hit.normal;
        stroke.points.push(placeOf(hit.voxel));
      })
      .catch(() => undefined)
      .finally(() => {
        isAsked = false;
      });
  };
  figure.addEventListener(
    'pointerdown',
    (e) => {
      if (e.button || !isOn()) return;
      e.stopPropagation();
      /** @type {HTMLElement} */ (e.target).focus({preventScroll: true});
      stroke = {points: [], normal: [1, 0, 0]};
      add(e);
    },
    {capture: true},
  );
  addEventListener('pointermove', (e) => {
    if (stroke) add(e);
  });
  addEventListener('pointerup', async (e) => {
    if (!stroke) return;
    add(e, true);
    await waits;
    const done = stroke;
    stroke = null;
    take(done);
  });
  addEventListener('pointercancel', () => {
    stroke = null;
  });
};

/**
 * Strokes in a slice, which move the cursor.
 * @param {HTMLElement} canvas
 * @param {() => boolean} isOn
 * @param {(stroke: Stroke) => void} take
 */
export const strokesInSlice = (canvas, isOn, take) => {
  let stroke = /** @type {Stroke | null} */ (null);
  canvas.addEventListener('pointerdown', (e) => {
    stroke = e.button || !isOn() ? null : {points: [placeOf(cursor.value)], normal: [1, 0, 0]};
  });
  canvas.addEventListener('pointermove', () => {
    if (stroke) stroke.points.push(placeOf(cursor.value));
  });
  canvas.addEventListener('pointerup', () => {
    if (stroke) take(stroke);
    stroke = null;
  });
  canvas.addEventListener('pointercancel', () => {
    stroke = null;
  });
};
