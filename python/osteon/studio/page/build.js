// The panels for building a job, in the order of the work: scan, solid, material, loads, findings
// of the check.
// @ts-check
import {duration, fill, h, round, size} from './dom.js';
import {
  choice,
  input,
  keyOf,
  number,
  numberIn,
  numberInput,
  placeFindings,
  row,
  text,
  triple,
} from './fields.js';
import {
  allRoles,
  at,
  checked,
  colourOf,
  data,
  edit,
  estimate,
  hasSpacing,
  histogram,
  inCase,
  isChecking,
  job,
  showMessage,
  scan,
  session,
  set,
  setNames,
  spacing,
  threshold,
  thresholdOfJob,
  useProtocol,
  FACES,
} from './store.js';
import {chosen, pathOfRoles, roleOperations} from './tools.js';
import {goTo, redraw, windowOf} from './views.js';
import {filters} from './filters.js';
import {conditionFields, isMechanical, physics} from './conditions.js';

const panel = (/** @type {string} */ id) =>
  /** @type {HTMLElement} */ (document.getElementById(id));
const count = (/** @type {number} */ n) => n.toLocaleString('en').replace(/,/g, ' ');
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`;

// ---- scan

let unitMm = 1;
const drawScan = () => {
  const s = scan.value,
    stated = at(['image', 'spacing_mm']),
    isOne = typeof stated === 'number' || !stated || new Set(stated).size === 1;
  const shown = hasSpacing()
    ? spacing().map((/** @type {number} */ v) => round(v / unitMm, 6))
    : null;
  const takeSpacing = (/** @type {string} */ typed) => {
    const values = typed
      .split(/[\s,;x×]+/)
      .filter(Boolean)
      .map((v) => numberIn(v));
    if (!typed) {
      set(['image', 'spacing_mm'], undefined);
      return;
    }
    if (![1, 3].includes(values.length) || values.some((v) => v === null || v <= 0)) {
      showMessage('Enter one voxel edge, or three, z y x', true);
      drawScan();
      return;
    }
    const list = (values.length === 1 ? [values[0], values[0], values[0]] : values).map(
      (v) => +(/** @type {number} */ (v * unitMm).toPrecision(8)),
    );
    const note = s?.spacing_mm
      ? []
      : [
          {
            op: 'set',
            path: ['image', 'spacing_note'],
            value: 'entered in the studio; the image does not state the voxel size',
          },
        ];
    edit([{op: 'set', path: ['image', 'spacing_mm'], value: list}, ...note]);
  };
  const field = input(
    {
      key: 'spacing',
      path: ['image', 'spacing_mm'],
      numeric: true,
      value: shown ? (isOne && new Set(shown).size === 1 ? shown[0] : shown.join(' ')) : '',
      placeholder: 'not stated',
      label: 'Voxel edge',
      title: 'image.spacing_mm\nVoxel edge, or three: z y x',
    },
    takeSpacing,
  );
  const unit = h(
    'select',
    {
      'aria-label': 'Unit',
      'data-key': 'unit',
      onchange: (/** @type {any} */ e) => {
        unitMm = Number(e.target.value);
        drawScan();
        placeAll();
      },
    },
    [
      [1, 'mm'],
      [0.001, 'µm'],
    ].map(([v, name]) => h('option', {value: v, selected: v === unitMm}, name)),
  );
  fill(
    panel('scan'),
    h('h2', null, 'Scan'),
    !s
      ? h('p', {className: 'soft'}, 'The scan cannot be shown; see the findings of the check.')
      : [
          h(
            'p',
            null,
            h('b', null, s.name),
            h('br'),
            h(
              'span',
              {className: 'soft'},
              `${[...s.shape].join(' × ')} voxels (z, y, x), ${s.format}, greys ${round(s.grey_min)} to ${round(s.grey_max)}${s.unit ? ` ${s.unit}` : ''}`,
            ),
          ),
          row('voxel edge', h('span', {className: 'of'}, field, unit)),
          hasSpacing()
            ? h(
                'p',
                {className: 'soft'},
                `${s.shape.map((/** @type {number} */ n, /** @type {number} */ i) => round(n * spacing()[i], 3)).join(' × ')} mm in all${s.spacing_mm && !stated ? ', as the file states' : ''}`,
              )
            : h(
                'p',
                {className: 'finding doubt'},
                'The file does not state its voxel size. Enter the voxel edge in mm.',
              ),
          s.warnings.map((/** @type {string} */ w) => h('p', {className: 'finding doubt'}, w)),
        ],
    h(
      'details',
      null,
      h('summary', null, 'Rewrite the job by a protocol'),
      h(
        'div',
        {className: 'row'},
        h(
          'select',
          {id: 'protocol', 'aria-label': 'Protocol', className: 'grow'},
          (session.value?.protocols || []).map((/** @type {any} */ p) =>
            h('option', {value: p.name, title: p.title}, `${p.name}: ${p.title}`),
          ),
        ),
        h(
          'button',
          {
            type: 'button',
            onclick: () =>
              useProtocol(/** @type {any} */ (document.getElementById('protocol')).value),
          },
          'Write',
        ),
      ),
    ),
  );
};

// ---- solid: histogram and threshold

/** @type {HTMLCanvasElement | null} */
let hist = null;
const keepThreshold = () => {
  const otsu = histogram.value?.otsu,
    value = threshold.value;
  if (value !== at(['segment', 'threshold']))
    set(['segment', 'threshold'], value, `chosen by inspection; Otsu's is ${round(otsu, 6)}`);
};
let later = 0;
const moveThreshold = (/** @type {number} */ value, keeps = false) => {
  const {grey_min: low, grey_max: high, codes} = scan.value,
    whole = codes.step === 1;
  threshold.value = Math.max(
    low,
    Math.min(high, whole ? Math.round(value) : +value.toPrecision(5)),
  );
  clearTimeout(later);
  if (keeps) later = window.setTimeout(keepThreshold, 400);
};
const makeHist = () => {
  const made = /** @type {HTMLCanvasElement} */ (
    h('canvas', {
      className: 'hist',
      tabIndex: 0,
      role: 'slider',
      'aria-label': 'Threshold',
      'data-key': 'hist',
      'data-path': 'segment.threshold',
    })
  );
  const of = (/** @type {PointerEvent} */ e) => {
    const box = made.getBoundingClientRect(),
      [low, high] = windowOf();
    return low + ((e.clientX - box.left) / box.width) * (high - low);
  };
  // Listen on the window, because the panel may be redrawn during the drag, which would end a
  // capture.
  let isDragged = false;
  made.addEventListener('pointerdown', (e) => {
    if (e.button) return;
    e.preventDefault();
    isDragged = true;
    made.focus({preventScroll: true});
    moveThreshold(of(e));
  });
  addEventListener('pointermove', (e) => {
    if (isDragged) moveThreshold(of(e));
  });
  for (const end of ['pointerup', 'pointercancel'])
    addEventListener(end, () => {
      if (isDragged) {
        isDragged = false;
        keepThreshold();
      }
    });
  made.addEventListener('keydown', (e) => {
    const [low, high] = windowOf(),
      step = scan.value.codes.step === 1 ? 1 : (high - low) / 256;
    const by = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10}[
      e.key
    ];
    if (!by) return;
    e.preventDefault();
    moveThreshold(threshold.value + by * step, true);
  });
  return made;
};
/** The fraction of voxels above a threshold: exact if each class of the histogram is one grey value. */
const shareAbove = (/** @type {number} */ value) => {
  const {counts, low, width} = histogram.value,
    total = counts.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
  let sum = 0;
  counts.forEach((/** @type {number} */ c, /** @type {number} */ i) => {
    const from = low + i * width;
    sum +=
      width === 1
        ? from > value
          ? c
          : 0
        : c * Math.max(0, Math.min(1, (from + width - value) / width));
  });
  return sum / total;
};
/**
 * Young's modulus in MPa of a grey value, as the program computes it in its check; null: the job has
 * no density law, or faults.
 */
