// Linked slices and a 3-D surface of voxel fields on one offline page; no dependencies.
//
//   osteonViewer(root, description)    returns a promise of the viewer, resolved after the first
// frame
//
// root: an element with the markup of viewer.html. A page may contain several viewers. Lists have
// the order x, y, z.
//
// description
//   shape          voxels along x, y, z
//   spacing        of the voxels in mm; origin: position of the low corner in mm
//   scan           {volume, low, high, unit}, or null: code 0 is `low`, code 255 is `high`;
//                  threshold: its code, or null
//   fields         [{id, label, unit, volume, low, high, power, range, map, diverging, at_least,
//                  peak, case}]; the first one is shown initially
//                  low, high, power: see valueOf in volumes.js. range: limits of the colours. map:
//                  name in `maps`.
//                  diverging: the colours' limits remain symmetric. at_least: values above the
// range
//                  have its last colour.
//                  peak: {value, at}: the true maximum and its position, in voxels. case: its
// load
//                  case
//   solid          volume of the solid fraction of each voxel, 0 .. 255; null: voxels where the
// first
//                  field has a value
//   sets           {volume, entries: [{number, label, colour, case}]}, or null; the volume
// contains
//                  the number of the set of each voxel
//   arrows         [{from, to, colour, label, case}], in mm from the low corner
//   deformation    {shape, entries: [{volume, largest, case}]}, or null: displacements on a coarse
//                  grid over the image, three bytes a
//                  cell for x, y, z, of which 0 is -largest and 255 largest, in mm
//   letters        [[low, high], ...] for each axis, such as ["R", "L"]; null: unknown
//   maps           {name: 256 colours of 6 hexadecimal digits each}
//   camera         {azimuth, elevation, zoom, is_left_handed}, in degrees; zoom 1 shows the whole
//                  specimen and its arrows; is_left_handed: of the axes x, y, z in space
//                  mode: "surface" or "maximum"
//
// A volume is the id of an element of the page whose text contains the bytes, packed as in
// volumes.js. In a browser without WebGL2 (or with an address ending in #nogl) the picture replaces
// the 3-D view; the slices do not need WebGL2. With #fine, slow machines also draw four samples per
// pixel.

