// Loads of heat and flow: the test, and conditions on faces of the image, which tools and buttons
// add.
// @ts-check
import {h} from './dom.js';
import {choice, number, row, triple} from './fields.js';
import {FACES, at, data, edit, set} from './store.js';

/** Physics of a job without the key: elasticity. */
export const physics = () => data().physics ?? 'elasticity';
export const isMechanical = () =>
  ['elasticity', 'failure', 'thermo_elasticity'].includes(physics());

const TESTS = {
  heat: [
    ['conduction', 'conduction between two faces'],
    ['conductivity_tensor', 'conductivity in all directions'],
    ['heat_transfer', 'conditions on the faces'],
  ],
  flow: [
    ['permeability', 'permeability along an axis'],
    ['permeability_tensor', 'permeability in all directions'],
    ['flow', 'between openings'],
  ],
};
const KINDS = {
  heat: [
    ['temperature', 'temperature'],
    ['flux', 'heat flux'],
    ['convection', 'convection to a fluid'],
    ['periodic', 'periodic'],
  ],
  flow: [
    ['velocity', 'inlet, by velocity'],
    ['flow_rate', 'inlet, by flow rate'],
    ['pressure', 'pressure'],
    ['outlet', 'outlet'],
    ['wall', 'wall'],
    ['slip', 'slip, or symmetry'],
    ['periodic', 'periodic'],
  ],
};
/**
 * Keys of a condition: key, label, unit, and initial value of a new one; keys without an initial
 * value are optional.
 */
const FIELDS = /** @type {Record<string, [string, string, string, number?][]>} */ ({
  temperature: [['temperature_K', 'temperature', 'K', 300]],
  flux: [['flux_W_per_m2', 'flux', 'W/m²', 1000]],
  convection: [
    ['transfer_W_per_m2K', 'transfer', 'W/m²K', 10],
    ['temperature_K', 'ambient', 'K', 300],
  ],
  velocity: [['velocity_mm_per_s', 'velocity', 'mm/s', 1]],
  flow_rate: [['flow_rate_mm3_per_s', 'flow rate', 'mm³/s', 1]],
  pressure: [['pressure_Pa', 'pressure', 'Pa', 0]],
  outlet: [['pressure_Pa', 'pressure', 'Pa']],
  periodic: [['pressure_drop_Pa', 'pressure drop', 'Pa', 1]],
});
const fieldsOf = (/** @type {string} */ kind) =>
  kind === 'periodic' && physics() === 'heat' ? [] : FIELDS[kind] || [];
/** Condition that a click creates: kind, title, keyboard key. */
const ROLES = {
  heat: [
    ['temperature', 'Temperature', 't'],
    ['flux', 'Heat flux', 'q'],
    ['convection', 'Convection', 'c'],
  ],
  flow: [
    ['velocity', 'Inlet', 'i'],
    ['outlet', 'Outlet', 'o'],
    ['pressure', 'Pressure', 'r'],
    ['wall', 'Wall', 'w'],
  ],
};
export const rolesOfPhysics = () => ROLES[/** @type {'heat'} */ (physics())];

const testOf = () => {
  const named = at(['load', 'test']),
    hasFaces = (data().boundary || []).length > 0;
  return (
    named ??
    (physics() === 'heat'
      ? hasFaces
        ? 'heat_transfer'
        : 'conduction'
      : hasFaces
        ? 'flow'
        : 'permeability')
  );
};
const takesFaces = (/** @type {string} */ test) => test === 'heat_transfer' || test === 'flow';
/** Remove ends of a test from a job of faces, and conversely. @param {string} next */
const operationsOfTest = (next) => {
  const load = data().load || {},
    gone = takesFaces(next) ? ['low_K', 'high_K', 'boundary_condition'] : [];
  return [
    ...gone.filter((key) => key in load).map((key) => ({op: 'remove', path: ['load', key]})),
    ...(takesFaces(next)
      ? []
      : (data().boundary || []).map(
          (/** @type {any} */ _, /** @type {number} */ n, /** @type {any[]} */ all) => ({
            op: 'remove',
            path: ['boundary', all.length - 1 - n],
          }),
        )),
    {op: 'set', path: ['load', 'test'], value: next},
  ];
};

/**
 * Operations that add a condition at a place.
 * @param {Record<string, any>} place face, and a part of it
 * @param {string} kind
 */
export const conditionOperations = (place, kind) => {
  const test = physics() === 'heat' ? 'heat_transfer' : 'flow',
    first = Object.fromEntries(
      fieldsOf(kind)
        .filter((f) => f[3] !== undefined)
        .map((f) => [f[0], f[3]]),
    );
  return [
    ...(testOf() === test ? [] : operationsOfTest(test)),
    {op: 'add', path: ['boundary'], value: {...place, kind, ...first}},
  ];
};

const turnKind = (
  /** @type {number} */ n,
  /** @type {any} */ entry,
  /** @type {string} */ next,
) => {
  const keeps = fieldsOf(next).map((f) => f[0]);
  return edit([
    ...fieldsOf(entry.kind ?? 'temperature')
      .map((f) => f[0])
      .filter((key) => key in entry && !keeps.includes(key))
      .map((key) => ({op: 'remove', path: ['boundary', n, key]})),
    ...(entry.slide_mm_per_s && next !== 'wall'
      ? [{op: 'remove', path: ['boundary', n, 'slide_mm_per_s']}]
      : []),
    {op: 'set', path: ['boundary', n, 'kind'], value: next},
    ...fieldsOf(next)
      .filter((f) => f[3] !== undefined && !(f[0] in entry))
      .map((f) => ({op: 'set', path: ['boundary', n, f[0]], value: f[3]})),
  ]);
};

