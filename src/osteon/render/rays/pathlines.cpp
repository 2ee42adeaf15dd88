#include <osteon/render/rays/pathlines.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <osteon/base/error.hpp>
#include <osteon/base/splitmix.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/render/rays/particles.hpp>
#include <tuple>

namespace osteon::render {

namespace {

constexpr double longest_part = 0.5;   // length of a substep in voxels
constexpr double longest_segment = 2;  // distance in voxels between two vertices of a path
constexpr int ghosts = 2;              // a substep begins in an owned voxel and ends at most one voxel beyond the block
// if the direction turns by more than this angle, a vertex is stored
const double straight = std::cos(4 * std::numbers::pi / 180);

struct particle {
  vector3 at;
  double time = 0;
  vector3 stored, heading;  // last stored vertex, and its direction
  double speed = 0;         // speed at the beginning of the last substep
  std::int64_t line = 0, vertices = 0;
  std::int64_t ended = 0;
};

struct path_vertex {
  std::int64_t line = 0, place = 0;
  line_vertex vertex;
};

// Random number in (0, 1]. Each particle has a sequence of random numbers.
double chance_of(std::int64_t line, std::uint64_t draw) {
  const std::uint64_t key = splitmix64(draw) ^ static_cast<std::uint64_t>(line);
  return static_cast<double>((splitmix64(key) >> 11) + 1) * 0x1p-53;
}

using field_at = std::array<grid::ghosted_field<float>, 3>;

}  // namespace

struct pathlines::state {
  state(const grid::block& b, const vector3& spacing, std::int64_t n, double end)
      : where(b), spacing_mm(spacing), count(n), end_s(end), over(b, "particles of pathlines") {}

  grid::block where;
  vector3 spacing_mm;
  std::int64_t count = 0, released = 0;
  double end_s = 0, now_s = 0;
  std::vector<particle> drifting;   // active particles in the block of this rank
  std::vector<path_vertex> stored;  // vertices that this rank has computed
  field_at before, after;
  double before_s = 0, step_s = 0;
  double greatest = 0;  // maximum speed of the field `after` in voxels per second
  particle_transfers<particle> over;

  field_at with_ghosts(const vector_values& field) const {
    field_at result;
    for (std::size_t c = 0; c < 3; ++c) result[c] = grid::with_ghost_cells(where, field[c], ghosts);
    return result;
  }

  double release_time(std::int64_t line) const { return end_s * static_cast<double>(line) / static_cast<double>(count); }

  double greatest_of(const vector_values& field) const {
    double most = 0;
    for (std::size_t i = 0; i < field[0].size(); ++i) {
      double square = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double v = static_cast<double>(field[static_cast<std::size_t>(axis)][i]) / spacing_mm[axis];
        square += v * v;
      }
      if (square < 1e300) most = std::max(most, std::sqrt(square));  // for NaN, the comparison is false
    }
    comm::all_reduce(where.comm, &most, 1, MPI_MAX);
    return most;
  }

