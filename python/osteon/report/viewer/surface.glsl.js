// Ray casting: an opaque surface at a smoothed solid fraction of one half, in the colours of the
// field below it, with occlusion and a soft shadow from the pyramid of the fraction; or the
// maximum along each ray. Arrows are intersected exactly.
//
// In a live viewer the volume contains grey values, and the surface is at the threshold, a
// uniform, so that no texture changes while the threshold is dragged. Blocks without values above
// the threshold are skipped.

const SURFACE_VERTEX = `#version 300 es
out vec2 q; uniform float aspect;
void main() {
  vec2 p = vec2(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1);
  q = p * (aspect > 1. ? vec2(aspect, 1) : vec2(1, 1. / aspect));
  gl_Position = vec4(p, 0, 1);
}`;

const MOST_ARROWS = 40,
  MOST_SETS = 32,
  BLOCK = 8;

const SURFACE_FRAGMENT = `#version 300 es
precision highp float; precision highp sampler3D;
out vec4 result; in vec2 q;
uniform sampler3D share, field, sets, most_of_block, moves; uniform sampler2D colours;
uniform vec3 eye, right, up, ahead, size, voxel, low, high, inner_low, inner_high, ground, ivory, palette[${MOST_SETS}];
uniform vec3 tail[${MOST_ARROWS}], tip[${MOST_ARROWS}], paint[${MOST_ARROWS}];
uniform float slope, radius, threshold, stretch; uniform int mode, arrows; uniform bool shows_sets, is_live;

const float BLOCK = ${BLOCK}.;

// Solid fraction of a grey value: exact for a fraction, an estimate around a threshold.
float solid_of(float v) { return is_live ? smoothstep(.55 * threshold, 1.35 * threshold, v) : v; }

// Source of a point of the deformed shape: X + u(X) = p, by iteration. The displacement is
// defined everywhere.
vec3 source_of(vec3 p) {
  if (stretch == 0.) return p;
  vec3 from = p;
  for (int i = 0; i < 4; i++) from = p - (textureLod(moves, from / size, 0.).rgb * 2. - 1.) * stretch;
  return from;
}

// Cut planes refer to the undeformed shape.
bool is_outside(vec3 from) { return stretch != 0. && (any(lessThan(from, inner_low)) || any(greaterThan(from, inner_high))); }

float share_at(vec3 p) {
  vec3 from = source_of(p);
  return is_outside(from) ? 0. : textureLod(share, from / size, 0.).r;
}

// Outside of the box of a cut there is no solid; otherwise cut surfaces would be in shadow.
float filled(vec3 p, float level) {
  if (any(lessThan(p, low)) || any(greaterThan(p, high))) return 0.;
  vec3 from = source_of(p);
  return is_outside(from) ? 0. : solid_of(textureLod(share, from / size, level).r);
}

// The colour of the field: the mean over nearby voxels with a value, because interpolation would
// include empty ones.
vec3 colour_at(vec3 p) {
  vec3 t = p / voxel - .5, b = floor(t) - 1.; float sum = 0., weights = 0.; ivec3 last = textureSize(field, 0) - 1;
  for (int i = 0; i < 64; i++) {
    ivec3 k = ivec3(i & 3, (i >> 2) & 3, i >> 4);
    float code = texelFetch(field, clamp(ivec3(b) + k, ivec3(0), last), 0).r; vec3 g = b + vec3(k) - t;
    float w = exp(-1.1 * dot(g, g)) * step(.001, code); sum += code * w; weights += w;
  }
  return weights > 0. ? texture(colours, vec2(sum / weights * 255. / 256. + .5 / 256., .5)).rgb : ivory;
}

int set_at(vec3 p) {
  vec3 n = p / voxel - .5; ivec3 last = textureSize(sets, 0) - 1; int found = 0;
  for (int i = 0; i < 8; i++) {
    ivec3 j = clamp(ivec3(floor(n)) + ivec3(i & 1, (i >> 1) & 1, i >> 2), ivec3(0), last);
    found = max(found, int(texelFetch(sets, j, 0).r * 255. + .5));
  }
  return min(found, ${MOST_SETS - 1});
}

// Distance along a ray to an arrow from a to b: a cylinder, a cone and its base.
float arrow(vec3 from, vec3 ray, vec3 a, vec3 b, out vec3 normal) {
  vec3 d = b - a; float length_ = length(d); d /= length_;
  float head = min(radius * 6., length_ * .5), best = 1e9; vec3 base = b - d * head, o = from - a;
  float along = dot(ray, d), at = dot(o, d); vec3 x = ray - along * d, y = o - at * d;
  float k2 = dot(x, x), k1 = dot(x, y), k0 = dot(y, y) - radius * radius, D = k1 * k1 - k2 * k0;
  if (D > 0.) {
    float t = (-k1 - sqrt(D)) / k2, z = at + t * along;
    if (t > 0. && z > 0. && z < length_ - head) { best = t; normal = normalize(y + t * x); }
  }
  float wide = radius * 2.6, s = wide / head, s2 = s * s; o = from - b; at = dot(o, d); y = o - at * d;
  k2 = dot(x, x) - s2 * along * along; k1 = dot(x, y) - s2 * at * along; k0 = dot(y, y) - s2 * at * at; D = k1 * k1 - k2 * k0;
  if (D > 0.) for (int i = 0; i < 2; i++) {
    float t = (-k1 + (i == 0 ? -1. : 1.) * sqrt(D)) / k2, z = at + t * along;
    if (t > 0. && t < best && z < 0. && z > -head) { best = t; normal = normalize(normalize(y + t * x) + d * s); }
  }
  float t = dot(base - from, d) / along;
  if (t > 0. && t < best && length(from + t * ray - base) < wide) { best = t; normal = -d; }
  return best;
}

vec3 normal_at(vec3 p) {
  vec3 e = voxel * 1.2;
  vec3 g = vec3(share_at(p + vec3(e.x, 0, 0)) - share_at(p - vec3(e.x, 0, 0)), share_at(p + vec3(0, e.y, 0)) - share_at(p - vec3(0, e.y, 0)),
                share_at(p + vec3(0, 0, e.z)) - share_at(p - vec3(0, 0, e.z))) / voxel;
  return -normalize(g + 1e-6);
}

void main() {
  vec3 ray = normalize(ahead + slope * (q.x * right + q.y * up)), inv = 1. / ray;
  vec3 t1 = (low - eye) * inv, t2 = (high - eye) * inv, a = min(t1, t2), b = max(t1, t2);
  float enter = max(max(a.x, a.y), max(a.z, 0.)), leave = min(b.x, min(b.y, b.z)), hit_at = 1e9;
  float thin = min(voxel.x, min(voxel.y, voxel.z)), pace = .6 * thin;
  vec3 colour = ground * (1. - .035 * dot(q, q)), light = normalize(-ahead * .6 - right * .55 + up * .9);
  if (enter < leave) {
    float t = enter + 1e-4 * thin, most = 0.; bool hit = false; vec3 p, n;
    for (int i = 0; i < 1800; i++) {
      if (t >= leave) break;
      p = eye + t * ray; float v = share_at(p);
      if (mode == 1) { if (v > .3) most = max(most, texture(field, source_of(p) / size).r); t += pace * 1.3; continue; }
      if (v > threshold) { hit = true; break; }
      if (is_live) {
        ivec3 k = ivec3(floor(p / (voxel * BLOCK)));
        if (texelFetch(most_of_block, clamp(k, ivec3(0), textureSize(most_of_block, 0) - 1), 0).r <= threshold) {
          vec3 away = ((vec3(k) + step(vec3(0), ray)) * voxel * BLOCK - eye) * inv;
          t = max(t + pace, min(away.x, min(away.y, away.z)) + .05 * pace);
        } else t += pace;
      } else t += textureLod(share, source_of(p) / size, 3.).r == 0. ? 3. * thin : pace;
    }
    if (mode == 1 && most > 0.) {
      vec3 k = texture(colours, vec2(most * 255. / 256. + .5 / 256., .5)).rgb;
      colour = mix(colour, k, .2 + .8 * smoothstep(0., .6, most));
    }
    if (hit) {
      hit_at = t;
      if (t <= enter + 2e-4 * thin) {
        n = a.x > a.y && a.x > a.z ? vec3(-sign(ray.x), 0, 0) : a.y > a.z ? vec3(0, -sign(ray.y), 0) : vec3(0, 0, -sign(ray.z));
      } else {
        float outer = max(enter, t - pace), inner = t;
        for (int i = 0; i < 6; i++) { float m = .5 * (outer + inner); if (share_at(eye + m * ray) > threshold) inner = m; else outer = m; }
        hit_at = inner; p = eye + hit_at * ray; n = normal_at(p);
        if (dot(n, ray) > 0.) n = is_live ? normalize(n - dot(n, ray) * ray) : -n;  // noise may reverse normals at an edge
      }
      float hidden = 0., shade = 0.;
      for (int i = 1; i < 5; i++) hidden += filled(p + n * exp2(float(i)) * thin * 1.1, float(i) - .5) * (i < 2 ? .2 : .3);
      for (int i = 1; i < 18; i++) {
        vec3 h = p + n * voxel * 1.5 + light * thin * float(i * i) * .28;
        if (any(lessThan(h, low)) || any(greaterThan(h, high))) break;
        shade += solid_of(textureLod(share, source_of(h) / size, .3 + float(i) * .12).r) * .28;
      }
      float open = clamp(1. - hidden * .95, .12, 1.), lit = max(dot(n, light), 0.) * mix(1., .35, min(shade, 1.));
      vec3 k = is_live ? ivory : colour_at(source_of(p - n * voxel * .9));
      if (shows_sets) { int s = set_at(source_of(p - n * voxel * .5)); if (s > 0) k = mix(k, palette[s], .85); }
      colour = k * (open * (.40 + .12 * n.z + .18 * max(dot(n, -ray), 0.)) + .58 * lit) +
               .08 * open * pow(max(dot(reflect(ray, n), light), 0.), 24.);
    }
  }
  if (shows_sets) for (int i = 0; i < ${MOST_ARROWS}; i++) {
    if (i >= arrows) break;
    vec3 n; float t = arrow(eye, ray, tail[i], tip[i], n);
    if (t > 1e8) continue;
    vec3 k = paint[i] * (.45 + .6 * max(dot(n, light), 0.));
    if (t < hit_at) { colour = k; hit_at = t; } else colour = mix(colour, k, .28);
  }
  result = vec4(colour, 1);
}`;