const placeText = (/** @type {any} */ b) =>
  [
    b.face ?? (b.label !== undefined ? `voxels of label ${b.label}` : 'solid inside'),
    b.centre_mm ? `disc of ${b.radius_mm} mm` : '',
    b.low_mm ? 'box' : '',
  ]
    .filter(Boolean)
    .join(', ');
const conditionCard = (/** @type {any} */ b, /** @type {number} */ n) => {
  const path = ['boundary', n],
    kinds = KINDS[/** @type {'heat'} */ (physics())],
    kind = b.kind ?? 'temperature';
  return h(
    'div',
    {className: 'set', 'data-path': path.join('.'), 'data-condition': n},
    h(
      'header',
      null,
      h('b', {className: 'grow'}, placeText(b)),
      h(
        'button',
        {
          type: 'button',
          className: 'plain',
          title: 'Remove',
          'aria-label': `Remove the condition on ${placeText(b)}`,
          'data-key': `remove ${path.join('.')}`,
          onclick: () => edit([{op: 'remove', path}]),
        },
        '×',
      ),
    ),
    (() => {
      const made = choice('is', [...path, 'kind'], kinds, (next) => {
        turnKind(n, b, next);
      });
      /** @type {any} */ (made.querySelector('select')).value = kind;
      return made;
    })(),
    fieldsOf(kind).map(([key, label, unit]) => number(label, [...path, key], unit)),
    kind === 'wall'
      ? h(
          'div',
          {className: 'row'},
          h('span', {className: 'kind'}, 'slides'),
          triple([...path, 'slide_mm_per_s'], 'Velocity of the wall, mm/s'),
          h('span', {className: 'soft'}, 'mm/s'),
        )
      : null,
    physics() === 'flow' &&
      at(['flow', 'heat']) === true &&
      ['velocity', 'flow_rate', 'pressure'].includes(kind)
      ? number('temperature', [...path, 'temperature_K'], 'K')
      : null,
    b.centre_mm ? number('radius', [...path, 'radius_mm'], 'mm') : null,
  );
};

/** The panel of loads, for heat and flow. @returns {any[]} */
export const conditionFields = () => {
  const test = testOf(),
    isHeat = physics() === 'heat',
    boundaries = data().boundary || [];
  const free = FACES.filter(
    (face) =>
      !boundaries.some((/** @type {any} */ b) => b.face === face && !b.centre_mm && !b.low_mm),
  );
  const chooseTest = () => {
    const made = choice(
      'test',
      ['load', 'test'],
      TESTS[/** @type {'heat'} */ (physics())],
      (next) => {
        edit(operationsOfTest(next));
      },
    );
    /** @type {any} */ (made.querySelector('select')).value = test;
    return made;
  };
  return [
    chooseTest(),
    ['conduction', 'permeability'].includes(test)
      ? choice(
          'axis',
          ['load', 'axis'],
          [
            ['z', 'z'],
            ['y', 'y'],
            ['x', 'x'],
          ],
        )
      : null,
    test === 'conduction'
      ? [number('low face', ['load', 'low_K'], 'K'), number('high face', ['load', 'high_K'], 'K')]
      : null,
    isHeat
      ? null
      : [
          number('viscosity', ['flow', 'viscosity_Pa_s'], 'Pa s'),
          number('density', ['flow', 'density_kg_per_m3'], 'kg/m³'),
          test === 'permeability'
            ? number('pressure drop', ['flow', 'pressure_drop_Pa'], 'Pa')
            : null,
          test === 'flow'
            ? row(
                'inertia',
                h('input', {
                  type: 'checkbox',
                  checked: at(['flow', 'inertia']) === true,
                  'data-key': 'flow.inertia',
                  'aria-label': 'The fluid has inertia',
                  onchange: (/** @type {any} */ e) =>
                    set(['flow', 'inertia'], e.target.checked || undefined),
                }),
              )
            : null,
        ],
    takesFaces(test)
      ? [
          h(
            'h3',
            null,
            boundaries.length ? 'On faces of the image' : 'On faces of the image: none',
          ),
          boundaries.map(conditionCard),
          h(
            'p',
            {className: 'soft'},
            isHeat ? 'Other faces are insulated.' : 'Other faces are walls.',
            ' Choose a tool above the scan and click, or:',
          ),
          free.length
            ? h(
                'p',
                {className: 'row'},
                h(
                  'select',
                  {id: 'free-face', 'aria-label': 'Face of the image'},
                  free.map((f) => h('option', {value: f}, f)),
                ),
                rolesOfPhysics().map(([kind, label]) =>
                  h(
                    'button',
                    {
                      type: 'button',
                      'data-key': `add ${kind}`,
                      onclick: () =>
                        edit(
                          conditionOperations(
                            {face: /** @type {any} */ (document.getElementById('free-face')).value},
                            kind,
                          ),
                        ),
                    },
                    label,
                  ),
                ),
              )
            : null,
        ]
      : null,
  ];
};
