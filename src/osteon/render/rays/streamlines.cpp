#include <osteon/render/rays/streamlines.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <osteon/base/error.hpp>
#include <osteon/base/splitmix.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/host_memory.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/grid/ghost_cells.hpp>
#include <osteon/render/rays/particles.hpp>

namespace osteon::render {

namespace {

constexpr double longest_segment = 2;  // distance in voxels between two vertices of a line
constexpr int ghosts = 2;              // a step begins in an owned voxel and ends at most one voxel beyond the block

// Magnitude of the field in a voxel. Without a value, the result is 0.
double magnitude(const vector_values& field, std::size_t i) {
  double square = 0;
  for (const auto& component : field) {
    const auto v = static_cast<double>(component[i]);
    square += v * v;
  }
  return square < 1e300 ? std::sqrt(square) : 0;  // the result is 0 for NaN
}

double greatest_magnitude(MPI_Comm comm, const vector_values& field) {
  double most = 0;
  for (std::size_t i = 0; i < field[0].size(); ++i) most = std::max(most, magnitude(field, i));
  comm::all_reduce(comm, &most, 1, MPI_MAX);
  return most;
}

// State of a line during the integration in one direction from its seed.
struct particle {
  vector3 at;
  double time = 0;
  vector3 stored, heading;  // last stored vertex, and its direction
  std::int64_t steps = 0;
  std::int32_t line = 0, sign = 1;
  std::int32_t vertices = 0;  // number of stored vertices
  std::int32_t ended = 0;
};

struct stored_vertex {
  // number of the line, and position of the vertex in the line; the position is negative in the direction opposite to the
  // field
  std::int32_t line, place;
  line_vertex vertex;
};

// The field at a point.
struct drift {
  vector3 direction;  // direction of the line in voxels, as a unit vector
  double rate = 0;    // speed in voxels per second
  double speed = 0;   // speed in mm per second
};

class tracer {
 public:
  tracer(const grid::block& where, const vector3& spacing_mm, const vector_values& field, const line_options& options,
         double greatest)
      : domain_(where.domain),
        owned_(where.owned),
        spacing_(spacing_mm),
        step_(options.step_voxels),
        least_(options.least_speed * greatest),
        straight_(options.turn_deg > 0 ? std::cos(options.turn_deg * std::numbers::pi / 180) : 2) {
    for (std::size_t c = 0; c < 3; ++c) field_[c] = grid::with_ghost_cells(where, field[c], ghosts);
    const double edges = static_cast<double>(domain_.z + domain_.y + domain_.x);
    most_steps_ =
        static_cast<std::int64_t>(std::ceil((options.greatest_length > 0 ? options.greatest_length : 2 * edges) / step_));
  }

  // Follow a line until the line ends or leaves the block.
  void follow(particle& p, std::vector<stored_vertex>& stored) const {
    while (p.ended == 0 && owned_.contains(voxel_of(p.at))) {
      const drift here = at(p.at, p.sign);
      const vector3 chord = along(p.at, -1, p.stored);
      if (p.vertices == 0 || dot(here.direction, p.heading) < straight_ ||
          dot(chord, chord) > longest_segment * longest_segment)
        keep(p, here, stored);
      particle next = p;
      const bool continues = here.speed > least_ && p.steps < most_steps_ && advance(next, here);
      const double part = continues ? part_inside(p.at, next.at) : 0;
      if (part == 1) {
        p = next;
        ++p.steps;
        continue;
      }
      for (int axis = 0; axis < 3; ++axis) p.at[axis] += part * (next.at[axis] - p.at[axis]);
      p.time += part * (next.time - p.time);
      if (p.at != p.stored) keep(p, here, stored);
      p.ended = 1;
    }
  }

  index3 voxel_of(const vector3& p) const { return voxel_at(p, domain_); }

