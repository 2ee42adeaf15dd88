// The tools. A click selects a face, a plane, a box or a disc of the solid, and can also add a
// support or a push. Each click is an edit of the job file; the program selects the nodes.
// @ts-check
import {h, round, signal} from './dom.js';
import {dragArrows} from './arrows.js';
import {strokesInSlice, strokesOnSurface, thinned} from './brush.js';
import {conditionOperations, isMechanical, physics, rolesOfPhysics} from './conditions.js';
import {
  allRoles,
  at,
  data,
  edit,
  inCase,
  job,
  showMessage,
  scan,
  setNames,
  spacing,
} from './store.js';
import {cursor, meetBelow, meetCursor, placeOf} from './views.js';

const root = /** @type {HTMLElement} */ (document.getElementById('views'));
export const SHAPES = [
  ['look', 'Look', 'l'],
  ['face', 'Face', 'f'],
  ['plane', 'Plane', 'p'],
  ['box', 'Box', 'b'],
  ['disc', 'Disc', 'd'],
  ['brush', 'Brush', 's'],
];
const ROLES = [
  ['set', 'Set only', 'n'],
  ['hold', 'Hold', 'h'],
  ['push', 'Push', 'u'],
];
/** Actions for a place, in the physics of the job. */
const roles = () => (isMechanical() ? ROLES : rolesOfPhysics());
/**
 * Conditions of heat apply to whole faces of the image, those of flow also to discs and boxes of
 * a face.
 */
const shapes = () =>
  isMechanical()
    ? SHAPES
    : SHAPES.filter(([name]) =>
        physics() === 'heat' ? /look|face/.test(name) : !/plane|brush/.test(name),
      );
const FIRST_FORCE_N = 100;
const HINTS = {
  look: 'click: move the cursor',
  face: 'click: the nearest face of the image, or of the box around the solid',
  plane: 'click: the plane through the point, normal to the nearest axis',
  box: 'click: a box around the point',
  disc: 'click: a disc on the surface',
  brush:
    'drag over the solid or in a slice: a stroke; strokes are joined until the tool is selected again',
};

export const shape = signal('look'),
  role = signal('hold'),
  chosen = signal('');
export const extent = signal(0); // radius of a disc, half the edge of a box, in mm

/** A length that suits the scan: a twelfth of its shortest edge, with few digits. */
export const suitExtent = () => {
  if (extent.value) return;
  const edges = scan.value.shape.map(
    (/** @type {number} */ n, /** @type {number} */ i) => n * spacing()[i],
  );
  extent.value = round(Math.max(Math.min(...edges) / 12, 1.5 * Math.max(...spacing())), 2);
};

const fresh = (/** @type {string} */ stem) => {
  const known = new Set(setNames());
  for (let n = 1; ; n++) if (!known.has(`${stem}_${n}`)) return `${stem}_${n}`;
};
const mm = (/** @type {number} */ v) => +v.toPrecision(6);
const largest = (/** @type {number[]} */ v) =>
  v.map(Math.abs).indexOf(Math.max(...v.map(Math.abs)));

/**
 * Return the set for a hit: its name, and the table to add, if it is new.
 * @param {string} kind
 * @param {any} hit
 */
