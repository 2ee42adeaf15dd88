#include <osteon/physics/flow/stages/solid_labels.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <osteon/comm/collectively.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/import/label_images.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

// Numbers of the labels in the solver. The numbers begin at 1, and have the order of the request.
std::map<std::string, material_number> numbers_of(const std::vector<std::int64_t>& labels) {
  std::map<std::string, material_number> numbers;
  for (const std::int64_t label : labels)
    numbers.emplace(std::to_string(label), static_cast<material_number>(numbers.size() + 1));
  return numbers;
}

// The numbers of the voxels in the block. If no labels are used, the list is empty. @collective on part.where.comm
std::vector<material_number> read_numbers(const spec& job, const local_model& part,
                                          const std::map<std::string, material_number>& numbers) {
  const std::vector<wanted_labels> wanted = labels_of_flow(job);
  if (wanted.empty()) return {};
  const std::string path = label_file(job, wanted.front().image, output_paths(job).model);
  const voxel::model_header header = io::read_model_header(part.where.comm, path, access_of(job));
  std::vector<material_number> values = io::read_model_block(path, header, part.where, access_of(job));
  std::vector<material_number> of_material(header.materials.size());
  for (std::size_t m = 1; m < header.materials.size(); ++m)
    if (const auto found = numbers.find(header.materials[m].name); found != numbers.end()) of_material[m] = found->second;
  for (material_number& v : values) v = of_material[v];
  return values;
}

// Runs of the voxels in a block for which `is_wanted(place in the block, position in its list)` returns true.
template <class IsWanted>
voxel::run_set runs_of(index3 shape, const IsWanted& is_wanted) {
  std::vector<voxel::run> runs;
  std::size_t at = 0;
  for (std::int64_t z = 0; z < shape.z; ++z)
    for (std::int64_t y = 0; y < shape.y; ++y) {
      bool before = false;
      for (std::int64_t x = 0; x < shape.x; ++x, ++at) {
        const bool now = is_wanted(index3{z, y, x}, at);
        if (now && before)
          ++runs.back().length;
        else if (now)
          runs.push_back({static_cast<std::int32_t>(z), static_cast<std::int32_t>(y), static_cast<std::int32_t>(x), 1, 0});
        before = now;
      }
    }
  return {shape, std::move(runs)};
}

}  // namespace

std::string name_of_label(double label) { return fmt::format("{}", static_cast<std::int64_t>(label)); }

std::vector<wanted_labels> labels_of_flow(const spec& job) {
  if (!is_between_openings(job)) return {};
  const flow_keys& f = job.groups.of<flow_keys>();
  wanted_labels all{f.label_image.value_or(job.image.path), {}};
  for (const double label : f.force_labels) all.labels.push_back(static_cast<std::int64_t>(label));
  for (const boundary_spec& b : job.groups.of<condition_keys>().boundaries)
    if (b.label && std::find(all.labels.begin(), all.labels.end(), *b.label) == all.labels.end())
      all.labels.push_back(*b.label);
  if (all.labels.empty()) return {};
  return {all};
}

void add_solid_labels(const spec& job, const local_model& part, const std::vector<std::size_t>& table_of,
                      through_problem& problem) {
  const flow_keys& f = job.groups.of<flow_keys>();
  const std::vector<wanted_labels> wanted = labels_of_flow(job);
  const std::vector<std::int64_t> labels = wanted.empty() ? std::vector<std::int64_t>{} : wanted.front().labels;
  const std::map<std::string, material_number> numbers = numbers_of(labels);
  std::vector<flow_boundary*> of_any;
  // for each label number: true if the voxels of the label are removed from the fluid
  std::vector<bool> takes(labels.size() + 2);
  for (std::size_t n = 0; n < problem.boundaries.size(); ++n) {
    flow_boundary& b = problem.boundaries[n];
    if (!b.is_inside) continue;
    const auto& label = job.groups.of<condition_keys>().boundaries[table_of[n]].label;
    if (label) {
      b.label = numbers.at(std::to_string(*label));
      takes[b.label] = true;
    } else {
      of_any.push_back(&b);
    }
  }
  for (const double label : f.force_labels) problem.labelled.names.push_back(name_of_label(label));
  if (!problem.has_labels()) return;
  const std::vector<material_number> number = read_numbers(job, part, numbers);
  comm::collectively(part.where.comm, [&] {
    const index3 shape = part.where.owned.shape(), begin = part.where.owned.begin;
    const auto number_at = [&](std::size_t at) { return number.empty() ? material_number{0} : number[at]; };
    if (std::find(takes.begin(), takes.end(), true) != takes.end())
      problem.cells = runs_of(shape, [&, all = problem.cells](index3 p, std::size_t at) {
        return !takes[number_at(at)] && all.find(p.z, p.y, p.x) >= 0;
      });
    const auto unnamed = static_cast<material_number>(labels.size() + 1);
    std::vector<material_number>& kept = problem.labelled.number;
    problem.labelled.cells = runs_of(shape, [&](index3 p, std::size_t at) {
      material_number own = number_at(at);
      for (const flow_boundary* b : of_any)
        if (own == 0 && b->holds(begin + p, problem.spacing_mm, -1)) own = unnamed;
      if (own == 0 || problem.cells.find(p.z, p.y, p.x) >= 0) return false;
      kept.push_back(own);
      return true;
    });
  });
}

}  // namespace osteon::physics