const modulusByGrey = () => {
  const found = checked.value?.image?.moduli;
  if (!found || !data().density_law) return null;
  const {grey_min: low, grey_max: high, youngs_modulus_MPa: list} = found,
    last = list.length - 1;
  return (/** @type {number} */ grey) => {
    const at = high > low ? Math.max(0, Math.min(last, ((grey - low) / (high - low)) * last)) : 0,
      i = Math.min(last - 1, Math.floor(at));
    return list[i] + (at - i) * (list[i + 1] - list[i]);
  };
};
/**
 * Draw the law as a curve over the histogram, from zero to its largest modulus.
 * @param {CanvasRenderingContext2D} pen
 * @param {number} w
 * @param {number} height
 * @param {number} dense
 * @param {number} from
 * @param {number} to grey values at the ends
 */
const drawLaw = (pen, w, height, dense, from, to) => {
  const modulus = modulusByGrey(),
    lawNote = document.getElementById('law');
  if (lawNote) lawNote.textContent = '';
  if (!modulus) return;
  const values = Array.from({length: 65}, (_, i) => modulus(from + ((to - from) * i) / 64)),
    most = Math.max(...values);
  if (!(most > 0)) return;
  pen.strokeStyle = '#d1495b';
  pen.lineWidth = 1.8 * dense;
  pen.beginPath();
  values.forEach((v, i) =>
    pen[i ? 'lineTo' : 'moveTo'](
      (i / 64) * w,
      height - 2 * dense - (v / most) * (height - 8 * dense),
    ),
  );
  pen.stroke();
  if (lawNote)
    lawNote.textContent = `red: Young's modulus, ${round(modulus(threshold.value), 3)} MPa at the threshold, up to ${round(most, 3)} MPa`;
};
export const drawHistogram = () => {
  if (!hist || !histogram.value || !hist.clientWidth) return;
  const dense = Math.min(2, devicePixelRatio || 1),
    w = (hist.width = hist.clientWidth * dense),
    height = (hist.height = 92 * dense),
    pen = /** @type {CanvasRenderingContext2D} */ (hist.getContext('2d'));
  const style = getComputedStyle(document.documentElement),
    accent = style.getPropertyValue('--accent'),
    soft = style.getPropertyValue('--soft');
  const {counts, low, width} = histogram.value,
    [from, to] = windowOf(),
    most = Math.log1p(Math.max(...counts));
  const bars = Math.min(w, 256 * dense);
  for (let b = 0; b < bars; b++) {
    const g0 = from + ((to - from) * b) / bars,
      g1 = from + ((to - from) * (b + 1)) / bars;
    let c = 0;
    const first = Math.max(0, Math.floor((g0 - low) / width)),
      last = Math.min(counts.length - 1, Math.max(first, Math.ceil((g1 - low) / width) - 1));
    for (let i = first; i <= last; i++) c = Math.max(c, counts[i]);
    const high = (Math.log1p(c) / most) * (height - 8 * dense);
    pen.fillStyle = (g0 + g1) / 2 > threshold.value ? accent : soft;
    pen.globalAlpha = (g0 + g1) / 2 > threshold.value ? 1 : 0.55;
    pen.fillRect((b / bars) * w, height - high, w / bars + 0.6, high);
  }
  pen.globalAlpha = 1;
  pen.fillStyle = '#ff8c1a';
  const x = ((threshold.value - from) / (to - from)) * w;
  pen.fillRect(x - dense, 0, 2 * dense, height);
  pen.beginPath();
  pen.moveTo(x - 5 * dense, 0);
  pen.lineTo(x + 5 * dense, 0);
  pen.lineTo(x, 7 * dense);
  pen.fill();
  drawLaw(pen, w, height, dense, from, to);
  hist.setAttribute('aria-valuemin', String(scan.value.grey_min));
  hist.setAttribute('aria-valuemax', String(scan.value.grey_max));
  hist.setAttribute('aria-valuenow', String(threshold.value));
  const share = document.getElementById('share'),
    number_ = /** @type {HTMLInputElement | null} */ (
      document.querySelector('[data-key=threshold]')
    );
  if (share) share.textContent = percent(shareAbove(threshold.value));
  if (number_ && document.activeElement !== number_)
    number_.value = String(round(threshold.value, 6));
};
/**
 * Grey values of the two phases, for the threshold that preserves the volume.
 * @param {any} segment
 * @param {boolean} isFree true if the job has no threshold
 */
