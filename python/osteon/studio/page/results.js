// Results in place of the scan: the report, pictures drawn by the program, files for other
// programs, comparison of runs.
// @ts-check
import {fill, h, size} from './dom.js';
import {bytes, json, post} from './api.js';
import {job, runs, showMessage} from './store.js';

const middle = (/** @type {string} */ id) =>
  /** @type {HTMLElement} */ (document.getElementById(id));
const TABS = [
  ['report', 'Report'],
  ['picture', 'Picture'],
  ['export', 'Files'],
];
let shown = /** @type {any} */ (null); // description of the folder, from the server
let run = /** @type {number | null} */ (null);
let tab = 'report';

const address = (/** @type {string} */ name, ticket = shown.ticket) =>
  `results/${ticket}/${encodeURIComponent(name)}`;
const frame = (/** @type {string} */ source, /** @type {string} */ title) =>
  h('iframe', {src: source, title, sandbox: 'allow-scripts allow-downloads allow-popups'});
const failed = (/** @type {any} */ e) => {
  if (e.name !== 'AbortError') showMessage(e.message, true);
};

/** @param {number | null} number of a run; null: the folder that was opened */
export const showResults = async (number) => {
  let found;
  try {
    found = await json(number === null ? 'results' : `results?run=${number}`);
  } catch (e) {
    failed(e);
    return;
  }
  if (!found.folder) {
    showMessage('The results were removed.', true);
    return;
  }
  const isOther = found.folder !== shown?.folder;
  shown = found;
  run = number;
  if (isOther) {
    tab = 'report';
    view = firstView();
  }
  for (const id of ['views', 'start']) middle(id).hidden = true;
  middle('results').hidden = false;
  draw();
};
export const hideResults = () => {
  shown = null;
  middle('results').hidden = true;
  middle('results').replaceChildren();
  middle('views').hidden = false;
  dispatchEvent(new Event('resize'));
};
export const isShowingResults = () => shown !== null;

const draw = () => {
  const hasReport = shown.files.some((/** @type {any} */ f) => f.name === 'report.html'),
    tabs = shown.fields.length ? TABS : TABS.filter(([name]) => name !== 'picture');
  fill(
    middle('results'),
    h(
      'header',
      null,
      h('b', null, shown.folder),
      h(
        'span',
        {className: 'segments', role: 'tablist', 'aria-label': 'View of the results'},
        tabs.map(([name, label]) =>
          h(
            'button',
            {
              type: 'button',
              role: 'tab',
              'data-key': `tab ${name}`,
              'aria-selected': String(tab === name),
              'aria-pressed': String(tab === name),
              onclick: () => {
                tab = name;
                draw();
              },
            },
            label,
          ),
        ),
      ),
      job.value ? h('button', {type: 'button', onclick: hideResults}, 'Back to the scan') : null,
      hasReport && tab === 'report'
        ? h(
            'a',
            {href: address('report.html'), target: '_blank', rel: 'noopener'},
            'in a separate window',
          )
        : null,
    ),
    tab === 'report'
      ? hasReport
        ? frame(address('report.html'), `Report of ${shown.folder}`)
        : h('p', {className: 'soft'}, 'There is no report. Write it with `osteon report`.')
      : tab === 'picture'
        ? picturePanel()
        : filesPanel(),
  );
  if (tab === 'picture') redraw();
};

// ---- pictures: `osteon render` draws them for results of any size; while the view turns at a
// small size

const METHODS = [
  ['surface', 'surface of the solid'],
  ['level', 'isosurface'],
  ['volume', 'transparent volume'],
  ['maximum', 'maximum along rays'],
  ['average', 'mean along rays'],
];
/**
 * Return the field that the run displayed, if the file has it; otherwise the first field other
 * than the material number.
 */
const usualField = () => {
  const names = shown.fields.map((/** @type {any} */ f) => f.name),
    other = names.find((/** @type {string} */ n) => n !== 'material');
  return names.includes(shown.summary.shown?.field)
    ? shown.summary.shown.field
    : (other ?? names[0] ?? '');
};
const firstView = () => ({
  field: usualField(),
  component: '',
  method: 'fluid' in (shown.summary || {}) ? 'volume' : 'surface',
  level: /** @type {number | null} */ (null),
  cut: '',
  at_mm: 0,
  keeps: 'below',
  streamlines: 0,
  azimuth: 35,
  elevation: 22,
  zoom: 1,
  light: false,
});
let view = /** @type {any} */ (null),
  hasTurned = false,
  command = '',
  request = /** @type {AbortController | null} */ (null),
  later = 0;
