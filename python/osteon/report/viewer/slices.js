// Slices across z, y and x, drawn on 2-D canvases: scan, field, sets, outline of the solid,
// cross-hair, scale bar, letters.
//
// A viewer without all voxels in memory paints its slices itself: viewer.paint(plane) returns
// {image, outline}, or null while voxels are loading; the slice is then not updated. The image
// may have fewer pixels than the slice has voxels.

const PLANES = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 2, 0],
]; // column axis, row axis, axis across
const AXES = 'xyz';

const placeOf = (viewer, axis) => {
  const h = viewer.spacing[axis],
    digits = Math.max(0, Math.min(4, 1 - Math.floor(Math.log10(h))));
  return (viewer.origin[axis] + (viewer.at[axis] + 0.5) * h).toFixed(digits);
};

const roundLength = (longest) => {
  const power = 10 ** Math.floor(Math.log10(longest));
  return power * [5, 2, 1].find((m) => m * power <= longest);
};

// The colours of a slice's voxels as an image, one pixel per voxel.
const slicePixels = (viewer, plane) => {
  const [a, b, n] = plane,
    w = viewer.shape[a],
    h = viewer.shape[b];
  const {field, scan, sets} = viewer.current(),
    lut = viewer.lut;
  const image = new ImageData(w, h),
    pixels = image.data;
  const low = viewer.level - viewer.window / 2,
    grey = 255 / Math.max(1, viewer.window);
  let k = 0;
  for (let j = h - 1; j >= 0; j--) {
    let q = j * viewer.stride[b] + viewer.at[n] * viewer.stride[n];
    for (let i = 0; i < w; i++, q += viewer.stride[a], k += 4) {
      const base = scan ? Math.max(0, Math.min(255, (scan[q] - low) * grey)) : 24,
        code = field ? field[q] : 0;
      const share = code ? viewer.opacity : 0;
      for (let c = 0; c < 3; c++) pixels[k + c] = base + (lut[4 * code + c] - base) * share;
      const set = sets && sets[q];
      if (set && viewer.palette[set])
        for (let c = 0; c < 3; c++) pixels[k + c] += (viewer.palette[set][c] - pixels[k + c]) * 0.7;
      pixels[k + 3] = 255;
    }
  }
  return image;
};

// The edges between solid and empty pixels, as one path. Pixel (0, 0) is at the upper left.
const outlineOf = (viewer, plane) => {
  const [a, b, n] = plane,
    w = viewer.shape[a],
    h = viewer.shape[b],
    solid = viewer.solid;
  const path = new Path2D(),
    base = viewer.at[n] * viewer.stride[n];
  const full = (i, j) =>
    i >= 0 &&
    j >= 0 &&
    i < w &&
    j < h &&
    solid[base + i * viewer.stride[a] + (h - 1 - j) * viewer.stride[b]] > 127;
  for (let j = 0; j <= h; j++)
    for (let i = 0; i <= w; i++) {
      const here = full(i, j);
      if (here !== full(i - 1, j)) {
        path.moveTo(i, j);
        path.lineTo(i, j + 1);
      }
      if (here !== full(i, j - 1)) {
        path.moveTo(i, j);
        path.lineTo(i + 1, j);
      }
    }
  return path;
};

