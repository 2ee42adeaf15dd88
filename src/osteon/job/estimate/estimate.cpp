#include <osteon/base/json_text.hpp>
#include <osteon/job/pipeline/before_run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <osteon/base/stopwatch.hpp>
#include <osteon/grid/block.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/job/container.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/import/read_scan.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/variants/uncertainty.hpp>
#include <osteon/voxel/changed_greys.hpp>

namespace osteon::job {

namespace {

// Constants fitted to runs on one rank with one thread and without a picture. The costs of each physics are fitted to the
// same kind of runs. The models are sponges of 64^3 to 160^3 voxels with 25 % solid, and the bone scan of the demo
// (docs/reference/performance.md, "Basis of estimates").
constexpr double bytes_of_graded_unknown = 9;  // if each voxel has its own modulus; measured on the bone scan
constexpr double base_memory_bytes = 36e6;     // measured with 4^3 voxels
constexpr double brick_imbalance = 1.05;       // docs/reference/performance.md, "Planes or bricks"
// A picture of 1024^2 pixels uses 62 MB with almost no voxels, and 82 to 86 MB with 128^3 voxels.
// Ranks also hold the parts of other ranks: 66 to 70 bytes per pixel with 1024^2 and 2048^2 pixels on 2 and 4 ranks.
constexpr double picture_bytes_per_pixel = 60, picture_bytes_per_pixel_of_ranks = 72, picture_bytes_per_voxel = 11;

// While the import removes parts, it uses 12 B per run of solid voxels, and 32 B per part. While the import writes the
// model, it uses 4 B per run and the batch of chunks that its threads encode. A run has 17 voxels in the bone scan, 13
// voxels in a gyroid, and 10 voxels in the sponge and the jaw.
std::int64_t import_bytes(const voxel::model_header& header, std::int64_t elements, bool whole) {
  constexpr double base = 40e6, finding_parts = 1.5, most_encoded = 32e6;  // B, B per solid voxel
  const auto solid = static_cast<double>(elements), voxels = static_cast<double>(header.shape.volume());
  const double importing = finding_parts * solid + std::min(most_encoded, voxels);
  return static_cast<std::int64_t>(base + importing + (whole ? static_cast<double>(sizeof(material_number)) * voxels : 0));
}

struct rank_load {
  std::int64_t largest_share, widest_cut;  // numbers of active voxels
};

rank_load of_planes(const voxel::model_header& header, int ranks) {
  const std::vector<std::int64_t> first = grid::balance_planes(header.active_per_plane, ranks);
  rank_load result{0, 0};
  for (std::size_t r = 0; r + 1 < first.size(); ++r) {
    const auto share = std::accumulate(header.active_per_plane.begin() + first[r],
                                       header.active_per_plane.begin() + first[r + 1], std::int64_t{0});
    result.largest_share = std::max(result.largest_share, share);
    if (r > 0) result.widest_cut = std::max(result.widest_cut, header.active_per_plane[static_cast<std::size_t>(first[r])]);
  }
  return result;
}

// The header does not contain the boundaries of bricks. The estimate assumes nearly cubic bricks with the mean fraction of
// solid voxels.
rank_load of_bricks(const voxel::model_header& header, std::int64_t elements, int ranks) {
  if (ranks > header.shape.volume()) throw usage_error(grid::too_many_ranks(ranks, header.shape));
  const double mean = static_cast<double>(elements) / ranks, volume = static_cast<double>(header.shape.volume());
  return {static_cast<std::int64_t>(std::ceil(mean * (ranks > 1 ? brick_imbalance : 1))),
          static_cast<std::int64_t>(static_cast<double>(elements) / volume * std::pow(volume / ranks, 2.0 / 3))};
}

// Images above the first limit are not read, because reading takes minutes, and because the header contains the size. Images
// above the second limit are not imported if no model exists, because the import takes several seconds.
constexpr std::int64_t most_bytes_to_count = std::int64_t{1} << 30, most_bytes_at_once = std::int64_t{1} << 26;

// Size in bytes of the file or folder of a source.
std::int64_t bytes_on_disk(const std::string& source) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (fs::is_regular_file(source, failed)) {
    std::int64_t bytes = static_cast<std::int64_t>(fs::file_size(source, failed));
    for (const char* half : {".raw", ".zraw", ".vol", ".dat"})  // the file with the voxels of a header
      if (const fs::path other = fs::path(source).replace_extension(half);
          other != source && fs::is_regular_file(other, failed))
        bytes += static_cast<std::int64_t>(fs::file_size(other, failed));
    return bytes;
  }
  const fs::path folder = fs::is_directory(source, failed) ? fs::path(source) : fs::absolute(source).parent_path();
  std::int64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (entry.is_regular_file(failed)) bytes += static_cast<std::int64_t>(entry.file_size(failed));
  return bytes;
}

job_size count_solid(const spec& job, log_sink& log) {
  const double begin = cpu_seconds() + cpu_seconds_of_children();
  const imported_model model = import_model(job, output_paths(job).model, log);
  job_size found;
  found.import_seconds = cpu_seconds() + cpu_seconds_of_children() - begin;
  found.was_there = model.reused;
  found.imported = true;
  found.model = model.path;
  found.header = io::read_model_header(model.path);
  if (model.nodes) found.nodes = model.nodes->all;
  found.work = physics_of(job).work(job, model.nodes ? &*model.nodes : nullptr);
  return found;
}

// Sizes that are computed from the header and from some planes. For an isotropic solid, the number of nodes per voxel in
// space is computed from the number of corners per pixel in planes. Both numbers exceed 1 because of edges. A plane has
// edges along two axes, and space has edges along three axes.
job_size sample_solid(const spec& job, log_sink& log) {
  if (const auto faults = check_image_files(job); !faults.empty()) throw data_error(join(faults));
  nlohmann::json rules = nlohmann::json::object();
  if (job.segment.labels) rules["void_labels"] = job.segment.void_labels;
  if (job.segment.threshold) rules["threshold"] = *job.segment.threshold;
  if (job.segment.greys) rules["greys"] = *job.segment.greys;
  if (job.segment.upper) rules["upper"] = *job.segment.upper;
  if (job.image.accept_fill_value) rules["accept_fill_value"] = true;
  const auto facts = run_image_program("sample_image", {image_path(job), json_to_text(rules)});
  job_size found;
  found.work = physics_of(job).work(job, nullptr);
  if (!facts.at("shape").is_array() || facts.at("shape").size() != 3)
    throw data_error(
        fmt::format("'{}': the header of this large image does not contain the size in voxels; read the whole image with "
                    "osteon estimate --count",
                    image_path(job)));
  index3 shape{facts.at("shape")[0], facts.at("shape")[1], facts.at("shape")[2]};
  vector3 spacing;
  const auto stated = facts.contains("spacing_mm") ? facts.at("spacing_mm") : nlohmann::ordered_json(nullptr);
  for (int a = 0; a < 3; ++a)
    spacing[a] = job.image.spacing_mm                      ? (*job.image.spacing_mm)[static_cast<std::size_t>(a)]
                 : stated.is_array() && stated.size() == 3 ? stated[static_cast<std::size_t>(a)].get<double>()
                                                           : 0;
  apply_steps_to_shape(job, shape, spacing);
  for (int a = 0; a < 3 && !job.image.crop_voxels.empty(); ++a) {
    const auto& range = job.image.crop_voxels[static_cast<std::size_t>(a)];
    shape[a] = std::max<std::int64_t>(std::min(shape[a], range[1]) - range[0], 1);
  }
  shape = voxel::coarsened_shape(shape, job.image.coarsen);
  found.sampled_voxels = facts.at("looked_at");
  const bool known = found.sampled_voxels > 0;
  const double solid = known ? facts.at("solid").get<double>() : 1, corners = known ? facts.at("corners").get<double>() : 1;
  found.header.shape = shape;
  found.header.active_per_plane.assign(
      static_cast<std::size_t>(shape.z),
      static_cast<std::int64_t>(std::llround(solid * static_cast<double>(shape.y) * static_cast<double>(shape.x))));
  found.nodes = std::llround(std::pow(corners, 1.5) * solid * static_cast<double>(shape.volume()));
  if (known)
    log.note(fmt::format(
        "the image has {:.2g} GB; the numbers of voxels and unknowns are estimated from the header and {} voxels of "
        "some planes, with an error of up to 25 %, or more if the planes differ; --count reads the whole image",
        static_cast<double>(bytes_on_disk(image_path(job))) * 1e-9, found.sampled_voxels));
  else
    log.warn(
        "the image is large, and its format does not permit reading single planes: all voxels are assumed to be solid; "
        "--count reads the whole image");
  return found;
}

}  // namespace

