#pragma once
/// @file
/// Interface between a physics and the pipeline. A physics is an entry in the table of physics. No other code depends on the
/// name of a physics. To add a physics, write an entry in a new folder and add a line to physics/table.cpp (CONTRIBUTING.md,
/// "Add a physics").
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/files/result_file.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/voxel/count_nodes.hpp>
#include <osteon/voxel/material.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::numerics {
struct options;
struct solver_state;
struct message_count;
}  // namespace osteon::numerics

namespace osteon::job {

class key_table;
struct local_model;
struct physics_result;

/// A value of the key load.test.
struct load_test {
  std::string name, meaning;            ///< meaning: the loads on the specimen, as a phrase without a full stop
  std::vector<const char*> synonyms{};  ///< names in other programs; lower-case letters and digits only
};

/// A property that a physics requires of every material.
struct material_property {
  const char *key, *unit;
  std::optional<double> material_spec::* value;
  /// Value for a material of a model. @param number index of the material in the model, from 1
  double (*in_model)(const spec& job, const voxel::material& material, std::size_t number);
};

namespace property {
inline constexpr material_property youngs_modulus{
    "youngs_modulus_MPa", "MPa", &material_spec::youngs_modulus_MPa,
    [](const spec&, const voxel::material& m, std::size_t) { return m.youngs_modulus_MPa; }};
inline constexpr material_property conductivity{
    "conductivity_W_per_mK", "W/(m K)", &material_spec::conductivity_W_per_mK,
    [](const spec&, const voxel::material& m, std::size_t) { return m.conductivity_W_per_mK; }};
inline constexpr material_property thermal_expansion{"thermal_expansion_per_K", "1/K",
                                                     &material_spec::thermal_expansion_per_K,
                                                     [](const spec& job, const voxel::material&, std::size_t number) {
                                                       return job.materials[number - 1].thermal_expansion_per_K.value_or(0);
                                                     }};
}  // namespace property

/// Unknowns of the largest system. Ranks exchange these unknowns.
struct unknowns {
  io::centring where = io::centring::cell;
  int values = 1;  ///< number of values per node or cell
};

/// Measured costs of one rank with one thread, without pictures (docs/reference/performance.md, "Basis of estimates").
struct solver_costs {
  /// number of unknowns of the largest system per element, if the unknowns are not counted
  double unknowns_per_element = 1;
  double bytes_per_unknown = 50;   ///< resident memory per unknown
  double bytes_per_further = 0;    ///< memory per unknown of each additional stored solution
  double setup_seconds = 1e-6;     ///< CPU time in s per element for reading and assembling; needed once
  double solution_seconds = 5e-6;  ///< CPU time in s per element for a solution with the tolerance 1e-6, including results
};

/// Work of the solver for a job.
struct solver_work {
  double solutions = 1;   ///< number of solutions of the system
  double kept = 1;        ///< maximum number of solutions that are stored concurrently
  std::int64_t held = 0;  ///< number of prescribed unknowns
  std::string assumed{};  ///< assumptions that the job does not contain, as a sentence; empty: no assumptions
};

/// Requirements of a job on its solid. For a physics of another phase, "solid" denotes this phase.
struct solid_rules {
  const char* phase = "solid";     ///< name of the active voxels
  bool takes_empty_space = false;  ///< true if the active voxels are the voxels that [segment] leaves empty
  /// labels of a label image: the voxels with these labels are active and have one material; empty: [[material]] defines the
  /// materials
  std::vector<std::int64_t> labels{};
  /// true if the solver includes the other voxels with the materials of [[material]]; the phase is then material 1
  bool has_others = false;
  bool keeps_all = false;           ///< true if segment.keep is ignored, because the solver removes unneeded voxels
  bool has_loaded_faces = false;    ///< true if the job loads faces of the image, or faces of the solid by load.faces
  bool must_connect_faces = false;  ///< true if a solid is rejected unless the solid connects the two faces of the load axis
  bool may_keep_all_parts = false;  ///< true if keep = "percolating" keeps all parts when no part connects the faces
  /// keep = "percolating" keeps two kinds of parts: parts that connect both faces of an axis of `through` (z, y, x), and
  /// parts that touch a face of `touching` (low, high). If both members are empty, keep = "percolating" keeps the parts that
  /// connect both faces of the load axis.
  std::array<bool, 3> through{};
  std::array<std::array<bool, 2>, 3> touching{};
  std::array<bool, 3> periodic{};  ///< axes z, y, x along which the image is periodic
};

/// The picture of a physics.
struct picture_defaults {
  bool is_surface = false;            ///< true if the default of picture.method is "surface"
  bool has_lines = false;             ///< true if the picture may contain lines of a vector field
  bool draws_lines = false;           ///< true if lines are drawn by default (picture.streamlines)
  std::vector<const char*> fields{};  ///< permitted values of picture.field
};

/// Labels of an image that a job uses.
struct wanted_labels {
  std::string image;  ///< name of the image in the job
  std::vector<std::int64_t> labels;
};

/// Displays the states of a running solver as pictures.
class frame_painter {
 public:
  virtual ~frame_painter() = default;
  /// Select the field and its range. @return false if this state has no field to display @collective
  virtual bool show(physics_result& result, const numerics::solver_state& state) = 0;
  /// Return the state of the painter for a checkpoint, for example the colour range. The values are finite and equal on all
  /// ranks. Before the first frame, the list is empty.
  virtual std::vector<double> remembered() const { return {}; }
  /// @param numbers result of remembered(), which may be from another run
  virtual void recall(const std::vector<double>& numbers) { static_cast<void>(numbers); }
};

/// An entry. The defaults describe a physics with one value per cell and without additional keys.
struct physics_entry {
  const char* name = "";                ///< value of the key `physics`
  const char* meaning = "";             ///< the quantity that this physics computes
  const char* caption = "";             ///< caption of the picture in the report
  std::vector<const char*> synonyms{};  ///< names in other programs; lower-case letters and digits only
  std::vector<answer> answers{};