const meant = (kind, hit) => {
  const centre = placeOf(hit.voxel),
    across = hit.face ? 'zyx'.indexOf(hit.face[0]) : largest(hit.normal);
  const r = extent.value,
    thick = mm(4 * Math.max(...spacing()));
  if (kind === 'face') {
    const low = hit.face ? hit.face[1] === '-' : hit.normal[across] < 0,
      face = `${'zyx'[across]}_${low ? 'low' : 'high'}`;
    const isCut = hit.voxel[across] === (low ? 0 : scan.value.shape[across] - 1);
    // The faces of the image are predefined sets.
    if (isCut) return {name: face, outward: unit(across, low ? -1 : 1)};
    return {
      name: fresh('face'),
      outward: unit(across, low ? -1 : 1),
      table: {select: 'face', face, of: 'solid'},
    };
  }
  if (kind === 'plane')
    return {
      name: fresh('plane'),
      outward: hit.normal,
      table: {select: 'plane', axis: 'zyx'[across], at_mm: mm(centre[across])},
    };
  if (kind === 'box')
    return {
      name: fresh('box'),
      outward: hit.normal,
      table: {
        select: 'box',
        low_mm: centre.map((v) => mm(v - r)),
        high_mm: centre.map((v) => mm(v + r)),
      },
    };
  return {
    name: fresh('disc'),
    outward: hit.normal,
    table: {
      select: 'disk',
      centre_mm: centre.map(mm),
      normal: direction(hit),
      radius_mm: mm(r),
      thickness_mm: thick,
      surface: true,
    },
  };
};
const unit = (/** @type {number} */ axis, /** @type {number} */ sign) =>
  [0, 1, 2].map((a) => (a === axis ? sign : 0));
// Inside the solid, the grey values define no direction. The direction of the face is then used.
const direction = (/** @type {any} */ hit) => {
  if (hit.normal.some((/** @type {number} */ v) => v !== 0))
    return hit.normal.map((/** @type {number} */ v) => +v.toFixed(3));
  return hit.face ? unit('zyx'.indexOf(hit.face[0]), hit.face[1] === '-' ? -1 : 1) : [1, 0, 0];
};

/** Return the path of supports or forces in the selected case. @param {string} kind */
export const pathOfRoles = (kind) =>
  inCase.value === null ? [kind] : ['case', inCase.value, kind];

const OF_STANDARD_TESTS = [
  'strain',
  'displacement_mm',
  'force_N',
  'direction',
  'bonded',
  'angle_deg',
  'moment_N_mm',
  'about_mm',
];
/** Prepare a job for free loads: a standard test is replaced. */
const freeLoads = () => {
  // Each case has a test of its own.
  if (inCase.value === null && Array.isArray(data().case)) return [];
  const path = inCase.value === null ? ['load'] : ['case', inCase.value],
    load = at(path) || {};
  const test =
    load.test ??
    (allRoles().some((r) => r.kind === 'support' && (r.of === null || r.of === inCase.value))
      ? 'custom'
      : 'axial_bonded');
  if (test === 'custom') return [];
  if (load.test) showMessage(`The test ${load.test} was replaced by free loads; Undo restores it.`);
  return [
    ...OF_STANDARD_TESTS.filter((key) => key in load).map((key) => ({
      op: 'remove',
      path: [...path, key],
    })),
    {op: 'set', path: [...path, 'test'], value: 'custom'},
  ];
};

/**
 * Operations that add a support or force to a set.
 * @param {string} name
 * @param {string} which
 * @param {number[]} [outward]
 */
export const roleOperations = (name, which, outward = [1, 0, 0]) => {
  if (which === 'hold')
    return [
      ...freeLoads(),
      {op: 'add', path: pathOfRoles('support'), value: {on: name, fix: 'zyx'}},
    ];
  const length = Math.hypot(...outward) || 1;
  return [
    ...freeLoads(),
    {
      op: 'add',
      path: pathOfRoles('force'),
      value: {
        on: name,
        force_N: outward.map((v) => +((-FIRST_FORCE_N * v) / length).toFixed(1) + 0),
      },
    },
  ];
};

/**
 * Return the place of a condition of heat or flow: a face of the image; for flow also a disc or
 * box of it, or of solid inside. Null if there is none.
 * @param {string} kind
 * @param {any} hit
 */
const placeOfCondition = (kind, hit) => {
  const across = hit.face ? 'zyx'.indexOf(hit.face[0]) : largest(hit.normal),
    low = hit.face ? hit.face[1] === '-' : hit.normal[across] < 0;
  const isOuter = hit.voxel[across] === (low ? 0 : scan.value.shape[across] - 1),
    face = `${'zyx'[across]}_${low ? 'low' : 'high'}`;
  if (!isOuter && (kind === 'face' || physics() === 'heat')) return null;
  const centre = placeOf(hit.voxel),
    r = extent.value,
    of = isOuter ? {face} : {};
  if (kind === 'disc') return {...of, centre_mm: centre.map(mm), radius_mm: mm(r)};
  return kind === 'box'
    ? {...of, low_mm: centre.map((v) => mm(v - r)), high_mm: centre.map((v) => mm(v + r))}
    : of;
};