const greysFields = (segment, isFree) => {
  const greys = Array.isArray(segment.greys) ? segment.greys : [],
    one = (/** @type {number} */ n, /** @type {string} */ label) =>
      row(
        label,
        input(
          {
            key: `greys ${n}`,
            path: ['segment', 'greys'],
            numeric: true,
            value: greys[n] ?? '',
            label: `Grey value: ${label}`,
            title:
              'segment.greys\nGrey values of empty space and of solid, far from any surface: the threshold then preserves the volume that these values imply',
          },
          (typed) => {
            const value = numberIn(typed),
              next = [greys[0] ?? scan.value.grey_min, greys[1] ?? scan.value.grey_max];
            if (typed === '') {
              set(['segment', 'greys'], undefined);
              return;
            }
            if (value === null) return;
            next[n] = value;
            edit([
              ...('threshold' in segment ? [{op: 'remove', path: ['segment', 'threshold']}] : []),
              {op: 'set', path: ['segment', 'greys'], value: next},
            ]);
          },
        ),
      );
  return h(
    'details',
    {open: greys.length > 0 && isFree},
    h('summary', null, 'Volume-preserving threshold'),
    one(0, 'empty'),
    one(1, 'solid'),
    h('p', {className: 'soft'}, 'grey values far from any surface; for two homogeneous phases'),
  );
};
/** Positions where a slightly higher threshold would disconnect the solid, from the check. */
const necksFound = () => {
  const loads = checked.value?.loads,
    necks = loads?.necks,
    s = scan.value;
  if (!necks?.voxels) return null;
  // The model may be a part of the scan.
  const place = necks.first.map(
    (/** @type {number} */ v, /** @type {number} */ i) =>
      v + Math.round((loads.origin_mm[i] - s.origin_mm[i]) / loads.spacing_mm[i]),
  );
  return h(
    'p',
    {className: 'soft', id: 'necks'},
    `${count(necks.voxels)} ${necks.voxels === 1 ? 'single voxel connects' : 'single voxels connect'} other parts (necks): a slightly higher threshold disconnects the solid there. `,
    h(
      'button',
      {type: 'button', className: 'plain', 'data-key': 'to neck', onclick: () => goTo(place)},
      'to the first',
    ),
  );
};
const drawSolid = () => {
  const segment = data().segment || {},
    isLabels = segment.labels === true;
  // If the steps made the image unreadable, the user can remove the steps here.
  if (!scan.value) {
    fill(panel('solid'), h('h2', null, 'Solid'), data().image?.step?.length ? filters() : null);
    return;
  }
  hist ||= makeHist();
  const isOtsu = typeof segment.threshold !== 'number',
    [low, high] = windowOf();
  const field = input(
    {
      key: 'threshold',
      numeric: true,
      value: round(threshold.value, 6),
      label: 'Threshold',
      title: 'segment.threshold\nVoxels with a grey value above this are solid',
    },
    (typed) => {
      const v = numberIn(typed);
      if (v !== null) {
        moveThreshold(v);
        keepThreshold();
      }
    },
  );
  const solid = checked.value?.image;
  fill(
    panel('solid'),
    h('h2', null, 'Solid'),
    filters(),
    isLabels
      ? h(
          'p',
          {className: 'soft'},
          `The image contains labels; empty labels: ${(segment.void_labels || [0]).join(', ')}.`,
        )
      : [
          hist,
          h(
            'div',
            {className: 'legend-line'},
            h('span', null, round(low)),
            h('span', null, 'voxels by grey, logarithmic'),
            h('span', null, round(high)),
          ),
          h('p', {className: 'soft', id: 'law'}),
          row(
            'solid above',
            h(
              'span',
              {className: 'of'},
              field,
              h(
                'button',
                {
                  type: 'button',
                  title: "Otsu's threshold, which best separates the grey values into two classes",
                  disabled: isOtsu && !('threshold' in segment),
                  onclick: () => {
                    threshold.value = histogram.value.otsu;
                    set(['segment', 'threshold'], undefined);
                  },
                },
                'Otsu',
              ),
            ),
          ),
          h(
            'p',
            {className: 'soft'},
            h('b', {id: 'share'}),
            isOtsu
              ? " of the voxels; Otsu's threshold, because the job sets no threshold"
              : ' of the voxels',
          ),
          greysFields(segment, isOtsu),
        ],
    choice(
      'keep',
      ['segment', 'keep'],
      [
        ['largest', 'largest part'],
        ['percolating', 'parts that connect the faces'],
        ['all', 'all parts'],
      ],
      undefined,
      physics() === 'heat' ? 'percolating' : 'largest',
    ),
    solid?.kept_voxels !== undefined
      ? h(
          'p',
          {className: 'soft'},
          `${count(solid.kept_voxels)} solid voxels`,
          solid.dropped_voxels
            ? `; ${count(solid.dropped_voxels)} in disconnected parts are removed (${percent(solid.dropped_voxels / solid.solid_voxels)})`
            : '; the solid is connected',
        )
      : null,
    necksFound(),
  );
  drawHistogram();
};

