// Volumes are bytes, x fastest, compressed by gzip and base64 in elements of the page.

const unpack = async (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) =>
    c.charCodeAt(0),
  );
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

// Code 0 is empty. Codes 1 .. 255 map to low .. high, by a power if a power resolves small values.
const valueOf = (field, code) =>
  field.low + (field.high - field.low) * ((code - 1) / 254) ** field.power;

const isEmptyUnit = (unit) => !unit || unit === '1';

// Three digits, the precision of a code of one byte.
const formatValue = (value, unit) => {
  const size = Math.abs(value);
  const text =
    size >= 1e6 || (size > 0 && size < 1e-3)
      ? value.toExponential(2)
      : size >= 100
        ? value.toFixed(0)
        : String(+value.toPrecision(3));
  return isEmptyUnit(unit) ? text : `${text} ${unit}`;
};

// For a field far from zero, such as a temperature, the digits resolve a hundredth of its
// range.
const formatFieldValue = (field, value, hasUnit = true) => {
  const span = field.high - field.low,
    unit = hasUnit && !isEmptyUnit(field.unit) ? ` ${field.unit}` : '';
  if (span >= 0.5 * Math.max(Math.abs(field.low), Math.abs(field.high)))
    return formatValue(value, hasUnit ? field.unit : '');
  return value.toFixed(Math.max(0, Math.min(9, 2 - Math.floor(Math.log10(span))))) + unit;
};

// Solid fraction around each voxel, 0 .. 255: one or two passes of (1 2 1)/4 along each axis, which
// smooth the steps of voxels. Thick slices need two passes. A lower bound in solid voxels preserves
// plates and struts of one or two voxels, as in the program
// (src/osteon/render/rays/smooth_mask.cpp).
const smoothed = (share, shape, spacing) => {
  let from = share,
    to = new Uint8Array(share.length);
  const stride = [1, shape[0], shape[0] * shape[1]];
  const isThick = Math.max(...spacing) > 1.2 * Math.min(...spacing);
  for (const axis of isThick ? [0, 1, 2, 0, 1, 2] : [0, 1, 2]) {
    const step = stride[axis],
      n = shape[axis],
      rows = share.length / n;
    for (let row = 0; row < rows; row++) {
      const first =
        axis === 0 ? row * n : axis === 1 ? Math.floor(row / step) * step * n + (row % step) : row;
      for (let i = 0, q = first; i < n; i++, q += step) {
        const left = i ? from[q - step] : from[q],
          right = i < n - 1 ? from[q + step] : from[q];
        to[q] = (left + 2 * from[q] + right + 2) >> 2;
      }
    }
    [from, to] = [to, from === share ? new Uint8Array(share.length) : from];
  }
  return keepThin(from, share, shape);
};

const LEVEL = 128,
  MARGIN = 5,
  OF_A_PLATE = 191; // two adjacent solid voxels have 191 after a pass

// Raise solid voxels to above the level, depending on the solid around them, and keep empty / voxels below the level.
const keepThin = (smooth, share, [nx, ny, nz]) => {
  const bounded = smooth.slice();
  for (let z = 0, q = 0; z < nz; z++)
    for (let y = 0; y < ny; y++)
      for (let x = 0; x < nx; x++, q++) {
        if (share[q] < LEVEL) {
          bounded[q] = Math.min(smooth[q], LEVEL - MARGIN);
          continue;
        }
        if (smooth[q] >= OF_A_PLATE) continue;
        let most = 0;
        for (let c = Math.max(0, z - 1); c <= Math.min(nz - 1, z + 1); c++)
          for (let b = Math.max(0, y - 1); b <= Math.min(ny - 1, y + 1); b++)
            for (let a = Math.max(0, x - 1); a <= Math.min(nx - 1, x + 1); a++)
              most = Math.max(most, smooth[(c * ny + b) * nx + a]);
        bounded[q] = Math.max(
          smooth[q],
          LEVEL + Math.min(127, Math.max(MARGIN, OF_A_PLATE - most)),
        );
      }
  return bounded;
};
