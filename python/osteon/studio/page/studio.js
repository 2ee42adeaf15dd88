// The page as a whole: opening of jobs and results, and dependencies between its parts.
// @ts-check
import {Refused, json, listen, post} from './api.js';
import {fill, h} from './dom.js';
import {
  changedLines,
  checkSoon,
  checked,
  data,
  histogram,
  isBusy,
  job,
  runs,
  showMessage,
  scan,
  schema,
  session,
  set,
  status,
  step,
  take,
  threshold,
  thresholdOfJob,
  runLines,
  runLinesChanged,
  spacing,
  whenEdited,
} from './store.js';
import {
  camera,
  counts,
  cursor,
  lastHit,
  placeOf,
  projected,
  redraw,
  show,
  showSets,
  shownArrows,
  hasViews,
} from './views.js';
import {SHAPES, chosen, drawTools, extent, role, shape, suitExtent} from './tools.js';
import {drawBuild} from './build.js';
import {drawRuns} from './runs.js';
import {isShowingResults, showResults} from './results.js';
import {drawText} from './text.js';

const one = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

// ---- status, title, undo, keys

status.on(({text, isBad}) => {
  one('status').textContent = text;
  one('status').title = text;
  one('status').classList.toggle('bad', isBad);
});
const drawTitle = () => {
  const s = scan.value;
  fill(
    one('title'),
    job.value
      ? [h('b', null, job.value.name), s ? ` of ${s.name}` : '']
      : session.value
        ? session.value.folder
        : '',
  );
  document.title = job.value ? `${job.value.name}: osteon studio` : 'osteon studio';
  /** @type {HTMLButtonElement} */ (one('undo')).disabled = !job.value?.undo;
  /** @type {HTMLButtonElement} */ (one('redo')).disabled = !job.value?.redo;
};
job.on(drawTitle);
scan.on(drawTitle);
session.on(drawTitle);
one('undo').addEventListener('click', () => step('undo'));
one('redo').addEventListener('click', () => step('redo'));
addEventListener('keydown', (e) => {
  if (!(e.ctrlKey || e.metaKey) || e.key.toLowerCase() !== 'z') return;
  const field = /** @type {any} */ (document.activeElement);
  // Keep the browser's own undo for typed text.
  if (field?.tagName === 'TEXTAREA' || field?.dataset?.typing) return;
  e.preventDefault();
  step(e.shiftKey ? 'redo' : 'undo');
});

const KEYS = [
  ['l f p b d s', 'tools: look, face, plane, box, disc, brush'],
  ['n h u', 'action of a click: set only, hold, push'],
  [
    't q c, i o r w',
    'in heat: temperature, heat flow, convection; in flow: inlet, outlet, pressure, wall',
  ],
  ['[ ]', 'reduce, enlarge box, disc or brush'],
  ['Enter', 'use the tool: at the cursor of a slice, in the middle of the 3-D view'],
  ['arrows', 'in a slice: move the cursor (Shift: by ten); in 3-D: turn'],
  ['Page up, Page down', 'the next slice'],
  ['+ −, Home', 'in 3-D: zoom in, zoom out, reset the view'],
  ['← →', 'on the histogram: the threshold (Page keys: by ten)'],
  ['F6', 'to the next region of the page'],
  ['Ctrl+Z, Ctrl+Shift+Z', 'undo, redo'],
  ['Escape', 'select the look tool'],
  ['?', 'these keys'],
];
const dialog = /** @type {HTMLDialogElement} */ (one('keys'));
const showKeys = () => {
  fill(
    dialog,
    h('h2', null, 'Keys'),
    h(
      'table',
      null,
      h(
        'tbody',
        null,
        KEYS.map(([keys, meaning]) =>
          h('tr', null, h('td', null, h('kbd', null, keys)), h('td', null, meaning)),
        ),
      ),
    ),
    h(
      'p',
      {className: 'row end'},
      h('button', {type: 'button', onclick: () => dialog.close()}, 'Close'),
    ),
  );
  dialog.showModal();
};
one('help').addEventListener('click', showKeys);
const isTyping = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName || '');
const REGIONS = ['#build', '#views', '#do'];
addEventListener('keydown', (e) => {
  if (e.key === '?' && !isTyping()) showKeys();
  if (e.key !== 'F6') return;
  e.preventDefault();
  const here = REGIONS.findIndex((r) =>
      document.querySelector(r)?.contains(document.activeElement),
    ),
    next = REGIONS[(here + (e.shiftKey ? REGIONS.length - 1 : 1)) % REGIONS.length];
  /** @type {any} */ (
    document.querySelector(`${next} canvas.gl, ${next} input, ${next} button`)
  )?.focus();
});