// ---- material

const drawMaterial = () => {
  const materials = Array.isArray(data().material) ? data().material : [];
  const law = data().density_law;
  fill(
    panel('material'),
    h('h2', null, 'Material'),
    materials.map((/** @type {any} */ m, /** @type {number} */ n) => [
      materials.length > 1 ? h('h3', null, m.name || `material ${n + 1}`) : null,
      text('name', ['material', n, 'name']),
      m.label !== undefined ? number('label', ['material', n, 'label']) : null,
      physics() === 'heat' ||
      physics() === 'thermo_elasticity' ||
      m.conductivity_W_per_mK !== undefined
        ? number('conductivity', ['material', n, 'conductivity_W_per_mK'], 'W/mK', {
            placeholder: 'required',
          })
        : null,
      !isMechanical()
        ? null
        : [
            number("Young's modulus", ['material', n, 'youngs_modulus_MPa'], 'MPa', {
              placeholder: 'required',
            }),
            number("Poisson's ratio", ['material', n, 'poisson_ratio'], '', {
              placeholder: 'required',
            }),
          ],
    ]),
    !law && isMechanical() && physics() === 'elasticity'
      ? h(
          'p',
          null,
          h(
            'button',
            {
              type: 'button',
              className: 'plain',
              'data-key': 'add law',
              title: 'A density law instead of materials',
              onclick: () =>
                edit([
                  ...materials.map((/** @type {any} */ _, /** @type {number} */ n) => ({
                    op: 'remove',
                    path: ['material', materials.length - 1 - n],
                  })),
                  {op: 'set', path: ['density_law', 'slope'], value: 1},
                ]),
            },
            'modulus from grey values',
          ),
        )
      : null,
    law
      ? [
          h('h3', null, 'Modulus from grey values'),
          h(
            'p',
            {className: 'soft'},
            'density = slope × grey + intercept; E = coefficient × density^exponent',
          ),
          number('slope', ['density_law', 'slope']),
          number('intercept', ['density_law', 'intercept']),
          number('coefficient', ['density_law', 'coefficient_MPa'], 'MPa'),
          number('exponent', ['density_law', 'exponent']),
          number("Poisson's ratio", ['density_law', 'poisson_ratio'], '', {
            placeholder: 'required',
          }),
        ]
      : null,
    !materials.length && !law && !data().modulus_image && physics() === 'flow'
      ? h('p', {className: 'soft'}, 'not required for flow')
      : !materials.length && !law && !data().modulus_image
        ? h(
            'p',
            null,
            h(
              'button',
              {
                type: 'button',
                onclick: () => edit([{op: 'add', path: ['material'], value: {name: 'solid'}}]),
              },
              'Add a material',
            ),
          )
        : null,
  );
};

// ---- loads

const PHYSICS = [
  ['elasticity', 'stiffness'],
  ['failure', 'failure'],
  ['heat', 'heat'],
  ['flow', 'flow'],
  ['thermo_elasticity', 'heat and stress'],
];
const TESTS = [
  ['axial_bonded', 'compression, bonded plates'],
  ['uniaxial', 'compression, smooth plates'],
  ['confined', 'compression, confined'],
  ['shear', 'shear'],
  ['bending', 'bending'],
  ['torsion', 'torsion'],
  ['homogenise', 'all six strains'],
  ['custom', 'free: supports and forces'],
];
const MEASURES = ['strain', 'displacement_mm', 'force_N', 'angle_deg', 'moment_N_mm'];
const OF_TEST = {
  axial_bonded: ['strain', 'displacement_mm', 'force_N'],
  uniaxial: ['strain', 'displacement_mm', 'force_N'],
  confined: ['strain', 'displacement_mm', 'force_N'],
  shear: ['strain', 'displacement_mm', 'force_N'],
  bending: ['angle_deg', 'moment_N_mm'],
  torsion: ['angle_deg', 'moment_N_mm'],
};
const FIRST = {strain: -0.01, displacement_mm: -0.01, force_N: -100, angle_deg: 1, moment_N_mm: 1};
const MEASURE_LABELS = {
  strain: ['strain', ''],
  displacement_mm: ['displacement', 'mm'],
  force_N: ['force', 'N'],
  angle_deg: ['angle', '°'],
  moment_N_mm: ['moment', 'N mm'],
};

