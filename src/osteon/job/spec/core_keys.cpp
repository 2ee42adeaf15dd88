#include <fmt/format.h>

#include <algorithm>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/key_entry.hpp>

namespace osteon::job {

namespace {

// All tests with different names. If several physics have a test with the same name, the list contains the first of these
// tests.
std::vector<const load_test*> tests_of_all() {
  std::vector<const load_test*> all;
  for (const physics_entry* p : all_physics())
    for (const load_test& test : p->tests)
      if (std::none_of(all.begin(), all.end(), [&](const load_test* t) { return t->name == test.name; }))
        all.push_back(&test);
  return all;
}

std::vector<std::string> all_tests() {
  std::vector<std::string> names;
  for (const load_test* test : tests_of_all()) names.push_back(test->name);
  return names;
}

std::vector<std::string> own_tests(const spec& job) {
  std::vector<std::string> names;
  if (const physics_entry* p = find_physics(job.physics))
    for (const load_test& test : p->tests) names.push_back(test.name);
  return names;
}

// Fields that pictures can display, without duplicates.
std::vector<std::string> fields_of_all() {
  std::vector<std::string> names;
  for (const physics_entry* p : all_physics())
    for (const char* name : p->picture.fields)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
  return names;
}

std::vector<std::string> own_fields(const spec& job) {
  const physics_entry* p = find_physics(job.physics);
  return p ? std::vector<std::string>(p->picture.fields.begin(), p->picture.fields.end()) : std::vector<std::string>{};
}

std::string meaning_of_tests() {
  std::string text = "Mechanical, thermal or flow test. ", left_out;
  for (const load_test* test : tests_of_all()) text += test->name + ": " + test->meaning + ". ";
  for (const physics_entry* p : all_physics())
    if (*p->usual_test) left_out += left_out.empty() ? p->usual_test : fmt::format("; {} jobs: {}", p->name, p->usual_test);
  return text + "Default: " + left_out + ".";
}

key_range poisson_range() { return between(-1, 0.5, "", "; 0.3 is common for bone"); }

void add_own_keys(key_table& job) {
  auto t = job.keys<spec>();
  t("name", &spec::name, "Name of the job; the default output directory is <name>.out.", {.use = key_use::files});
  std::vector<std::string> names;
  std::string meanings;
  for (const physics_entry* p : all_physics()) {
    names.emplace_back(p->name);
    meanings += (meanings.empty() ? "" : "; ") + names.back() + ": " + p->meaning;
  }
  t("physics", &spec::physics, meanings + ".", {.choices = names});
}

void add_step_keys(key_list<image_step_spec> t) {
  t("kind", &image_step_spec::kind,
    "Operation. gaussian: Gaussian filter of width sigma. median: median filter over the cube of radius_voxels. close: grey "
    "closing by a ball of radius_voxels, which fills dark gaps. open: grey opening by a ball of radius_voxels. resample: "
    "resampling to spacing_mm. crop: crop to voxels. labels: conversion of grey ranges to labels, for segment.labels. "
    "laplace_hamming: filter that enhances fine structures and reduces noise. local_threshold: raises voxels between low "
    "and high to just above high if they are brighter than their surroundings, so that segment.threshold = high selects "
    "these voxels. hysteresis: raises voxels between low and high to just above high if they are connected to voxels above "
    "high.");
  t("sigma_mm", &image_step_spec::sigma_mm, "gaussian: standard deviation in mm, > 0.",
    {.kinds = {only(image_filter::gaussian)}});
  t("sigma_voxels", &image_step_spec::sigma_voxels,
    "gaussian: standard deviation in voxels along each axis, instead of sigma_mm.",
    {.kinds = {only(image_filter::gaussian)}});
  t("radius_voxels", &image_step_spec::radius_voxels,
    "median, close, open: radius of 1 to 16 voxels; local_threshold: half the edge of the window, 2 to 64.",
    {.kinds = {only(image_filter::median, image_filter::close, image_filter::open, image_filter::local_threshold)}});
  t("spacing_mm", &image_step_spec::spacing_mm, "resample: new voxel size in mm, [z, y, x] or one number.",
    {.is_one_for_three = true, .kinds = {only(image_filter::resample)}});
  t("interpolation", &image_step_spec::interpolation,
    "resample: linear, nearest (labels) or cubic bspline. Apply a gaussian step before resampling to larger voxels, because "
    "only the voxels next to a new centre contribute.",
    {.kinds = {only(image_filter::resample)}});
  t("voxels", &image_step_spec::voxels, "crop: half-open ranges [[z0, z1], [y0, y1], [x0, x1]].",
    {.kinds = {only(image_filter::crop)}});
  t("ranges", &image_step_spec::ranges, "labels: closed ranges [[low, high, label], ...]; other grey values become 0.",
    {.kinds = {only(image_filter::labels)}});
  t("method", &image_step_spec::method,
    "local_threshold: method of the threshold. sauvola: threshold from mean and standard deviation of the window, with grey "
    "values scaled to [0, 1]. phansalkar: as sauvola, for images of low contrast. bernsen: threshold equal to the mean of "
    "the darkest and brightest voxel of the window.",
    {.kinds = {only(image_filter::local_threshold)}});
  t("weight", &image_step_spec::weight, "sauvola, phansalkar: weight k of the standard deviation; default: 0.2, 0.25.",
    {.range = {.low = 0, .high = 1, .is_above = true},
     .kinds = {only(image_filter::local_threshold), only(threshold_method::sauvola, threshold_method::phansalkar)}});
  t("contrast", &image_step_spec::contrast,
    "bernsen: minimum grey value range of a window. If the range is smaller, the mean of the extremes is compared with "
    "Otsu's threshold.",
    {.kinds = {only(image_filter::local_threshold), only(threshold_method::bernsen)}});
  t("low", &image_step_spec::low, "local_threshold, hysteresis: voxels at or below this value remain unchanged.",
    {.kinds = {only(image_filter::local_threshold, image_filter::hysteresis)}});
  t("high", &image_step_spec::high,
    "local_threshold, hysteresis: voxels above this value are solid; equal to segment.threshold.",
    {.kinds = {only(image_filter::local_threshold, image_filter::hysteresis)}});
  t("epsilon", &image_step_spec::epsilon, "laplace_hamming: fraction of the Laplacian, in [0, 1]; default: 0.45.",
    {.range = from_to(0, 1), .kinds = {only(image_filter::laplace_hamming)}});
  t("cutoff", &image_step_spec::cutoff, "laplace_hamming: cut-off frequency in cycles per voxel, in (0, 0.5]; default: 0.3.",
    {.range = {.low = 0, .high = 0.5, .is_above = true, .unit = "cycles per voxel"},
     .kinds = {only(image_filter::laplace_hamming)}});
}

void add_image_keys(key_table& job) {
  key_table& table = job.table("image", "Image of the specimen.", 10, key_use::model);
  auto t = table.keys_in<image_spec, spec>(&spec::image);
  t("path", &image_spec::path,
    "Image file, folder of slices or pattern such as slices/*.png, relative to the job file. Formats "
    "(docs/reference/images.md): TIFF, DICOM, NIfTI, NRRD, MetaImage, PNG, BMP, Scanco AIM and ISQ, InVesalius, npy, npz, "
    "HDF5, OME-Zarr, FreeSurfer mgz, DICOM segmentations, raw with a header.");
  t("spacing_mm", &image_spec::spacing_mm,
    "Voxel size in mm, [z, y, x] or one number. Required unless the image file contains it.", {.is_one_for_three = true});
  t("spacing_note", &image_spec::spacing_note,
    "Source of the voxel size, shown in the report; state it if the value is an assumption.");
  t("crop_voxels", &image_spec::crop_voxels,
    "Crop of the image after the steps: half-open ranges [[z0, z1], [y0, y1], [x0, x1]]. Positions in mm refer to the whole "
    "image.");
  t("crop_to_solid", &image_spec::crop_to_solid,
    "Crop the image to the smallest box of the kept solid after the segmentation, as crop_voxels with the ranges of this "
    "box "
    "does; the threshold is that of the whole image. Empty space around the solid then needs neither time nor memory. "
    "Quantities of the box, such as its area, length and solid fraction, refer to the smaller box.");
  t("accept_fill_value", &image_spec::accept_fill_value,
    "Accept HDF5 files with missing chunks; voxels of these chunks have the fill value of the file. Without this key, such "
    "files are rejected.");
  t("coarsen", &image_spec::coarsen,
    "Edge length in voxels of the blocks that are averaged to one voxel, after steps and crop; 1: no coarsening. The size "
    "of the specimen is preserved: blocks contain fractions of voxels if the number of voxels is not a multiple of the edge "
    "length. Used for previews and [uncertainty].",
    {.range = from_to(1, 64, "voxels")});
  t("noise_sd", &image_spec::noise_sd,
    "Standard deviation of noise added to the grey values after coarsening, for [uncertainty]. Default: no noise.",
    {.range = positive("", ", in grey values of the image")});
  t("noise_blur_voxels", &image_spec::noise_blur_voxels,
    "Correlation length of the noise: standard deviation of the Gaussian smoothing in voxels, in [0, 4]; 0: uncorrelated. "
    "The smoothing preserves noise_sd.",
    {.range = from_to(0, 4, "voxels")});
  t("noise_seed", &image_spec::noise_seed, "Seed of the noise. The same seed produces the same noise on all machines.");
  add_step_keys(table
                    .list<spec>(
                        "step",
                        "Operations on the image before the threshold, in the order of the file. Each step holds the whole "
                        "image in memory (docs/reference/images.md). Crops and resampling also apply to the images that are "
                        "registered with the scan.",
                        [](spec& s) -> auto& { return s.image.steps; }, 0, key_use::model)
                    .keys<image_step_spec>());
}

void add_segment_keys(key_table& job) {
  key_table& table = job.table("segment", "Selection of solid voxels.", 20, key_use::model);
  auto t = table.keys_in<segment_spec, spec>(&spec::segment);
  t("threshold", &segment_spec::threshold,
    "Voxels with a larger grey value are solid. Default: threshold from greys, or Otsu's method.", {.word = "otsu"});
  t("upper", &segment_spec::upper, "Voxels with a larger grey value are not solid (metal, markers).");
  t("greys", &segment_spec::greys,
    "Grey values [empty, solid] of empty space and solid. The default threshold then preserves the solid volume implied by "
    "the mean grey value, so that thin struts are kept (docs/reference/images.md#thin-structures).");
  t("labels", &segment_spec::labels, "Image values are labels, one per material, instead of grey values.");
  t("void_labels", &segment_spec::void_labels, "Labels of empty space.");
  t("keep", &segment_spec::keep,
    "Connected parts to keep. largest: the largest part. percolating: all parts that connect both loaded faces "
    "(conductivity_tensor: the faces of any axis; heat_transfer: all parts that touch a face with a condition). all: all "
    "parts. Periodic tests also connect parts through the periodic faces. Default: percolating for physics = \"heat\", "
    "otherwise largest.");
  t("connectivity", &segment_spec::connectivity,
    "Voxel connectivity of `keep`: 6 (faces) or 26 (faces, edges and corners; elasticity only). A part that is connected by "
    "a single edge or corner rotates freely and requires drop_unsupported. The import reports the number of voxels that are "
    "kept only with 26.");
  t("compare_connectivity", &segment_spec::compare_connectivity,
    "Also compute the job with the other connectivity, in the folder connectivity_6 or connectivity_26 of the output, and "
    "report the change of the answers (effect_of_connectivity in summary.json). Doubles the run time if parts are connected "
    "by edges or corners only. Elasticity only.",
    {.use = key_use::files});
  t("drop_unsupported", &segment_spec::drop_unsupported,
    "Remove parts of the solid without support in a load case: disconnected parts, and parts connected only by single nodes "
    "or edges. Without this key, jobs with such parts are rejected. Elasticity only.",
    {.use = key_use::answers, .remedy = "use segment.keep = \"largest\", or remove the key"});
}

void add_material_keys(key_table& job) {
  auto t = job.list<spec>("material", "Material: one for all solid voxels, or one for each label.", &spec::materials, 30)
               .keys<material_spec>();
  t("name", &material_spec::name, "Name in the results.", {.use = key_use::stored});
  t("label", &material_spec::label, "Label of the voxels with this material.", {.use = key_use::model});
  t("youngs_modulus_MPa", &material_spec::youngs_modulus_MPa, "Young's modulus in MPa, > 0.",
    {.range = positive("MPa"), .use = key_use::model});
  t("poisson_ratio", &material_spec::poisson_ratio, "Poisson's ratio, in (-1, 0.5). Required for stresses.",
    {.range = poisson_range(), .use = key_use::model});
  t("conductivity_W_per_mK", &material_spec::conductivity_W_per_mK, "Thermal conductivity in W/(m K), > 0.",
    {.range = positive("W/(m K)"), .use = key_use::model});
  t("density_kg_per_m3", &material_spec::density_kg_per_m3, "Mass density in kg/m3, > 0. Required by gravity_m_per_s2.",
    {.range = positive("kg/m3")});
  t("heat_capacity_J_per_m3K", &material_spec::heat_capacity_J_per_m3K,
    "Volumetric heat capacity (density times specific heat) in J/(m3 K), > 0. Required by [transient].",
    {.range = positive("J/(m3 K)")});
  t("heat_source_W_per_m3", &material_spec::heat_source_W_per_m3,
    "Heat source density in W/m3 (test heat_transfer, or flow.heat).");
  t("thermal_expansion_per_K", &material_spec::thermal_expansion_per_K, "Coefficient of linear thermal expansion in 1/K.",
    {.range = between(-1, 1, "1/K", "; bone has about 2.7e-5")});
}

void add_density_law_keys(key_table& job) {
  auto t =
      job.optional_table<spec>(
             "density_law",
             "Young's modulus as a function of the density rho, which is computed from the grey value. Up to 4096 different "
             "moduli are exact; more moduli are grouped into 4096 classes. `segmentation` in summary.json reports the "
             "largest relative error of a modulus: at most 0.06 % if the moduli span two decades, 0.11 % for four decades.",
             &spec::density_law, 40, key_use::model)
          .keys<density_law_spec>();
  t("slope", &density_law_spec::slope, "Slope of rho = slope * grey + intercept; negative densities are set to 0.");
  t("intercept", &density_law_spec::intercept, "Density at grey value 0.");
  t("calibration", &density_law_spec::calibration,
    "Instead of slope and intercept: points [[grey, density], ...] of a phantom, fitted by a least-squares line.");
  t("from_image", &density_law_spec::from_image,
    "Instead of slope and intercept: use the calibration of the image file (Scanco AIM and ISQ; density in mg HA/cm3).");
  t("law", &density_law_spec::law,
    "Law of the modulus. power: E = coefficient_MPa * rho^exponent. linear: E = a0 + a1 * rho. polynomial: E = a0 + a1 * "
    "rho + a2 * rho^2 ...");
  t("coefficient_MPa", &density_law_spec::coefficient_MPa, "Modulus of the power law at density 1 in MPa.",
    {.range = positive("MPa")});
  t("exponent", &density_law_spec::exponent, "Exponent of the power law.");
  t("coefficients_MPa", &density_law_spec::coefficients_MPa,
    "Coefficients [a0, a1, ...] of the linear or polynomial law in MPa.");
  t("min_modulus_MPa", &density_law_spec::min_modulus_MPa, "Lower limit of the modulus.", {.range = positive("MPa")});
  t("max_modulus_MPa", &density_law_spec::max_modulus_MPa, "Upper limit of the modulus.");
  t("poisson_ratio", &density_law_spec::poisson_ratio, "Poisson's ratio of all voxels, in (-1, 0.5). Required.",
    {.range = poisson_range()});
}

void add_keys_of_moduli(key_table& job) {
  auto t =
      job.optional_table<spec>(
             "modulus_image",
             "Image of Young's modulus with the shape of the scan, instead of [[material]] or [density_law]. The image is "
             "cropped with the scan. [segment] selects the solid voxels; the scan may be the same image. With "
             "[poisson_image], up to 4096 different pairs of E and nu are exact; more pairs are grouped into 4096 classes. "
             "`segmentation` in summary.json reports the largest relative error of E and the largest error of nu.",
             &spec::modulus_image, 50, key_use::model)
          .keys<modulus_image_spec>();
  t("path", &modulus_image_spec::path, "Image file of moduli in MPa, > 0 at solid voxels.");
  t("poisson_ratio", &modulus_image_spec::poisson_ratio,
    "Poisson's ratio of all voxels, in (-1, 0.5). Required without [poisson_image].", {.range = poisson_range()});
  job.optional_table<spec>("poisson_image", "Image of Poisson's ratio; requires [modulus_image].", &spec::poisson_image, 60,
                           key_use::model)
      .keys<poisson_image_spec>()("path", &poisson_image_spec::path,
                                  "Image file of Poisson's ratios, in (-1, 0.5) at solid voxels.");
}

void add_load_keys(key_table& job) {
  key_table& table = job.table("load", "Load of the specimen.", 70);
  auto t = table.keys_in<load_spec, spec>(&spec::load);
  t("test", &load_spec::test, meaning_of_tests(), {.choices = all_tests(), .own_choices = own_tests});
  t("axis", &load_spec::axis, "Direction of the load, heat flow or fluid flow.", {.use = key_use::model});
  table.keys_in<load_spec, spec>(&spec::load, 40)(
      "boundary_condition", &load_spec::boundary_condition,
      "Boundary condition on the outer faces for homogenise, conductivity_tensor, permeability, permeability_tensor and "
      "dispersion. periodic: the image repeats in all directions; solid without a counterpart on the opposite face is free "
      "there; fluid is driven by a uniform gradient. kubc: all nodes of the faces follow the mean strain, an upper bound "
      "(homogenise). uniform: linear temperature on all faces, an upper bound (conductivity_tensor). mirrored: pressure "
      "difference and slip at the sides, equivalent to an image mirrored at its faces (permeability, dispersion). closed: "
      "pressure difference and no-slip walls at the sides, as for a sample in a sleeve (permeability). Default: kubc for "
      "homogenise, otherwise periodic.");
}

void add_compartment_keys(key_table& job) {
  auto t = job.list<spec>("compartment",
                          "Compartment of the image with separate morphometry, in addition to the whole image (`osteon "
                          "morphometry`, output.morphometry; docs/reference/morphometry.md).",
                          &spec::compartments, 90, key_use::files)
               .keys<compartment_spec>();
  t("name", &compartment_spec::name, "Name of the compartment: letters, digits and _.");
  t("kind", &compartment_spec::kind,
    "Measured quantities. trabecular: thickness and separation. cortical: thickness of the compartment with its pores, and "
    "porosity. total: only the volume fraction of the solid and the mean density, which the other kinds also include. "
    "Default: the kind with the name of the region.",
    {.choices = {"trabecular", "cortical", "total"}});
  t("image", &compartment_spec::image, "Label image with the shape of the scan. Default: the scan, with values as labels.");
  t("labels", &compartment_spec::labels, "Labels of the voxels in the compartment.");
}

void add_solve_keys(key_table& job) {
  auto t = job.table("solve", "Solver settings.", 160).keys_in<solve_spec, spec>(&spec::solve);
  t("tolerance", &solve_spec::tolerance,
    "Convergence tolerance: residual relative to the initial residual; default: 1e-6. permeability: relative distance "
    "between the bounds; flow: error estimated with the preconditioner, relative to the answer; default: 1e-4.",
    {.range = between(0, 1, "", ", e.g. 1e-6")});
  t("max_iterations", &solve_spec::max_iterations, "Maximum number of iterations; the solver then stops with exit code 4.",
    {.range = from_to(1, 1e6), .use = key_use::files});
}

void add_uncertainty_keys(key_table& job) {
  auto t = job.optional_table<spec>("uncertainty",
                                    "Uncertainty of the answers from solutions with changed threshold, voxel size or grey "
                                    "values (docs/reference/uncertainty.md). `uncertainty` in summary.json, the printed "
                                    "table and the report contain the change of each answer.",
                                    &spec::uncertainty, 170, key_use::files)
               .keys<uncertainty_spec>();
  t("enabled", &uncertainty_spec::enabled, "Compute the uncertainty.");
  t("threshold_sd", &uncertainty_spec::threshold_sd,
    "Standard deviation of the threshold in grey values; adds solutions with a lower and a higher threshold.",
    {.range = positive("", ", in grey values of the image")});
  t("voxel_size", &uncertainty_spec::voxel_size,
    "Add solutions with two and four times the voxel size, and extrapolate to voxel size zero if the answers converge with "
    "an order from 0.5 to 2.5.");
  t("noise_sd", &uncertainty_spec::noise_sd,
    "Standard deviation of the noise of the grey values; adds solutions with two noise realisations.",
    {.range = positive("", ", in grey values of the image")});
  t("noise_blur_voxels", &uncertainty_spec::noise_blur_voxels,
    "Correlation length of the noise, as image.noise_blur_voxels.", {.range = from_to(0, 4, "voxels")});
}

void add_picture_keys(key_table& job) {
  auto t = job.table("picture", "Picture of the result.", 190, key_use::files).keys_in<picture_spec, spec>(&spec::picture);
  t("enabled", &picture_spec::enabled, "Write a picture.");
  t("width", &picture_spec::width, "Width in pixels.", {.range = from_to(16, 16384, "pixels")});
  t("height", &picture_spec::height, "Height in pixels.", {.range = from_to(16, 16384, "pixels")});
  t("azimuth_deg", &picture_spec::azimuth_deg, "View direction around the z axis in degrees.");
  t("elevation_deg", &picture_spec::elevation_deg, "Elevation of the view above the x-y plane in degrees.");
  t("zoom", &picture_spec::zoom, "Magnification; 1 fits the specimen into the picture.", {.range = positive("")});
  t("method", &picture_spec::method,
    "Rendering method. surface: smoothed opaque surface of the solid, coloured by the field. volume: emission of the field "
    "in the translucent solid. Default: surface for a loaded solid, volume for heat and flow.",
    {.choices = {"volume", "surface"}});
  t("preset", &picture_spec::preset, "Background. screen: dark slate. paper: white, with dark text.",
    {.choices = {"screen", "paper"}});
  t("field", &picture_spec::field,
    "Field to show. Elasticity: default sed, the strain energy density; principal_strain_1 is the largest principal strain. "
    "Flow: speed, temperature (default with flow.heat), residence_time (with flow.residence_time).",
    {.choices = fields_of_all(), .own_choices = own_fields});
  t("colour_map", &picture_spec::colour_map,
    "Colour map of the field. Default: ivory (bone colour to orange and violet) for a surface, inferno for a volume.",
    {.choices = {"batlow", "inferno", "ivory", "lipari", "viridis", "vik"}});
  t("streamlines", &picture_spec::streamlines,
    "Number of streamlines, shown as tubes. Flow: coloured by speed; default 300; 0: emission of the speed instead. Heat: "
    "lines of the heat flux density, which is then written to the results; default 0.",
    {.range = from_to(0, 1e6, "lines")});
  t("pathlines", &picture_spec::pathlines,
    "Number of particles of a transient flow, released uniformly in time at the inflow openings. Their paths are drawn "
    "instead of streamlines and written to pathlines.vtp; 0: none.");
  t("tube_mm", &picture_spec::tube_mm, "Radius of the streamlines in mm, > 0. Default: a third of a voxel.",
    {.range = positive("mm")});
  t("compositing", &picture_spec::compositing,
    "Compositing method (docs/research/compositing.md): auto, a method such as binary-swap, METHOD,TRANSPORT, or a "
    "transport: messages, shared, hybrid. auto selects the standard method for the picture, and the method with the "
    "shortest predicted time for frames. The method does not change the pictures.");
  t("every", &picture_spec::every,
    "Interval of frames in iterations or time steps; 0: no frames. The output directory contains files such as "
    "frame_000012.png (second solve: frame_2_000012.png). The last state of each solve is also a frame. Frames show the "
    "temperature (heat), the speed (transient flow) or only the temperatures (thermo_elasticity).",
    {.range = from_to(0, 1e6, "iterations or steps", "; 0: no frames")});
  t("shows", &picture_spec::shows,
    "Content of the frames of a transient flow. speed: emission of the speed. streamlines: streamlines of the velocity. "
    "cut: line integral convolution on the central layer of voxels. pathlines: paths of the particles of picture.pathlines "
    "over the last eighth of the time. Default: pathlines if picture.pathlines > 0, otherwise speed.",
    {.choices = {"speed", "streamlines", "cut", "pathlines"}});
  t("film", &picture_spec::film,
    "Also write a film of the frames with 12 frames per second: film.png (animated PNG, included in the report), and "
    "film.mp4 if ffmpeg is installed.");
}

void add_output_keys(key_table& job) {
  auto t = job.table("output", "Folder and selection of the results.", 200, key_use::files).keys<spec>();
  t("directory", &spec::output_directory, "Output directory, relative to the working directory; default <name>.out.",
    {.use = key_use::run});
  t("morphometry", &spec::measures_shape,
    "Also measure BV/TV, thickness, connectivity and anisotropy of the solid (flow: of the fluid), as `osteon morphometry` "
    "(docs/reference/morphometry.md). `morphometry` in summary.json, the printed table and the report contain the values.");
}

void add_run_keys(key_table& job) {
  auto t = job.table("run",
                     "Number of processes and threads of `osteon run`. Under mpirun or srun, the launcher sets the number "
                     "of processes and OMP_NUM_THREADS the number of threads.",
                     210, key_use::run)
               .keys_in<run_spec, spec>(&spec::run);
  t("ranks", &run_spec::ranks, "MPI processes; 0: all cores.", {.range = from_to(0, 1e6)});
  t("threads", &run_spec::threads, "OpenMP threads per process.", {.range = from_to(1, 4096)});
  t("decomposition", &run_spec::decomposition,
    "Domain decomposition, balanced by solid voxels. planes: whole z planes. bricks: boxes. auto: planes if there are at "
    "least 16 per rank, otherwise bricks.");
  t("place", &run_spec::place,
    "On several hosts: measure the links between the hosts (once for the same hosts), and assign adjacent subdomains to "
    "ranks with fast links. Results do not change.");
  t("bind", &run_spec::bind,
    "Processor binding of a rank and its threads. auto: binding to cores if the job uses all cores of its hosts, otherwise "
    "to a NUMA node if a host has several, otherwise none. measured: fastest binding in a short measurement.",
    {.choices = {"auto", "none", "core", "l3", "numa", "socket", "measured"}});
}

void add_io_keys(key_table& job) {
  auto t = job.table("io", "Storage of files and access by processes (docs/reference/format.md).", 220, key_use::run)
               .keys_in<io_spec, spec>(&spec::io);
  t("mode", &io_spec::mode,
    "File access mode; file contents are the same in all modes. serial: access by the first rank. aggregated: access by one "
    "rank per host. parallel: access by all ranks. auto: mode selected by file system and number of hosts.",
    {.choices = {"auto", "serial", "aggregated", "parallel"}});
  t("ranks_per_writer", &io_spec::ranks_per_writer, "aggregated: number of ranks of a host per writer; 0: all.",
    {.range = from_to(0, 1e6)});
  t("hints", &io_spec::hints, "MPI-IO hints, for example [\"striping_factor=8\", \"cb_nodes=4\"].");
  t("alignment_bytes", &io_spec::alignment_bytes, "Alignment of large parts of a file, for example a stripe; 0: none.",
    {.range = from_to(0, 2147483647)});
  t("read_back", &io_spec::read_back,
    "Read each result file back and compare its data with the digests before the file is renamed to its final name. This "
    "check detects writes lost by MPI-IO.");
  t("compression", &io_spec::compression,
    "Compression. deflate: readable by all programs. zstd: faster, but readers require the filter of the Python package "
    "hdf5plugin. none: for the fastest disks.",
    {.choices = {"deflate", "zstd", "none"}, .use = key_use::stored});
  t("compression_level", &io_spec::compression_level,
    "deflate: 1 to 9; zstd: 1 to 19. Default: 1; for zstd the fast level -3.", {.use = key_use::stored});
  t("significant_digits", &io_spec::significant_digits,
    "Round fields to 1 to 6 significant decimal digits to reduce file sizes; 0: exact values.",
    {.range = from_to(0, 6), .use = key_use::files});
}

void add_checkpoint_keys(key_table& job) {
  auto t = job.table("checkpoint",
                     "Checkpoints of a running solver. `osteon resume` continues an interrupted job from its checkpoint "
                     "(docs/reference/checkpoint.md). Checkpoints are removed at the end of the job.",
                     230, key_use::run)
               .keys_in<checkpoint_spec, spec>(&spec::checkpoint);
  t("directory", &checkpoint_spec::directory,
    "Checkpoint folder, relative to the working directory. Default: checkpoint in the output directory.");
  t("every_minutes", &checkpoint_spec::every_minutes, "Time between checkpoints; 0: only at SIGTERM or SIGUSR1.",
    {.range = at_least(0, "minutes", "; 0: only at SIGTERM or SIGUSR1")});
}

}  // namespace

void register_core_keys(key_table& job) {
  add_own_keys(job);
  add_image_keys(job);
  add_segment_keys(job);
  add_material_keys(job);
  add_density_law_keys(job);
  add_keys_of_moduli(job);
  add_load_keys(job);
  add_compartment_keys(job);
  add_solve_keys(job);
  add_uncertainty_keys(job);
  add_picture_keys(job);
  add_output_keys(job);
  add_run_keys(job);
  add_io_keys(job);
  add_checkpoint_keys(job);
}

}  // namespace osteon::job