const isBrushing = () => shape.value === 'brush' && Array.isArray(data().set ?? []);
/**
 * Add a stroke of the brush to the selected set, if it consists of strokes.
 * @param {import('./brush.js').Stroke} stroke
 */
const paint = async (stroke) => {
  if (!stroke.points.length) {
    showMessage('There is no solid here.', true);
    return;
  }
  const isMore = (data().set || []).some(
      (/** @type {any} */ s) => s.name === chosen.value && s.select === 'brush',
    ),
    name = isMore ? chosen.value : fresh('brush');
  const points = thinned(stroke.points, extent.value).map((p) => p.map(mm));
  const operations = [
    {
      op: 'add',
      path: ['set'],
      value: {name, select: 'brush', points_mm: points, radius_mm: mm(extent.value), surface: true},
    },
  ];
  if (!isMore && role.value !== 'set')
    operations.push(.../** @type {any[]} */ (roleOperations(name, role.value, stroke.normal)));
  chosen.value = name;
  showMessage(
    isMore ? `another stroke of ${name}` : `${name} was ${DONE[/** @type {'set'} */ (role.value)]}`,
  );
  await edit(operations);
};
const painted = (/** @type {import('./brush.js').Stroke} */ stroke) => {
  paint(stroke).catch((e) => showMessage(e.message, true));
};

const DONE = {set: 'created', hold: 'fixed', push: 'loaded'};
/** Use the tool on a hit. @param {any} hit */
const apply = async (hit) => {
  if (shape.value === 'look') return;
  if (!hit) {
    showMessage('There is no solid here.', true);
    return;
  }
  if (shape.value === 'brush') {
    await paint({points: [placeOf(hit.voxel)], normal: direction(hit)});
    return;
  }
  if (!isMechanical()) {
    const place = placeOfCondition(shape.value, hit);
    if (!place) {
      showMessage(
        'Conditions apply to outer faces of the image; this place is inside. Click where a face cuts the solid.',
        true,
      );
      return;
    }
    showMessage(`${place.face ?? 'a part of the solid'}: ${role.value}`);
    await edit(conditionOperations(place, role.value));
    return;
  }
  const set = meant(shape.value, hit),
    operations = [];
  if (role.value === 'set' && !set.table) {
    showMessage(`The face ${set.name} is a predefined set. Select Hold or Push, and click again.`);
    return;
  }
  if (set.table) operations.push({op: 'add', path: ['set'], value: {name: set.name, ...set.table}});
  if (role.value !== 'set') operations.push(...roleOperations(set.name, role.value, set.outward));
  chosen.value = set.name;
  if (!operations.some((o) => o.op === 'remove'))
    showMessage(`${set.name} was ${DONE[/** @type {'set'} */ (role.value)]}`);
  await edit(operations);
};

const canUse = () => !isEditing() && Array.isArray(data().set ?? []);
const isEditing = () =>
  /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName || '') &&
  /** @type {any} */ (document.activeElement).type !== 'range';

const STILL = 4; // CSS pixels that a click may move
const listen = (
  /** @type {HTMLElement} */ canvas,
  /** @type {(e: PointerEvent) => Promise<any>} */ find,
) => {
  /** @type {number[] | null} */
  let down = null;
  canvas.addEventListener('pointerdown', (e) => {
    down = e.button ? null : [e.clientX, e.clientY];
  });
  canvas.addEventListener('pointerup', async (e) => {
    const isClick = down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < STILL;
    down = null;
    if (isClick && canUse() && shape.value !== 'brush')
      try {
        await apply(await find(e));
      } catch (error) {
        showMessage(/** @type {any} */ (error).message, true);
      }
  });
};
const onEnter = (/** @type {HTMLElement} */ canvas, /** @type {() => Promise<any>} */ find) =>
  canvas.addEventListener('keydown', async (e) => {
    if (e.key !== 'Enter') return;
    e.preventDefault();
    try {
      await apply(await find());
    } catch (error) {
      showMessage(/** @type {any} */ (error).message, true);
    }
  });

