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
  std::optional<double> thermal_expansion_per_K;
};

/// Grey value -> density -> modulus.
struct density_law_spec {
  std::optional<double> slope;
  double intercept = 0;
  std::vector<std::vector<double>> calibration;  ///< [grey, density] pairs, instead of slope and intercept
  std::string law = "power";
  std::optional<double> coefficient_MPa;
  double exponent = 1;
  std::vector<double> coefficients_MPa;
  double min_modulus_MPa = 1;
  double max_modulus_MPa = 100000;
  double poisson_ratio = 0.3;
};

/// An image of elastic constants, voxel by voxel.
struct modulus_image_spec {
  std::string path;
  double poisson_ratio = 0.3;
};

struct poisson_image_spec {
  std::string path;
};

struct load_spec {
  std::optional<std::string> test;
  std::string axis = "z";
  std::optional<double> strain;
  double low_K = 0, high_K = 1;
  std::optional<double> reference_K;
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
  std::optional<std::string> field;  ///< elasticity only; absent: sed
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
  std::optional<modulus_image_spec> modulus_image;
  std::optional<poisson_image_spec> poisson_image;
  load_spec load;
  solve_spec solve;
  pistoia_spec pistoia;
  picture_spec picture;
  run_spec run;
  std::string output_directory;
  std::optional<std::vector<std::string>> output_fields;  ///< elasticity only; absent: default_elastic_fields()

  std::string file;  ///< the job file; empty if it did not come from one
  std::string text;  ///< its text, for the manifest
};

/// Read a job file and check it. All faults are collected, each with its line; a spec is only meaningful if there are none.
/// @param problems receives what is wrong: `where` is `file:line: key`
spec read_spec(const std::string& path, std::vector<problem>& problems);

/// Check what does not depend on the image: ranges, combinations, names.
std::vector<problem> validate(const spec& job);

/// The JSON Schema of a job file.
std::string json_schema();

/// Join problems into one text, a line each.
std::string join(const std::vector<problem>& problems);

}  // namespace osteon::job
