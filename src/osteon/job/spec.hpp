#pragma once
/// @file
/// Keys of a job that are independent of the physics. The keys are members of a plain struct. Each physics adds a group of
/// keys; spec/key_entry.hpp describes all keys.
#include <array>
#include <memory>
#include <optional>
#include <osteon/base/box.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/choices.hpp>
#include <osteon/job/key_groups.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::job {

class model_source;

/// Kinds of image processing steps before the threshold.
enum class image_filter {
  gaussian,
  median,
  close,
  open,
  resample,
  crop,
  labels,
  laplace_hamming,
  local_threshold,
  hysteresis
};
inline auto choice_names(image_filter) {
  return choices<"gaussian", "median", "close", "open", "resample", "crop", "labels", "laplace_hamming", "local_threshold",
                 "hysteresis">();
}

/// Interpolations of a resampling.
enum class image_interpolation { linear, nearest, bspline };
inline auto choice_names(image_interpolation) { return choices<"linear", "nearest", "bspline">(); }

/// Threshold methods with a window around each voxel.
enum class threshold_method { sauvola, phansalkar, bernsen };
inline auto choice_names(threshold_method) { return choices<"sauvola", "phansalkar", "bernsen">(); }

/// A processing step of the scan before segmentation.
struct image_step_spec {
  optional_choice<image_filter> kind;
  std::optional<double> sigma_mm, sigma_voxels;
  std::int64_t radius_voxels = 1;
  std::optional<std::vector<double>> spacing_mm;
  choice<image_interpolation> interpolation = image_interpolation::linear;
  std::vector<std::vector<std::int64_t>> voxels;
  std::vector<std::vector<double>> ranges;
  choice<threshold_method> method = threshold_method::sauvola;
  std::optional<double> weight, contrast, low, high, epsilon, cutoff;
};

/// The scan. Lists have the order z, y, x.
struct image_spec {
  std::string path;
  std::optional<std::vector<double>> spacing_mm;
  std::string spacing_note;
  std::vector<std::vector<std::int64_t>> crop_voxels;
  bool crop_to_solid = false;  ///< crop to the box of the kept solid after the segmentation
  std::vector<image_step_spec> steps;
  bool accept_fill_value = false;  ///< true if missing chunks of the file contain the fill value
  std::int64_t coarsen = 1;
  std::optional<double> noise_sd;  ///< standard deviation of the noise
  double noise_blur_voxels = 0;
  std::int64_t noise_seed = 1;
};

/// Connected parts of the solid that a job keeps.
enum class kept_parts { largest, percolating, all };
inline auto choice_names(kept_parts) { return choices<"largest", "percolating", "all">(); }

/// Segmentation, which selects the solid voxels.
struct segment_spec {
  std::optional<double> threshold;  ///< absent: the method of Otsu
  std::optional<double> upper;
  std::optional<std::vector<double>> greys;  ///< grey values of empty space and of solid, for a threshold that preserves the
                                             ///< volume
  bool labels = false;                       ///< true if the image contains labels instead of grey values
  std::vector<std::int64_t> void_labels{0};
  optional_choice<kept_parts> keep;  ///< absent: the value of `keep_of`
  std::int64_t connectivity = 6;
  bool drop_unsupported = false;
  bool compare_connectivity = false;  ///< true: also compute with the other connectivity
};

struct material_spec {
  std::string name;
  std::optional<std::int64_t> label;
  std::optional<double> youngs_modulus_MPa;
  std::optional<double> poisson_ratio;  ///< no default; physics with stresses require this value
  std::optional<double> conductivity_W_per_mK;
  std::optional<double> density_kg_per_m3;
  std::optional<double> heat_capacity_J_per_m3K;
  double heat_source_W_per_m3 = 0;
  std::optional<double> thermal_expansion_per_K;
};