const osteonViewer = async (root, description) => {
  const viewer = {
    root,
    description,
    shape: description.shape,
    spacing: description.spacing,
    origin: description.origin || [0, 0, 0],
    count: description.shape.reduce((a, b) => a * b),
    opacity: 0.75,
    level: 127.5,
    window: 255,
    cut: 0,
    mode: description.mode === 'maximum' ? 1 : 0,
    showsSets: true,
    showsPeak: true,
    outline: true,
    deform: 0,
    plotAlong: 0,
    chosen: 0,
    lut: new Uint8Array(1024),
    volumes: {},
    palette: [],
    one: (selector) => root.querySelector(selector),
    all: (selector) => root.querySelectorAll(selector),
  };
  viewer.stride = [1, viewer.shape[0], viewer.shape[0] * viewer.shape[1]];
  viewer.field = () => description.fields[viewer.chosen];
  viewer.current = () => ({
    field: viewer.volumes[viewer.field().volume],
    scan: description.scan && viewer.volumes[description.scan.volume],
    sets: viewer.showsSets ? viewer.volumes.sets : null,
  });
  viewer.arrows = () =>
    (description.arrows || []).filter(
      (a) => !a.case || !viewer.field().case || a.case === viewer.field().case,
    );
  viewer.deformation = () => {
    const all = description.deformation?.entries || [];
    return all.find((d) => !d.case || !viewer.field().case || d.case === viewer.field().case);
  };
  viewer.resetCamera = () => {
    const c = description.camera || {};
    viewer.azimuth = c.azimuth ?? -60;
    viewer.elevation = c.elevation ?? 20;
    viewer.zoom = viewer.firstZoom ?? 1;
  };
  viewer.stage = () =>
    root.classList.contains('printing')
      ? [1, 1, 1]
      : getComputedStyle(root)
          .getPropertyValue('--stage')
          .match(/\d+/g)
          .map((v) => v / 255);
  viewer.moveTo = (axis, place) => {
    viewer.at[axis] = Math.max(0, Math.min(viewer.shape[axis] - 1, place));
  };
  viewer.resetCamera();

  const wanted = new Set(
    [
      ...description.fields.map((f) => f.volume),
      description.scan?.volume,
      description.solid,
      ...(description.deformation?.entries || []).map((d) => d.volume),
    ].filter(Boolean),
  );
  await Promise.all(
    [...wanted].map(async (id) => {
      viewer.volumes[id] = await unpack(id);
    }),
  );
  if (description.sets) {
    viewer.volumes.sets = await unpack(description.sets.volume);
    for (const s of description.sets.entries) viewer.palette[s.number] = s.colour;
  }
  viewer.solid = description.solid
    ? viewer.volumes[description.solid]
    : viewer.volumes[description.fields[0].volume].map((code) => (code ? 255 : 0));
  viewer.at = viewer.shape.map((n) => n >> 1);

  viewer.tools = viewer.one('.tools'); // may be moved on the page later
  const control = (name) => viewer.tools.querySelector(`[name=${name}]`),
    slider = control('limit');
  const makeColours = () => {
    const f = viewer.field(),
      map = description.maps[f.map],
      [low, high] = viewer.range;
    for (let code = 1; code < 256; code++) {
      const t = Math.round(
        Math.max(0, Math.min(1, (valueOf(f, code) - low) / (high - low || 1))) * 255,
      );
      for (let c = 0; c < 3; c++)
        viewer.lut[4 * code + c] = parseInt(map.slice(6 * t + 2 * c, 6 * t + 2 * c + 2), 16);
      viewer.lut[4 * code + 3] = 255;
    }
    const stops = Array.from(
      {length: 17},
      (_, i) =>
        `#${map.slice(6 * i * 15.9375 - ((6 * i * 15.9375) % 6), 6 * i * 15.9375 - ((6 * i * 15.9375) % 6) + 6)}`,
    );
    viewer.one('.bar i').style.background = `linear-gradient(to right,${stops.join(',')})`;
    viewer.one('.bar b').textContent = formatFieldValue(f, low, false);
    const isCut = f.at_least && (!f.peak || high < f.peak.value);
    viewer.one('.bar em').textContent = `${isCut ? '≥ ' : ''}${formatFieldValue(f, high, false)}`;
    viewer.one('.bar span').textContent =
      f.label +
      (isEmptyUnit(f.unit) ? '' : ` in ${f.unit}`) +
      (f.peak ? `, maximum ${formatFieldValue(f, f.peak.value, false)}` : '');
  };
  const readOut = () => {
    const q = viewer.at.reduce((s, v, i) => s + v * viewer.stride[i], 0),
      parts = [];
    const add = (name, value) => parts.push([name, value]);
    add('place', [0, 1, 2].map((a) => `${AXES[a]} ${placeOf(viewer, a)}`).join(', ') + ' mm');
    const {scan, unit} = {scan: description.scan, unit: description.scan?.unit};
    if (scan)
      add(
        'scan',
        formatValue(
          scan.low + ((scan.high - scan.low) * viewer.volumes[scan.volume][q]) / 255,
          unit,
        ),
      );
    for (const f of description.fields) {
      const code = viewer.volumes[f.volume][q];
      add(f.label, code ? `≈ ${formatFieldValue(f, valueOf(f, code))}` : '–');
    }
    const set = viewer.volumes.sets?.[q],
      entry = set && description.sets.entries.find((s) => s.number === set);
    if (entry) add('set', entry.label);
    viewer.one('.readout').replaceChildren(
      ...parts.map(([name, value]) => {
        const item = document.createElement('span'),
          bold = document.createElement('b');
        bold.textContent = value;
        item.append(`${name} `, bold);
        return item;
      }),
    );
  };
  const choose = (index) => {
    viewer.chosen = index;
    const f = viewer.field();
    viewer.range = f.range.slice();
    const most = f.diverging ? Math.max(-f.low, f.high) : f.high;
    slider.min = 0;
    slider.max = 1000;
    slider.step = 1;
    slider.value = Math.round(
      Math.sqrt(Math.max(0, (f.range[1] - Math.min(f.low, 0)) / (most - Math.min(f.low, 0) || 1))) *
        1000,
    );
  };

  const slices = slicesOf(viewer),
    plot = plotOf(viewer);
  let surface = null;
  // Parts to redraw: 'cursor' leaves the surface unchanged unless it is cut at the cursor.
  viewer.changed = (part) => {
    if (part === 'colours' || part === 'field') makeColours();
    slices.draw();
    readOut();
    plot.draw();
    if (surface && (part !== 'cursor' || viewer.cut))
      surface.refresh(part === 'cursor' || part === 'colours');
    viewer.notify?.(part); // notifies linked viewers (linked.js)
  };
  viewer.choose = choose;
  viewer.valueHere = () => {
    const f = viewer.field(),
      code = viewer.volumes[f.volume][viewer.at.reduce((s, v, i) => s + v * viewer.stride[i], 0)];
    const sign =
      !f.peak ||
      (code < 255 && (code > 1 || !f.diverging)) ||
      Math.abs(f.peak.value) <= Math.abs(f.high)
        ? '≈'
        : code > 1
          ? '≥'
          : '≤';
    return code ? `${sign} ${formatFieldValue(f, valueOf(f, code))}` : '–';
  };

  description.fields.forEach((f, i) => control('field').add(new Option(f.label, i)));
  const on = (name, event, action) =>
    control(name)?.addEventListener(event, (e) => action(e.target));
  on('field', 'change', (c) => {
    choose(+c.value);
    tellDeform();
    viewer.changed('field');
  });
  on('opacity', 'input', (c) => {
    viewer.opacity = +c.value;
    viewer.changed('slices');
  });
  on('limit', 'input', (c) => {
    const f = viewer.field(),
      low = Math.min(f.low, 0),
      most = f.diverging ? Math.max(-f.low, f.high) : f.high;
    const high = low + (most - low) * Math.max(1e-3, (c.value / 1000) ** 2);
    viewer.range = f.diverging
      ? [-Math.max(1e-12, Math.abs(high)), Math.abs(high)]
      : [Math.min(f.range[0], high), high];
    viewer.changed('colours');
  });
  on('level', 'input', (c) => {
    viewer.level = +c.value;
    viewer.changed('slices');
  });
  on('window', 'input', (c) => {
    viewer.window = +c.value;
    viewer.changed('slices');
  });
  on('cut', 'change', (c) => {
    viewer.cut = +c.value;
    viewer.changed('view');
  });
  on('plot', 'change', (c) => {
    viewer.plotAlong = +c.value;
    viewer.changed('slices');
  });
  // At the slider's centre the largest displacement is a sixth of the specimen.
  // end.
  const longest = Math.max(...viewer.shape.map((n, i) => n * viewer.spacing[i])),
    scaleBox = control('deform')?.closest('label');
  const tellDeform = () => {
    const d = viewer.deformation();
    if (scaleBox) scaleBox.hidden = !d;
    if (!d) return;
    viewer.deform = ((control('deform').value / 100) ** 2 * longest) / 6 / d.largest;
    scaleBox.querySelector('output').textContent =
      viewer.deform > 0 ? `× ${+viewer.deform.toPrecision(3)}` : 'off';
  };
  on('deform', 'input', () => {
    tellDeform();
    viewer.changed('view');
  });
  tellDeform();
  on('mode', 'change', (c) => {
    viewer.mode = +c.value;
    viewer.changed('view');
  });
  on('sets', 'change', (c) => {
    viewer.showsSets = c.checked;
    viewer.changed('view');
  });
  on('outline', 'change', (c) => {
    viewer.outline = c.checked;
    viewer.changed('slices');
  });
  control('peak')?.addEventListener('click', () => {
    const p = viewer.field().peak;
    if (p) {
      p.at.forEach((v, i) => viewer.moveTo(i, Math.floor(v)));
      viewer.changed('cursor');
    }
  });
  control('mode').value = viewer.mode;
  choose(0);
  makeColours();
  slices.draw();
  readOut();
  try {
    surface = surfaceOf(viewer);
  } catch (e) {
    root.classList.add('nogl');
    console.warn(`no 3-D view: ${e.message}`);
  }

  let resizing = 0;
  new ResizeObserver(() => {
    clearTimeout(resizing);
    if (!root.classList.contains('printing'))
      resizing = setTimeout(() => viewer.changed('view'), 80);
  }).observe(viewer.one('.view'));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    viewer.changed('view'),
  );
  addEventListener('beforeprint', () => {
    const stage = viewer.one('.three');
    stage.style.setProperty('--ratio', `${stage.clientWidth} / ${stage.clientHeight}`);
    root.classList.add('printing');
    slices.draw();
    surface?.redraw();
  });
  addEventListener('afterprint', () => {
    root.classList.remove('printing');
    viewer.changed('view');
  });
  root.dataset.ready = 'yes'; // for automated browsers
  return viewer;
};