// ---- position of the cursor

const drawReadout = () => {
  const s = scan.value;
  if (!s) return;
  const place = placeOf(cursor.value),
    hit = lastHit.value,
    parts = [
      [
        'place',
        'zyx'
          .split('')
          .map((a, i) => `${a} ${place[i]}`)
          .join(', ') + ' mm',
      ],
      ['voxel', cursor.value.join(', ')],
    ];
  if (
    hit &&
    hit.voxel.every((/** @type {number} */ v, /** @type {number} */ i) => v === cursor.value[i])
  ) {
    parts.push(['grey', `${+hit.grey.toPrecision(5)}${s.unit ? ` ${s.unit}` : ''}`]);
    if (hit.face) parts.push(['face', hit.face]);
    const set = checked.value?.loads?.sets?.find((/** @type {any} */ e) => e.number === hit.set);
    if (hit.set && set) parts.push(['set', set.name]);
  }
  fill(
    one('readout'),
    parts.map(([name, value]) => h('span', null, `${name} `, h('b', null, value))),
  );
};
cursor.on(drawReadout);
lastHit.on(drawReadout);
checked.on(drawReadout);

// ---- updates

let shownKey = '',
  shownSpacing = '';
/** Load the scan again after a change of the file, its spacing or its steps. */
const followScan = async () => {
  const image = data().image || {},
    key = JSON.stringify([
      image.path,
      image.step,
      image.spacing_mm,
      data().segment?.labels,
      data().segment?.void_labels,
    ]);
  if (key === shownKey || !job.value?.data) return;
  shownKey = key;
  try {
    const s = await json('scan');
    const isOther =
      !scan.value || scan.value.source !== s.source || String(scan.value.shape) !== String(s.shape);
    if (isOther) histogram.value = null;
    if (isOther || String(spacing()) !== shownSpacing) extent.value = 0;
    shownSpacing = String(spacing());
    scan.value = s;
    const counted = json('histogram'); // of the image after the steps
    // A threshold of the job does not depend on the histogram, so that the views are drawn
    // immediately.
    const views =
      isOther && typeof data().segment?.threshold === 'number' && !isShowingResults()
        ? ((threshold.value = thresholdOfJob()), show())
        : null;
    histogram.value = await counted;
    threshold.value = thresholdOfJob();
    suitExtent();
    drawTools();
    if (views) {
      await views;
      redraw('threshold');
    } else if (!isShowingResults()) await show();
    drawReadout();
  } catch (e) {
    shownKey = '';
    scan.value = null;
    one('views').hidden = true;
    showMessage(/** @type {any} */ (e).message, true);
  }
};
job.on(() => document.body.classList.toggle('nojob', !job.value));
job.on(() => redraw('cursor')); // with all voxels, after a drag of the threshold
// The check starts after the scan, because the check uses all cores.
job.on(() => {
  if (histogram.value) threshold.value = thresholdOfJob();
  followScan().finally(checkSoon);
});
checked.on(() => {
  if (hasViews()) showSets().catch(() => {});
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  drawBuild();
  if (hasViews()) showSets().catch(() => {});
});
let resizing = 0;
const resized = () => {
  clearTimeout(resizing);
  resizing = window.setTimeout(() => {
    if (hasViews() && !one('views').hidden) showSets().catch(() => {});
  }, 100);
};
new ResizeObserver(resized).observe(one('views'));
addEventListener('resize', resized);

