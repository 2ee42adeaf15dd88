// State of the page: the job file on disk, the scan, the findings of the check, the runs. Edits are
// serialised: each edit states the digest that the previous edit produced.
// @ts-check
import {signal} from './dom.js';
import {Refused, json, post} from './api.js';

export const PALETTE = [
  [58, 134, 255],
  [255, 122, 26],
  [64, 176, 128],
  [178, 90, 220],
  [255, 190, 11],
  [232, 72, 120],
  [20, 170, 190],
  [150, 110, 70],
];
export const FACES = ['z_low', 'z_high', 'y_low', 'y_high', 'x_low', 'x_high'];

export const session = signal(/** @type {any} */ (null));
export const job = signal(/** @type {any} */ (null));
export const scan = signal(/** @type {any} */ (null));
export const histogram = signal(/** @type {any} */ (null));
export const threshold = signal(0); // while dragged; the job is updated on release
export const checked = signal(/** @type {any} */ (null));
export const isChecking = signal(false);
export const estimate = signal(/** @type {any} */ (null));
export const runs = signal({runs: /** @type {any[]} */ ([]), is_mine: true, note: ''});
export const runLines = new Map(); // lines of a run by its number
export const runLinesChanged = signal(0);
export const schema = signal(/** @type {any} */ (null));
export const changedLines = signal(/** @type {number[]} */ ([]));
export const inCase = signal(/** @type {number | null} */ (null));
export const status = signal({text: '', isBad: false});

/** @param {string} text @param {boolean} [isBad] */
export const showMessage = (text, isBad = false) => {
  status.value = {text, isBad};
};

export const data = () => job.value?.data || {};
/** Return the value at a path of the job. @param {(string | number)[]} path */
export const at = (path) => path.reduce((there, key) => there?.[key], data());

/** Update the job from the server, and mark new lines. @param {any} state */
export const take = (state) => {
  if (!state || state.digest === undefined) return;
  const before = job.value;
  if (
    before &&
    before.digest === state.digest &&
    before.undo === state.undo &&
    before.redo === state.redo
  )
    return;
  const old = new Map();
  for (const line of (before?.text || '').split('\n')) old.set(line, (old.get(line) || 0) + 1);
  /** @type {number[]} */
  const lines = [];
  if (before)
    (state.text || '')
      .split('\n')
      .forEach((/** @type {string} */ line, /** @type {number} */ n) => {
        const left = old.get(line) || 0;
        if (left) old.set(line, left - 1);
        else if (line.trim()) lines.push(n);
      });
  changedLines.value = lines;
  job.value = state;
};

let queue = Promise.resolve();
let underWay = 0;
export const isBusy = Object.assign(() => underWay > 0 || isChecking.value, {
  edits: () => underWay > 0,
});
/** Run after all pending edits. @param {() => Promise<void>} act */
export const whenEdited = (act) => {
  queue = queue.then(act);
};

/** @param {() => Promise<any>} act changes the job and returns its new state */
const change = (act) => {
  underWay++;
  queue = queue
    .then(act)
    .then(take)
    .catch((e) => {
      if (e instanceof Refused && e.status === 409 && e.answer?.digest) {
        take(e.answer);
        showMessage(
          'Another program has changed the file, and your last edit was not applied. Review the file and repeat the edit.',
          true,
        );
      } else showMessage(e.message, true);
      job.value = job.value && {...job.value}; // fields show the value of the file again
    })
    .finally(() => {
      underWay--;
    });
  return queue;
};

/** @param {any[]} operations */
export const edit = (operations) =>
  change(() => json('job', 'PATCH', {base: job.value.digest, operations}));
/**
 * @param {(string | number)[]} path
 * @param {any} value undefined removes the key
 * @param {string} [comment]
 */
