#include <osteon/physics/elasticity/loads/node_sets.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/import/label_images.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/physics/elasticity/loads/load_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <set>

namespace osteon::physics {

namespace {

constexpr grid::node_layout one_value{1, 1, 1};

std::string describe(const set_spec& s) {
  if (s.select == set_select::face)
    return fmt::format("face {} of the {}, {} mm deep", *s.face, s.of.name(), s.depth_mm.value_or(0));
  if (s.select == set_select::plane) return fmt::format("plane across {} at {} mm", s.axis.name(), *s.at_mm);
  if (s.select == set_select::disk)
    return fmt::format("disk around {}, radius {} mm, thickness {} mm", in_mm(to_vector(*s.centre_mm)), *s.radius_mm,
                       *s.thickness_mm);
  if (s.select == set_select::box)
    return fmt::format("box from {} to {}", in_mm(to_vector(*s.low_mm)), in_mm(to_vector(*s.high_mm)));
  if (s.select == set_select::material) return fmt::format("voxels of '{}'", *s.material);
  if (s.select == set_select::image) return fmt::format("labels {} of '{}'", fmt::join(s.labels, ", "), *s.image);
  if (s.select == set_select::brush) return fmt::format("brush of {} mm along {} points", *s.radius_mm, s.points_mm.size());
  return fmt::format("listed {}", s.select.name());
}

std::vector<std::int32_t> sorted_unique(std::vector<std::int32_t> nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// Check that some rank has found each listed voxel or node.
void require_all_found(MPI_Comm comm, std::vector<int> found, const set_spec& s,
                       const std::vector<std::vector<std::int64_t>>& listed, const char* kind) {
  comm::all_reduce(comm, found.data(), found.size(), MPI_MAX);
  const auto missing = std::count(found.begin(), found.end(), 0);
  if (missing == 0) return;
  const auto first = static_cast<std::size_t>(std::find(found.begin(), found.end(), 0) - found.begin());
  throw data_error(fmt::format(
      "set '{}': {} of the {} listed {} are not part of the solid, the first is [{}]; use indices [z, y, x] from 0 in the "
      "cropped image, or change the threshold",
      s.name, missing, found.size(), kind, fmt::join(listed[first], ", ")));
}

}  // namespace

std::string in_mm(const vector3& p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}] mm", p.z, p.y, p.x); }

node_sets::node_sets(const spec& job, const local_model& part, const voxel::run_set& nodes)
    : job_(job),
      part_(part),
      grid_{&part.cells, &nodes, part.where.owned.begin, part.header.spacing_mm, part.header.origin_mm},
      shared_(grid::share_nodes(part.where, nodes)) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t bounds[6] = {none, none, none, none, none, none};  // minimum and negated maximum positions
  voxel::for_each_node(grid_, [&](std::int32_t, index3 at) {
    for (int a = 0; a < 3; ++a) {
      bounds[a] = std::min(bounds[a], at[a]);
      bounds[3 + a] = std::min(bounds[3 + a], -at[a]);
    }
  });
  comm::all_reduce(comm(), bounds, 6, MPI_MIN);
  low_ = {bounds[0], bounds[1], bounds[2]};
  high_ = {-bounds[3], -bounds[4], -bounds[5]};
}

bool node_sets::owns(std::int32_t node) const {
  const auto copies = shared_.not_owned();
  return !std::binary_search(copies.begin(), copies.end(), node);
}

node_set_ptr node_sets::find(const std::string& name) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  std::vector<std::int32_t> nodes;
  std::vector<std::string> selections;
  for (const set_spec& s : job_.groups.of<mechanical_keys>().sets) {
    if (s.name != name) continue;
    std::vector<std::int32_t> more = select(s), both;
    if (s.surface) more = on_surface(more);
    if (s.within) {
      const node_set_ptr other = find(*s.within);  // check_loads excludes circular references
      std::erase_if(more,
                    [&](std::int32_t node) { return !std::binary_search(other->nodes.begin(), other->nodes.end(), node); });
    }
    std::set_union(nodes.begin(), nodes.end(), more.begin(), more.end(), std::back_inserter(both));
    nodes = std::move(both);
    selections.push_back(describe(s) + (s.surface ? ", surface only" : "") +
                         (s.within ? fmt::format(", within '{}'", *s.within) : ""));
  }
  if (selections.empty())  // the name is a face of the image, because check_loads excludes other names
    return known_[name] =
               face_or("define a [[set]] with select = \"face\" and of = \"solid\", or crop the image (image.crop_voxels)",
                       axis_of(name[0]), name.ends_with("high"), {});
  return known_[name] = make(name, std::move(nodes), fmt::format("{}", fmt::join(selections, "; ")));
}

node_set_ptr node_sets::face(axis across, bool high, face_choice which) const {
  constexpr const char* of_image = "set load.faces = \"solid\", or crop the image (image.crop_voxels)";
  return face_or(which.of_solid ? "increase depth_mm" : of_image, across, high, which);
}

