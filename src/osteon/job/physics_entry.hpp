#pragma once
/// @file
/// The interface of a physics to the pipeline: an entry of one table. No other code compares its name; to add one, write its
/// entry in a folder of its own and add a line to physics/table.cpp (CONTRIBUTING.md, "Add a physics").
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

/// A value of load.test.
struct load_test {
  std::string name, meaning;            ///< meaning: what is done to the specimen, without a full stop
  std::vector<const char*> synonyms{};  ///< what other programs call it: lower case, letters and digits only
};

/// A property that a physics needs of every material.
struct material_property {
  const char *key, *unit, *in_words;
  std::optional<double> material_spec::* value;
  /// Of a model's material. @param number it has in the model, from 1
  double (*in_model)(const spec& job, const voxel::material& material, std::size_t number);
};

namespace property {
inline constexpr material_property youngs_modulus{
    "youngs_modulus_MPa", "MPa", "a modulus", &material_spec::youngs_modulus_MPa,
    [](const spec&, const voxel::material& m, std::size_t) { return m.youngs_modulus_MPa; }};
inline constexpr material_property conductivity{
    "conductivity_W_per_mK", "W/(m K)", "a conductivity", &material_spec::conductivity_W_per_mK,
    [](const spec&, const voxel::material& m, std::size_t) { return m.conductivity_W_per_mK; }};
inline constexpr material_property thermal_expansion{"thermal_expansion_per_K", "1/K", "a thermal expansion",
                                                     &material_spec::thermal_expansion_per_K,
                                                     [](const spec& job, const voxel::material&, std::size_t number) {
                                                       return job.materials[number - 1].thermal_expansion_per_K.value_or(0);
                                                     }};
}  // namespace property

/// The unknowns of the largest system, which the ranks exchange.
struct unknowns {
  io::centring where = io::centring::cell;
  int values = 1;  ///< of a node or a cell
};

/// Measured costs, of one rank with one thread, without a picture (docs/reference/performance.md, "Basis of estimates").
struct solver_costs {
  double unknowns_per_element = 1;  ///< of the largest system, where it is not counted
  double bytes_per_unknown = 50;    ///< resident memory, marginal
  double bytes_per_further = 0;     ///< the same for each further solution that is kept
  double setup_seconds = 1e-6;      ///< CPU seconds per element, once: reading, assembling
  double solution_seconds = 5e-6;   ///< CPU seconds per element of a solution, to a tolerance of 1e-6, with its results
};

/// Work of the solver for a job.
struct solver_work {
  double solutions = 1;   ///< of the system
  double kept = 1;        ///< of them, at the same time
  std::int64_t held = 0;  ///< unknowns that the job prescribes
  std::string assumed{};  ///< what the numbers suppose, a sentence; empty: nothing that the job does not say
};

/// Requirements of a job on the solid. A physics of another phase calls that phase the solid here.
struct solid_rules {
  const char* phase = "solid";         ///< what the active voxels are called
  bool takes_empty_space = false;      ///< active are the voxels that [segment] leaves empty
  std::vector<std::int64_t> labels{};  ///< of a label image: active are these, of one material; none: by [[material]]
  bool has_others = false;             ///< the other voxels take part, too, by [[material]]; the phase is material 1
  bool keeps_all = false;              ///< segment.keep is not asked: the solver leaves out what it does not need
  bool has_loaded_faces = false;       ///< of the image, where the job may load those of the solid (load.faces) instead
  bool must_join_faces = false;        ///< a solid that does not join the two faces of the load axis is refused
  bool may_join_nothing = false;       ///< keep = "percolating" keeps all where no part joins the faces
  /// keep = "percolating" keeps the parts that join both faces of one of these axes (z, y, x), and the parts that touch one
  /// of these faces (low, high). Neither: the parts that join both faces of the load axis.
  std::array<bool, 3> through{};
  std::array<std::array<bool, 2>, 3> touching{};
  std::array<bool, 3> periodic{};  ///< axes z, y, x along which the image is taken to repeat itself
};

/// The picture of a physics.
struct picture_defaults {
  bool is_surface = false;            ///< picture.method, left out: "surface"
  bool has_lines = false;             ///< of a vector field
  bool draws_lines = false;           ///< picture.streamlines, left out
  std::vector<const char*> fields{};  ///< values of picture.field
};

/// Labels of an image that a job refers to.
struct wanted_labels {
  std::string image;  ///< as the job names it
  std::vector<std::int64_t> labels;
};

/// Shows the states of a running solver as pictures.
class frame_painter {
 public:
  virtual ~frame_painter() = default;
  /// Choose the field and its range. @return false: of this state there is nothing to show @collective
  virtual bool show(physics_result& result, const numerics::solver_state& state) = 0;
  /// What later frames take from those before, for a checkpoint: the range of their colours. Finite, the same on all ranks;
  /// empty: nothing yet.
  virtual std::vector<double> remembered() const { return {}; }
  /// @param numbers that remembered() gave, of another run maybe
  virtual void recall(const std::vector<double>& numbers) { static_cast<void>(numbers); }
};

/// An entry. The defaults are those of a physics of one value a cell, without keys, with the materials' numbers only.
struct physics_entry {
  const char* name = "";                ///< value of the key `physics`
  const char* meaning = "";             ///< of that value: what is found
  const char* caption = "";             ///< of the picture in the report
  std::vector<const char*> synonyms{};  ///< what other programs call it: lower case, letters and digits only
  std::vector<answer> answers{};