/** Return the test at a path: [load], or a case. @param {(string | number)[]} path */
const testFields = (path) => {
  const load = at(path) || {},
    hasSupports = allRoles().some(
      (r) => r.kind === 'support' && (r.of === null || r.of === inCase.value),
    );
  const test = load.test ?? (hasSupports ? 'custom' : 'axial_bonded');
  const measures = OF_TEST[/** @type {'shear'} */ (test)] || [],
    measure = MEASURES.find((m) => m in load);
  const chooseTest = (/** @type {string} */ next) => {
    const allowed = OF_TEST[/** @type {'shear'} */ (next)] || [];
    const operations = [...MEASURES, 'bonded', 'about_mm', 'direction']
      .filter((k) => k in load && !allowed.includes(k))
      .map((k) => ({op: 'remove', path: [...path, k]}));
    if (allowed.length && !allowed.some((m) => m in load))
      operations.push(
        /** @type {any} */ ({
          op: 'set',
          path: [...path, allowed[0]],
          value: FIRST[/** @type {'strain'} */ (allowed[0])],
        }),
      );
    edit([...operations, {op: 'set', path: [...path, 'test'], value: next}]);
  };
  return [
    (() => {
      const made = choice('test', [...path, 'test'], TESTS, chooseTest);
      /** @type {any} */ (made.querySelector('select')).value = test;
      return made;
    })(),
    test === 'custom'
      ? null
      : choice(
          'axis',
          [...path, 'axis'],
          [
            ['z', 'z'],
            ['y', 'y'],
            ['x', 'x'],
          ],
        ),
    measures.length
      ? row(
          'by',
          h(
            'select',
            {
              'aria-label': 'Driving quantity of the test',
              'data-key': [...path, 'measure'].join('.'),
              onchange: (/** @type {any} */ e) =>
                edit([
                  ...(measure ? [{op: 'remove', path: [...path, measure]}] : []),
                  {
                    op: 'set',
                    path: [...path, e.target.value],
                    value: FIRST[/** @type {'strain'} */ (e.target.value)],
                  },
                ]),
            },
            measures.map((m) =>
              h(
                'option',
                {value: m, selected: m === (measure || measures[0])},
                MEASURE_LABELS[/** @type {'strain'} */ (m)][0],
              ),
            ),
          ),
        )
      : null,
    measures.length
      ? number(
          MEASURE_LABELS[/** @type {'strain'} */ (measure || measures[0])][0],
          [...path, measure || measures[0]],
          MEASURE_LABELS[/** @type {'strain'} */ (measure || measures[0])][1],
        )
      : null,
  ];
};

