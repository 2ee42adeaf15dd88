// Elements, and values with listeners. There is no framework: a panel is a function that is called
// again. A field with the focus keeps the focus and the typed text.
// @ts-check

/** @template T @param {T} value */
export const signal = (value) => {
  const listeners = new Set();
  return {
    get value() {
      return value;
    },
    set value(next) {
      if (next !== value) {
        value = next;
        for (const f of [...listeners]) f(next);
      }
    },
    /** @param {(value: T) => void} f */
    on(f) {
      listeners.add(f);
    },
  };
};

/**
 * @param {string} tag
 * @param {Record<string, any> | null} [properties]
 * @param {...any} children
 * @returns {any}
 */
export const h = (tag, properties, ...children) => {
  const made = /** @type {any} */ (document.createElement(tag));
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'colour') made.style.background = value;
    else if (name in made && name !== 'list' && !name.includes('-')) made[name] = value;
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return made;
};

/**
 * Give a panel new children; focus, caret and typed text are preserved.
 * @param {HTMLElement} panel
 * @param {...any} children
 */
export const fill = (panel, ...children) => {
  const had = /** @type {any} */ (document.activeElement);
  const key = had && panel.contains(had) ? had.dataset.key : null;
  const typed = key && had.dataset.typing ? had.value : null,
    caret = key && had.type === 'text' ? had.selectionStart : null;
  const scroll = panel.scrollTop;
  panel.replaceChildren(
    ...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false),
  );
  panel.scrollTop = scroll;
  if (!key) return;
  const now = /** @type {any} */ (panel.querySelector(`[data-key="${CSS.escape(key)}"]`));
  if (!now) return;
  if (typed !== null) {
    now.value = typed;
    now.dataset.typing = 'yes';
  }
  now.focus({preventScroll: true});
  if (caret !== null && now.type === 'text') now.setSelectionRange(caret, caret);
};

/** @param {number} value @param {number} [digits] */
export const round = (value, digits = 4) => +(+value).toPrecision(digits);
/** @param {number} seconds */
export const duration = (seconds) =>
  seconds < 1
    ? 'less than 1 s'
    : seconds < 60
      ? `${Math.round(seconds)} s`
      : seconds < 3600
        ? `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
        : `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
/** @param {number} bytes */
export const size = (bytes) =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1e3)} kB`
    : bytes < 1e9
      ? `${(bytes / 1e6).toPrecision(3)} MB`
      : `${(bytes / 2 ** 30).toPrecision(3)} GiB`;