  std::vector<load_test> tests{};
  const char* usual_test = "";  ///< what load.test is if it is left out; empty: as of the physics before
  /// The name of the job's test, whether load.test is given or follows from other keys.
  std::string (*test)(const spec& job) = [](const spec& job) { return job.load.test.value_or(""); };
  /// A name for the test of a stage that goes before, whose keys the job has, too; empty: there is no such stage.
  std::string (*test_of_first_stage)(const spec& job) = [](const spec&) { return std::string(); };
  /// Register its keys (spec/key_entry.hpp), those in structs of its own as groups (key_groups.hpp); null: none.
  void (*keys)(key_table& job) = nullptr;
  std::vector<const char*> implied{};  ///< keys that count as true in its jobs, `flow.heat`
  /// Fill in values of its keys that follow from others, after a file has been read.
  void (*complete)(spec& job) = [](spec&) {};
  /// Append the faults of a job of this physics that can be found without the image.
  void (*check)(const spec& job, std::vector<problem>& problems) = [](const spec&, std::vector<problem>&) {};
  /// Append warnings of unusual values of its keys. @param size_mm of the image (z, y, x), for those that
  /// depend on it; null: for all others
  void (*warn)(const spec& job, const vector3* size_mm, std::vector<problem>& warnings) = [](const spec&, const vector3*,
                                                                                             std::vector<problem>&) {};
  /// Check its loads on a solid; append warnings. @throws data_error, usage_error @param read makes the local model
  void (*check_on_solid)(const spec& job, const std::function<local_model()>& read, std::vector<problem>& warnings) =
      [](const spec&, const std::function<local_model()>&, std::vector<problem>&) {};
  /// Change the model before the solve. @return voxels that it removes, of all ranks @collective on part.where.comm
  std::int64_t (*prepare)(const spec& job, local_model& part, log_sink& log) = [](const spec&, local_model&, log_sink&) {
    return std::int64_t{0};
  };
  /// The loads on the solid as a document (`osteon check --loads`); null: the physics has no loads to describe.
  /// @param read makes the whole model, of one rank @param volume file for the sets of the voxels; empty: none
  nlohmann::ordered_json (*describe_loads)(const spec& job, const std::function<local_model()>& read,
                                           const std::string& volume) = nullptr;
  const char* key_of_loads = "load";  ///< for the faults of check_on_solid

  std::vector<const material_property*> needs{};  ///< of every material; none: [[material]] may be left out
  kept_parts default_keep = kept_parts::largest;  ///< segment.keep, left out
  const char* why_not_by_corners = "";            ///< nothing passes an edge or a corner; empty: something does
  /// Values that load.boundary_condition may have in this job; none: it has no such key.
  std::vector<outer_condition> (*boundary_conditions)(const spec& job) = [](const spec&) {
    return std::vector<outer_condition>{};
  };
  solid_rules (*rules)(const spec& job) = [](const spec&) { return solid_rules{}; };

  /// Labels of images that are to be read beside the model.
  std::vector<wanted_labels> (*labels)(const spec& job) = [](const spec&) { return std::vector<wanted_labels>{}; };

  unknowns system{};
  solver_costs costs{};
  double default_tolerance = 1e-6;  ///< of the residual, or of what the physics says
  solver_work (*work)(const spec& job, const voxel::node_count* nodes) = [](const spec&, const voxel::node_count*) {
    return solver_work{};
  };

  /// Most components of a field that will be written.
  int (*most_components)(const spec& job) = [](const spec&) { return 1; };
  bool balances_moments = false;  ///< the certificate says how well
  picture_defaults picture{};
  /// The reason for which Python cannot solve the job in its own process; empty: it can. A stage that writes files of its
  /// own is one.
  std::string (*why_not_in_memory)(const spec& job) = [](const spec&) { return std::string(); };
  /// @collective on part.where.comm
  physics_result (*run)(const spec& job, const local_model& part, const numerics::options& how, log_sink& log) = nullptr;
  /// Run the solver on virtual ranks, which count what it sends (numerics/solve_part.hpp), for one load case and one set of
  /// supports; null: they cannot be counted. @return the fields that will be written @collective on part.where.comm
  std::vector<io::field_info> (*rehearse)(const spec& job, const local_model& part,
                                          const numerics::message_count& count) = nullptr;
  bool counts_missing_levels = false;  ///< rehearse() uses message_count::missing_levels
  /// Why that does not work for a job; empty: it does.
  std::string (*why_not_rehearsed)(const spec& job) = [](const spec&) { return std::string(); };
  /// Null: there are no frames. @collective on part.where.comm
  std::unique_ptr<frame_painter> (*paint)(const spec& job, const local_model& part) = [](const spec&, const local_model&) {
    return std::unique_ptr<frame_painter>();
  };
};

/// The table.
std::span<const physics_entry* const> all_physics();

/// Null: there is none of that name.
const physics_entry* find_physics(const std::string& name);

/// The entry of a job. @throws usage_error if there is none of that name
const physics_entry& physics_of(const spec& job);

/// Whether a physics needs a property of the materials.
bool needs(const physics_entry& what, const material_property& property);

/// Value of segment.keep in a job.
kept_parts keep_of(const spec& job);

/// What solve.tolerance is in a job.
double tolerance_of(const spec& job);

/// Whether the job's picture is of a surface, rather than of a volume.
bool draws_surface(const spec& job);
/// The colour map of the job's picture.
std::string colour_map_of(const spec& job);

}  // namespace osteon::job
