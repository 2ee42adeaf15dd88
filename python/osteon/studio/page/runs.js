// Runs are a queue that is stored with the job file and is independent of this page. The progress
// of a run consists of lines of JSON (osteon run --progress).
// @ts-check
import {duration, fill, h, round} from './dom.js';
import {bytes, json, post} from './api.js';
import {showComparison, showResults} from './results.js';
import {
  at,
  checked,
  job,
  putText,
  runs,
  showMessage,
  runLines,
  set,
  runLinesChanged,
} from './store.js';

const panel = /** @type {HTMLElement} */ (document.getElementById('runs'));
const open = new Set();
/** Numbers of the runs to compare. */
const picked = new Set();

const start = async () => {
  try {
    runs.value = await post('runs', {base: job.value.digest});
    showMessage('The run was added to the queue.');
  } catch (e) {
    showMessage(/** @type {any} */ (e).message, true);
  }
};
const act = async (/** @type {number} */ number, /** @type {string} */ action) => {
  try {
    runs.value = await post(`runs/${number}/${action}`);
  } catch (e) {
    showMessage(/** @type {any} */ (e).message, true);
  }
};

/** The residuals over the iterations, as a line on a logarithmic axis. @param {any[]} lines */
const residuals = (lines) => {
  const points = lines
    .filter((l) => l.kind === 'progress' && l.iteration !== undefined && l.residual > 0)
    .map((l) => [l.iteration, Math.log10(l.residual)]);
  if (points.length < 2) return null;
  const NS = 'http://www.w3.org/2000/svg',
    made = document.createElementNS(NS, 'svg'),
    low = Math.floor(Math.min(...points.map((p) => p[1]))),
    high = Math.ceil(Math.max(...points.map((p) => p[1]))) || 0;
  const last = Math.max(...points.map((p) => p[0])),
    y = (/** @type {number} */ v) => 4 + ((high - v) / (high - low || 1)) * 76;
  made.setAttribute('viewBox', '0 0 260 84');
  made.setAttribute('preserveAspectRatio', 'none');
  made.setAttribute('class', 'residual');
  made.setAttribute('role', 'img');
  made.setAttribute(
    'aria-label',
    `Residual over iterations, now ${(10 ** points[points.length - 1][1]).toExponential(1)} at iteration ${last}`,
  );
  for (let v = low; v <= high; v++) {
    const grid = document.createElementNS(NS, 'line');
    for (const [k, value] of Object.entries({x1: 0, x2: 260, y1: y(v), y2: y(v)}))
      grid.setAttribute(k, String(value));
    made.append(grid);
  }
  const line = document.createElementNS(NS, 'polyline');
  // A resumed run restarts below its last residual, and the line is interrupted at the restart. A
  // run of a single iteration would be invisible, so its line is not interrupted.
  line.setAttribute(
    'points',
    points.map(([i, v]) => `${4 + (i / (last || 1)) * 252},${y(v)}`).join(' '),
  );
  made.append(line);
  return [
    made,
    h(
      'div',
      {className: 'legend-line'},
      h('span', null, `residual 1e${high} to 1e${low}`),
      h('span', null, `iteration ${last}`),
    ),
  ];
};

const answers = (/** @type {any} */ summary) => {
  const rows = [
    ['stiffness_N_per_mm', 'stiffness', 'N/mm'],
    ['apparent_modulus_MPa', 'apparent modulus', 'MPa'],
    ['effective_conductivity_W_per_mK', 'conductivity', 'W/mK'],
    ['permeability_m2', 'permeability', 'm²'],
  ];
  const found = rows.filter(([key]) => typeof summary?.[key] === 'number').slice(0, 2);
  return found.map(([key, label, unit]) =>
    h(
      'p',
      {className: 'answer', 'data-answer': key, 'data-value': String(summary[key])},
      h('span', {className: 'soft'}, `${label} `),
      h('b', null, String(round(summary[key], 5))),
      ` ${unit}`,
    ),
  );
};

