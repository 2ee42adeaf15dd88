#pragma once
/// @file
/// A job, as a plain struct, and the one description of its keys from which the reader, the JSON Schema and the
/// reference page are made.
#include <array>
#include <optional>
#include <osteon/base/box.hpp>
#include <osteon/base/error.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The scan. Lists are in the order z, y, x.
struct image_spec {
  std::string path;
  std::optional<std::vector<double>> spacing_mm;
  std::string spacing_note;
  std::vector<std::vector<std::int64_t>> crop_voxels;
};

/// Which voxels are solid.
struct segment_spec {
  std::optional<double> threshold;  ///< absent: Otsu
  std::optional<double> upper;
  bool labels = false;  ///< the image holds labels, not grey values
  std::vector<std::int64_t> void_labels{0};
  std::string keep = "largest";
};

struct material_spec {
  std::string name;
  std::optional<std::int64_t> label;
  std::optional<double> youngs_modulus_MPa;
  double poisson_ratio = 0.3;
  std::optional<double> conductivity_W_per_mK;
  std::optional<double> heat_capacity_J_per_m3K;
  double heat_source_W_per_m3 = 0;
};

/// Grey value -> density -> modulus: rho = slope grey + intercept, E = coefficient rho^exponent.
struct density_law_spec {
  std::optional<double> slope;
  double intercept = 0;
  std::optional<double> coefficient_MPa;
  double exponent = 1;
  double min_modulus_MPa = 1;
  double max_modulus_MPa = 100000;
  double poisson_ratio = 0.3;
};

struct load_spec {
  std::optional<std::string> test;
  std::string axis = "z";
  double strain = -0.01;
  double low_K = 0, high_K = 1;
  std::optional<std::string> surroundings;               ///< of a conductivity_tensor
  std::optional<std::vector<double>> gradient_K_per_mm;  ///< of a heat_transfer
};

/// What happens on one outer face of the image, or on both of an axis.
struct boundary_spec {
  std::string face;
  std::string kind = "temperature";
  std::optional<double> temperature_K, flux_W_per_m2, transfer_W_per_m2K;
};

/// Steps in time.
struct transient_spec {
  std::optional<double> initial_K, end_s, step_s;
  double output_every_s = 0;  ///< 0: every step
  std::string scheme = "implicit_euler";
};

struct solve_spec {
  double tolerance = 1e-6;
  std::int64_t max_iterations = 500;
};

struct pistoia_spec {
  double critical_strain = 0.007;
  double critical_volume = 0.02;
};

struct picture_spec {
  bool enabled = true;
  std::int64_t width = 1024, height = 1024;
  double azimuth_deg = 35, elevation_deg = 22, zoom = 1;
  std::string colour_map = "inferno";
};

struct run_spec {
  std::int64_t ranks = 0;    ///< 0: all cores
  std::int64_t threads = 1;  ///< per rank
};

struct spec {
  std::string name;
  std::string physics = "elasticity";
  image_spec image;
  segment_spec segment;
  std::vector<material_spec> materials;
  std::optional<density_law_spec> density_law;
  load_spec load;
  std::vector<boundary_spec> boundaries;
  std::optional<transient_spec> transient;
  solve_spec solve;
  pistoia_spec pistoia;
  picture_spec picture;
  run_spec run;
  std::string output_directory;

  std::string file;  ///< the job file; empty if it did not come from one
  std::string text;  ///< its text, for the manifest
};

/// Read a job file and check it. All faults are collected, each with its line; a spec is only meaningful if there are none.
/// @param problems receives what is wrong: `where` is `file:line: key`
spec read_spec(const std::string& path, std::vector<problem>& problems);

/// Check what does not depend on the image: ranges, combinations, names.
std::vector<problem> validate(const spec& job);

/// What `validate` checks of physics = "heat": its test, conditions, materials and steps in time; of another physics, that
/// none of these keys is there.
void check_heat(const spec& job, std::vector<problem>& problems);

/// The test of a heat job: that of [load], or what its tables amount to.
std::string heat_test(const spec& job);

/// The JSON Schema of a job file.
std::string json_schema();

/// Join problems into one text, a line each.
std::string join(const std::vector<problem>& problems);

}  // namespace osteon::job
