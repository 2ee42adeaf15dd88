#include <osteon/job/estimate/plans_at_scale.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numbers>
#include <osteon/base/kth_smallest.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <string_view>

namespace osteon::job {

namespace {

struct coarser_shape {
  index3 shape;
  std::int64_t step = 1;
  int levels = 0;  // number of omitted levels of the solver
};

coarser_shape shape_to_fit(index3 shape, std::int64_t most_voxels, thinning how) {
  coarser_shape found{shape};
  for (; found.shape.volume() > most_voxels;) {
    if (how == thinning::every_kth) {
      ++found.step;
    } else {
      found.step *= 2;
      ++found.levels;
    }
    const std::int64_t k = found.step, filled_up = how == thinning::to_a_level ? k - 1 : 0;
    for (int a = 0; a < 3; ++a) found.shape[a] = std::max<std::int64_t>(1, (shape[a] + filled_up) / k);
  }
  return found;
}

// The material of one solid voxel in a cube. If the cube has no solid voxels, the result is 0.
material_number material_in(const std::vector<material_number>& image, index3 shape, index3 begin, std::int64_t edge) {
  for (std::int64_t z = begin.z; z < std::min(begin.z + edge, shape.z); ++z)
    for (std::int64_t y = begin.y; y < std::min(begin.y + edge, shape.y); ++y) {
      const auto row = image.begin() + (z * shape.y + y) * shape.x;
      const auto end = row + std::min(begin.x + edge, shape.x);
      const auto found = std::find_if(row + begin.x, end, [](material_number m) { return m != 0; });
      if (found != end) return *found;
    }
  return 0;
}

void count_active(plan_image& of) {
  const index3 shape = of.header.shape;
  const std::int64_t plane = shape.y * shape.x;
  of.header.active_per_plane.assign(static_cast<std::size_t>(shape.z), 0);
  for (std::int64_t z = 0; z < shape.z; ++z)
    of.header.active_per_plane[static_cast<std::size_t>(z)] =
        plane - std::count(of.image.begin() + z * plane, of.image.begin() + (z + 1) * plane, material_number{0});
}

double nodes_of(double elements) { return 1.27 * elements; }  // measured with a sponge
double ratio(index3 fine, index3 few) { return static_cast<double>(fine.volume()) / static_cast<double>(few.volume()); }

std::int64_t sum_of(const std::vector<std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (const std::int64_t n : counts) sum += n;
  return sum;
}

// Multiply all sizes of a plan by a factor.
plan::plan times_bytes(const plan::plan& what, double factor) {
  plan::plan scaled = what;
  scaled.of = [of = what.of, factor](int rank, std::int64_t round) {
    plan::round now = of(rank, round);
    for (auto* list : {&now.sends, &now.receives})
      for (plan::message& m : *list)
        m.elements = {0, static_cast<std::int64_t>(std::llround(static_cast<double>(m.size()) * factor))};
    return now;
  };
  return scaled;
}

void scale(comm::plan_traffic& traffic, double factor) {
  const auto times = [&](std::int64_t bytes) { return static_cast<std::int64_t>(static_cast<double>(bytes) * factor); };
  traffic.what = times_bytes(traffic.what, factor);
  traffic.bytes = times(traffic.bytes);
  traffic.most_bytes_of_a_rank = times(traffic.most_bytes_of_a_rank);
}

bool is_reduction(const comm::plan_traffic& p) { return p.plan.starts_with("reductions"); }
bool follows_volume(const std::string& part) { return part == "reading" || part == "writing"; }

// Bytes of a plan on the image divided by bytes on the coarsened image.
double bytes_factor(const plan_image& of, const std::string& part, const std::string& plan) {
  if (follows_volume(part)) return of.volume_factor;
  const int levels = of.stands_for.missing_levels, level = level_of_plan(plan);
  if (levels == 0) return of.area_factor;
  if (plan.starts_with("coarsest level") && !part.starts_with("heat_")) return 1;
  return level < 0 ? of.area_factor : std::pow(of.area_factor, std::max(0.0, 1 - static_cast<double>(level) / levels));
}

// Numbers of messages in one execution of a plan with n ranks. These numbers are used for scaling.
struct one_run {
  std::int64_t messages = 0, bytes = 0, largest = 0;
  std::int64_t with_root = 0;  // messages to or from rank 0
  std::int64_t most_peers = 0;
  bool to_root = false;
};

one_run count(const plan::plan& what) {
  one_run all;
  for (std::int64_t round = 0; round < what.rounds; ++round)
    for (int r = 0; r < what.ranks; ++r) {
      const plan::round now = what.of(r, round);
      all.most_peers = std::max(all.most_peers, std::ssize(now.sends));
      for (const plan::message& m : now.sends) {
        ++all.messages;
        all.bytes += what.bytes(m);
        all.largest = std::max(all.largest, what.bytes(m));
        if (r == 0 || m.peer == 0) ++all.with_root;
        if (m.peer == 0) all.to_root = true;
      }
    }
  return all;
}

// The messages between all ranks and rank 0.
plan::plan star(const std::string& name, int ranks, std::int64_t bytes, bool to_root) {
  plan::plan what;
  what.name = name;
  what.ranks = ranks;
  what.rounds = 1;
  what.moves = plan::cargo::bytes;
  what.of = [ranks, bytes, to_root](int rank, std::int64_t) {
    plan::round now;
    auto& of_root = to_root ? now.receives : now.sends;
    auto& of_others = to_root ? now.sends : now.receives;
    if (rank != 0)
      of_others.push_back({0, {0, bytes}, plan::arrival::keep});
    else
      for (int r = 1; r < ranks; ++r) of_root.push_back({r, {0, bytes}, plan::arrival::keep});
    return now;
  };
  return what;
}

comm::plan_traffic on_more_ranks(const comm::plan_traffic& small, int small_ranks, int ranks, index3 blocks,
                                 const std::string& part) {
  comm::plan_traffic large;
  large.plan = small.plan;
  large.runs = small.runs;
  const one_run once = count(small.what);
  const double fewer = static_cast<double>(small_ranks) / ranks;
  // A plan contains each distinct run once. Here, all runs are treated as one run.
  const double runs = once.messages > 0 ? static_cast<double>(small.messages) / static_cast<double>(once.messages) : 0;
  if (once.messages == 0)
    large.what = small.what, large.what.ranks = ranks, large.what.rounds = 0;
  else if (is_reduction(small))
    large.what = plan::all_reduce(ranks, once.largest);
  else if (once.with_root == once.messages)
    large.what =
        star(small.plan, ranks,
             std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(once.bytes) / ranks)), once.to_root);
  else
    large.what = blocks_around(
        small.plan, blocks, static_cast<double>(once.most_peers),
        static_cast<double>(once.bytes) / small_ranks * (follows_volume(part) ? fewer : std::pow(fewer, 2.0 / 3)));
  const one_run now = count(large.what);
  // The slowest rank determines the time, so all blocks have its number of neighbours. The number of messages has the mean.
  const bool has_mean = !is_reduction(small) && once.with_root != once.messages;
  large.messages = static_cast<std::int64_t>(has_mean ? static_cast<double>(small.messages) / fewer
                                                      : runs * static_cast<double>(now.messages));
  large.bytes = static_cast<std::int64_t>(runs * static_cast<double>(now.bytes));
  return large;
}

}  // namespace