  // Velocity in voxels per second. @param speed receives the speed in mm/s
  vector3 drift_at(const vector3& point, double time, double* speed) const {
    const double t = step_s > 0 ? (time - before_s) / step_s : 1;
    const auto low = interpolate(before, where.domain, point), high = interpolate(after, where.domain, point);
    vector3 result;
    double square = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto c = static_cast<std::size_t>(axis);
      const double v = (1 - t) * low[c] + t * high[c];
      square += v * v;
      result[axis] = v / spacing_mm[axis];
    }
    if (speed != nullptr) *speed = std::sqrt(square);
    return result;
  }

  static void keep(particle& p, const vector3& heading, std::vector<path_vertex>& to) {
    to.push_back({p.line, p.vertices++, {p.at, p.time, p.speed}});
    p.stored = p.at;
    p.heading = heading;
  }

  // Move a particle until the end of the step, or until the particle leaves the block.
  void follow(particle& p, double until_s, double part_s, std::vector<path_vertex>& to) const {
    while (p.ended == 0 && p.time < until_s && where.owned.contains(voxel_at(p.at, where.domain))) {
      const vector3 first = drift_at(p.at, p.time, &p.speed);
      const double rate = std::sqrt(dot(first, first));
      if (rate > 0) {
        const vector3 heading = along({0, 0, 0}, 1 / rate, first), chord = along(p.at, -1, p.stored);
        if (p.vertices == 0 || dot(heading, p.heading) < straight || dot(chord, chord) > longest_segment * longest_segment)
          keep(p, heading, to);
      }
      const bool is_last = until_s - p.time <= part_s * (1 + 1e-9);
      const double dt = is_last ? until_s - p.time : part_s;
      const vector3 second = drift_at(along(p.at, 0.5 * dt, first), p.time + 0.5 * dt, nullptr);
      const vector3 third = drift_at(along(p.at, 0.5 * dt, second), p.time + 0.5 * dt, nullptr);
      const vector3 fourth = drift_at(along(p.at, dt, third), p.time + dt, nullptr);
      vector3 next;
      for (int axis = 0; axis < 3; ++axis)
        next[axis] = p.at[axis] + dt / 6 * (first[axis] + 2 * second[axis] + 2 * third[axis] + fourth[axis]);
      const double part = share_inside(p.at, next, where.domain);
      p.time = is_last && part == 1 ? until_s : p.time + part * dt;
      for (int axis = 0; axis < 3; ++axis)
        p.at[axis] = part == 1 ? next[axis] : p.at[axis] + part * (next[axis] - p.at[axis]);
      if (part == 1) continue;
      if (p.vertices > 0 && p.at != p.stored) keep(p, p.heading, to);
      p.ended = 1;
    }
  }

  // Release the particles with a release time in the current step. Each rank stores the particles in its block.
  void release(double until_s, const std::vector<release_point>& points) {
    double weight = 0;
    for (const release_point& p : points) weight = std::max(weight, p.weight);
    comm::all_reduce(where.comm, &weight, 1, MPI_MAX);
    if (!(weight > 0)) return;
    struct winner {
      double chance = 0;
      std::int64_t line = 0, name = 0;
      vector3 at, spread;
    };
    std::vector<winner> own;
    for (std::int64_t line = released; line < count && release_time(line) < until_s; ++line) {
      winner best{std::numeric_limits<double>::infinity(), line, 0, {}, {}};
      for (const release_point& p : points) {
        if (!(p.weight > 0)) continue;
        const winner candidate{-std::log(chance_of(line, 4 + static_cast<std::uint64_t>(p.name))) / p.weight, line, p.name,
                               p.at, p.spread};
        if (std::tie(candidate.chance, candidate.name) < std::tie(best.chance, best.name)) best = candidate;
      }
      own.push_back(best);
    }
    const auto lines = static_cast<std::int64_t>(own.size());
    const std::vector<winner> all = comm::gather_to_all(where.comm, own).values;
    const int rank = comm::rank(where.comm);
    for (std::int64_t n = 0; n < lines; ++n) {
      winner best = all[static_cast<std::size_t>(n)];
      for (auto i = static_cast<std::size_t>(n); i < all.size(); i += static_cast<std::size_t>(lines))
        if (std::tie(all[i].chance, all[i].name) < std::tie(best.chance, best.name)) best = all[i];
      if (where.boxes->owner_of(voxel_at(best.at, where.domain)) != rank) continue;
      particle p;
      p.at = best.at;
      for (int axis = 0; axis < 3; ++axis)
        p.at[axis] += best.spread[axis] * (2 * chance_of(best.line, static_cast<std::uint64_t>(axis) + 1) - 1);
      p.stored = p.at;
      p.time = std::max(release_time(best.line), before_s);
      p.line = best.line;
      drifting.push_back(p);
    }
    released += lines;
  }
};

pathlines::pathlines(const grid::block& where, const vector3& spacing_mm, std::int64_t particles, double end_s) {
  comm::collectively(where.comm, [&] {
    if (!where.boxes) throw usage_error("pathlines require a block with a box tree, because particles move to other blocks");
    if (particles < 1) throw usage_error("the number of particles must be at least 1");
  });
  state_ = std::make_unique<state>(where, spacing_mm, particles, end_s);
}
pathlines::~pathlines() = default;
pathlines::pathlines(pathlines&&) noexcept = default;
pathlines& pathlines::operator=(pathlines&&) noexcept = default;

void pathlines::begin(double time_s, const vector_values& field) {
  state& s = *state_;
  s.now_s = time_s;
  s.after = s.with_ghosts(field);
  s.greatest = s.greatest_of(field);
}

void pathlines::advance(double time_s, const vector_values& field, const std::vector<release_point>& points) {
  state& s = *state_;
  s.before = std::move(s.after);
  s.after = s.with_ghosts(field);
  const double greatest = s.greatest_of(field), most = std::max(greatest, s.greatest);
  s.greatest = greatest;
  s.before_s = s.now_s;
  s.step_s = time_s - s.now_s;
  s.now_s = time_s;
  s.release(time_s, points);
  const double parts = std::max(1.0, std::ceil(most * s.step_s / longest_part)), part_s = s.step_s / parts;
  std::vector<particle> active = std::move(s.drifting), arrived;
  for (;;) {
    std::vector<std::vector<path_vertex>> stored(active.size());
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < active.size(); ++i) s.follow(active[i], time_s, part_s, stored[i]);
    for (const auto& some : stored) s.stored.insert(s.stored.end(), some.begin(), some.end());
    std::int64_t under_way = 0;
    for (const particle& p : active) {
      if (p.ended != 0) continue;
      const int owner = s.where.boxes->owner_of(voxel_at(p.at, s.where.domain));
      if (owner == comm::rank(s.where.comm)) {
        arrived.push_back(p);
      } else {
        s.over.send(p, owner);
        ++under_way;
      }
    }
    comm::all_reduce(s.where.comm, &under_way, 1, MPI_SUM);
    if (under_way == 0) break;
    active = s.over.run();
  }
  s.drifting = std::move(arrived);
}

