// The 3-D view: WebGL2 draws the surface; a 2-D canvas above it has the axes, the labels of the
// loads and the position of the maximum.

const IVORY = [0.925, 0.89, 0.816];

// The box of the solid in mm, from the low corner; for a specimen without solid, the box of the
// image.
const boundsOf = (viewer) => {
  if (viewer.live) return viewer.shape.map((n, i) => [0, n * viewer.spacing[i]]);
  const {shape, spacing, solid} = viewer,
    low = shape.slice(),
    high = [-1, -1, -1];
  for (let z = 0, q = 0; z < shape[2]; z++)
    for (let y = 0; y < shape[1]; y++)
      for (let x = 0; x < shape[0]; x++, q++) {
        if (solid[q] < 128) continue;
        if (x < low[0]) low[0] = x;
        if (x > high[0]) high[0] = x;
        if (y < low[1]) low[1] = y;
        if (y > high[1]) high[1] = y;
        if (z < low[2]) low[2] = z;
        high[2] = z;
      }
  return high[0] < 0
    ? shape.map((n, i) => [0, n * spacing[i]])
    : low.map((v, i) => [v * spacing[i], (high[i] + 1) * spacing[i]]);
};

// The brightest voxel of each block and its neighbours. If this voxel is not above the threshold,
// the block contains no surface.
const mostOfBlocks = (values, shape) => {
  const blocks = shape.map((n) => Math.ceil(n / BLOCK)),
    most = new Uint8Array(blocks.reduce((a, b) => a * b));
  const around = (i, n) => [
    Math.max(0, Math.floor((i - 1) / BLOCK)),
    Math.min(n - 1, Math.floor((i + 1) / BLOCK)),
  ];
  const row = new Uint8Array(blocks[0]);
  for (let z = 0, q = 0; z < shape[2]; z++)
    for (let y = 0; y < shape[1]; y++) {
      row.fill(0);
      for (let b = 0; b < blocks[0]; b++)
        for (
          let x = Math.max(0, b * BLOCK - 1), end = Math.min(shape[0], (b + 1) * BLOCK + 1);
          x < end;
          x++
        )
          if (values[q + x] > row[b]) row[b] = values[q + x];
      q += shape[0];
      const [z0, z1] = around(z, blocks[2]),
        [y0, y1] = around(y, blocks[1]);
      for (let k = z0; k <= z1; k++)
        for (let j = y0; j <= y1; j++)
          for (let b = 0, at = (k * blocks[1] + j) * blocks[0]; b < blocks[0]; b++, at++)
            if (row[b] > most[at]) most[at] = row[b];
    }
  return {blocks, most};
};