namespace {

std::vector<double> nodes_of_levels(index3 shape, const std::vector<material_number>& image, std::int64_t elements,
                                    const plan_limits& limits) {
  constexpr std::int64_t most_elements_to_count = std::int64_t{1} << 26;
  return limits.counts_levels && elements <= most_elements_to_count
             ? counted_nodes_of_levels(shape, image)
             : usual_nodes_of_levels(nodes_of(static_cast<double>(elements)));
}

}  // namespace

level_sizes plan_image::levels() const {
  level_sizes sizes{header.shape, stands_for.nodes_of_levels};
  const int missing = stands_for.missing_levels;
  for (int a = 0; a < 3; ++a) sizes.shape[a] <<= missing;
  return sizes;
}

plan_image image_for_plans(const voxel::model_header& header, std::vector<material_number> image, const plan_limits& limits,
                           thinning how) {
  plan_image made{header, {}, 1, 1, {}, {}};
  const auto [few, k, levels] = shape_to_fit(header.shape, limits.most_voxels, how);
  const std::int64_t before = sum_of(header.active_per_plane);
  if (how == thinning::to_a_level) made.stands_for.nodes_of_levels = nodes_of_levels(header.shape, image, before, limits);
  if (k == 1) {
    made.image = std::move(image);
    return made;
  }
  const index3 fine = header.shape;
  made.header.shape = few;
  made.stands_for.planes = fine.z;
  made.stands_for.missing_levels = levels;
  made.header.spacing_mm = {header.spacing_mm.z * static_cast<double>(k), header.spacing_mm.y * static_cast<double>(k),
                            header.spacing_mm.x * static_cast<double>(k)};
  made.image.reserve(static_cast<std::size_t>(few.volume()));
  for (std::int64_t z = 0; z < few.z; ++z)
    for (std::int64_t y = 0; y < few.y; ++y)
      for (std::int64_t x = 0; x < few.x; ++x)
        made.image.push_back(
            how == thinning::to_a_level
                ? material_in(image, fine, {z * k, y * k, x * k}, k)
                : image[static_cast<std::size_t>(((z * k + k / 2) * fine.y + y * k + k / 2) * fine.x + x * k + k / 2)]);
  count_active(made);
  const double solid =
      static_cast<double>(before) / static_cast<double>(std::max<std::int64_t>(1, sum_of(made.header.active_per_plane)));
  made.volume_factor = how == thinning::to_a_level ? ratio(fine, few) : solid;
  made.area_factor = std::pow(solid, 2.0 / 3);
  made.assumed.push_back(
      how == thinning::to_a_level
          ? fmt::format("messages are planned on cubes of {0} x {0} x {0} voxels; a cube is solid if one of its voxels is "
                        "solid. Finer "
                        "solver levels send the same number of messages, with bytes proportional to the face area",
                        k)
          : fmt::format("messages are planned on every {}. voxel along each axis, with bytes proportional to the face area; "
                        "the bytes of the missing solver levels are neglected",
                        k));
  return made;
}