// The latest picture that a run draws while it solves. The element of the picture persists when
// cards are redrawn.
const EVERY = 2; // iterations: elasticity needs about ten to thirty
/** @type {Map<number, {image: any, name: string, requested: number}>} */
const frames = new Map();
const refreshFrame = async (/** @type {number} */ number) => {
  const known = frames.get(number) || {
    image: h('img', {className: 'frame', alt: `Current solution of run ${number}`}),
    name: '',
    requested: 0,
  };
  frames.set(number, known);
  if (Date.now() - known.requested < 800) return;
  known.requested = Date.now();
  try {
    const {data, headers} = await bytes(
      `runs/${number}/frame?has=${encodeURIComponent(known.name)}`,
    );
    if (!data.byteLength) return;
    URL.revokeObjectURL(known.image.src);
    known.image.src = URL.createObjectURL(new Blob([data], {type: 'image/png'}));
    known.name = headers.get('X-Name') || '';
    known.image.title = known.name;
  } catch {
    /* for a run that was removed meanwhile */
  }
};
const frameOf = (/** @type {any} */ run) => {
  if (run.state === 'running') refreshFrame(run.number);
  const known = frames.get(run.number);
  return known?.name && run.state !== 'waiting' ? known.image : null;
};

const STATES = {
  waiting: 'waits',
  held: 'waiting for confirmation',
  running: 'running',
  stopped: 'stopped',
  done: 'done',
  failed: 'failed',
};
const card = (/** @type {any} */ run, /** @type {boolean} */ isLatest) => {
  const lines = runLines.get(run.number) || [],
    progress = lines.findLast(
      (/** @type {any} */ l) => l.kind === 'progress' || l.kind === 'stage',
    ),
    isOpen = isLatest || run.state === 'running' || open.has(run.number);
  const isOlder = job.value && run.digest !== job.value.digest,
    warnings = lines.filter((/** @type {any} */ l) => l.kind === 'warning');
  const seconds = run.began && run.ended ? duration(run.ended - run.began) : '';
  const buttons = [];
  if (run.state === 'running')
    buttons.push(
      h(
        'button',
        {
          type: 'button',
          'data-key': `stop ${run.number}`,
          disabled: run.asked_to_stop,
          onclick: () => act(run.number, 'stop'),
          title: 'Write a checkpoint and stop; Resume continues from the checkpoint',
        },
        run.asked_to_stop ? 'Stopping ...' : 'Stop',
      ),
    );
  if (run.state === 'waiting')
    buttons.push(
      h(
        'button',
        {type: 'button', 'data-key': `stop ${run.number}`, onclick: () => act(run.number, 'stop')},
        'Remove',
      ),
    );
  if (run.state === 'held')
    buttons.push(
      h(
        'button',
        {type: 'button', 'data-key': `stop ${run.number}`, onclick: () => act(run.number, 'stop')},
        'Remove',
      ),
      h(
        'button',
        {
          type: 'button',
          'data-key': `resume ${run.number}`,
          title: 'Another studio added this run to the queue',
          onclick: () => act(run.number, 'resume'),
        },
        'Start',
      ),
    );
  if (run.state === 'stopped' || run.state === 'failed')
    buttons.push(
      h(
        'button',
        {
          type: 'button',
          'data-key': `resume ${run.number}`,
          onclick: () => act(run.number, 'resume'),
        },
        run.began ? 'Resume' : 'Queue again',
      ),
    );
  if (run.state === 'done')
    buttons.push(
      h(
        'button',
        {
          type: 'button',
          className: 'main',
          'data-key': `results ${run.number}`,
          onclick: () => showResults(run.number),
        },
        'Show results',
      ),
      h(
        'label',
        {className: 'soft', title: 'Select for a comparison'},
        h('input', {
          type: 'checkbox',
          checked: picked.has(run.number),
          'data-key': `pick ${run.number}`,
          onchange: (/** @type {any} */ e) => {
            if (e.target.checked) picked.add(run.number);
            else picked.delete(run.number);
            drawRuns();
          },
        }),
        ' compare',
      ),
    );
  return h(
    'div',
    {className: 'run', 'data-run': run.number, 'data-state': run.state},
    h(
      'header',
      null,
      h('b', {title: run.command}, run.name),
      h(
        'span',
        {className: `state ${run.state}`},
        STATES[/** @type {'done'} */ (run.state)],
        seconds ? ` in ${seconds}` : '',
      ),
    ),
    isOlder ? h('p', {className: 'soft'}, 'from an older version of the job') : null,
    run.state === 'running'
      ? [
          h(
            'div',
            {
              className: 'bar',
              role: 'progressbar',
              'aria-valuemin': 0,
              'aria-valuemax': 100,
              'aria-valuenow': Math.round(100 * (progress?.fraction || 0)),
              'aria-label': 'Progress of the stage',
            },
            (() => {
              const i = h('i');
              i.style.width = `${100 * (progress?.fraction || 0)}%`;
              return i;
            })(),
          ),
          h(
            'p',
            {className: 'soft'},
            progress
              ? `${progress.stage}${progress.seconds_left !== undefined ? `, about ${duration(progress.seconds_left)} left` : ''}`
              : 'starting',
          ),
        ]
      : null,
    isOpen ? residuals(lines) : null,
    isOpen ? frameOf(run) : null,
    run.state === 'done' && isOpen ? answers(run.answers) : null,
    run.text && run.state !== 'done'
      ? h('p', {className: run.state === 'failed' ? 'finding' : 'soft'}, run.text)
      : null,
    isOpen
      ? warnings
          .slice(-3)
          .map((/** @type {any} */ w) => h('p', {className: 'finding doubt'}, w.text))
      : null,
    h(
      'div',
      {className: 'row'},
      buttons,
      isLatest || run.state === 'running'
        ? null
        : h(
            'button',
            {
              type: 'button',
              className: 'plain',
              'data-key': `more ${run.number}`,
              onclick: () => {
                if (!open.delete(run.number)) open.add(run.number);
                drawRuns();
              },
            },
            isOpen ? 'less' : 'more',
          ),
      isOpen && isOlder
        ? h(
            'button',
            {
              type: 'button',
              className: 'plain',
              title: 'Restore the job of this run; Undo reverts this',
              onclick: () => restoreJob(run),
            },
            'restore this job',
          )
        : null,
    ),
  );
};
const restoreJob = async (/** @type {any} */ run) => {
  try {
    await putText((await json(`runs/${run.number}/job`)).text);
  } catch (e) {
    showMessage(/** @type {any} */ (e).message, true);
  }
};

