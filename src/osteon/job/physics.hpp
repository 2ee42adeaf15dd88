#pragma once
/// @file
/// What a physics is to the pipeline: it takes a rank's part of the model and gives back answers, certificates and fields.
/// To add one, write a `run_...` like these two and name it in compute.cpp (CONTRIBUTING.md, "Add a physics").
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <osteon/base/sink.hpp>
#include <osteon/io/result_file.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/solve/report.hpp>
#include <osteon/voxel/run_set.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// A rank's part of the model, as every physics gets it.
struct specimen {
  grid::block where;
  voxel::model_header header;
  voxel::run_set cells;                   ///< the active voxels of where.owned
  std::vector<material_number> material;  ///< number of each of them; with `cells` it says all of the image in less room

  /// Of a VOX-FE script, whose files number all elements: what it had before unsupported parts were dropped, shape of
  /// where.owned.
  std::vector<material_number> script_image;
  int script_base = 1;  ///< that its indices are counted from
};

/// Material numbers of all voxels of the block, 0 where there is none; shape of where.owned. @collective local
std::vector<material_number> image_of(const specimen& part);
/// The same by planes. Borrows `part`.
io::plane_source<material_number> image_planes(const specimen& part);

/// Values per active cell, a shared list of shape (cells, components).
using cell_values = std::shared_ptr<const std::vector<float>>;
cell_values share(std::vector<float> values);

/// Planes of a cell field; NaN in empty voxels. Borrows `part`.
io::plane_source<float> cell_planes(const specimen& part, cell_values values, int components = 1);

/// A field that is to be written.
struct result_field {
  io::field_info info;
  /// Called when its turn comes, to compute what its planes are made from: so one field at a time takes room. Local.
  std::function<io::plane_source<float>()> begin;
};

struct physics_result {
  solve::certificate proof;
  std::optional<solve::certificate> heat_proof;  ///< of the temperatures that load an elastic problem
  std::int64_t elements = 0;                     ///< active voxels, all ranks
  nlohmann::ordered_json answers;                ///< keys of summary.json
  std::vector<result_field> fields;
  std::optional<io::file_report> steps;  ///< files that were written while it ran, all together
  cell_values shown;                     ///< cell field of the picture
  std::string shown_name, shown_units;
  double shown_low = 0, shown_high = 1;  ///< colour range
  /// Writes further files, each of which it names in the summary; empty: none. @collective
  std::function<nlohmann::ordered_json(const std::string& directory, sink& log)> write_more;

  /// The certificate of a solver that missed its tolerance, else null.
  const solve::certificate* missed() const {
    if (heat_proof && !heat_proof->converged) return &*heat_proof;
    return proof.converged ? nullptr : &proof;
  }
};

/// A mechanical test, or supports and forces; one load case or several. @collective on part.where.comm
physics_result run_elasticity(const spec& job, const specimen& part, const solve::options& how, sink& log);

/// Stiffness of a block of material under six mean strains. @collective on part.where.comm
physics_result run_homogenise(const spec& job, const specimen& part, const solve::options& how, sink& log);

/// Heat conduction: between two faces, under conditions on all faces, in all directions, or in time. @collective on
/// part.where.comm
physics_result run_heat(const spec& job, const specimen& part, const solve::options& how, sink& log);

/// Steady conduction, and the elastic problem that its temperatures load. @collective on part.where.comm
physics_result run_thermo_elasticity(const spec& job, const specimen& part, const solve::options& how, sink& log);

/// The load axis of a job.
axis load_axis(const spec& job);

/// Length along `along` in mm, and cross-section of the image box across it in mm2.
double length_mm(const voxel::model_header& header, axis along);
double cross_section_mm2(const voxel::model_header& header, axis along);

}  // namespace osteon::job