plan_image made_up_image(index3 shape, double solid_share, const plan_limits& limits, thinning how) {
  plan_image made{{}, {}, 1, 1, {}, {}};
  const auto [few, k, levels] = shape_to_fit(shape, limits.most_voxels, how);
  made.header.shape = few;
  made.stands_for = {shape.z, levels, {}};
  if (how == thinning::to_a_level)
    made.stands_for.nodes_of_levels = usual_nodes_of_levels(nodes_of(solid_share * static_cast<double>(shape.volume())));
  made.header.spacing_mm = {1, 1, 1};
  made.header.materials = {{}, {"solid", 1000, 0.3, 1}};
  made.header.provenance_json = "{}";
  constexpr double wave = 2 * std::numbers::pi / 16;  // wave number per voxel
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(few.volume()));
  for (std::int64_t z = 0; z < few.z; ++z)
    for (std::int64_t y = 0; y < few.y; ++y)
      for (std::int64_t x = 0; x < few.x; ++x) {
        const double a = wave * static_cast<double>(z), b = wave * static_cast<double>(y), c = wave * static_cast<double>(x);
        values.push_back(
            static_cast<float>(std::sin(a) * std::cos(b) + std::sin(b) * std::cos(c) + std::sin(c) * std::cos(a)));
      }
  const double empty = std::clamp(1 - solid_share, 0.0, 0.999);
  const float level = kth_smallest(values, static_cast<std::size_t>(empty * static_cast<double>(values.size())));
  made.image.reserve(values.size());
  for (const float v : values) made.image.push_back(v >= level ? material_number{1} : material_number{0});
  count_active(made);
  made.volume_factor = ratio(shape, few);
  made.area_factor = std::pow(made.volume_factor, 2.0 / 3);
  made.assumed.push_back(fmt::format(
      "messages are planned on a gyroid with the same solid fraction in a box of {} x {} x {} voxels", few.z, few.y, few.x));
  return made;
}

thinning thinning_of(const spec& job) {
  return physics_of(job).counts_missing_levels ? thinning::to_a_level : thinning::every_kth;
}

index3 grid_of_blocks(index3 shape, int ranks) {
  index3 best{ranks, 1, 1};
  double least = -1;
  for (int z = 1; z <= ranks; ++z) {
    if (ranks % z != 0) continue;
    for (int y = 1; y <= ranks / z; ++y) {
      if (ranks / z % y != 0) continue;
      const int x = ranks / z / y;
      const double a = static_cast<double>(shape.z) / z, b = static_cast<double>(shape.y) / y,
                   c = static_cast<double>(shape.x) / x;
      const double surface = a * b + b * c + c * a;
      if (least < 0 || surface < least) {
        least = surface;
        best = {z, y, x};
      }
    }
  }
  return best;
}