/// Dependence of the modulus on the density.
enum class modulus_law { power, linear, polynomial };
inline auto choice_names(modulus_law) { return choices<"power", "linear", "polynomial">(); }

/// Conversion of a grey value to a density and then to a modulus.
struct density_law_spec {
  std::optional<double> slope;
  double intercept = 0;
  std::vector<std::vector<double>> calibration;  ///< [grey, density] pairs, instead of slope and intercept
  bool from_image = false;                       ///< true: slope and intercept are those in the file of the scan
  choice<modulus_law> law = modulus_law::power;
  std::optional<double> coefficient_MPa;
  double exponent = 1;
  std::vector<double> coefficients_MPa;
  double min_modulus_MPa = 1;
  double max_modulus_MPa = 100000;
  std::optional<double> poisson_ratio;  ///< no default; physics with stresses require this value
};

/// Image of Young's modulus with one value per voxel.
struct modulus_image_spec {
  std::string path;
  std::optional<double> poisson_ratio;  ///< no default; physics with stresses require this value
};

struct poisson_image_spec {
  std::string path;
};

/// Boundary conditions on the outer faces of the image in tests for effective properties.
enum class outer_condition { periodic, kubc, uniform, mirrored, closed };
inline auto choice_names(outer_condition) { return choices<"periodic", "kubc", "uniform", "mirrored", "closed">(); }

struct load_spec {
  std::optional<std::string> test;  ///< a name in the enumeration of the physics
  optional_choice<osteon::axis> axis = osteon::axis::z;
  optional_choice<outer_condition> boundary_condition;  ///< absent: the default of the test
};

struct solve_spec {
  std::optional<double> tolerance;  ///< absent: the default of the physics (tolerance_of)
  std::int64_t max_iterations = 500;
};

/// Uncertainties of the image. The job is solved again on changed images.
struct uncertainty_spec {
  bool enabled = true;
  std::optional<double> threshold_sd, noise_sd;  ///< standard deviations in grey values
  double noise_blur_voxels = 0;
  bool voxel_size = false;
};

/// Part of the image with separate morphometry. The part consists of all voxels with the given labels.
struct compartment_spec {
  std::string name;
  std::optional<std::string> kind;   ///< absent: the name of the compartment determines the kind (kind_of)
  std::optional<std::string> image;  ///< a label image; absent: the image of the job
  std::vector<std::int64_t> labels;

  std::string kind_of() const { return kind.value_or(name); }
};

struct picture_spec {
  bool enabled = true;
  std::int64_t width = 1024, height = 1024;
  double azimuth_deg = 35, elevation_deg = 22, zoom = 1;
  std::optional<std::string> method;      ///< volume or surface; absent: draws_surface() determines the method
  std::optional<std::string> colour_map;  ///< absent: colour_map_of() determines the map
  std::string preset = "screen";          ///< name for render::presets::background_of
  std::string compositing = "auto";       ///< text in the syntax of render::parse_compositing
  std::optional<std::string> field;       ///< a field of the physics; absent: the default field of the physics
  /// number of lines of the vector field; absent: usual_streamlines() of the physics
  std::optional<std::int64_t> streamlines;
  std::int64_t pathlines = 0;  ///< number of particles of a transient flow; 0: no particles
  bool film = false;           ///< true: make a film of the frames
  /// content of the frames of a transient flow; absent: pathlines if the job has pathlines, otherwise speed
  std::optional<std::string> shows;
  std::optional<double> tube_mm;  ///< radius of the lines; absent: a third of a voxel
  std::int64_t every = 0;         ///< number of iterations or steps between frames during the solve; 0: no frames
};

/// Shapes of the subdomains.
enum class cut_of_image { automatic, planes, bricks };
inline auto choice_names(cut_of_image) { return choices<"auto", "planes", "bricks">(); }

