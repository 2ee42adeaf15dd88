// Forces as arrows of the 3-D view. Dragging the free end rotates an arrow, and with Shift also
// changes its length. The result is an edit of the job.
// @ts-check
import {round} from './dom.js';
import {allRoles, edit, scan, showMessage} from './store.js';
import {
  camera,
  dragged,
  hasViews,
  projected,
  redrawSurface,
  shownArrows,
  unprojected,
} from './views.js';

const REACH = 16; // CSS pixels from the end of an arrow
const flip = (/** @type {number[]} */ v) => [v[2], v[1], v[0]];

/** Return the arrow with its free end near a position of the page. @param {number} x @param {number} y */
const arrowAt = (x, y) => {
  let best = null,
    nearest = REACH;
  for (const a of shownArrows()) {
    if (a.force === undefined) continue;
    const [px, py] = projected(a.free),
      away = Math.hypot(px - x, py - y);
    if (away < nearest) {
      nearest = away;
      best = a;
    }
  }
  return best;
};

/**
 * Path of the force in the job: the n-th on its set, in its case.
 * @param {{on: string, of: number, nth: number}} force
 */
const roleOf = (force) =>
  allRoles().filter(
    (r) => r.kind === 'force' && r.entry.on === force.on && (r.of === null || r.of === force.of),
  )[force.nth];

const digits = (/** @type {number} */ v) => +v.toPrecision(4);
/**
 * Return the force given by an arrow from its point to a free end.
 * @param {any} arrow
 * @param {number[]} free
 * @param {boolean} scales
 * @returns {any[]} operations
 */
const operationsOf = (arrow, free, scales) => {
  const role = roleOf(arrow.force),
    entry = role?.entry;
  if (!entry) return [];
  const away = free.map((v, i) => v - arrow.point[i]),
    length = Math.hypot(...away) || 1,
    ratio = scales ? length / arrow.length : 1;
  if (entry.toward_mm) {
    const end = flip(free).map((v, i) => digits(v + scan.value.origin_mm[i]));
    return [{op: 'set', path: [...role.path, 'toward_mm'], value: end}];
  }
  if (!entry.force_N) return [];
  const strength = Math.hypot(...entry.force_N) * ratio,
    sign = arrow.pulls ? 1 : -1;
  return [
    {
      op: 'set',
      path: [...role.path, 'force_N'],
      value: flip(away).map((v) => digits((sign * strength * v) / length) + 0),
    },
  ];
};

/** @param {HTMLElement} figure around the canvas of the 3-D view */
export const dragArrows = (figure) => {
  let arrow = /** @type {any} */ (null);
  figure.addEventListener(
    'pointerdown',
    (e) => {
      if (e.button || !hasViews() || !camera()) return;
      arrow = arrowAt(e.clientX, e.clientY);
      if (!arrow) return;
      e.stopPropagation();
      e.preventDefault();
      dragged.value = {name: arrow.name, free: arrow.free};
    },
    {capture: true},
  );
  const moved = (/** @type {PointerEvent} */ e) => {
    const place = unprojected(e.clientX, e.clientY, arrow.free),
      away = place.map((/** @type {number} */ v, /** @type {number} */ i) => v - arrow.point[i]),
      length = Math.hypot(...away) || 1;
    return e.shiftKey
      ? place
      : away.map(
          (/** @type {number} */ v, /** @type {number} */ i) =>
            arrow.point[i] + (v / length) * arrow.length,
        );
  };
  addEventListener('pointermove', (e) => {
    if (arrow) {
      dragged.value = {name: arrow.name, free: moved(e)};
      redrawSurface();
      return;
    }
    if (e.target instanceof HTMLElement && e.target.closest('.three') === figure && camera())
      figure.classList.toggle('on-arrow', arrowAt(e.clientX, e.clientY) !== null);
  });
  addEventListener('pointerup', (e) => {
    if (!arrow) return;
    const free = moved(e),
      operations = operationsOf(arrow, free, e.shiftKey),
      {force} = arrow;
    arrow = null;
    if (!operations.length) {
      dragged.value = null;
      redrawSurface();
      return;
    }
    const [{value}] = operations;
    showMessage(
      `the force on ${force.on}: ${value.map((/** @type {number} */ v) => round(v, 4)).join(', ')}`,
    );
    edit(operations); // the dragged arrow remains until the check has computed the new one
  });
  addEventListener('pointercancel', () => {
    arrow = null;
    dragged.value = null;
  });
};