plan::plan blocks_around(const std::string& name, index3 blocks, double peers, double bytes_of_rank) {
  struct offset {
    std::array<int, 3> by;
    int apart;  // 1: a face; 2: an edge; 3: a corner
  };
  auto around = std::make_shared<std::vector<offset>>();
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (const int apart = std::abs(z) + std::abs(y) + std::abs(x); apart > 0) around->push_back({{z, y, x}, apart});
  std::stable_sort(around->begin(), around->end(), [](const offset& a, const offset& b) { return a.apart < b.apart; });
  // The classes of neighbours are complete. Each message therefore has a receiver.
  const int most_apart = peers > 18 ? 3 : peers > 6 ? 2 : 1;
  std::erase_if(*around, [&](const offset& o) { return o.apart > most_apart; });
  constexpr double in_faces = 0.9;
  const double faces = most_apart > 1 ? in_faces : 1, others = static_cast<double>(around->size()) - 6;
  const auto of_face = static_cast<std::int64_t>(bytes_of_rank * faces / 6);
  const auto of_other = others > 0 ? static_cast<std::int64_t>(bytes_of_rank * (1 - faces) / others) : 0;
  plan::plan what;
  what.name = name;
  what.ranks = static_cast<int>(blocks.volume());
  what.rounds = 1;
  what.moves = plan::cargo::bytes;
  what.of = [around, blocks, of_face, of_other](int rank, std::int64_t) {
    const std::array<std::int64_t, 3> own{rank / (blocks.y * blocks.x), rank / blocks.x % blocks.y, rank % blocks.x};
    const std::array<std::int64_t, 3> end{blocks.z, blocks.y, blocks.x};
    plan::round now;
    for (const offset& o : *around) {
      std::array<std::int64_t, 3> at = own;
      bool inside = true;
      for (std::size_t a = 0; a < 3; ++a) {
        at[a] += o.by[a];
        inside = inside && at[a] >= 0 && at[a] < end[a];
      }
      if (!inside) continue;
      const int peer = static_cast<int>((at[0] * blocks.y + at[1]) * blocks.x + at[2]);
      const std::int64_t bytes = o.apart == 1 ? of_face : of_other;
      now.sends.push_back({peer, {0, bytes}, plan::arrival::keep});
      now.receives.push_back({peer, {0, bytes}, plan::arrival::keep});
    }
    return now;
  };
  return what;
}

job_plans plans_at_scale(const spec& job, const plan_image& of, int ranks, const plan_limits& limits) {
  const int planned = static_cast<int>(std::min<std::int64_t>({ranks, limits.most_ranks, of.header.shape.volume()}));
  job_plans plans = plans_of_voxels(job, of.header, of.image, planned, of.stands_for);
  plans.assumed.insert(plans.assumed.begin(), of.assumed.begin(), of.assumed.end());
  if (of.volume_factor != 1)
    for (job_part& part : plans.parts)
      for (comm::plan_traffic& p : part.plans)
        if (part.name != "picture" && !is_reduction(p)) scale(p, bytes_factor(of, part.name, p.plan));
  if (planned == ranks) return plans;
  const index3 blocks = grid_of_blocks(of.header.shape, ranks);
  const level_sizes levels = of.levels();
  for (job_part& part : plans.parts)
    for (comm::plan_traffic& p : part.plans)
      if (levels.last() < 1 || !is_placed(p.plan)) p = on_more_ranks(p, planned, ranks, blocks, part.name);
  if (levels.last() > 0) place_on_ranks(plans.parts, levels, ranks);
  plans.ranks = ranks;
  plans.assumed.push_back(
      fmt::format("messages are planned on {} ranks; each of the {} ranks sends the same number of messages to the "
                  "surrounding blocks in a grid of {} x {} x {} blocks, with bytes proportional to the face area{}",
                  planned, ranks, blocks.z, blocks.y, blocks.x,
                  levels.last() > 0 ? "; coarse levels of elasticity are planned on the ranks that store them" : ""));
  return plans;
}

}  // namespace osteon::job