struct run_spec {
  std::int64_t ranks = 0;    ///< number of ranks; 0: one rank per core
  std::int64_t threads = 1;  ///< number of threads per rank
  choice<cut_of_image> decomposition = cut_of_image::automatic;
  bool place = true;  ///< true: renumber the ranks by the measured links between hosts
  std::string bind = "auto";
};

/// Storage options of files, and ranks that access the files.
struct io_spec {
  std::string mode = "auto";
  std::int64_t ranks_per_writer = 0;  ///< number of ranks for each writing rank; 0: all ranks of a host
  std::vector<std::string> hints;     ///< hints for MPI-IO in the form key=value
  std::int64_t alignment_bytes = 0;
  bool read_back = true;
  std::string compression = "deflate";
  std::optional<std::int64_t> compression_level;
  std::int64_t significant_digits = 0;  ///< number of significant digits in files; 0: all digits
};

struct checkpoint_spec {
  std::string directory;      ///< empty: the folder `checkpoint` in the output directory
  double every_minutes = 30;  ///< minutes between checkpoints; 0: checkpoints are written only on a signal
};

/// Digests of the image files of a job. A run computes each digest once. Empty: the digest is not yet computed.
struct image_digests {
  std::string images;  ///< result of digest_of_images (import/model_key.hpp)
  std::string labels;  ///< result of key_of_label_images
};

struct spec {
  std::string name;
  std::string physics = "elasticity";
  image_spec image;
  segment_spec segment;
  std::vector<material_spec> materials;
  std::optional<density_law_spec> density_law;
  std::optional<modulus_image_spec> modulus_image;
  std::optional<poisson_image_spec> poisson_image;
  load_spec load;
  solve_spec solve;
  std::optional<uncertainty_spec> uncertainty;
  std::vector<compartment_spec> compartments;
  picture_spec picture;
  run_spec run;
  io_spec io;
  checkpoint_spec checkpoint;
  std::string output_directory;
  bool measures_shape = false;

  key_groups groups;                         ///< keys of the physics; the type of a group selects the group
  std::shared_ptr<const model_source> from;  ///< source of the model (model_source.hpp); null: the image

  std::string file;  ///< path of the job file; empty if the job has no file
  std::string text;  ///< text of the job file for the manifest
  /// old names of keys and values in the file, with the present names; `where` contains the key
  std::vector<problem> older_spellings;
  std::vector<problem> unused_keys;  ///< keys with explicit default values that the job does not use
  std::vector<std::string> changes;  ///< changes of keys on the command line in the form `KEY=VALUE`
  image_digests digests;             ///< stored such that a run computes the digest of its images only once
};

/// Read and check a job file. The function collects all faults, with their lines in the file. The spec is valid only if
/// there are no faults.
/// @param problems receives the faults; `where` contains `file:line: key`, or `--set: key`
/// @param changes new values of keys, each in the form `KEY=VALUE`
spec read_spec(const std::string& path, std::vector<problem>& problems, const std::vector<std::string>& changes = {});

/// Read the text of a job. @param path name of the text in messages; relative paths in the job are relative to the working
/// directory
spec read_spec_text(const std::string& text, const std::string& path, std::vector<problem>& problems,
                    const std::vector<std::string>& changes = {});

/// Warn about each old name of a key or value in the job file.
void warn_of_older_spellings(const spec& job, log_sink& log);

/// Check ranges, combinations and names of keys. The checks do not need the image.
std::vector<problem> validate(const spec& job);

/// Return true if the subdomains are bricks instead of z planes. Subdomains are bricks if the job requests bricks. By
/// default, subdomains are bricks if the ranks have fewer than 16 planes on average. A rank with 16 planes has two layers of
/// nodes in common with its neighbours. These layers contain an eighth of the nodes of the rank.
bool uses_bricks(const spec& job, std::int64_t planes, std::int64_t ranks);

/// The JSON Schema of a job file.
std::string json_schema();

/// Join problems into one text with one line per problem.
std::string join(const std::vector<problem>& problems);

}  // namespace osteon::job