  std::vector<load_test> tests{};
  const char* usual_test = "";  ///< default of load.test; empty: default of the preceding physics
  /// Name of the job's test. The key load.test or other keys determine the test.
  std::string (*test)(const spec& job) = [](const spec& job) { return job.load.test.value_or(""); };
  /// Name of the test of a preceding stage. If there is no such stage, the name is empty. The keys of this test are also
  /// keys of the job.
  std::string (*test_of_first_stage)(const spec& job) = [](const spec&) { return std::string(); };
  /// Register the keys (spec/key_entry.hpp). Keys in structs of the physics form groups (key_groups.hpp). Null: the physics
  /// has no keys.
  void (*keys)(key_table& job) = nullptr;
  std::vector<const char*> implied{};  ///< keys that are true in all jobs of this physics, for example `flow.heat`
  /// Set keys that depend on other keys. The function is called after a file has been read.
  void (*complete)(spec& job) = [](spec&) {};
  /// Append the faults of a job that can be detected without the image.
  void (*check)(const spec& job, std::vector<problem>& problems) = [](const spec&, std::vector<problem>&) {};
  /// Append warnings about unusual values of keys. @param size_mm size of the image (z, y, x) for warnings that depend on
  /// the size; null: append all other warnings
  void (*warn)(const spec& job, const vector3* size_mm, std::vector<problem>& warnings) = [](const spec&, const vector3*,
                                                                                             std::vector<problem>&) {};
  /// Check the loads on a solid, and append warnings. @throws data_error, usage_error @param read function that creates the
  /// local model
  void (*check_on_solid)(const spec& job, const std::function<local_model()>& read, std::vector<problem>& warnings) =
      [](const spec&, const std::function<local_model()>&, std::vector<problem>&) {};
  /// Modify the model before the solve. @return number of removed voxels on all ranks @collective on part.where.comm
  std::int64_t (*prepare)(const spec& job, local_model& part, log_sink& log) = [](const spec&, local_model&, log_sink&) {
    return std::int64_t{0};
  };
  /// Describe the loads on the solid as a document (`osteon check --loads`). Null: the physics has no loads to describe.
  /// @param read function that creates the whole model on one rank @param volume file for the sets of the voxels; empty: no
  /// file
  nlohmann::ordered_json (*describe_loads)(const spec& job, const std::function<local_model()>& read,
                                           const std::string& volume) = nullptr;
  const char* loads_key = "load";  ///< key to which faults of check_on_solid are attributed