job_size size_of(const spec& job, bool always_count, log_sink& log) {
  std::error_code ignored;
  const bool may_be_there = std::filesystem::exists(output_paths(job).model, ignored);
  const bool counts = always_count || !source_of(job).is_image() ||
                      bytes_on_disk(image_path(job)) <= (may_be_there ? most_bytes_to_count : most_bytes_at_once);
  return counts ? count_solid(job, log) : sample_solid(job, log);
}

estimation estimate(const spec& job, int ranks, bool always_count, log_sink& log) {
  return estimate(job, size_of(job, always_count, log), ranks);
}

estimation estimate(const spec& job, const job_size& found, int ranks) {
  const voxel::model_header& header = found.header;
  const physics_entry& row = physics_of(job);
  const solver_costs& c = row.costs;
  const bool of_nodes = row.system.where == io::centring::node;

  estimation e;
  e.job = job.name;
  e.physics = job.physics;
  const std::int64_t asked = ranks > 0 ? ranks : job.run.ranks;
  e.ranks = static_cast<int>(asked > 0 ? asked : default_ranks(job.run.threads, header.shape.z));
  e.threads = static_cast<int>(job.run.threads);
  e.voxels = header.shape.volume();
  e.elements = std::accumulate(header.active_per_plane.begin(), header.active_per_plane.end(), std::int64_t{0});
  e.dofs = static_cast<std::int64_t>(c.unknowns_per_element * static_cast<double>(e.elements));
  e.sampled_voxels = found.sampled_voxels;
  e.counted = found.imported && (!of_nodes || found.nodes > 0);
  if (of_nodes && found.nodes > 0) e.dofs = row.system.values * found.nodes - found.work.held;
  // The memory is proportional to the number of unknowns. The number of unknowns per element is smaller in a sponge than in
  // trabecular bone.
  const double unknowns_per_element = e.elements > 0 ? static_cast<double>(e.dofs) / static_cast<double>(e.elements) : 0;

  e.bricks = uses_bricks(job, header.shape.z, e.ranks);
  const auto [largest, widest_cut] = e.bricks ? of_bricks(header, e.elements, e.ranks) : of_planes(header, e.ranks);
  e.largest_elements_per_rank = largest;
  const double mean = static_cast<double>(e.elements) / e.ranks;
  e.imbalance = mean > 0 ? static_cast<double>(e.largest_elements_per_rank) / mean : 1;
  const double pixels =
      job.picture.enabled ? static_cast<double>(job.picture.width) * static_cast<double>(job.picture.height) : 0;
  const double graded = job.density_law || job.modulus_image ? bytes_of_graded_unknown : 0;
  const double solving = (c.bytes_per_unknown + graded + (found.work.kept - 1) * c.bytes_per_further) *
                         unknowns_per_element * static_cast<double>(e.largest_elements_per_rank);
  const double drawing = (e.ranks > 1 ? picture_bytes_per_pixel_of_ranks : picture_bytes_per_pixel) * pixels +
                         picture_bytes_per_voxel * static_cast<double>(e.voxels) / e.ranks;
  e.memory_bytes_per_rank = static_cast<std::int64_t>(base_memory_bytes + std::max(solving, pixels > 0 ? drawing : 0));
  e.import_memory_bytes =
      import_bytes(header, e.elements, !source_of(job).is_image());  // models without an image are read completely
  e.exchange_bytes = static_cast<std::int64_t>(unknowns_per_element * static_cast<double>(widest_cut) * sizeof(double));
  // Jobs on changed images, and the job with the other connectivity, run after the results of the first job have been
  // written. These jobs need additional time, but no additional memory.
  e.computed = (job.segment.compare_connectivity ? 2 : 1) + static_cast<int>(changed_images(job).size());
  return e;
}