 private:
  drift at(const vector3& point, int sign) const {
    const std::array<double, 3> value = interpolate(field_, domain_, point);
    drift result;
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double v = value[static_cast<std::size_t>(axis)];
      square += v * v;
      result.direction[axis] = sign * v / spacing_[axis];
    }
    result.speed = std::sqrt(square);
    result.rate = std::sqrt(dot(result.direction, result.direction));
    for (int axis = 0; axis < 3; ++axis) result.direction[axis] = result.rate > 0 ? result.direction[axis] / result.rate : 0;
    return result;
  }

  // Move the particle by a step of the line, and update its time. @return false if the speed vanishes
  bool advance(particle& p, const drift& first) const {
    const drift second = at(along(p.at, 0.5 * step_, first.direction), p.sign);
    const drift third = at(along(p.at, 0.5 * step_, second.direction), p.sign);
    const drift fourth = at(along(p.at, step_, third.direction), p.sign);
    if (!(second.speed > least_ && third.speed > least_ && fourth.speed > least_)) return false;
    for (int axis = 0; axis < 3; ++axis)
      p.at[axis] +=
          step_ / 6 *
          (first.direction[axis] + 2 * second.direction[axis] + 2 * third.direction[axis] + fourth.direction[axis]);
    p.time += p.sign * step_ / 6 * (1 / first.rate + 2 / second.rate + 2 / third.rate + 1 / fourth.rate);
    return true;
  }

  double part_inside(const vector3& from, const vector3& to) const { return share_inside(from, to, domain_); }

  void keep(particle& p, const drift& here, std::vector<stored_vertex>& stored) const {
    if (p.sign > 0 || p.vertices > 0)  // both directions have the same seed
      stored.push_back({p.line, p.sign * p.vertices, {p.at, p.time, here.speed}});
    ++p.vertices;
    p.stored = p.at;
    p.heading = here.direction;
  }

  index3 domain_;
  box3 owned_;
  vector3 spacing_;
  double step_, least_, straight_;
  std::int64_t most_steps_ = 0;
  std::array<grid::ghosted_field<float>, 3> field_;
};

}  // namespace

double streamlines::length(std::size_t i, const vector3& spacing_mm) const {
  double sum = 0;
  const auto points = line(i);
  for (std::size_t k = 1; k < points.size(); ++k) {
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double d = (points[k].at[axis] - points[k - 1].at[axis]) * spacing_mm[axis];
      square += d * d;
    }
    sum += std::sqrt(square);
  }
  return sum;
}

namespace {

void check(const grid::block& where, const vector_values& field) {
  if (!where.boxes) throw usage_error("streamlines require a block with a box tree, because lines continue in other blocks");
  for (const auto& component : field)
    if (component.size() != static_cast<std::size_t>(where.owned.volume()))
      throw usage_error(fmt::format("a component of the vector field has {} values; the block has {} voxels",
                                    component.size(), where.owned.volume()));
}

struct candidate {
  double chance = 0;
  std::int64_t voxel = 0;
  friend bool operator<(const candidate& a, const candidate& b) {
    return std::pair(a.chance, a.voxel) < std::pair(b.chance, b.voxel);
  }
};

// Sort the candidates, and keep the first `count` candidates.
void keep_least(std::vector<candidate>& all, std::size_t count) {
  std::sort(all.begin(), all.end());
  if (all.size() > count) all.resize(count);
}

}  // namespace

