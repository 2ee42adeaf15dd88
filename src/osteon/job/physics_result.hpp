#pragma once
/// @file
/// What a physics gives back to the pipeline: answers, certificates and fields.
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

/// A field that is to be written.
struct result_field {
  io::field_info info;
  /// Called when its turn comes, to compute what its planes are made from: so one field at a time takes room. Local.
  std::function<io::plane_source<float>()> begin;
};

/// Files that a physics wrote while it ran, all together.
struct files_on_the_way {
  std::string path;  ///< of the one that leads to the others
  io::file_report report;
};

/// Writes files and names them, by what they hold. @collective
using file_writer = std::function<nlohmann::ordered_json(const std::string& directory, log_sink& log)>;

struct physics_result {
  numerics::solve_certificate certificate;
  std::optional<numerics::solve_certificate> earlier_proof;  ///< of a problem whose solution loads this one: temperatures
  std::int64_t elements = 0;                                 ///< active voxels, all ranks
  nlohmann::ordered_json answers;                            ///< keys of summary.json
  std::vector<result_field> fields;
  load_scene scene;  ///< what acts on the specimen, and where
  std::optional<files_on_the_way> written;
  cell_values shown;                                 ///< cell field of the picture
  std::string shown_name, shown_title, shown_units;  ///< as in the file, in words, UDUNITS
  double shown_low = 0, shown_high = 1;              ///< colour range
  cell_values lines_of;           ///< vector field (z, y, x) that the picture's lines follow; none: the field shown glows
  bool lines_show_field = false;  ///< they have the colours of the field shown, instead of those of their own magnitude
  std::shared_ptr<const render::streamlines> paths;  ///< that particles took, drawn instead of these lines; null: none
  double paths_low = 0, paths_high = 1;              ///< speeds at the ends of their colours
  bool is_fluid = false;                             ///< the voxels are a fluid: solid is what they leave
  std::string ended;       ///< why the job has no answer to its end, a sentence; empty: it has, or the certificate says so
  std::string stopped_at;  ///< where the tolerance is not that of a residual: how far it came, in words
  /// Draws it into a file under a title, instead of a view of the voxels; empty: there is none. @collective
  std::function<void(const std::string& path, const std::string& title, log_sink& log)> draw_instead;
  file_writer write_more;  ///< writes further files; empty: none

  /// The certificate of a solver that missed its tolerance, else null.
  const numerics::solve_certificate* missed() const {
    if (earlier_proof && !earlier_proof->converged) return &*earlier_proof;
    return certificate.converged ? nullptr : &certificate;
  }
};

}  // namespace osteon::job