export const drawRuns = () => {
  const compared = runs.value.runs
    .filter((r) => r.state === 'done' && picked.has(r.number))
    .map((r) => r.number);
  const list = [...runs.value.runs].reverse(),
    faults = checked.value?.problems.length || 0;
  fill(
    panel,
    h('h2', null, 'Run'),
    h(
      'div',
      {className: 'row'},
      h(
        'button',
        {
          type: 'button',
          className: 'main',
          id: 'run',
          'data-key': 'run',
          disabled: !job.value || !runs.value.is_mine || Boolean(job.value.fault),
          onclick: start,
          title: 'Add a run of the current job to the queue',
        },
        runs.value.runs.some((r) => r.state === 'running') ? 'Queue a run' : 'Run',
      ),
      faults ? h('span', {className: 'soft'}, 'the check found faults') : null,
    ),
    job.value?.data
      ? h(
          'p',
          null,
          h(
            'label',
            {
              className: 'soft',
              title: `picture.every = ${EVERY}\nDraw the current solution every ${EVERY} iterations, which increases the run time`,
            },
            h('input', {
              type: 'checkbox',
              checked: (at(['picture', 'every']) || 0) > 0,
              'data-key': 'frames',
              onchange: (/** @type {any} */ e) =>
                set(['picture', 'every'], e.target.checked ? EVERY : undefined),
            }),
            ' pictures while it runs',
          ),
        )
      : null,
    runs.value.note ? h('p', {className: 'finding doubt'}, runs.value.note) : null,
    runs.value.is_mine
      ? null
      : h(
          'p',
          {className: 'finding doubt'},
          'Another studio manages the runs of this job. Start and stop them there.',
        ),
    list.map((r, n) => card(r, n === 0)),
    compared.length > 1
      ? h(
          'p',
          null,
          h(
            'button',
            {
              type: 'button',
              className: 'main',
              'data-key': 'compare',
              onclick: () => showComparison(compared),
            },
            `Compare ${compared.length} runs`,
          ),
        )
      : null,
    job.value
      ? h(
          'details',
          null,
          h('summary', null, 'In a terminal'),
          h('p', null, 'Equivalent command in a terminal, in the folder of the job:'),
          h('p', {className: 'code'}, `osteon run ${job.value.name}`),
          h('p', null, 'By a batch system:'),
          h(
            'p',
            {className: 'code'},
            `sbatch --signal=USR1@300 --wrap 'osteon run ${job.value.name}'`,
          ),
          h(
            'p',
            {className: 'soft'},
            'Runs continue after this page or the studio is closed; the queue continues while a studio is open.',
          ),
        )
      : null,
  );
};

let drawing = 0;
const soon = () => {
  if (!drawing)
    drawing = requestAnimationFrame(() => {
      drawing = 0;
      drawRuns();
    });
};
for (const s of [runs, runLinesChanged, job, checked]) s.on(soon);