const roleCard = (/** @type {any} */ {kind, path, entry, of}) => {
  const remove = h(
    'button',
    {
      type: 'button',
      className: 'plain',
      title: 'Remove',
      'aria-label': `Remove: ${kind} on ${entry.on}`,
      onclick: () => edit([{op: 'remove', path}]),
    },
    '×',
  );
  const where =
    of === null && Array.isArray(data().case)
      ? h('span', {className: 'soft'}, '(all cases)')
      : null;
  if (kind === 'support') {
    const fix = typeof entry.fix === 'string' ? entry.fix : '';
    return h(
      'div',
      {className: 'role', 'data-path': path.join('.')},
      h(
        'div',
        {className: 'row'},
        h('span', {className: 'kind'}, 'fixed'),
        h(
          'span',
          {className: 'checks grow', 'data-path': [...path, 'fix'].join('.')},
          [...'zyx'].map((a) =>
            h(
              'label',
              null,
              h('input', {
                type: 'checkbox',
                checked: fix.includes(a),
                'data-key': [...path, a].join('.'),
                'aria-label': `${entry.on} is fixed along ${a}`,
                onchange: (/** @type {any} */ e) =>
                  set(
                    [...path, 'fix'],
                    [...'zyx']
                      .filter((b) => (b === a ? e.target.checked : fix.includes(b)))
                      .join(''),
                  ),
              }),
              a,
            ),
          ),
        ),
        where,
        remove,
      ),
      [...'zyx'].some((a) => entry[`move_${a}_mm`] !== undefined)
        ? h(
            'div',
            {className: 'row'},
            h('span', {className: 'kind'}, 'moved'),
            h(
              'div',
              {className: 'triple'},
              [...'zyx'].map((a) =>
                h(
                  'label',
                  null,
                  a,
                  numberInput([...path, `move_${a}_mm`], {
                    label: `${entry.on} moves along ${a}, mm`,
                  }),
                ),
              ),
            ),
            h('span', {className: 'soft'}, 'mm'),
          )
        : h(
            'button',
            {
              type: 'button',
              className: 'plain',
              onclick: () => edit([{op: 'set', path: [...path, 'move_z_mm'], value: -0.01}]),
            },
            'prescribe a displacement',
          ),
    );
  }
  const isToward = entry.toward_mm !== undefined,
    strength = Math.hypot(...(entry.force_N || [0]));
  const turnKind = () => {
    if (isToward)
      return edit([
        {op: 'remove', path: [...path, 'toward_mm']},
        {op: 'remove', path: [...path, 'magnitude_N']},
        {op: 'set', path: [...path, 'force_N'], value: [-(entry.magnitude_N || 100), 0, 0]},
      ]);
    const resolved = checked.value?.loads?.sets?.find((/** @type {any} */ s) => s.name === entry.on)
      ?.centroid_mm || [0, 0, 0];
    const reach =
      Math.max(
        ...scan.value.shape.map(
          (/** @type {number} */ n, /** @type {number} */ i) => n * spacing()[i],
        ),
      ) / 2;
    return edit([
      {op: 'remove', path: [...path, 'force_N']},
      {
        op: 'set',
        path: [...path, 'toward_mm'],
        value: (entry.force_N || [1, 0, 0]).map(
          (/** @type {number} */ f, /** @type {number} */ i) =>
            +(resolved[i] + (reach * f) / (strength || 1)).toPrecision(5),
        ),
      },
      {op: 'set', path: [...path, 'magnitude_N'], value: +strength.toPrecision(6) || 100},
    ]);
  };
  if (!isToward && entry.force_N === undefined)
    return h(
      'div',
      {className: 'role', 'data-path': path.join('.')},
      h(
        'div',
        {className: 'row'},
        h('span', {className: 'kind'}, 'force'),
        h(
          'span',
          {className: 'grow soft'},
          Object.keys(entry)
            .filter((k) => k !== 'on')
            .map((k) => `${k} = ${JSON.stringify(entry[k])}`)
            .join(', '),
        ),
        where,
        remove,
      ),
    );
  return h(
    'div',
    {className: 'role', 'data-path': path.join('.')},
    h(
      'div',
      {className: 'row'},
      h('span', {className: 'kind'}, isToward ? 'pulled toward' : 'force'),
      triple(
        [...path, isToward ? 'toward_mm' : 'force_N'],
        isToward ? `Point toward which ${entry.on} is pulled, mm` : `Force on ${entry.on}, N`,
      ),
      h('span', {className: 'soft'}, isToward ? 'mm' : 'N'),
      remove,
    ),
    h(
      'div',
      {className: 'row'},
      isToward
        ? [
            h('span', {className: 'kind'}, 'by'),
            h(
              'span',
              {className: 'grow'},
              numberInput([...path, 'magnitude_N'], {label: `Force on ${entry.on}, N`}),
            ),
            h('span', {className: 'soft'}, 'N'),
          ]
        : h('span', {className: 'grow soft'}, `${round(strength, 4)} N`),
      where,
      h(
        'button',
        {type: 'button', className: 'plain', onclick: turnKind},
        isToward ? 'by components' : 'toward a point',
      ),
    ),
  );
};

const SELECTION_LABELS = {
  face: 'face',
  plane: 'plane',
  box: 'box',
  disk: 'disc',
  material: 'of a material',
  image: 'labels',
  voxels: 'listed voxels',
  nodes: 'listed nodes',
  points: 'nearest nodes',
  brush: 'strokes of the brush',
};
const rename = (/** @type {string} */ before, /** @type {string} */ after) => {
  if (!after || after === before) return drawLoads();
  if (setNames().includes(after) || FACES.includes(after)) {
    showMessage(`a set ${after} exists already`, true);
    return drawLoads();
  }
  const operations = [];
  (data().set || []).forEach((/** @type {any} */ s, /** @type {number} */ n) => {
    if (s.name === before) operations.push({op: 'set', path: ['set', n, 'name'], value: after});
    if (s.within === before) operations.push({op: 'set', path: ['set', n, 'within'], value: after});
  });
  for (const r of allRoles())
    if (r.entry.on === before) operations.push({op: 'set', path: [...r.path, 'on'], value: after});
  return edit(operations);
};
const removeSet = (/** @type {string} */ name) => {
  const paths = allRoles()
    .filter((r) => r.entry.on === name)
    .map((r) => r.path);
  (data().set || []).forEach((/** @type {any} */ s, /** @type {number} */ n) => {
    if (s.name === name) paths.push(['set', n]);
  });
  // Remove tables from the last to the first of each list, because a removal shifts all later
  // tables.
  paths.sort(
    (a, b) =>
      a.length - b.length ||
      a.slice(0, -1).join().localeCompare(b.slice(0, -1).join()) ||
      Number(b.at(-1)) - Number(a.at(-1)),
  );
  edit(paths.map((path) => ({op: 'remove', path})));
};

