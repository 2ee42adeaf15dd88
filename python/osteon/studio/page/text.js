// The job file on disk: edits of the page are shown line by line, and the text can be edited
// directly.
// @ts-check
import {fill, h} from './dom.js';
import {changedLines, job, putText, showMessage} from './store.js';

const panel = /** @type {HTMLElement} */ (document.getElementById('text'));
let typed = /** @type {string | null} */ (null);

const line = (/** @type {string} */ text) => {
  if (/^\s*#/.test(text)) return h('span', {className: 'c'}, text);
  if (/^\s*\[/.test(text)) return h('span', {className: 't'}, text);
  const at = text.search(/\s#(?=[^"]*$)/);
  return at > 0
    ? h('span', null, text.slice(0, at), h('span', {className: 'c'}, text.slice(at)))
    : h('span', null, text);
};

const copy = async () => {
  try {
    await navigator.clipboard.writeText(job.value.text);
    showMessage('The job was copied to the clipboard.');
  } catch {
    showMessage('The browser does not allow copying; select the text.', true);
  }
};

export const drawText = () => {
  const state = job.value;
  if (!state) {
    fill(panel, h('h2', null, 'Job file'), h('p', {className: 'soft'}, 'no job is open'));
    return;
  }
  const head = h(
    'h2',
    null,
    h('span', {className: 'grow', title: state.path}, state.name),
    typed === null
      ? [
          h('button', {type: 'button', className: 'plain', onclick: copy}, 'copy'),
          h(
            'button',
            {
              type: 'button',
              className: 'plain',
              onclick: () => {
                typed = state.text;
                drawText();
                panel.querySelector('textarea')?.focus();
              },
            },
            'edit',
          ),
        ]
      : [
          h(
            'button',
            {
              type: 'button',
              className: 'plain',
              onclick: () => {
                typed = null;
                drawText();
              },
            },
            'leave',
          ),
          h('button', {type: 'button', className: 'main', onclick: save}, 'Save'),
        ],
  );
  if (typed !== null) {
    if (panel.querySelector('textarea')) return; // keeps the typed text
    fill(
      panel,
      head,
      h('textarea', {
        className: 'toml',
        value: typed,
        spellcheck: false,
        'aria-label': 'Text of the job',
        oninput: (/** @type {any} */ e) => {
          typed = e.target.value;
        },
      }),
    );
    return;
  }
  const marked = new Set(changedLines.value),
    pre = h('pre', {className: 'toml', tabIndex: 0, 'aria-label': 'Text of the job'});
  state.text
    .split('\n')
    .forEach((/** @type {string} */ text, /** @type {number} */ n) =>
      pre.append(marked.has(n) ? h('mark', null, line(text)) : line(text), '\n'),
    );
  const scroll = panel.querySelector('pre')?.scrollTop || 0;
  fill(panel, head, pre);
  pre.scrollTop = scroll;
  const first = pre.querySelector('mark');
  if (first) pre.scrollTop = Math.max(0, first.offsetTop - pre.offsetTop - pre.clientHeight / 3);
};
const save = async () => {
  const text = typed;
  typed = null;
  if (text !== null) await putText(text);
  drawText();
};
job.on(drawText);
