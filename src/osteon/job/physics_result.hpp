#pragma once
/// @file
/// Results of a physics, returned to the pipeline: answers, certificates and fields.
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

/// A field to be written.
struct result_field {
  io::field_info info;
  /// Called immediately before writing to compute the values of the field. Only one field occupies memory at a time. Local.
  std::function<io::plane_source<float>()> begin;
};

/// Files that a physics has written during its run.
struct files_written_early {
  std::string path;  ///< path of the file that refers to the other files
  io::file_report report;
};

/// Writes files and returns their names by content. @collective
using file_writer = std::function<nlohmann::ordered_json(const std::string& directory, log_sink& log)>;

struct physics_result {
  numerics::solve_certificate certificate;
  std::optional<numerics::solve_certificate>
      earlier_proof;               ///< certificate of a preceding problem, e.g. of the temperatures
  std::int64_t elements = 0;       ///< active voxels, all ranks
  nlohmann::ordered_json answers;  ///< keys of summary.json
  std::vector<result_field> fields;
  load_scene scene;  ///< loads on the specimen, and their positions
  std::optional<files_written_early> written;
  cell_values shown;                                 ///< cell field of the picture
  std::string shown_name, shown_title, shown_units;  ///< name in the file, descriptive name, UDUNITS
  double shown_low = 0, shown_high = 1;              ///< colour range
  cell_values lines_of;  ///< vector field (z, y, x) of the lines in the picture; none: emission of the displayed field
  bool lines_show_field = false;  ///< the lines are coloured by the displayed field instead of their own magnitude
  std::shared_ptr<const render::streamlines> paths;  ///< paths of particles, drawn instead of the lines; null: none
  double paths_low = 0, paths_high = 1;              ///< speeds at the ends of the colour range of the paths
  bool is_fluid = false;                             ///< the voxels are a fluid; the solid is the complement
  std::string ended;       ///< reason why the job has no final answer, as a sentence; empty if the certificate states it
  std::string stopped_at;  ///< description of the final state if the tolerance does not refer to a residual
  /// Draws a custom picture with a title instead of the view of the voxels; empty: no custom picture. @collective
  std::function<void(const std::string& path, const std::string& title, log_sink& log)> draw_custom;
  file_writer write_more;  ///< writes additional files; empty: none

  /// The certificate of a solver that missed its tolerance, else null.
  const numerics::solve_certificate* missed() const {
    if (earlier_proof && !earlier_proof->converged) return &*earlier_proof;
    return certificate.converged ? nullptr : &certificate;
  }
};

}  // namespace osteon::job