const setCard = (/** @type {string} */ name) => {
  const entries = (data().set || [])
    .map((/** @type {any} */ s, /** @type {number} */ n) => ({s, n}))
    .filter((/** @type {any} */ e) => e.s.name === name);
  const resolved = checked.value?.loads?.sets?.find((/** @type {any} */ s) => s.name === name),
    isFace = FACES.includes(name);
  const roles = allRoles().filter(
    (r) => r.entry.on === name && (r.of === null || r.of === inCase.value),
  );
  const selection = isFace
    ? 'face of the image'
    : [
        ...new Set(
          entries.map(
            (/** @type {any} */ e) =>
              SELECTION_LABELS[/** @type {'face'} */ (e.s.select)] || e.s.select,
          ),
        ),
      ].join(' and ');
  const nodes =
    isChecking.value && !resolved
      ? 'selecting nodes ...'
      : resolved?.nodes
        ? `${count(resolved.nodes)} nodes`
        : resolved?.fault
          ? 'no nodes'
          : '';
  const first = entries[0],
    path = first ? ['set', first.n] : null;
  return h(
    'div',
    {
      className: `set${chosen.value === name ? ' chosen' : ''}`,
      'data-path': path ? path.join('.') : undefined,
      'data-set': name,
    },
    h(
      'header',
      null,
      h('i', {colour: `rgb(${colourOf(name)})`}),
      isFace
        ? h('b', {className: 'grow'}, name)
        : input(
            {
              key: `name ${name}`,
              value: name,
              label: `Name of the set ${name}`,
              path: path ? [...path, 'name'] : undefined,
            },
            (typed) => rename(name, typed),
          ),
      h(
        'button',
        {
          type: 'button',
          className: 'plain',
          'data-key': `hold ${name}`,
          title: 'Fix it',
          onclick: () => edit(roleOperations(name, 'hold')),
        },
        'hold',
      ),
      h(
        'button',
        {
          type: 'button',
          className: 'plain',
          'data-key': `push ${name}`,
          title: 'Apply a force',
          onclick: () => edit(roleOperations(name, 'push', outwardOf(name))),
        },
        'push',
      ),
      isFace && !roles.length
        ? null
        : h(
            'button',
            {
              type: 'button',
              className: 'plain',
              title: 'Remove the set with its supports and forces',
              'aria-label': `Remove ${name}`,
              onclick: () => removeSet(name),
            },
            '×',
          ),
    ),
    h('div', {className: 'what'}, [selection, nodes].filter(Boolean).join(', ')),
    first && entries.length === 1 && chosen.value === name ? sizeFields(path, first.s) : null,
    roles.map(roleCard),
  );
};
const sizeFields = (/** @type {any} */ path, /** @type {any} */ s) =>
  h(
    'div',
    {className: 'role'},
    s.select === 'brush'
      ? number('reaches', [...path, 'radius_mm'], 'mm')
      : s.select === 'disk'
        ? [
            number('radius', [...path, 'radius_mm'], 'mm'),
            number('thickness', [...path, 'thickness_mm'], 'mm'),
          ]
        : s.select === 'plane'
          ? [
              choice(
                'across',
                [...path, 'axis'],
                [
                  ['z', 'z'],
                  ['y', 'y'],
                  ['x', 'x'],
                ],
              ),
              number('at', [...path, 'at_mm'], 'mm'),
              number('depth', [...path, 'depth_mm'], 'mm', {placeholder: 'half a voxel'}),
            ]
          : s.select === 'box'
            ? [
                h(
                  'div',
                  {className: 'row'},
                  h('span', {className: 'kind'}, 'from'),
                  triple([...path, 'low_mm'], 'Low corner, mm'),
                ),
                h(
                  'div',
                  {className: 'row'},
                  h('span', {className: 'kind'}, 'to'),
                  triple([...path, 'high_mm'], 'High corner, mm'),
                ),
              ]
            : s.select === 'face'
              ? [
                  choice(
                    'face',
                    [...path, 'face'],
                    FACES.map((f) => [f, f]),
                  ),
                  choice(
                    'of',
                    [...path, 'of'],
                    [
                      ['image', 'the image'],
                      ['solid', 'the solid'],
                    ],
                  ),
                  number('depth', [...path, 'depth_mm'], 'mm'),
                ]
              : h('span', {className: 'soft'}, 'edit the keys in the job file'),
  );
// The direction away from the centre of the image, along the nearest axis. A push is inward.
const outwardOf = (/** @type {string} */ name) => {
  const face = name.match(/^([zyx])_(low|high)$/);
  if (face) return [0, 1, 2].map((a) => ('zyx'[a] === face[1] ? (face[2] === 'low' ? -1 : 1) : 0));
  const s = (data().set || []).find((/** @type {any} */ e) => e.name === name);
  if (Array.isArray(s?.normal)) return s.normal;
  const c = checked.value?.loads?.sets?.find(
    (/** @type {any} */ e) => e.name === name,
  )?.centroid_mm;
  if (!c) return [1, 0, 0];
  const away = c.map(
      (/** @type {number} */ v, /** @type {number} */ i) =>
        (v - scan.value.origin_mm[i]) / (scan.value.shape[i] * spacing()[i]) - 0.5,
    ),
    n = away.map(Math.abs).indexOf(Math.max(...away.map(Math.abs)));
  return [0, 1, 2].map((a) => (a === n ? Math.sign(away[n]) || 1 : 0));
};