std::vector<vector3> seeds_by_speed(const grid::block& where, const vector_values& field, std::int64_t count) {
  comm::collectively(where.comm, [&] {
    check(where, field);
    if (count < 1) throw usage_error(fmt::format("the number of lines is {}; must be at least 1", count));
  });
  const auto most = static_cast<std::size_t>(count);
  std::vector<candidate> heap;  // the front of the heap has the largest ratio
  std::size_t i = 0;
  for (std::int64_t z = where.owned.begin.z; z < where.owned.end.z; ++z)
    for (std::int64_t y = where.owned.begin.y; y < where.owned.end.y; ++y)
      for (std::int64_t x = where.owned.begin.x; x < where.owned.end.x; ++x, ++i) {
        const double speed = magnitude(field, i);
        if (!(speed > 0)) continue;
        const std::int64_t voxel = (z * where.domain.y + y) * where.domain.x + x;
        const double hash = static_cast<double>(splitmix64(static_cast<std::uint64_t>(voxel)) >> 11) * 0x1p-53;
        const candidate c{hash / speed, voxel};
        if (heap.size() == most) {
          if (!(c < heap.front())) continue;
          std::pop_heap(heap.begin(), heap.end());
          heap.back() = c;
        } else {
          heap.push_back(c);
        }
        std::push_heap(heap.begin(), heap.end());
      }
  std::vector<candidate> all = comm::gather_to_all(where.comm, heap).values;
  keep_least(all, most);
  std::vector<vector3> seeds;
  for (const candidate& c : all)
    seeds.push_back({static_cast<double>(c.voxel / where.domain.x / where.domain.y) + 0.5,
                     static_cast<double>(c.voxel / where.domain.x % where.domain.y) + 0.5,
                     static_cast<double>(c.voxel % where.domain.x) + 0.5});
  return seeds;
}

streamlines trace(const grid::block& where, const vector3& spacing_mm, const vector_values& field,
                  std::span<const vector3> seeds, const line_options& options) {
  comm::collectively(where.comm, [&] {
    check(where, field);
    if (!(options.step_voxels > 0 && options.step_voxels <= 1))
      throw usage_error(fmt::format("the step is {} voxels; must be in (0, 1]", options.step_voxels));
    if (!(options.greatest_length >= 0 && std::isfinite(options.greatest_length)))
      throw usage_error(
          fmt::format("the maximum length of lines is {} voxels; must be finite and not negative", options.greatest_length));
    for (const vector3& s : seeds)
      for (int axis = 0; axis < 3; ++axis)
        if (!(s[axis] >= 0 && s[axis] <= static_cast<double>(where.domain[axis])))
          throw usage_error(fmt::format("the seed (z, y, x) = ({}, {}, {}) voxels is outside the domain", s.z, s.y, s.x));
  });
  const tracer flow(where, spacing_mm, field, options, greatest_magnitude(where.comm, field));
  const int rank = comm::rank(where.comm);
  std::vector<particle> active;
  for (std::size_t i = 0; i < seeds.size(); ++i)
    if (where.boxes->owner_of(flow.voxel_of(seeds[i])) == rank)
      for (const int sign : {1, -1}) {
        particle p;
        p.at = p.stored = seeds[i];
        p.line = static_cast<std::int32_t>(i);
        p.sign = sign;
        active.push_back(p);
      }
  std::vector<stored_vertex> own;
  particle_transfers<particle> over(where, "particles of streamlines");
  for (;;) {
    std::vector<std::vector<stored_vertex>> stored(active.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < active.size(); ++i) flow.follow(active[i], stored[i]);
    for (const auto& part : stored) own.insert(own.end(), part.begin(), part.end());
    for (const particle& p : active)
      if (p.ended == 0) over.send(p, where.boxes->owner_of(flow.voxel_of(p.at)));
    active = over.run();
    auto under_way = static_cast<std::int64_t>(active.size());
    comm::all_reduce(where.comm, &under_way, 1, MPI_SUM);
    if (under_way == 0) break;
  }
  auto vertices = static_cast<std::int64_t>(own.size());
  comm::all_reduce(where.comm, &vertices, 1, MPI_SUM);
  comm::check_host_memory(where.comm, static_cast<double>(vertices) * (sizeof(stored_vertex) + 2.0 * sizeof(line_vertex)),
                          fmt::format("{} streamlines of {} vertices", seeds.size(), vertices), "request fewer lines");
  streamlines result = join_lines(comm::gather_to_all(where.comm, own).values);
  for (std::size_t i = 0; i < result.count(); ++i) {
    const double begin = result.vertices[result.first[i]].time;
    for (std::size_t k = result.first[i]; k < result.first[i + 1]; ++k) result.vertices[k].time -= begin;
  }
  return result;
}

}  // namespace osteon::render