namespace {

constexpr std::size_t head = 4, of_particle = 13, of_vertex = 7;

// Numbers of particles and vertices in a saved state.
std::array<double, 2> counts_in(const std::vector<double>& numbers) {
  if (numbers.size() < head || !(numbers[2] >= 0) || !(numbers[3] >= 0) ||
      head + numbers[2] * of_particle + numbers[3] * of_vertex != static_cast<double>(numbers.size()))
    throw data_error(fmt::format("invalid saved state of pathlines with {} numbers", numbers.size()));
  return {numbers[2], numbers[3]};
}

}  // namespace

std::vector<double> pathlines::saved() const {
  const state& s = *state_;
  const auto particles = comm::gather_to_all(s.where.comm, s.drifting).values;
  const auto vertices = comm::gather_to_all(s.where.comm, s.stored).values;
  std::vector<double> numbers{static_cast<double>(s.count), static_cast<double>(s.released),
                              static_cast<double>(particles.size()), static_cast<double>(vertices.size())};
  for (const particle& p : particles)
    numbers.insert(numbers.end(),
                   {p.at.z, p.at.y, p.at.x, p.time, p.stored.z, p.stored.y, p.stored.x, p.heading.z, p.heading.y,
                    p.heading.x, p.speed, static_cast<double>(p.line), static_cast<double>(p.vertices)});
  for (const path_vertex& v : vertices)
    numbers.insert(numbers.end(), {static_cast<double>(v.line), static_cast<double>(v.place), v.vertex.at.z, v.vertex.at.y,
                                   v.vertex.at.x, v.vertex.time, v.vertex.speed});
  return numbers;
}

void pathlines::restore(const std::vector<double>& numbers) {
  state& s = *state_;
  const auto [particles, vertices] = counts_in(numbers);
  if (numbers[0] != static_cast<double>(s.count)) throw data_error("the saved pathlines have another number of particles");
  s.released = static_cast<std::int64_t>(numbers[1]);
  s.drifting.clear();
  s.stored.clear();
  const int rank = comm::rank(s.where.comm);
  const double* at = numbers.data() + head;
  for (double n = 0; n < particles; ++n, at += of_particle) {
    particle p;
    p.at = {at[0], at[1], at[2]};
    p.time = at[3];
    p.stored = {at[4], at[5], at[6]};
    p.heading = {at[7], at[8], at[9]};
    p.speed = at[10];
    p.line = static_cast<std::int64_t>(at[11]);
    p.vertices = static_cast<std::int64_t>(at[12]);
    if (s.where.boxes->owner_of(voxel_at(p.at, s.where.domain)) == rank) s.drifting.push_back(p);
  }
  if (rank != 0) return;
  for (double n = 0; n < vertices; ++n, at += of_vertex)
    s.stored.push_back(
        {static_cast<std::int64_t>(at[0]), static_cast<std::int64_t>(at[1]), {{at[2], at[3], at[4]}, at[5], at[6]}});
}

streamlines pathlines::paths_in(const std::vector<double>& numbers, double from_s) {
  const auto [particles, vertices] = counts_in(numbers);
  std::vector<path_vertex> all;
  const double* at = numbers.data() + head;
  for (double n = 0; n < particles; ++n, at += of_particle) {  // the present position of each particle is included
    const vector3 here{at[0], at[1], at[2]}, stored{at[4], at[5], at[6]};
    const auto made = static_cast<std::int64_t>(at[12]);
    if (made > 0 && here != stored) all.push_back({static_cast<std::int64_t>(at[11]), made, {here, at[3], at[10]}});
  }
  for (double n = 0; n < vertices; ++n, at += of_vertex)
    all.push_back(
        {static_cast<std::int64_t>(at[0]), static_cast<std::int64_t>(at[1]), {{at[2], at[3], at[4]}, at[5], at[6]}});
  std::erase_if(all, [&](const path_vertex& v) { return v.vertex.time < from_s; });
  return join_lines(std::move(all));
}

}  // namespace osteon::render