const LOAD_KEYS = [
  'test',
  'axis',
  'direction',
  'bonded',
  'strain',
  'displacement_mm',
  'force_N',
  'angle_deg',
  'moment_N_mm',
  'gravity_m_per_s2',
  'about_mm',
];
const addCase = () => {
  const cases = Array.isArray(data().case) ? data().case : [],
    names = cases.map((/** @type {any} */ c) => c.name),
    load = data().load || {};
  let n = cases.length + 1;
  while (names.includes(`case_${n}`)) n++;
  const operations = [];
  const moved = cases.length
    ? {}
    : Object.fromEntries(
        LOAD_KEYS.filter((k) => k in load && k !== 'axis').map((k) => [k, load[k]]),
      );
  if (!cases.length && Object.keys(moved).length) {
    for (const key of Object.keys(moved)) operations.push({op: 'remove', path: ['load', key]});
    operations.push({op: 'add', path: ['case'], value: {name: 'case_1', ...moved}});
    if (n === 1) n = 2;
  }
  // Supports and forces of a job without cases become supports and forces of the first case.
  if (!cases.length) {
    if (!Object.keys(moved).length)
      operations.push({op: 'add', path: ['case'], value: {name: `case_${n++}`}});
    for (const kind of ['support', 'force'])
      for (const entry of kind === 'force' ? data().force || [] : [])
        operations.push({op: 'add', path: ['case', 0, kind], value: entry});
    if (data().force) operations.push({op: 'remove', path: ['force']});
  }
  operations.push({op: 'add', path: ['case'], value: {name: `case_${n}`}});
  const next = cases.length ? cases.length : 1;
  edit(operations).then(() => {
    inCase.value = next;
  });
};
export const drawLoads = () => {
  const cases = Array.isArray(data().case) ? data().case : [];
  if (inCase.value !== null && inCase.value >= cases.length)
    inCase.value = cases.length ? cases.length - 1 : null;
  const names = setNames();
  fill(
    panel('loads'),
    h('h2', null, 'Loads'),
    (() => {
      const made = choice('physics', ['physics'], PHYSICS);
      /** @type {any} */ (made.querySelector('select')).value = physics();
      return made;
    })(),
    !isMechanical()
      ? conditionFields()
      : [
          cases.length
            ? h(
                'div',
                {className: 'row'},
                h(
                  'select',
                  {
                    'aria-label': 'Load case',
                    'data-key': 'case',
                    className: 'grow',
                    onchange: (/** @type {any} */ e) => {
                      inCase.value = e.target.value === '' ? null : Number(e.target.value);
                    },
                  },
                  h('option', {value: '', selected: inCase.value === null}, 'in all cases'),
                  cases.map((/** @type {any} */ c, /** @type {number} */ n) =>
                    h('option', {value: n, selected: inCase.value === n}, `case ${c.name}`),
                  ),
                ),
                h('button', {type: 'button', 'data-key': 'add case', onclick: addCase}, 'Add'),
                inCase.value !== null
                  ? h(
                      'button',
                      {
                        type: 'button',
                        'data-key': 'remove case',
                        title: 'Remove the case',
                        'aria-label': 'Remove the case',
                        onclick: () => edit([{op: 'remove', path: ['case', inCase.value]}]),
                      },
                      '×',
                    )
                  : null,
              )
            : null,
          inCase.value !== null ? text('name', ['case', inCase.value, 'name']) : null,
          cases.length && inCase.value === null
            ? null
            : testFields(inCase.value === null ? ['load'] : ['case', inCase.value]),
          h('h3', null, names.length ? 'Sets, supports and forces' : 'Sets'),
          names.length
            ? names.map(setCard)
            : h(
                'p',
                {className: 'soft'},
                'No sets: choose a tool above the scan, and click on the solid.',
              ),
          cases.length
            ? null
            : h(
                'p',
                null,
                h(
                  'button',
                  {type: 'button', 'data-key': 'add case', onclick: addCase},
                  'Add a load case',
                ),
              ),
        ],
  );
};

// ---- check

const drawCheck = () => {
  const left = placeFindings(),
    found = checked.value,
    faults = found?.problems.length || 0,
    doubts = found?.warnings.length || 0,
    e = estimate.value;
  const isOld = !found || found.digest !== job.value?.digest;
  const verdict =
    !found || (isChecking.value && isOld)
      ? 'checking ...'
      : faults
        ? `${faults} ${faults === 1 ? 'fault' : 'faults'}: the job cannot run`
        : doubts
          ? `the job can run; ${doubts} ${doubts === 1 ? 'doubt' : 'doubts'}`
          : 'no faults: the job can run';
  fill(
    panel('check'),
    h('h2', null, 'Check'),
    h(
      'p',
      {
        id: 'verdict',
        role: 'status',
        className: faults ? 'state failed' : found && !isOld ? 'state done' : 'state',
      },
      verdict,
    ),
    left.map((p) => p.line),
    job.value?.fault
      ? h('p', {className: 'finding'}, `The text is not valid TOML: ${job.value.fault}`)
      : null,
    e
      ? h(
          'p',
          {className: 'soft', id: 'estimate'},
          `Estimate for ${e.ranks} ${e.ranks === 1 ? 'rank' : 'ranks'}: ${size(e.memory_bytes_per_rank * e.ranks)} of memory and ${duration(e.wall_seconds)}, with ${count(e.dofs)} unknowns.`,
        )
      : null,
  );
};
const placeAll = () => drawCheck();

export const drawBuild = () => {
  drawScan();
  drawSolid();
  drawMaterial();
  drawLoads();
  drawCheck();
};

let drawing = 0;
const soon = () => {
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(drawBuild);
};
for (const s of [job, scan, histogram, checked, isChecking, estimate, inCase, chosen, session])
  s.on(soon);
threshold.on(() => {
  drawHistogram();
  redraw('threshold');
});
new ResizeObserver(drawHistogram).observe(panel('solid'));
export {keyOf, pathOfRoles, thresholdOfJob};