node_set_ptr node_sets::face_or(const std::string& remedy, axis across, bool high, face_choice which) const {
  const char letter = "zyx"[static_cast<int>(across)];
  return make(fmt::format("{}_{}", letter, high ? "high" : "low"), voxel::nodes_in(grid_, face_slab(across, high, which)),
              fmt::format("face of the {}, {} mm deep", which.of_solid ? "solid" : "image", which.depth_mm), remedy);
}

voxel::slab node_sets::face_slab(axis across, bool high, face_choice which) const {
  const int a = static_cast<int>(across);
  const vector3 low = grid_.position_mm(which.of_solid ? low_ : index3{}),
                end = grid_.position_mm(which.of_solid ? high_ : part_.where.domain);
  return high ? voxel::slab{across, end[a] - which.depth_mm, end[a]} : voxel::slab{across, low[a], low[a] + which.depth_mm};
}

std::vector<std::int32_t> node_sets::select(const set_spec& s) const {
  if (s.select == set_select::face)
    return voxel::nodes_in(grid_, face_slab(axis_of((*s.face)[0]), s.face->ends_with("high"),
                                            {s.of == faces_of::solid, s.depth_mm.value_or(0)}));
  if (s.select == set_select::plane) {
    const axis across = *s.axis;
    const double depth = s.depth_mm.value_or(grid_.spacing_mm[static_cast<int>(across)] / 2);
    return voxel::nodes_in(grid_, voxel::slab{across, *s.at_mm - depth, *s.at_mm + depth});
  }
  if (s.select == set_select::disk)
    return voxel::nodes_in(grid_, voxel::disk{to_vector(*s.centre_mm), to_vector(*s.normal), *s.radius_mm, *s.thickness_mm});
  if (s.select == set_select::box) return voxel::nodes_in(grid_, voxel::cuboid{to_vector(*s.low_mm), to_vector(*s.high_mm)});
  if (s.select == set_select::brush) {
    voxel::stroke line{{}, *s.radius_mm};
    for (const auto& p : s.points_mm) line.points_mm.push_back(to_vector(p));
    return voxel::nodes_in(grid_, line);
  }
  if (s.select == set_select::material) return select_material(*s.material);
  if (s.select == set_select::image) return select_labels(s);
  if (s.select == set_select::voxels) return select_voxels(s);
  return s.select == set_select::nodes ? select_nodes(s) : select_points(s);
}

// Voxels around a shared node belong to several ranks. The exchange sums the marks of these voxels.
std::vector<std::int32_t> node_sets::corners(const std::vector<material_number>& marked_cells) const {
  std::vector<float> mark = voxel::corners_of_cells(grid_, marked_cells);
  shared_.exchange_add(mark.data(), one_value);
  std::vector<std::int32_t> nodes;
  for (std::size_t i = 0; i < mark.size(); ++i)
    if (mark[i] > 0) nodes.push_back(static_cast<std::int32_t>(i));
  return nodes;
}

std::vector<std::int32_t> node_sets::on_surface(const std::vector<std::int32_t>& nodes) const {
  std::vector<float> voxels = voxel::voxels_at_nodes(grid_);
  shared_.exchange_add(voxels.data(), one_value);
  std::vector<std::int32_t> outer;
  for (const std::int32_t node : nodes)
    if (voxels[static_cast<std::size_t>(node)] < 7.5F) outer.push_back(node);
  return outer;
}

std::vector<std::int32_t> node_sets::select_material(const std::string& name) const {
  std::vector<std::string> names;
  std::vector<bool> wanted(part_.header.materials.size());
  bool known = false;
  for (std::size_t m = 1; m < part_.header.materials.size(); ++m) {
    names.push_back(part_.header.materials[m].name);
    wanted[m] = names.back() == name;
    known = known || wanted[m];
  }
  if (!known) {
    constexpr std::size_t most_named = 40;
    const bool has_more = names.size() > most_named;
    names.resize(std::min(names.size(), most_named));
    throw data_error(fmt::format("unknown material '{}' of a set; available materials: {}{}", name, fmt::join(names, ", "),
                                 has_more ? " and more" : ""));
  }
  std::vector<material_number> marked = part_.material;
  for (material_number& m : marked) m = wanted[m];
  return corners(marked);
}

std::vector<std::int32_t> node_sets::select_labels(const set_spec& s) const {
  const std::string path = label_file(job_, *s.image, output_paths(job_).model);
  const voxel::model_header header = io::read_model_header(comm(), path, access_of(job_));
  const std::vector<material_number> values = io::read_model_block(path, header, part_.where, access_of(job_));
  std::set<std::string> names;
  for (const std::int64_t label : s.labels) names.insert(std::to_string(label));
  std::vector<bool> wanted(header.materials.size());
  for (std::size_t m = 1; m < header.materials.size(); ++m) wanted[m] = names.contains(header.materials[m].name);
  std::vector<material_number> marked = voxel::gather(part_.cells, {values.data(), part_.where.owned.shape()});
  for (material_number& m : marked) m = wanted[m];
  return corners(marked);
}

