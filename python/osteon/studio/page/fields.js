// Fields of the job file. A field shows the value in the file, writes its key when it loses the
// focus, and shows the findings of the check.
// @ts-check
import {h} from './dom.js';
import {at, checked, edit, schema, set} from './store.js';

/** Return the schema of a key. @param {(string | number)[]} path */
const described = (path) => {
  let there = schema.value;
  for (const key of path) there = typeof key === 'number' ? there?.items : there?.properties?.[key];
  return there || {};
};

const ruled = (/** @type {any} */ input) => {
  input.addEventListener('input', () => {
    input.dataset.typing = 'yes';
  });
  input.addEventListener('keydown', (/** @type {KeyboardEvent} */ e) => {
    if (e.key === 'Enter') input.blur();
    if (e.key === 'Escape') {
      delete input.dataset.typing;
      input.value = input.dataset.was || '';
      input.blur();
    }
  });
  input.dataset.was = input.value;
  return input;
};

/**
 * An input that calls `take` with the typed text when it loses the focus.
 * @param {any} options key, label, value, placeholder, numeric, title
 * @param {(text: string) => void} take
 */
export const input = (options, take) => {
  const made = ruled(
    h('input', {
      type: 'text',
      inputMode: options.numeric ? 'decimal' : 'text',
      value: options.value ?? '',
      placeholder: options.placeholder ?? '',
      autocomplete: 'off',
      spellcheck: false,
      'aria-label': options.label,
      title: options.title,
      'data-key': options.key,
      'data-path': options.path ? options.path.join('.') : undefined,
      id: options.id,
    }),
  );
  made.addEventListener('change', () => {
    delete made.dataset.typing;
    take(made.value.trim());
  });
  return made;
};

/** Parse a typed number; undefined if it is invalid. @param {string} text */
export const numberIn = (text) => {
  const value = Number(text.replace(',', '.'));
  return text !== '' && Number.isFinite(value) ? value : null;
};

/**
 * An input for a number at a path.
 * @param {(string | number)[]} path
 * @param {any} [options] label, placeholder, optional
 */
export const numberInput = (path, options = {}) => {
  const value = at(path),
    about = described(path);
  const made = input(
    {
      key: path.join('.'),
      path,
      numeric: true,
      value: value ?? '',
      label: options.label,
      title: `${keyOf(path)}\n${about.description || ''}`,
      id: options.id,
      placeholder: options.placeholder ?? about.default ?? '',
    },
    (text) => {
      const n = numberIn(text);
      if (text === '' && value !== undefined) {
        set(path, undefined);
        return;
      }
      if (n === null) {
        if (text !== '') mark(made, `'${text}' is not a number`);
        return;
      }
      if (n !== value) set(path, n);
    },
  );
  return made;
};

const mark = (/** @type {any} */ made, /** @type {string} */ text) => {
  made.setAttribute('aria-invalid', 'true');
  const place = made.closest('.field') || made.parentElement;
  place.querySelector('.typed')?.remove();
  place.append(h('p', {className: 'finding typed'}, text));
};