export const set = (path, value, comment = undefined) => {
  if (value === undefined)
    return at(path) === undefined ? Promise.resolve() : edit([{op: 'remove', path}]);
  return edit([{op: 'set', path, value, comment}]);
};
/** @param {string} text */
export const putText = (text) => change(() => json('job', 'PUT', {base: job.value.digest, text}));
/** @param {'undo' | 'redo'} direction */
export const step = (direction) => change(() => post(direction, {base: job.value.digest}));
/** @param {string} name */
export const useProtocol = (name) => change(() => post('protocol', {base: job.value.digest, name}));

// The effective threshold: the threshold of the job, or else Otsu's threshold.
export const thresholdOfJob = () => {
  const stated = at(['segment', 'threshold']);
  return typeof stated === 'number' ? stated : (histogram.value?.otsu ?? 0);
};

/** Edges of a voxel z, y, x in mm; 1 if the size is unknown. */
export const spacing = () => {
  const stated = at(['image', 'spacing_mm']);
  if (typeof stated === 'number') return [stated, stated, stated];
  if (Array.isArray(stated) && stated.length === 3 && stated.every((h) => h > 0)) return stated;
  return scan.value?.spacing_mm || [1, 1, 1];
};
export const hasSpacing = () =>
  at(['image', 'spacing_mm']) !== undefined || Boolean(scan.value?.spacing_mm);

// The number of a set in the volume of sets, and its colour.
/** @param {string} name */
export const numberOf = (name) =>
  checked.value?.loads?.sets?.find((/** @type {any} */ s) => s.name === name)?.number || 0;
/** @param {string} name */
export const colourOf = (name) => {
  const names = setNames(),
    n = names.indexOf(name);
  return n < 0 ? [128, 128, 128] : PALETTE[n % PALETTE.length];
};
/** Sets of the job, and faces of the image with supports or forces, in order. */
export const setNames = () => {
  const names = (data().set || []).map((/** @type {any} */ s) => s.name);
  const used = (checked.value?.loads?.sets || []).map((/** @type {any} */ s) => s.name);
  for (const role of allRoles()) names.push(role.entry.on);
  return [...new Set([...names, ...used])].filter((n) => typeof n === 'string' && n);
};

/**
 * Supports and forces of all cases, or of the selected one.
 * @returns {{kind: string, path: (string | number)[], entry: any, of: number | null}[]}
 */
export const allRoles = () => {
  /** @type {any[]} */
  const found = [];
  const add = (
    /** @type {any} */ from,
    /** @type {(string | number)[]} */ path,
    /** @type {number | null} */ of,
  ) => {
    for (const kind of ['support', 'force'])
      (Array.isArray(from?.[kind]) ? from[kind] : []).forEach(
        (/** @type {any} */ entry, /** @type {number} */ i) =>
          found.push({kind, path: [...path, kind, i], entry, of}),
      );
  };
  add(data(), [], null);
  (Array.isArray(data().case) ? data().case : []).forEach(
    (/** @type {any} */ c, /** @type {number} */ n) => add(c, ['case', n], n),
  );
  return found;
};

let checking = 0,
  wanted = false;
/** Check the file on disk, shortly after the last change. */
export const checkSoon = () => {
  clearTimeout(checking);
  isChecking.value = true;
  checking = window.setTimeout(checkNow, 350);
};
const checkNow = async () => {
  if (wanted) return;
  wanted = true;
  try {
    for (let digest = ''; job.value && digest !== job.value.digest;) {
      // again, if it changed meanwhile
      digest = job.value.digest;
      const found = await post('check');
      if (digest !== job.value.digest) continue;
      checked.value = found;
      const predicted = found.problems.length ? null : await post('estimate').catch(() => null);
      if (digest === job.value.digest) estimate.value = predicted;
    }
  } catch (e) {
    checked.value = {
      problems: [{where: '', text: /** @type {any} */ (e).message, path: []}],
      warnings: [],
      loads: null,
      failed: true,
    };
    estimate.value = null;
  } finally {
    wanted = false;
    isChecking.value = false;
  }
};