std::vector<std::int32_t> node_sets::select_voxels(const set_spec& s) const {
  std::vector<material_number> marked(static_cast<std::size_t>(part_.cells.size()));
  std::vector<int> found;
  for (const auto& v : s.voxels) {
    const index3 at = index3{v[0], v[1], v[2]} - grid_.begin;
    const std::int32_t cell = part_.cells.find(at.z, at.y, at.x);
    found.push_back(cell >= 0);
    if (cell >= 0) marked[static_cast<std::size_t>(cell)] = 1;
  }
  require_all_found(comm(), std::move(found), s, s.voxels, "voxels");
  return corners(marked);
}

std::vector<std::int32_t> node_sets::select_nodes(const set_spec& s) const {
  std::vector<std::int32_t> nodes;
  std::vector<int> found;
  for (const auto& n : s.nodes) {
    const index3 at = index3{n[0], n[1], n[2]} - grid_.begin;
    const std::int32_t node = grid_.nodes->find(at.z, at.y, at.x);
    found.push_back(node >= 0);
    if (node >= 0) nodes.push_back(node);
  }
  require_all_found(comm(), std::move(found), s, s.nodes, "nodes");
  return sorted_unique(std::move(nodes));
}

std::vector<std::int32_t> node_sets::select_points(const set_spec& s) const {
  const vector3& h = grid_.spacing_mm;
  const double reach = std::hypot(h.z, h.y, h.x);
  const std::size_t count = s.points_mm.size();
  // Distance and number of the closest node of each rank. For equal distances, the node with the lower number is selected.
  std::vector<double> mine(2 * count), all(2 * count * static_cast<std::size_t>(comm::size(comm())));
  for (std::size_t p = 0; p < count; ++p) {
    const voxel::near_node near = voxel::nearest_node(grid_, to_vector(s.points_mm[p]));
    mine[2 * p] = near.distance_mm;
    mine[2 * p + 1] = near.node < 0 ? -1 : static_cast<double>(id(near.node));
  }
  MPI_Allgather(mine.data(), static_cast<int>(2 * count), MPI_DOUBLE, all.data(), static_cast<int>(2 * count), MPI_DOUBLE,
                comm());
  std::vector<std::int32_t> nodes;
  for (std::size_t p = 0; p < count; ++p) {
    double distance = std::numeric_limits<double>::infinity(), number = -1;
    for (std::size_t r = 0; r < all.size(); r += 2 * count)
      if (std::pair(all[r + 2 * p], all[r + 2 * p + 1]) < std::pair(distance, number) && all[r + 2 * p + 1] >= 0) {
        distance = all[r + 2 * p];
        number = all[r + 2 * p + 1];
      }
    if (distance > reach)
      throw data_error(fmt::format(
          "set '{}': the distance of point {} to the nearest node of the solid is {:.3g} mm, more than a voxel diagonal "
          "({:.3g} mm); the solid extends from {} to {}",
          s.name, in_mm(to_vector(s.points_mm[p])), distance, reach, in_mm(solid_low_mm()), in_mm(solid_high_mm())));
    const index3 size = part_.where.domain + index3{1, 1, 1};
    const auto n = static_cast<std::int64_t>(number);
    const index3 at = index3{n / (size.y * size.x), n / size.x % size.y, n % size.x} - grid_.begin;
    if (const std::int32_t node = grid_.nodes->find(at.z, at.y, at.x); node >= 0) nodes.push_back(node);
  }
  return sorted_unique(std::move(nodes));
}

node_set_ptr node_sets::make(std::string name, std::vector<std::int32_t> nodes, const std::string& selection,
                             const std::string& remedy) const {
  constexpr double none = std::numeric_limits<double>::infinity();
  double sums[4] = {}, bounds[6] = {none, none, none, none, none, none};  // minimum and negated maximum
  for (const std::int32_t node : nodes) {
    const vector3 at = position_mm(node);
    for (int a = 0; a < 3; ++a) {
      bounds[a] = std::min(bounds[a], at[a]);
      bounds[3 + a] = std::min(bounds[3 + a], -at[a]);
    }
    if (!owns(node)) continue;
    sums[0] += 1;
    for (int a = 0; a < 3; ++a) sums[1 + a] += at[a];
  }
  comm::all_reduce(comm(), sums, 4, MPI_SUM);
  comm::all_reduce(comm(), bounds, 6, MPI_MIN);
  if (sums[0] == 0)
    throw data_error(fmt::format("set '{}' ({}) contains no node of the solid, which extends from {} to {}; {}", name,
                                 selection, in_mm(solid_low_mm()), in_mm(solid_high_mm()), remedy));
  return std::make_shared<node_set>(node_set{std::move(name),
                                             std::move(nodes),
                                             static_cast<std::int64_t>(sums[0]),
                                             {bounds[0], bounds[1], bounds[2]},
                                             {-bounds[3], -bounds[4], -bounds[5]},
                                             {sums[1] / sums[0], sums[2] / sums[0], sums[3] / sums[0]}});
}

}  // namespace osteon::physics