/** @param {any} state of the job, as written by another program */
const takeOther = (state) => {
  if (!state?.digest || state.digest === job.value?.digest) return;
  if (job.value && state.path === job.value.path)
    showMessage('The job file was changed by another program; the page shows the new content.');
  take(state);
};
let looksAgain = false;
const handleEvent = (/** @type {any} */ event) => {
  // A state that arrives during an edit may be older or newer than the result of the edit. Ask the
  // server after the edit.
  if (!isBusy.edits()) takeOther(event.job);
  else if (event.job && !looksAgain) {
    looksAgain = true;
    whenEdited(async () => {
      looksAgain = false;
      takeOther(await json('job').catch(() => null));
    });
  }
  if (event.runs) runs.value = event.runs;
  if (event.told) {
    const {run, anew, lines} = event.told;
    runLines.set(run, anew ? lines : [...(runLines.get(run) || []), ...lines]);
    runLinesChanged.value++;
  }
};

// ---- start

const drawStart = () => {
  const s = session.value;
  one('start').hidden = Boolean(s.job || s.results);
  if (s.job || s.results) return;
  const KINDS = {scan: 'scan', job: 'job', results: 'results'};
  fill(
    one('start'),
    h('h2', null, 'Open'),
    h(
      'p',
      {className: 'soft'},
      `Files in ${s.folder}. Opening a scan creates a job; opening results shows their report.`,
    ),
    s.files.length
      ? h(
          'ul',
          {className: 'files'},
          s.files.map((/** @type {any} */ f) =>
            h(
              'li',
              null,
              h(
                'button',
                {type: 'button', onclick: () => openFile(f.path)},
                f.path,
                h('span', null, KINDS[/** @type {'scan'} */ (f.kind)]),
              ),
            ),
          ),
        )
      : h(
          'p',
          null,
          'There is no scan, job or folder of results here. Start `osteon studio` in a folder that has one, or pass its path.',
        ),
  );
};
const openFile = async (/** @type {string} */ path) => {
  showMessage('opening ...');
  try {
    session.value = await post('open', {path});
    showMessage(session.value.note);
    await begin();
  } catch (e) {
    showMessage(/** @type {any} */ (e).message, true);
  }
};
const begin = async () => {
  drawStart();
  if (session.value.job) take(await json('job'));
  if (session.value.results) await showResults(null);
};

const start = async () => {
  try {
    session.value = await json('session');
  } catch (e) {
    document.body.replaceChildren(
      h(
        'p',
        {className: 'card', id: 'refused'},
        e instanceof Refused
          ? e.message
          : 'The studio does not respond. Check that it is still running.',
      ),
    );
    return;
  }
  drawTools();
  drawText();
  drawRuns();
  drawBuild();
  if (session.value.note) showMessage(session.value.note);
  json('schema')
    .then((s) => {
      schema.value = s;
      drawBuild();
    })
    .catch(() => {});
  let wasThere = true;
  listen(handleEvent, (isThere) => {
    if (wasThere !== isThere)
      showMessage(
        isThere
          ? 'The studio is available again.'
          : 'The studio does not respond; runs continue. Reconnecting ...',
        !isThere,
      );
    wasThere = isThere;
  });
  await begin();
  document.body.dataset.ready = 'yes'; // for automated browsers
};

// For automated browsers.
Object.assign(window, {
  studio: {
    job,
    scan,
    histogram,
    threshold,
    checked,
    runs,
    runLines,
    cursor,
    counts,
    camera,
    chosen,
    role,
    shape,
    isBusy,
    step,
    set,
    SHAPES,
    changedLines,
    spacing,
    projected,
    shownArrows,
  },
});
start();