const SMALL = 300;

const fieldNow = () =>
  shown.fields.find((/** @type {any} */ f) => f.name === view.field) || shown.fields[0];
const asAsked = () => ({
  ...view,
  method: view.method === 'level' ? 'surface' : view.method,
  level: view.method === 'level' ? view.level : null,
});
/** Pixels of the labels right of and above a picture, as in src/osteon/job/outputs/labeller.cpp. @param {number} w @param {number} h */
const labelsAround = (w, h) => {
  const unit = Math.max(0.25, Math.min(w / 1236, h / 1074));
  return Math.min(w, h) < 400 ? [0, 0] : [Math.round(236 * unit), Math.round(74 * unit)];
};
const redraw = async (isSmall = false) => {
  const canvas = /** @type {HTMLCanvasElement | null} */ (document.getElementById('picture'));
  if (!canvas || !canvas.clientWidth) return;
  clearTimeout(later);
  request?.abort();
  request = new AbortController();
  const dense = Math.min(2, devicePixelRatio || 1),
    {clientWidth: w, clientHeight: high} = canvas;
  // While the view turns, a small picture replaces the picture within the labels, at the same size.
  const isKept = isSmall && canvas.width > SMALL,
    W = isKept ? canvas.width : Math.round(w * dense),
    H = isKept ? canvas.height : Math.round(high * dense);
  const [beside, above] = labelsAround(W, H);
  const inner = [W - beside, H - above],
    edges = isSmall ? inner.map((n) => Math.round((n * SMALL) / Math.max(...inner))) : [W, H];
  canvas.dataset.state = 'drawing';
  try {
    const {data, headers} = await bytes(
      'results/picture',
      {run, view: {...asAsked(), plain: isSmall, width: edges[0], height: edges[1]}},
      request.signal,
    );
    const image = await createImageBitmap(new Blob([data], {type: 'image/png'}));
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    if (!isSmall || canvas.width !== W || canvas.height !== H) {
      canvas.width = W;
      canvas.height = H;
    }
    if (isSmall) pen.drawImage(image, 0, above, inner[0], inner[1]);
    else pen.drawImage(image, 0, 0, W, H);
    command = headers.get('X-Command') || '';
    const line = document.getElementById('picture-command');
    if (line && !isSmall) line.textContent = command;
    canvas.dataset.state = isSmall ? 'coarse' : 'drawn';
    if (hasTurned) {
      hasTurned = false;
      redraw(true);
    } else if (isSmall) later = window.setTimeout(redraw, 350);
  } catch (e) {
    if (/** @type {any} */ (e).name !== 'AbortError') {
      canvas.dataset.state = 'failed';
      failed(e);
    }
  }
};
/**
 * Change the view. While it turns one picture is drawn at a time, because the wheel is faster
 * than the program; otherwise a picture in progress is cancelled.
 * @param {any} change
 */
const turn = (change, isSmall = false) => {
  view = {...view, ...change};
  if (isSmall && document.getElementById('picture')?.dataset.state === 'drawing') hasTurned = true;
  else redraw(isSmall);
};