root.addEventListener('made', () => {
  for (const c of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('.slice canvas'))) {
    listen(c, async () => (shape.value === 'look' ? null : meetCursor()));
    strokesInSlice(c, isBrushing, painted);
    onEnter(c, meetCursor);
  }
});
dragArrows(/** @type {HTMLElement} */ (root.querySelector('.three')));
strokesOnSurface(/** @type {HTMLElement} */ (root.querySelector('.three')), isBrushing, painted);
root.addEventListener('made3d', () => {
  const c = /** @type {HTMLElement} */ (root.querySelector('canvas.gl'));
  listen(c, (e) => meetBelow(e.clientX, e.clientY));
  onEnter(c, () => {
    const r = c.getBoundingClientRect();
    return meetBelow(r.left + r.width / 2, r.top + r.height / 2);
  });
});

/** A tool that is selected again starts a new set. @param {string} name */
const choose = (name) => {
  if (name === 'brush') chosen.value = '';
  shape.value = name;
};
addEventListener('keydown', (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || isEditing() || document.querySelector('dialog[open]'))
    return;
  if (e.key === 'Escape') shape.value = 'look';
  const tool = shapes().find(([, , key]) => key === e.key),
    action = roles().find(([, , key]) => key === e.key);
  if (tool) choose(tool[0]);
  else if (action) role.value = action[0];
  else if (e.key === '[') extent.value = round(extent.value / 1.25, 3);
  else if (e.key === ']') extent.value = round(extent.value * 1.25, 3);
});

const segments = (
  /** @type {string} */ id,
  /** @type {string[][]} */ list,
  /** @type {any} */ value,
  /** @type {string} */ label,
  take = (/** @type {string} */ name) => {
    value.value = name;
  },
) => {
  const box = /** @type {HTMLElement} */ (document.getElementById(id));
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', label);
  box.replaceChildren(
    ...list.map(([name, text, key]) =>
      h(
        'button',
        {
          type: 'button',
          'aria-pressed': String(value.value === name),
          'aria-keyshortcuts': key,
          title: `${text} (${key})`,
          'data-tool': name,
          onclick: () => take(name),
        },
        text,
      ),
    ),
  );
};
export const drawTools = () => {
  if (!roles().some(([name]) => name === role.value)) {
    role.value = isMechanical() ? 'hold' : roles()[0][0];
    return;
  } // drawn by that
  if (!shapes().some(([name]) => name === shape.value)) {
    shape.value = 'look';
    return;
  }
  segments('shapes', shapes(), shape, 'Selection of a click', choose);
  segments('roles', roles(), role, 'Action of a click');
  /** @type {HTMLElement} */ (document.getElementById('roles')).hidden = shape.value === 'look';
  root.classList.toggle('applies', shape.value !== 'look');
  /** @type {HTMLElement} */ (root.querySelector('.size')).hidden = !/box|disc|brush/.test(
    shape.value,
  );
  const field = /** @type {HTMLInputElement} */ (document.getElementById('size'));
  if (document.activeElement !== field) field.value = String(extent.value);
  /** @type {HTMLElement} */ (document.getElementById('hint')).textContent =
    HINTS[/** @type {'look'} */ (shape.value)];
};
for (const s of [shape, role, extent, job]) s.on(drawTools);
/** @type {HTMLInputElement} */ (document.getElementById('size')).addEventListener(
  'change',
  (e) => {
    const value = Number(/** @type {any} */ (e.target).value.replace(',', '.'));
    if (value > 0) extent.value = value;
    else drawTools();
  },
);
export {cursor};