// In a live viewer (viewer.live() returns the threshold, 0 .. 1) `solid` contains grey values; see
// surface.glsl.js. The returned function `ray(x, y)` returns origin and direction, in mm from the
// low corner, for a position on the page. `place(point)` returns the position on the page for a
// point in mm. `ahead()` returns the direction of view.
const surfaceOf = (viewer) => {
  const figure = viewer.one('.three'),
    canvas = figure.querySelector('canvas.gl'),
    notes = figure.querySelector('canvas.notes');
  const gl = /nogl/.test(location.hash)
    ? null
    : canvas.getContext('webgl2', {antialias: false, preserveDrawingBuffer: true});
  if (!gl) {
    viewer.root.classList.add('nogl');
    return null;
  }
  const {shape, spacing, description} = viewer,
    size = shape.map((n, i) => n * spacing[i]);
  const ends = (description.arrows || []).flatMap((a) => [a.from, a.to]);
  const box = boundsOf(viewer).map(([low, high], i) => [
    Math.min(low, ...ends.map((e) => e[i])),
    Math.max(high, ...ends.map((e) => e[i])),
  ]);
  const centre = box.map((b) => (b[0] + b[1]) / 2),
    across = Math.hypot(...box.map((b) => b[1] - b[0])) || 1;
  const slope = 0.36,
    uniforms = {},
    textures = new Map();
  let isSlow = false,
    waiting = 0,
    shown = null,
    fence = null,
    began = 0;

  const compiled = (kind, text) => {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost())
      throw Error(gl.getShaderInfoLog(shader));
    return shader;
  };
  const program = gl.createProgram();
  gl.attachShader(program, compiled(gl.VERTEX_SHADER, SURFACE_VERTEX));
  gl.attachShader(program, compiled(gl.FRAGMENT_SHADER, SURFACE_FRAGMENT));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw Error(gl.getProgramInfoLog(program));
  gl.useProgram(program);
  const at = (name) => (uniforms[name] ??= gl.getUniformLocation(program, name));

  const texture3d = (unit, data, filter, hasPyramid, edges = shape, isVector = false) => {
    const made = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_3D, made);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage3D(
      gl.TEXTURE_3D,
      0,
      isVector ? gl.RGB8 : gl.R8,
      ...edges,
      0,
      isVector ? gl.RGB : gl.RED,
      gl.UNSIGNED_BYTE,
      data,
    );
    for (const side of ['S', 'T', 'R'])
      gl.texParameteri(gl.TEXTURE_3D, gl[`TEXTURE_WRAP_${side}`], gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_3D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(
      gl.TEXTURE_3D,
      gl.TEXTURE_MIN_FILTER,
      hasPyramid ? gl.LINEAR_MIPMAP_LINEAR : filter,
    );
    if (hasPyramid) gl.generateMipmap(gl.TEXTURE_3D);
    return made;
  };
  texture3d(
    0,
    viewer.live ? viewer.solid : smoothed(viewer.solid, shape, spacing),
    gl.LINEAR,
    true,
  );
  const {blocks, most} = viewer.live
    ? mostOfBlocks(viewer.solid, shape)
    : {blocks: [1, 1, 1], most: new Uint8Array(1)};
  texture3d(4, most, gl.NEAREST, false, blocks);
  let moving = null; // entry whose deformation is in the texture
  texture3d(5, new Uint8Array([128, 128, 128]), gl.LINEAR, false, [1, 1, 1], true);
  // Displacements of the drawn shape, largest component in mm of the picture; 0: undeformed.
  const stretchOf = () => {
    const d = viewer.deform > 0 && viewer.deformation?.();
    if (!d) return 0;
    if (moving !== d) {
      gl.activeTexture(gl.TEXTURE5);
      gl.deleteTexture(gl.getParameter(gl.TEXTURE_BINDING_3D));
      texture3d(5, viewer.volumes[d.volume], gl.LINEAR, false, description.deformation.shape, true);
      moving = d;
    }
    return viewer.deform * d.largest;
  };
  let setTexture = texture3d(
    2,
    viewer.volumes.sets || new Uint8Array(viewer.count),
    gl.NEAREST,
    false,
  );
  gl.activeTexture(gl.TEXTURE3);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);

  // For left-handed axes the right-hand vector is reversed, so that the picture is not mirrored.
  const side = description.camera?.is_left_handed ? -1 : 1;
  const camera = () => {
    const az = (viewer.azimuth * Math.PI) / 180,
      el = (viewer.elevation * Math.PI) / 180;
    const ca = Math.cos(az),
      sa = Math.sin(az),
      ce = Math.cos(el),
      se = Math.sin(el);
    const out = [ca * ce, sa * ce, se],
      far = (1.5 * across) / viewer.zoom;
    return {
      out,
      ahead: out.map((v) => -v),
      right: [-sa * side, ca * side, 0],
      up: [-ca * se, -sa * se, ce],
      eye: out.map((v, i) => centre[i] + v * far),
      far,
    };
  };

  const setFlat = (name, lists) => gl.uniform3fv(at(name), lists.flat());
  const draw = (scale) => {
    const {field, sets} = viewer.current(),
      w = Math.max(2, Math.round(canvas.clientWidth * scale)),
      h = Math.max(2, Math.round(canvas.clientHeight * scale));
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
    }
    gl.viewport(0, 0, w, h);
    if (shown !== field && !viewer.live) {
      shown = field;
      gl.activeTexture(gl.TEXTURE1);
      if (!textures.has(field)) textures.set(field, texture3d(1, field, gl.LINEAR, false));
      gl.bindTexture(gl.TEXTURE_3D, textures.get(field));
    }
    gl.activeTexture(gl.TEXTURE3);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, viewer.lut);
    const c = camera(),
      low = [0, 0, 0],
      high = size.slice();
    if (viewer.cut) {
      const a = viewer.cut - 1;
      if (c.out[a] > 0) high[a] = (viewer.at[a] + 1) * spacing[a];
      else low[a] = viewer.at[a] * spacing[a];
    }
    const stretch = stretchOf(),
      inner_low = low.slice(),
      inner_high = high.slice();
    for (let a = 0; a < 3; a++) {
      low[a] -= stretch;
      high[a] += stretch;
    }
    const arrows = viewer.arrows().slice(0, MOST_ARROWS),
      stage = viewer.stage();
    gl.uniform1i(at('is_live'), viewer.live ? 1 : 0);
    gl.uniform1f(at('threshold'), viewer.live ? viewer.live() : 0.5);
    ['share', 'field', 'sets', 'colours', 'most_of_block', 'moves'].forEach((name, unit) =>
      gl.uniform1i(at(name), unit),
    );
    for (const [name, value] of Object.entries({
      eye: c.eye,
      right: c.right,
      up: c.up,
      ahead: c.ahead,
      size,
      voxel: spacing,
      low,
      high,
      inner_low,
      inner_high,
      ground: stage,
      ivory: IVORY,
    }))
      gl.uniform3fv(at(name), value);
    gl.uniform1f(at('stretch'), stretch);
    gl.uniform1f(at('aspect'), w / h);
    gl.uniform1f(at('slope'), slope);
    gl.uniform1f(at('radius'), across * 0.0075);
    gl.uniform1i(at('mode'), viewer.mode);
    gl.uniform1i(at('shows_sets'), viewer.showsSets ? 1 : 0);
    gl.uniform1i(at('arrows'), arrows.length);
    if (arrows.length) {
      setFlat(
        'tail',
        arrows.map((r) => r.from),
      );
      setFlat(
        'tip',
        arrows.map((r) => r.to),
      );
      setFlat(
        'paint',
        arrows.map((r) => r.colour.map((v) => v / 255)),
      );
    }
    setFlat(
      'palette',
      Array.from({length: MOST_SETS}, (_, i) =>
        (viewer.palette[i] || [128, 128, 128]).map((v) => v / 255),
      ),
    );
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    if (fence) gl.deleteSync(fence);
    fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    began = performance.now();
    gl.flush();
    annotate(c, arrows, stage);
  };

  // The position of a point on the canvas, in CSS pixels.
  const seen = (c, p) => {
    const d = p.map((v, i) => v - c.eye[i]),
      dot = (v) => v.reduce((s, x, i) => s + x * d[i], 0),
      depth = dot(c.ahead) * slope;
    const W = canvas.clientWidth,
      H = canvas.clientHeight,
      half = Math.min(W, H) / 2;
    return [W / 2 + (dot(c.right) / depth) * half, H / 2 - (dot(c.up) / depth) * half];
  };
  // The largest zoom at which the whole box of specimen and arrows is visible from the first
  // direction.
  const zoomThatFits = () => {
    const corners = Array.from({length: 8}, (_, i) => box.map((b, a) => b[(i >> a) & 1])),
      W = canvas.clientWidth,
      H = canvas.clientHeight;
    let low = 0.4,
      high = 4;
    for (let i = 0; i < 12; i++) {
      viewer.zoom = (low + high) / 2;
      const c = camera(),
        fits = corners.every((p) => {
          const [x, y] = seen(c, p),
            near = p.reduce((s, v, a) => s + (v - c.eye[a]) * c.ahead[a], 0) > 0.1 * across;
          return near && x > 0.04 * W && x < 0.96 * W && y > 0.04 * H && y < 0.96 * H;
        });
      if (fits) low = viewer.zoom;
      else high = viewer.zoom;
    }
    return low * (description.camera?.zoom ?? 1);
  };
  const annotate = (c, arrows, stage) => {
    const isPrinting = viewer.root.classList.contains('printing'),
      dense = isPrinting ? 2 : Math.min(2, devicePixelRatio || 1);
    const W = canvas.clientWidth,
      H = canvas.clientHeight,
      pen = notes.getContext('2d');
    notes.width = W * dense;
    notes.height = H * dense;
    pen.scale(dense, dense);
    // Browsers print a 2-D canvas, but not the content of WebGL.
    if (isPrinting) pen.drawImage(canvas, 0, 0, W, H);
    const ink = stage[0] > 0.5 ? '#1d2126' : '#e8ebef',
      halo = stage[0] > 0.5 ? 'rgba(255,255,255,.85)' : 'rgba(0,0,0,.7)';
    pen.font = '12px system-ui,sans-serif';
    pen.lineJoin = 'round';
    const drawLabel = (text, x, y) => {
      pen.lineWidth = 3;
      pen.strokeStyle = halo;
      pen.strokeText(text, x, y);
      pen.fillStyle = ink;
      pen.fillText(text, x, y);
    };
    const letters = description.letters,
      foot = [44, H - 42],
      length = 26;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    for (let a = 0; a < 3; a++) {
      const x = foot[0] + c.right[a] * length,
        y = foot[1] - c.up[a] * length;
      pen.strokeStyle = ['#d1495b', '#3a9d5d', '#3f7fd0'][a];
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(...foot);
      pen.lineTo(x, y);
      pen.stroke();
      drawLabel(
        letters ? `${AXES[a]} ${letters[a][1]}` : AXES[a],
        foot[0] + c.right[a] * (length + 11),
        foot[1] - c.up[a] * (length + 11),
      );
    }
    pen.textAlign = 'start';
    const labelBoxes = []; // boxes of labels: an overlapping label is moved below
    const drawFreeLabel = (text, x, y) => {
      const wide = pen.measureText(text).width,
        left = Math.max(4, Math.min(W - wide - 4, x));
      for (
        let tries = 0;
        tries < 6 &&
        labelBoxes.some((t) => Math.abs(t.y - y) < 14 && t.x < left + wide && left < t.x + t.wide);
        tries++
      )
        y += 15;
      labelBoxes.push({x: left, y, wide});
      drawLabel(text, left, Math.max(10, Math.min(H - 10, y)));
    };
    if (viewer.showsSets)
      for (const r of arrows) {
        if (!r.label) continue;
        const away =
          Math.hypot(...r.from.map((v, i) => v - centre[i])) >
          Math.hypot(...r.to.map((v, i) => v - centre[i]))
            ? r.from
            : r.to;
        const [x, y] = seen(c, away);
        drawFreeLabel(r.label, x + 7, y);
      }
    const peak = viewer.field()?.peak;
    if (peak && viewer.showsPeak && !(viewer.deform > 0)) {
      const [x, y] = seen(
        c,
        peak.at.map((v, i) => v * spacing[i]),
      );
      pen.strokeStyle = ink;
      pen.lineWidth = 1.5;
      pen.setLineDash([3, 2]);
      pen.beginPath();
      pen.arc(x, y, 8, 0, 7);
      pen.stroke();
      pen.setLineDash([]);
      drawFreeLabel(`max ${formatFieldValue(viewer.field(), peak.value)}`, x + 12, y - 9);
    }
    const bar = roundLength(across / 6),
      pixels = ((bar / (c.far * slope)) * Math.min(W, H)) / 2;
    pen.fillStyle = ink;
    pen.fillRect(W - 14 - pixels, H - 18, pixels, 2);
    pen.textAlign = 'end';
    drawLabel(`${bar} mm`, W - 14, H - 29);
    pen.textAlign = 'start';
  };

  const fine = () => Math.min(2, 2 * (devicePixelRatio || 1));
  // While the view moves, a reduced resolution allows about twenty frames per second and leaves
  // time for the slices.
  const MOVING_MS = 35;
  let movingScale = 0.35,
    drawnScale = 1;
  // At most one frame is in progress. Otherwise a slow machine would draw outdated frames and delay
  // the slices.
  const isDrawing = () => {
    if (!fence || gl.clientWaitSync(fence, 0, 0) === gl.TIMEOUT_EXPIRED) return Boolean(fence);
    gl.deleteSync(fence);
    fence = null;
    viewer.frame = performance.now() - began;
    if (drawnScale === movingScale)
      movingScale = Math.max(
        0.12,
        Math.min(0.4, movingScale * Math.sqrt(MOVING_MS / Math.max(1, viewer.frame))),
      );
    return false;
  };
  const refresh = (isMoving) => {
    if (waiting) cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      if (isDrawing() && performance.now() - began < 1000) return refresh(isMoving);
      draw((drawnScale = isSlow ? (isMoving ? movingScale : 0.8) : fine()));
      if (isMoving && isSlow) {
        clearTimeout(viewer.sharpen);
        viewer.sharpen = setTimeout(() => refresh(false), 250);
      }
    });
  };

  const moved = (isMoving) => {
    refresh(isMoving);
    viewer.notify?.('camera');
  };
  const turn = (right, up) => {
    viewer.azimuth -= side * right;
    viewer.elevation = Math.max(-89, Math.min(89, viewer.elevation + up));
    moved(true);
  };
  const zoom = (by) => {
    viewer.zoom = Math.max(0.4, Math.min(8, viewer.zoom * by));
    moved(true);
  };
  const pointers = new Map();
  canvas.addEventListener('pointerdown', (e) => {
    canvas.setPointerCapture(e.pointerId);
    canvas.focus({preventScroll: true});
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
  });
  canvas.addEventListener('pointermove', (e) => {
    const before = pointers.get(e.pointerId);
    if (!before) return;
    const now = [e.clientX, e.clientY];
    if (pointers.size === 1) turn((now[0] - before[0]) * 0.5, (now[1] - before[1]) * 0.5);
    else {
      const other = [...pointers].find(([id]) => id !== e.pointerId)[1],
        apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      zoom(apart(now) / apart(before));
    }
    pointers.set(e.pointerId, now);
  });
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'])
    canvas.addEventListener(end, (e) => pointers.delete(e.pointerId));
  canvas.addEventListener(
    'wheel',
    (e) => {
      e.preventDefault();
      zoom(Math.exp(-e.deltaY * 0.0015));
    },
    {passive: false},
  );
  canvas.addEventListener('dblclick', () => {
    viewer.resetCamera();
    moved(true);
  });
  canvas.addEventListener('keydown', (e) => {
    const step = {ArrowLeft: [-8, 0], ArrowRight: [8, 0], ArrowUp: [0, 8], ArrowDown: [0, -8]}[
      e.key
    ];
    if (step) turn(...step);
    else if (e.key === '+' || e.key === '=') zoom(1.15);
    else if (e.key === '-') zoom(1 / 1.15);
    else if (e.key === 'Home') {
      viewer.resetCamera();
      moved(true);
    } else return;
    e.preventDefault();
  });
  canvas.addEventListener('webglcontextlost', (e) => {
    e.preventDefault();
    viewer.root.classList.add('nogl');
  });

  viewer.firstZoom = zoomThatFits();
  viewer.resetCamera();

  // The time of a small frame decides whether large frames are drawn while the view turns.
  draw(0.25);
  gl.finish();
  const first = performance.now();
  draw(0.25);
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  isSlow = (performance.now() - first) * 16 > 120 && !/fine/.test(location.hash);
  draw(isSlow ? 0.8 : fine());
  const ray = (x, y) => {
    const place = canvas.getBoundingClientRect(),
      aspect = place.width / place.height,
      c = camera();
    const u = (((x - place.left) / place.width) * 2 - 1) * Math.max(1, aspect);
    const v = (1 - ((y - place.top) / place.height) * 2) * Math.max(1, 1 / aspect);
    return {
      from: c.eye,
      along: c.ahead.map((w, i) => w + slope * (u * c.right[i] + v * c.up[i])),
      far: 2 * c.far + across,
    };
  };
  const setsChanged = () => {
    gl.activeTexture(gl.TEXTURE2);
    gl.deleteTexture(setTexture);
    setTexture = texture3d(2, viewer.volumes.sets, gl.NEAREST, false);
    refresh(false);
  };
  const place = (p) => {
    const [x, y] = seen(camera(), p),
      box = canvas.getBoundingClientRect();
    return [box.left + x, box.top + y];
  };
  return {
    refresh,
    ray,
    place,
    ahead: () => camera().ahead,
    setsChanged,
    redraw: () => draw(isSlow ? 0.8 : fine()),
  };
};
