#include <osteon/job/outputs/scene_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <osteon/base/digest.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/system_info.hpp>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

json in_order(const vector3& v) { return {v.z, v.y, v.x}; }

// The runs of all ranks in the order of the ranks. The function gathers these runs on the first rank. @collective
std::vector<io::label_run> gathered(MPI_Comm comm, const std::vector<io::label_run>& mine) {
  static_assert(sizeof(io::label_run) == 5 * sizeof(std::int32_t));
  const auto count = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm::size(comm)));
  MPI_Allgather(&count, 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T, comm);
  constexpr std::int64_t piece = std::int64_t{1} << 24;  // number of runs per message
  std::vector<io::label_run> all;
  if (comm::rank(comm) != 0) {
    for (std::int64_t first = 0; first < count; first += piece)
      MPI_Send(mine.data() + first, 5 * static_cast<int>(std::min(piece, count - first)), MPI_INT32_T, 0, 0, comm);
    return all;
  }
  all = mine;
  for (int r = 1; r < comm::size(comm); ++r) {
    const std::int64_t more = counts[static_cast<std::size_t>(r)];
    const auto from = static_cast<std::int64_t>(all.size());
    all.resize(static_cast<std::size_t>(from + more));
    for (std::int64_t first = 0; first < more; first += piece)
      MPI_Recv(all.data() + from + first, 5 * static_cast<int>(std::min(piece, more - first)), MPI_INT32_T, r, 0, comm,
               MPI_STATUS_IGNORE);
  }
  return all;
}

// Directions of the axes of the image. If the scan does not contain the directions, the result is empty.
std::optional<std::array<double, 9>> axes_of(const json& image) {
  if (!image.contains("direction") || !image["direction"].is_array()) return {};
  std::array<double, 9> axes{};
  std::size_t n = 0;
  for (const json& item : image["direction"].flatten())
    if (n < 9 && item.is_number()) axes[n++] = item.get<double>();
  return n == 9 ? std::optional(axes) : std::nullopt;
}

}  // namespace

scene_paths::scene_paths(const std::string& directory) {
  const std::filesystem::path base(directory);
  scene = (base / "scene.json").string();
  sets = (base / "sets.nrrd").string();
  labelled = (base / "picture_labelled.png").string();
}

json write_scene(const std::string& directory, const spec& job, const local_model& part, const load_scene& loads,
                 const json& summary) {
  const MPI_Comm comm = part.where.comm;
  const scene_paths paths(directory);
  std::vector<io::label_run> runs;
  comm::collectively(comm, [&] { runs = gathered(comm, loads.runs); });
  json files;
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    const voxel::model_header& h = part.header;
    json scene = {{"schema", "osteon.scene/1"},
                  {"job", job.name},
                  {"physics", job.physics},
                  {"shape", {h.shape.z, h.shape.y, h.shape.x}},
                  {"spacing_mm", in_order(h.spacing_mm)},
                  {"origin_mm", in_order(h.origin_mm)}};
    const json& image = summary.at("image");
    const auto axes = axes_of(image);
    if (axes) scene["direction"] = *axes;
    scene["camera"] = {
        {"azimuth_deg", job.picture.azimuth_deg}, {"elevation_deg", job.picture.elevation_deg}, {"zoom", job.picture.zoom}};
    scene["shown"] = summary.at("shown");
    scene["sets"] = loads.sets;
    scene["cases"] = loads.cases;
    scene["boundaries"] = loads.boundaries;
    if (!runs.empty()) {
      io::write_labels(paths.sets, {h.shape, h.spacing_mm, h.origin_mm, axes}, runs);
      scene["set_volume"] = {{"file", std::filesystem::path(paths.sets).filename().string()},
                             {"sha256", sha256_of_file(paths.sets)}};
      files["sets"] = paths.sets;
    }
    write_file(paths.scene, to_text(scene));
    files["scene"] = paths.scene;
  });
  return files;
}

}  // namespace osteon::job