/** Return a path as written in the job's documentation. @param {(string | number)[]} path */
export const keyOf = (path) =>
  path.reduce(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key + 1}]` : text ? `${text}.${key}` : String(key),
    '',
  );

let numbers = 0;
/** A row: label, field, unit. @param {string} label @param {any} control @param {string} [unit] */
export const row = (label, control, unit = '') => {
  const field = control.matches?.('input,select')
    ? control
    : control.querySelector?.('input,select');
  if (field && !field.id) field.id = `field${++numbers}`;
  return h(
    'div',
    {className: unit ? 'field' : 'field long'},
    h('label', {htmlFor: field?.id}, label),
    control,
    unit ? h('span', {className: 'unit'}, unit) : null,
  );
};

/**
 * @param {string} label
 * @param {(string | number)[]} path
 * @param {string} [unit]
 * @param {any} [options]
 */
export const number = (label, path, unit = '', options = {}) =>
  row(label, numberInput(path, {label, ...options}), unit);

/** @param {string} label @param {(string | number)[]} path @param {any} [options] */
export const text = (label, path, options = {}) =>
  row(
    label,
    input(
      {
        key: path.join('.'),
        path,
        value: at(path) ?? '',
        label,
        title: `${keyOf(path)}\n${described(path).description || ''}`,
        ...options,
      },
      (typed) => {
        if (typed !== (at(path) ?? '')) set(path, typed === '' ? undefined : typed);
      },
    ),
  );

/**
 * @param {string} label
 * @param {(string | number)[]} path
 * @param {string[][]} choices value and label
 * @param {(value: string) => void} [take]
 * @param {string} [fallback] the default if the schema has none because it depends on other
 *   keys
 */
export const choice = (
  label,
  path,
  choices,
  take = (value) => {
    set(path, value);
  },
  fallback = undefined,
) => {
  const value = at(path) ?? described(path).default ?? fallback;
  const made = h(
    'select',
    {
      'data-key': path.join('.'),
      'data-path': path.join('.'),
      'aria-label': label,
      title: `${keyOf(path)}\n${described(path).description || ''}`,
      onchange: (/** @type {any} */ e) => take(e.target.value),
    },
    choices.map(([v, label]) => h('option', {value: v, selected: v === value}, label)),
  );
  if (value !== undefined && !choices.some(([v]) => v === value))
    made.prepend(h('option', {value, selected: true}, String(value)));
  return row(label, made);
};

/** Three numbers, z, y, x, of a list. @param {(string | number)[]} path @param {string} label */
export const triple = (path, label) =>
  h(
    'div',
    {className: 'triple', 'data-path': path.join('.')},
    [0, 1, 2].map((n) => {
      const list = at(path) || [];
      return h(
        'label',
        null,
        'zyx'[n],
        input(
          {
            key: [...path, n].join('.'),
            numeric: true,
            value: list[n] ?? '',
            label: `${label} along ${'zyx'[n]}`,
            title: keyOf(path),
          },
          (typed) => {
            const value = numberIn(typed),
              next = [0, 1, 2].map((i) => list[i] ?? 0);
            if (value === null || value === list[n]) return;
            next[n] = value;
            set(path, next);
          },
        ),
      );
    }),
  );

// ---- findings of the check, next to their fields

/** Show findings at their fields; return those without a field. @returns {any[]} */
export const placeFindings = () => {
  for (const old of document.querySelectorAll('.finding:not(.typed)')) old.remove();
  for (const old of document.querySelectorAll('[aria-invalid]')) {
    old.removeAttribute('aria-invalid');
    old.removeAttribute('aria-errormessage');
  }
  const found = checked.value,
    left = [];
  if (!found) return [];
  const all = [
    ...found.problems.map((/** @type {any} */ p) => ({...p, isFault: true})),
    ...found.warnings.map((/** @type {any} */ p) => ({...p, isFault: false})),
  ];
  for (const s of found.loads?.sets || [])
    if (s.fault)
      all.push({
        path: s.entries.length ? ['set', s.entries[0]] : [],
        text: s.fault,
        isFault: true,
        where: 'set',
      });
  const seen = new Set();
  let n = 0;
  for (const p of all) {
    let field = null;
    for (let length = p.path.length; length && !field; length--)
      field = document.querySelector(
        `.side [data-path="${CSS.escape(p.path.slice(0, length).join('.'))}"]`,
      );
    const text = shortened(p.text);
    if (seen.has(text)) continue;
    seen.add(text);
    const line = h(
      'p',
      {className: `finding${p.isFault ? '' : ' doubt'}`, id: `finding${++n}`, title: p.where},
      text,
    );
    if (!field) {
      left.push({...p, line});
      continue;
    }
    if (p.isFault && field.matches('input,select')) {
      field.setAttribute('aria-invalid', 'true');
      field.setAttribute('aria-errormessage', line.id);
    }
    const place = field.closest('.field');
    if (place) place.append(line);
    else if (field.matches('.set,.role')) field.append(line);
    else field.parentElement?.after(line);
  }
  return left;
};
const shortened = (/** @type {string} */ text) =>
  text.length > 260 ? `${text.slice(0, 257)} ...` : text;
export {edit};
