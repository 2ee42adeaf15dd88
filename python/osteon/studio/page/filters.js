// Steps that are applied to the image before the threshold, as a list of [[image.step]] tables of
// the job file. The views and the histogram show the image after the steps.
// @ts-check
import {h, round} from './dom.js';
import {choice, number} from './fields.js';
import {at, data, edit, histogram, scan, threshold} from './store.js';

const METHODS = [
  ['sauvola', 'Sauvola'],
  ['phansalkar', 'Phansalkar'],
  ['bernsen', 'Bernsen'],
];
/** Between the darkest grey value and the threshold, the range of thin struts. */
const between = () => round(scan.value.grey_min + 0.6 * (threshold.value - scan.value.grey_min), 4);

/**
 * By kind: its name, initial keys, and its fields as key, label and unit.
 * @type {Record<string, {name: string, first: () => any, fields: string[][]}>}
 */
const KINDS = {
  gaussian: {
    name: 'Gaussian blur',
    first: () => ({sigma_voxels: 0.8}),
    fields: [
      ['sigma_voxels', 'sigma', 'vox'],
      ['sigma_mm', 'sigma', 'mm'],
    ],
  },
  median: {
    name: 'Median',
    first: () => ({radius_voxels: 1}),
    fields: [['radius_voxels', 'radius', 'vox']],
  },
  close: {
    name: 'Closing',
    first: () => ({radius_voxels: 1}),
    fields: [['radius_voxels', 'radius', 'vox']],
  },
  open: {
    name: 'Opening',
    first: () => ({radius_voxels: 1}),
    fields: [['radius_voxels', 'radius', 'vox']],
  },
  local_threshold: {
    name: 'Thin struts by local contrast',
    first: () => ({radius_voxels: 3, low: between(), high: round(threshold.value, 6)}),
    fields: [
      ['radius_voxels', 'radius', 'vox'],
      ['low', 'lower limit', ''],
      ['high', 'upper limit', ''],
      ['weight', 'weight', ''],
      ['contrast', 'contrast', ''],
    ],
  },
  hysteresis: {
    name: 'Thin struts by connection',
    first: () => ({low: between(), high: round(threshold.value, 6)}),
    fields: [
      ['low', 'lower limit', ''],
      ['high', 'upper limit', ''],
    ],
  },
  laplace_hamming: {
    name: 'Laplace-Hamming',
    first: () => ({}),
    fields: [
      ['epsilon', 'epsilon', ''],
      ['cutoff', 'cutoff', '/vox'],
    ],
  },
};

const add = (/** @type {string} */ kind) => {
  const first = KINDS[kind].first(),
    operations = [{op: 'add', path: ['image', 'step'], value: {kind, ...first}}];
  // Raised voxels are just above `high`, which must be the threshold.
  if (first.high !== undefined && at(['segment', 'threshold']) !== first.high)
    operations.push(
      /** @type {any} */ ({op: 'set', path: ['segment', 'threshold'], value: first.high}),
    );
  edit(operations);
};

const card = (/** @type {any} */ step, /** @type {number} */ n) => {
  const path = ['image', 'step', n],
    of = KINDS[step.kind],
    name = of?.name || step.kind;
  const shown = (of?.fields || []).filter(
    ([key]) =>
      key in step ||
      !(
        key === 'sigma_mm' ||
        (key === 'sigma_voxels' && 'sigma_mm' in step) ||
        (key === 'contrast' && step.method !== 'bernsen') ||
        (key === 'weight' && step.method === 'bernsen')
      ),
  );
  return h(
    'div',
    {className: 'role filter', 'data-path': path.join('.'), 'data-filter': step.kind},
    h(
      'div',
      {className: 'row'},
      h('b', {className: 'grow'}, name),
      h(
        'button',
        {
          type: 'button',
          className: 'plain',
          'data-key': `remove step ${n}`,
          title: 'Remove this filter',
          'aria-label': `Remove ${name}`,
          onclick: () => edit([{op: 'remove', path}]),
        },
        '×',
      ),
    ),
    step.kind === 'local_threshold' ? choice('method', [...path, 'method'], METHODS) : null,
    of
      ? shown.map(([key, label, unit]) => number(label, [...path, key], unit))
      : h('p', {className: 'soft'}, 'edit the keys in the job file'),
  );
};

/** The filters of the job, and a list of filters to add. */
export const filters = () => {
  const steps = Array.isArray(data().image?.step) ? data().image.step : [];
  return h(
    'details',
    {className: 'filters', open: steps.length > 0},
    h('summary', null, `Filters${steps.length ? ` (${steps.length})` : ''}`),
    steps.map(card),
    h(
      'select',
      {
        'aria-label': 'Add a filter',
        'data-key': 'add filter',
        disabled: !scan.value || !histogram.value,
        onchange: (/** @type {any} */ e) => {
          if (e.target.value) add(e.target.value);
        },
      },
      h('option', {value: ''}, 'add a filter ...'),
      Object.entries(KINDS).map(([kind, of]) => h('option', {value: kind}, of.name)),
    ),
  );
};
