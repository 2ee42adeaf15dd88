#pragma once
/// @file
/// Results that a physics returns to the pipeline: answers, certificates and fields.
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/load_scene.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/numerics/certificate.hpp>
#include <osteon/numerics/solver_options.hpp>
#include <osteon/render/rays/streamlines.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// A field that the job writes.
struct result_field {
  io::field_info info;
  /// Function that computes the values of the field. The function is called immediately before writing. Only one field
  /// therefore occupies memory at a time. The function is local.
  std::function<io::plane_source<float>()> begin;
};

/// Files that a physics has written during its run.
struct files_written_early {
  std::string path;  ///< path of the file that refers to the other files
  io::file_report report;
};

/// Writes files, and returns their names for each kind of content. @collective
using file_writer = std::function<nlohmann::ordered_json(const std::string& directory, log_sink& log)>;

struct physics_result {
  numerics::solve_certificate certificate;
  std::optional<numerics::solve_certificate>
      earlier_proof;               ///< certificate of a preceding problem, for example of the temperatures
  std::int64_t elements = 0;       ///< number of active voxels on all ranks
  nlohmann::ordered_json answers;  ///< keys of summary.json
  std::vector<result_field> fields;
  load_scene scene;  ///< loads on the specimen, and their positions
  std::optional<files_written_early> written;
  cell_values shown;  ///< cell field that the picture displays
  /// name of the field in the file, descriptive name, and unit in the syntax of UDUNITS
  std::string shown_name, shown_title, shown_units;
  double shown_low = 0, shown_high = 1;  ///< ends of the colour range
  /// vector field (z, y, x) of the lines in the picture; null: no lines, and the displayed field emits light
  cell_values lines_of;
  /// true if the lines have the colours of the displayed field instead of the colours of their own magnitude
  bool lines_show_field = false;
  /// paths of particles, which are drawn instead of the lines; null: no paths
  std::shared_ptr<const render::streamlines> paths;
  double paths_low = 0, paths_high = 1;  ///< speeds at the ends of the colour range of the paths
  bool is_fluid = false;                 ///< true if the voxels are a fluid; the solid is then the complement
  /// reason why the job has no final answer, as a sentence; empty if the certificate contains the reason
  std::string ended;
  std::string stopped_at;  ///< description of the final state if the tolerance does not apply to a residual
  /// Draws a special picture with a title instead of the picture of the voxels. Empty: no special picture. @collective
  std::function<void(const std::string& path, const std::string& title, log_sink& log)> draw_custom;
  file_writer write_more;  ///< function that writes additional files; empty: no additional files

  /// The certificate of a solver that missed its tolerance. If no solver missed its tolerance, the result is null.
  const numerics::solve_certificate* missed() const {
    if (earlier_proof && !earlier_proof->converged) return &*earlier_proof;
    return certificate.converged ? nullptr : &certificate;
  }
};

}  // namespace osteon::job
