// Plot values of the field along an axis through the cursor, with gaps where the field is
// undefined.

const plotOf = (viewer) => {
  const figure = viewer.one('.plot');
  if (!figure) return {draw: () => {}};
  const canvas = figure.querySelector('canvas');
  const draw = () => {
    const axis = viewer.plotAlong - 1;
    figure.hidden = axis < 0;
    if (axis < 0) return;
    const f = viewer.field(),
      codes = viewer.volumes[f.volume],
      n = viewer.shape[axis],
      step = viewer.stride[axis];
    const first = viewer.at.reduce((sum, v, a) => sum + (a === axis ? 0 : v * viewer.stride[a]), 0);
    const values = Array.from({length: n}, (_, i) =>
      codes[first + i * step] ? valueOf(f, codes[first + i * step]) : null,
    );
    const known = values.filter((v) => v !== null),
      dense = Math.min(2, devicePixelRatio || 1);
    const W = (canvas.width = Math.max(2, Math.round(canvas.clientWidth * dense))),
      H = (canvas.height = Math.max(2, Math.round(canvas.clientHeight * dense)));
    const pen = canvas.getContext('2d'),
      style = getComputedStyle(viewer.root),
      ink = style.getPropertyValue('--soft') || '#666',
      line = style.getPropertyValue('--accent') || '#1f6f8b';
    const low = Math.min(0, ...known),
      high = Math.max(low + 1e-300, ...known),
      left = 58 * dense,
      right = 12 * dense,
      top = 10 * dense,
      foot = 24 * dense;
    const mm = (i) => viewer.origin[axis] + (i + 0.5) * viewer.spacing[axis];
    const x = (i) => left + ((i + 0.5) / n) * (W - left - right),
      y = (v) => top + ((high - v) / (high - low)) * (H - top - foot);
    pen.font = `${11 * dense}px system-ui,sans-serif`;
    pen.fillStyle = ink;
    pen.strokeStyle = ink;
    pen.lineWidth = dense;
    pen.globalAlpha = 0.3;
    pen.strokeRect(left, top, W - left - right, H - top - foot);
    pen.globalAlpha = 1;
    pen.textAlign = 'right';
    pen.textBaseline = 'middle';
    for (const v of known.length ? [low, high] : [])
      pen.fillText(formatFieldValue(f, v, false), left - 5 * dense, y(v));
    pen.textAlign = 'center';
    pen.textBaseline = 'alphabetic';
    for (const i of [0, n - 1])
      pen.fillText(
        `${+mm(i).toPrecision(4)}`,
        Math.max(left, Math.min(W - 26 * dense, x(i))),
        H - 8 * dense,
      );
    pen.fillText(`${AXES[axis]} in mm`, (left + W - right) / 2, H - 8 * dense);
    pen.strokeStyle = '#35a0c0';
    pen.globalAlpha = 0.7;
    pen.beginPath();
    pen.moveTo(x(viewer.at[axis]), top);
    pen.lineTo(x(viewer.at[axis]), H - foot);
    pen.stroke();
    pen.globalAlpha = 1;
    pen.strokeStyle = pen.fillStyle = line;
    pen.lineWidth = 1.6 * dense;
    pen.beginPath();
    values.forEach((v, i) => {
      if (v === null) return;
      if (i && values[i - 1] !== null) pen.lineTo(x(i), y(v));
      else pen.moveTo(x(i), y(v));
      if (values[i - 1] === null && values[i + 1] === null)
        pen.fillRect(x(i) - dense, y(v) - dense, 2 * dense, 2 * dense);
    });
    pen.stroke();
    figure.querySelector('figcaption').textContent =
      `${f.label}${isEmptyUnit(f.unit) ? '' : ` in ${f.unit}`} along ${AXES[axis]} through the cursor` +
      (known.length
        ? `: ${formatFieldValue(f, Math.min(...known))} to ${formatFieldValue(f, Math.max(...known))}`
        : ': no values');
    canvas.setAttribute('aria-label', figure.querySelector('figcaption').textContent);
  };
  canvas.addEventListener('pointerdown', (e) => {
    const axis = viewer.plotAlong - 1,
      box = canvas.getBoundingClientRect(),
      share = (e.clientX - box.left - 58) / (box.width - 70);
    viewer.moveTo(axis, Math.floor(share * viewer.shape[axis]));
    viewer.changed('cursor');
  });
  return {draw};
};