const slicesOf = (viewer) => {
  const scratch = document.createElement('canvas');
  const views = PLANES.map((plane, i) => ({
    plane,
    canvas: viewer.all('.slice canvas')[i],
    caption: viewer.all('.slice figcaption output')[i],
    slider: viewer.all('.slice input')[i],
    fit: null,
  }));

  const painted = (plane) => ({
    image: slicePixels(viewer, plane),
    outline: viewer.outline && viewer.solid ? outlineOf(viewer, plane) : null,
  });

  const draw = (view) => {
    const [a, b, n] = view.plane,
      w = viewer.shape[a],
      h = viewer.shape[b];
    const slice = (viewer.paint || painted)(view.plane);
    if (!slice) return;
    const {canvas} = view,
      pen = canvas.getContext('2d'),
      dense = Math.min(2, devicePixelRatio || 1);
    const W = Math.max(1, Math.round(canvas.clientWidth * dense)),
      H = Math.max(1, Math.round(canvas.clientHeight * dense));
    if (canvas.width !== W || canvas.height !== H) {
      canvas.width = W;
      canvas.height = H;
    }
    scratch.width = slice.image.width;
    scratch.height = slice.image.height;
    scratch.getContext('2d').putImageData(slice.image, 0, 0);
    const sa = viewer.spacing[a],
      sb = viewer.spacing[b],
      scale = Math.min(W / (w * sa), H / (h * sb));
    const wide = w * sa * scale,
      high = h * sb * scale,
      X = (W - wide) / 2,
      Y = (H - high) / 2;
    view.fit = {
      X: X / dense,
      Y: Y / dense,
      column: (sa * scale) / dense,
      row: (sb * scale) / dense,
    };
    pen.fillStyle = '#000';
    pen.fillRect(0, 0, W, H);
    pen.imageSmoothingEnabled = scale * Math.min(sa, sb) < 1;
    pen.drawImage(scratch, X, Y, wide, high);
    if (slice.outline) {
      const placed = new Path2D();
      placed.addPath(slice.outline, new DOMMatrix([sa * scale, 0, 0, sb * scale, X, Y]));
      pen.lineWidth = dense;
      pen.strokeStyle = 'rgba(255,255,255,.55)';
      pen.stroke(placed);
    }
    const cx = X + (viewer.at[a] + 0.5) * sa * scale,
      cy = Y + (h - viewer.at[b] - 0.5) * sb * scale,
      gap = 7 * dense;
    pen.strokeStyle = '#35e0ff';
    pen.globalAlpha = 0.85;
    pen.lineWidth = dense;
    pen.beginPath();
    for (const [x0, y0, x1, y1] of [
      [X, cy, cx - gap, cy],
      [cx + gap, cy, X + wide, cy],
      [cx, Y, cx, cy - gap],
      [cx, cy + gap, cx, Y + high],
    ])
      if (x1 > x0 || y1 > y0) {
        pen.moveTo(x0, y0);
        pen.lineTo(x1, y1);
      }
    pen.stroke();
    pen.globalAlpha = 1;
    const peak = viewer.field()?.peak;
    if (peak && Math.floor(peak.at[n]) === viewer.at[n]) {
      pen.strokeStyle = '#fff';
      pen.lineWidth = 1.5 * dense;
      pen.beginPath();
      pen.arc(X + peak.at[a] * sa * scale, Y + (h - peak.at[b]) * sb * scale, 6 * dense, 0, 7);
      pen.stroke();
    }
    pen.fillStyle = '#fff';
    pen.shadowColor = '#000';
    pen.shadowBlur = 3 * dense;
    pen.font = `${11 * dense}px system-ui,sans-serif`;
    const bar = roundLength((w * sa) / 3),
      left = X + 8 * dense,
      low = Y + high - 9 * dense;
    pen.fillRect(left, low, bar * scale, 2 * dense);
    pen.fillText(`${bar} mm`, left, low - 5 * dense);
    const letters = viewer.description.letters;
    if (letters) {
      pen.font = `600 ${12 * dense}px system-ui,sans-serif`;
      pen.textAlign = 'center';
      for (const [text, x, y] of [
        [letters[a][0], X + 9 * dense, Y + high / 2],
        [letters[a][1], X + wide - 9 * dense, Y + high / 2],
        [letters[b][1], X + wide / 2, Y + 14 * dense],
        [letters[b][0], X + wide / 2, Y + high - 6 * dense],
      ])
        pen.fillText(text, x, y);
      pen.textAlign = 'start';
    }
    pen.shadowBlur = 0;
    view.caption.textContent = `${AXES[n]} = ${placeOf(viewer, n)} mm`;
    view.slider.value = viewer.at[n];
  };

  const pick = (view, event) => {
    const box = view.canvas.getBoundingClientRect(),
      [a, b] = view.plane,
      f = view.fit;
    viewer.moveTo(a, Math.floor((event.clientX - box.left - f.X) / f.column));
    viewer.moveTo(b, viewer.shape[b] - 1 - Math.floor((event.clientY - box.top - f.Y) / f.row));
    viewer.changed('cursor');
  };

  for (const view of views) {
    const [a, b, n] = view.plane,
      {canvas, slider} = view;
    slider.max = viewer.shape[n] - 1;
    slider.addEventListener('input', () => {
      viewer.moveTo(n, +slider.value);
      viewer.changed('cursor');
    });
    canvas.addEventListener('pointerdown', (e) => {
      if (e.button) return;
      canvas.setPointerCapture(e.pointerId);
      canvas.focus({preventScroll: true});
      pick(view, e);
    });
    canvas.addEventListener('pointermove', (e) => {
      if (canvas.hasPointerCapture(e.pointerId)) pick(view, e);
    });
    canvas.addEventListener(
      'wheel',
      (e) => {
        const before = viewer.at[n];
        viewer.moveTo(n, before - Math.sign(e.deltaY));
        if (viewer.at[n] === before) return; // at an end the page scrolls
        e.preventDefault();
        viewer.changed('cursor');
      },
      {passive: false},
    );
    canvas.addEventListener('keydown', (e) => {
      const step = {
        ArrowLeft: [a, -1],
        ArrowRight: [a, 1],
        ArrowUp: [b, 1],
        ArrowDown: [b, -1],
        PageUp: [n, 1],
        PageDown: [n, -1],
      }[e.key];
      if (!step) return;
      e.preventDefault();
      viewer.moveTo(step[0], viewer.at[step[0]] + step[1] * (e.shiftKey ? 10 : 1));
      viewer.changed('cursor');
    });
  }
  return {draw: () => views.forEach(draw)};
};