/** 1, or -1 if the axes of the image are left-handed: the picture is not mirrored. */
const side = () => {
  const d = (shown.summary?.image?.direction || []).flat();
  if (d.length !== 9) return 1;
  return d[0] * (d[4] * d[8] - d[5] * d[7]) -
    d[1] * (d[3] * d[8] - d[5] * d[6]) +
    d[2] * (d[3] * d[7] - d[4] * d[6]) <
    0
    ? -1
    : 1;
};
const listen = (/** @type {HTMLCanvasElement} */ canvas) => {
  /** @type {number[] | null} */
  let from = null;
  canvas.addEventListener('pointerdown', (e) => {
    if (e.button) return;
    from = [e.clientX, e.clientY, view.azimuth, view.elevation];
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener('pointermove', (e) => {
    if (!from) return;
    const change = {
      azimuth: from[2] - side() * (e.clientX - from[0]) * 0.5,
      elevation: Math.max(-89, Math.min(89, from[3] + (e.clientY - from[1]) * 0.5)),
    };
    turn(change, true);
  });
  for (const end of ['pointerup', 'pointercancel'])
    canvas.addEventListener(end, () => {
      from = null;
    });
  canvas.addEventListener(
    'wheel',
    (e) => {
      e.preventDefault();
      turn({zoom: Math.max(0.2, Math.min(20, view.zoom * Math.exp(-e.deltaY * 0.0015)))}, true);
    },
    {passive: false},
  );
  canvas.addEventListener('keydown', (e) => {
    const step = {
      ArrowLeft: {azimuth: view.azimuth + side() * 8},
      ArrowRight: {azimuth: view.azimuth - side() * 8},
      ArrowUp: {elevation: Math.min(89, view.elevation + 8)},
      ArrowDown: {elevation: Math.max(-89, view.elevation - 8)},
      '+': {zoom: view.zoom * 1.15},
      '-': {zoom: view.zoom / 1.15},
      Home: {azimuth: 35, elevation: 22, zoom: 1},
    }[e.key];
    if (step) {
      e.preventDefault();
      turn(step, true);
    }
  });
};

const select = (
  /** @type {string} */ key,
  /** @type {string} */ label,
  /** @type {string[][]} */ options,
  redraws = false,
) =>
  h(
    'label',
    null,
    `${label} `,
    h(
      'select',
      {
        'data-key': `view ${key}`,
        onchange: (/** @type {any} */ e) => {
          turn({[key]: e.target.value, ...(key === 'field' ? {component: '', level: null} : {})});
          if (redraws) draw();
        },
      },
      options.map(([value, label]) => h('option', {value, selected: view[key] === value}, label)),
    ),
  );
const typed = (
  /** @type {string} */ key,
  /** @type {string} */ label,
  /** @type {string} */ unit,
) =>
  h(
    'label',
    null,
    `${label} `,
    h('input', {
      type: 'text',
      inputMode: 'decimal',
      className: 'short',
      value: view[key] ?? '',
      'data-key': `view ${key}`,
      onchange: (/** @type {any} */ e) => {
        const value = Number(e.target.value.replace(',', '.'));
        if (Number.isFinite(value)) turn({[key]: e.target.value.trim() === '' ? null : value});
      },
    }),
    unit ? ` ${unit}` : '',
  );
/** Range of the image box along an axis, in mm, for the position of a cut. @param {string} axis */
const extentOf = (axis) => {
  const i = 'zyx'.indexOf(axis),
    image = shown.summary.image || {},
    first = image.origin_mm?.[i] || 0,
    n = image.shape?.[i] || 1,
    edge = image.spacing_mm?.[i] || 1;
  return [first, first + n * edge];
};
const write = async (
  /** @type {string} */ path,
  /** @type {any} */ body,
  /** @type {string} */ label,
) => {
  showMessage(label);
  try {
    const made = await post(path, {run, ...body});
    showMessage(`${made.name} was written: ${made.command}`);
    shown.files = (await json(run === null ? 'results' : `results?run=${run}`)).files;
    tab = 'export';
    draw();
  } catch (e) {
    failed(e);
  }
};

const picturePanel = () => {
  const f = fieldNow(),
    isVector = f.components.length > 0,
    vectors = shown.fields.filter((/** @type {any} */ v) => v.components.length === 3);
  const canvas = /** @type {HTMLCanvasElement} */ (
    h('canvas', {
      id: 'picture',
      tabIndex: 0,
      role: 'img',
      'aria-label':
        'The results in three dimensions. Arrow keys turn, plus and minus zoom, Home resets.',
    })
  );
  listen(canvas);
  return [
    h(
      'div',
      {className: 'tools'},
      select(
        'field',
        'Field',
        shown.fields.map((/** @type {any} */ v) => [v.name, v.name.replaceAll('_', ' ')]),
        true,
      ),
      isVector
        ? select('component', 'component', [
            ['', 'magnitude'],
            ...f.components.map((/** @type {string} */ c) => [c, c]),
          ])
        : null,
      select(
        'method',
        'as',
        [...METHODS, ...(vectors.length ? [['lic', 'cut with streamlines (LIC)']] : [])],
        true,
      ),
      view.method === 'level' ? typed('level', 'value', f.unit === '1' ? '' : f.unit) : null,
      select(
        'cut',
        'cut',
        [
          ['', 'none'],
          ['x', 'at x'],
          ['y', 'at y'],
          ['z', 'at z'],
        ],
        true,
      ),
      view.cut
        ? [
            (() => {
              const [low, high] = extentOf(view.cut);
              if (view.at_mm <= low || view.at_mm >= high) view.at_mm = (low + high) / 2;
              return h('input', {
                type: 'range',
                min: low,
                max: high,
                step: (high - low) / 200,
                value: view.at_mm,
                'data-key': 'view at_mm',
                'aria-label': 'Position of the cut',
                oninput: (/** @type {any} */ e) => turn({at_mm: Number(e.target.value)}, true),
              });
            })(),
            view.method === 'lic'
              ? null
              : select('keeps', 'keep', [
                  ['below', 'below'],
                  ['above', 'above'],
                ]),
          ]
        : null,
      vectors.length ? typed('streamlines', 'streamlines', '') : null,
      h(
        'label',
        null,
        h('input', {
          type: 'checkbox',
          checked: view.light,
          'data-key': 'view light',
          onchange: (/** @type {any} */ e) => turn({light: e.target.checked}),
        }),
        ' white',
      ),
      h(
        'button',
        {
          type: 'button',
          'data-key': 'save picture',
          onclick: () =>
            canvas.toBlob((blob) => {
              const link = h('a', {
                href: URL.createObjectURL(/** @type {Blob} */ (blob)),
                download: `${view.field}.png`,
              });
              link.click();
              URL.revokeObjectURL(link.href);
            }),
        },
        'Save PNG',
      ),
      h(
        'button',
        {
          type: 'button',
          'data-key': 'film',
          title: 'Film of one turn around the specimen (.mp4); writing takes some time',
          onclick: () => write('results/film', {view: asAsked()}, 'Writing the film ...'),
        },
        'Film',
      ),
    ),
    canvas,
    h(
      'p',
      {
        className: 'code',
        id: 'picture-command',
        title: 'Equivalent command in a terminal, in the folder of the results',
      },
      command,
    ),
  ];
};

// ---- files: existing files, and exports by the program

const filesPanel = () => {
  const usual = usualField();
  const field = h(
    'select',
    {'aria-label': 'Field', 'data-key': 'export field'},
    shown.fields.map((/** @type {any} */ f) =>
      h('option', {value: f.name, selected: f.name === usual}, f.name.replaceAll('_', ' ')),
    ),
  );
  const button = (/** @type {string} */ ending, /** @type {string} */ label) =>
    h(
      'button',
      {
        type: 'button',
        'data-key': `export ${ending}`,
        onclick: () =>
          write('results/export', {ending, field: field.value}, `writing ${label} ...`),
      },
      label,
    );
  return h(
    'div',
    {className: 'padded'},
    shown.fields.length
      ? [
          h('h3', null, 'Write for other programs'),
          h(
            'p',
            {className: 'row'},
            'all fields: ',
            shown.exports
              .filter((/** @type {any} */ e) => !e.takes_field)
              .map((/** @type {any} */ e) => button(e.ending, e.ending)),
          ),
          h(
            'p',
            {className: 'row'},
            'one field: ',
            field,
            shown.exports
              .filter((/** @type {any} */ e) => e.takes_field)
              .map((/** @type {any} */ e) => button(e.ending, e.ending)),
          ),
          shown.jobs.length
            ? h(
                'p',
                {className: 'row'},
                'the job, for CalculiX and Abaqus, FAIM, ParOSol: ',
                shown.jobs.map((/** @type {string} */ ending) => button(ending, ending)),
              )
            : null,
          h(
            'p',
            {className: 'row'},
            'a script that opens the results: ',
            shown.states.map((/** @type {string} */ s) =>
              button(s, s === 'slicer' ? '3D Slicer' : 'ParaView'),
            ),
          ),
        ]
      : null,
    h('h3', null, 'Files'),
    h(
      'ul',
      {className: 'links'},
      shown.files.map((/** @type {any} */ f) =>
        h(
          'li',
          null,
          h('a', {href: address(f.name), download: f.name}, f.name),
          h('span', {className: 'soft'}, ` ${size(f.bytes)}`),
        ),
      ),
    ),
  );
};

// ---- comparison of runs

/** @param {number[]} numbers */
export const showComparison = async (numbers) => {
  showMessage('Comparing the runs ...');
  try {
    const made = await post('results/compare', {runs: numbers});
    showMessage(made.command);
    shown = {folder: made.name, files: [], fields: [], jobs: [], summary: {}};
    for (const id of ['views', 'start']) middle(id).hidden = true;
    middle('results').hidden = false;
    const names = runs.value.runs.filter((r) => numbers.includes(r.number)).map((r) => r.name);
    fill(
      middle('results'),
      h(
        'header',
        null,
        h('b', null, names.join(' and ')),
        h('button', {type: 'button', onclick: hideResults}, 'Back to the scan'),
        h(
          'a',
          {href: address(made.name, made.ticket), target: '_blank', rel: 'noopener'},
          'in a separate window',
        ),
      ),
      frame(address(made.name, made.ticket), 'Comparison of runs'),
    );
  } catch (e) {
    failed(e);
  }
};