nlohmann::ordered_json estimation::to_json() const {
  return {{"schema", "osteon.estimate/1"},
          {"job", job},
          {"physics", physics},
          {"ranks", ranks},
          {"threads", threads},
          {"decomposition", bricks ? "bricks" : "planes"},
          {"voxels", voxels},
          {"elements", elements},
          {"dofs", dofs},
          {"counted", counted},
          {"sampled_voxels", sampled_voxels},
          {"largest_elements_per_rank", largest_elements_per_rank},
          {"imbalance", imbalance},
          {"memory_bytes_per_rank", memory_bytes_per_rank},
          {"import_memory_bytes", import_memory_bytes},
          {"exchange_bytes", exchange_bytes},
          {"computed", computed},
          {"cpu_seconds", cpu_seconds},
          {"wall_seconds", wall_seconds}};
}

std::string estimation::to_text() const {
  return fmt::format(
      "{}: {} on {} ranks, each with {}\n"
      "  voxels            {:>14}\n"
      "  elements          {:>14}  ({:.1f} % of the voxels)\n"
      "  unknowns          {:>14}  {}\n"
      "  largest share     {:>14}  elements on one rank, {:.2f} times the mean\n"
      "  memory per rank   {:>14.0f}  MiB at most\n"
      "  memory to import  {:>14.0f}  MiB at most, in one process\n"
      "  exchange          {:>14.1f}  kB to each neighbour\n"
      "  computing         {:>14.1f}  CPU seconds, about {:.1f} s on {} cores{}\n",
      job, physics, ranks, bricks ? "a brick" : "some z planes", voxels, elements,
      100.0 * static_cast<double>(elements) / static_cast<double>(voxels), dofs, counted ? "counted" : "about",
      largest_elements_per_rank, imbalance, static_cast<double>(memory_bytes_per_rank) / 1048576,
      static_cast<double>(import_memory_bytes) / 1048576, static_cast<double>(exchange_bytes) / 1e3, cpu_seconds,
      wall_seconds, ranks * threads, computed > 1 ? fmt::format(", {} times", computed) : "");
}

}  // namespace osteon::job