  std::vector<const material_property*>
      needs{};  ///< properties that every material must have; empty: [[material]] may be omitted
  kept_parts default_keep = kept_parts::largest;  ///< default of segment.keep
  const char* reason_for_faces_only =
      "";  ///< reason why edges and corners do not connect voxels; empty: edges and corners connect voxels
  /// Permitted values of load.boundary_condition in a job. Empty: the key is not used.
  std::vector<outer_condition> (*boundary_conditions)(const spec& job) = [](const spec&) {
    return std::vector<outer_condition>{};
  };
  solid_rules (*rules)(const spec& job) = [](const spec&) { return solid_rules{}; };

  /// Labels of images that the job reads in addition to the model.
  std::vector<wanted_labels> (*labels)(const spec& job) = [](const spec&) { return std::vector<wanted_labels>{}; };

  unknowns system{};
  solver_costs costs{};
  double default_tolerance = 1e-6;  ///< tolerance of the residual, or of a quantity that the physics defines
  solver_work (*work)(const spec& job, const voxel::node_count* nodes) = [](const spec&, const voxel::node_count*) {
    return solver_work{};
  };

  /// Largest number of components of the fields that the job writes.
  int (*most_components)(const spec& job) = [](const spec&) { return 1; };
  picture_defaults picture{};
  /// Reason why Python cannot solve the job in its own process, for example because a stage writes files. If the text is
  /// empty, Python can solve the job.
  std::string (*reason_for_files)(const spec& job) = [](const spec&) { return std::string(); };
  /// Solve the job. @collective on part.where.comm
  physics_result (*run)(const spec& job, const local_model& part, const numerics::options& options, log_sink& log) = nullptr;
  /// Run the solver on virtual ranks, which count the messages of the solver (numerics/solve_part.hpp). The run has one load
  /// case and one set of supports. Null: the physics does not support this function. @return the fields that the job writes
  /// @collective on part.where.comm
  std::vector<io::field_info> (*count_messages)(const spec& job, const local_model& part,
                                                const numerics::message_count& count) = nullptr;
  bool counts_missing_levels = false;  ///< true if count_messages() uses message_count::missing_levels
  /// Reason why count_messages() does not support a job. Empty: count_messages() supports the job.
  std::string (*reason_not_counted)(const spec& job) = [](const spec&) { return std::string(); };
  /// Create the painter of frames. If the physics has no frames, the result is null. @collective on part.where.comm
  std::unique_ptr<frame_painter> (*paint)(const spec& job, const local_model& part) = [](const spec&, const local_model&) {
    return std::unique_ptr<frame_painter>();
  };
};

/// The table of all physics.
std::span<const physics_entry* const> all_physics();

/// Return the entry with a name. If there is no such entry, the result is null.
const physics_entry* find_physics(const std::string& name);

/// The physics of a job. @throws usage_error if the name is unknown
const physics_entry& physics_of(const spec& job);

/// Return true if a physics requires a property of its materials.
bool needs(const physics_entry& physics, const material_property& property);

/// Value of segment.keep in a job.
kept_parts keep_of(const spec& job);

/// Value of solve.tolerance in a job, or the default of the physics.
double tolerance_of(const spec& job);

/// Return true if the picture of a job displays a surface, and false if the picture displays a volume.
bool draws_surface(const spec& job);
/// The colour map of the picture of a job.
std::string colour_map_of(const spec& job);

}  // namespace osteon::job
