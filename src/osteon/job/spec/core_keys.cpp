#include <fmt/format.h>

#include <algorithm>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/key_entry.hpp>

namespace osteon::job {

namespace {

// All tests, each of the first physics that has it.
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

// Fields that pictures show, each once.
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
  std::string text, left_out;
  for (const load_test* test : tests_of_all()) text += test->name + ": " + test->meaning + ". ";
  for (const physics_entry* p : all_physics())
    if (*p->usual_test)
      left_out += left_out.empty() ? p->usual_test : fmt::format("; in a job of {} {}", p->name, p->usual_test);
  return text + "Left out: " + left_out + ".";
}

key_range poisson_range() { return between(-1, 0.5, "", "; 0.3 is usual for bone"); }

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
    "gaussian: blurred by sigma. median: of the cube of radius_voxels. close, open: grey closing and opening by a ball of "
    "radius_voxels; a closing fills gaps between what is bright. resample: to spacing_mm. crop: to voxels. labels: ranges "
    "of greys become labels, for segment.labels. laplace_hamming: fine structures brighter, noise less. local_threshold: "
    "voxels from low to high that are brighter than what is around are raised just above high. hysteresis: so are those "
    "that are connected with voxels above high. segment.threshold = high then keeps them, too.");
  t("sigma_mm", &image_step_spec::sigma_mm, "gaussian: its standard deviation in mm, > 0.",
    {.kinds = {only(image_filter::gaussian)}});
  t("sigma_voxels", &image_step_spec::sigma_voxels, "gaussian: the same in voxels, along each axis, instead of sigma_mm.",
    {.kinds = {only(image_filter::gaussian)}});
  t("radius_voxels", &image_step_spec::radius_voxels,
    "median, close, open: 1 to 16 voxels; local_threshold: half the edge of its window, 2 to 64.",
    {.kinds = {only(image_filter::median, image_filter::close, image_filter::open, image_filter::local_threshold)}});
  t("spacing_mm", &image_step_spec::spacing_mm, "resample: the new edges of a voxel in mm, [z, y, x] or one number.",
    {.is_one_for_three = true, .kinds = {only(image_filter::resample)}});
  t("interpolation", &image_step_spec::interpolation,
    "resample: linear, nearest (labels), or bspline, cubic. To larger voxels, blur before: only the voxels around a centre "
    "count.",
    {.kinds = {only(image_filter::resample)}});
  t("voxels", &image_step_spec::voxels, "crop: [[z0, z1], [y0, y1], [x0, x1]], half open.",
    {.kinds = {only(image_filter::crop)}});
  t("ranges", &image_step_spec::ranges, "labels: [[low, high, label], ...], both ends within; other greys become 0.",
    {.kinds = {only(image_filter::labels)}});
  t("method", &image_step_spec::method,
    "local_threshold: sauvola, phansalkar: by mean and standard deviation of the window, of greys from 0 to 1 over their "
    "range. bernsen: the middle between its darkest and brightest voxel.",
    {.kinds = {only(image_filter::local_threshold)}});
  t("weight", &image_step_spec::weight,
    "local_threshold, sauvola and phansalkar: k, how much the deviation counts; left out: 0.2, 0.25.",
    {.range = {.low = 0, .high = 1, .is_above = true},
     .kinds = {only(image_filter::local_threshold), only(threshold_method::sauvola, threshold_method::phansalkar)}});
  t("contrast", &image_step_spec::contrast,
    "local_threshold, bernsen: windows whose greys differ by less are what their middle is, above or below Otsu's "
    "threshold.",
    {.kinds = {only(image_filter::local_threshold), only(threshold_method::bernsen)}});
  t("low", &image_step_spec::low, "local_threshold, hysteresis: what is not above stays as it is.",
    {.kinds = {only(image_filter::local_threshold, image_filter::hysteresis)}});
  t("high", &image_step_spec::high,
    "local_threshold, hysteresis: what is above is solid whatever is around it; the threshold of [segment].",
    {.kinds = {only(image_filter::local_threshold, image_filter::hysteresis)}});
  t("epsilon", &image_step_spec::epsilon, "laplace_hamming: share of the Laplacian, in [0, 1]; left out: 0.45.",
    {.range = from_to(0, 1), .kinds = {only(image_filter::laplace_hamming)}});
  t("cutoff", &image_step_spec::cutoff,
    "laplace_hamming: cycles a voxel at which the filter reaches 0, in (0, 0.5]; left out: 0.3.",
    {.range = {.low = 0, .high = 0.5, .is_above = true, .unit = "cycles a voxel"},
     .kinds = {only(image_filter::laplace_hamming)}});
}

void add_image_keys(key_table& job) {
  key_table& table = job.table("image", "The scan.", 10, key_use::model);
  auto t = table.keys_in<image_spec, spec>(&spec::image);
  t("path", &image_spec::path,
    "Image file, folder of slices or pattern such as slices/*.png, relative to the job file: TIFF, DICOM, NIfTI, NRRD, "
    "MetaImage, PNG, BMP, Scanco AIM and ISQ, InVesalius, npy, npz, HDF5, OME-Zarr, FreeSurfer mgz, DICOM segmentations, "
    "raw with a header (docs/images.md).");
  t("spacing_mm", &image_spec::spacing_mm,
    "Edge lengths of a voxel in mm, [z, y, x] or one number. May be left out only if the image itself states them.",
    {.is_one_for_three = true});
  t("spacing_note", &image_spec::spacing_note,
    "Where the spacing comes from; repeated in the report. Say so if it is an assumption.");
  t("crop_voxels", &image_spec::crop_voxels,
    "Part of the image to use: [[z0, z1], [y0, y1], [x0, x1]], half open, counted after the steps. Positions in mm remain "
    "those of the whole image.");
  t("accept_fill_value", &image_spec::accept_fill_value,
    "HDF5: voxels of chunks that the file lacks have the fill value that it states. Otherwise such a file is rejected.");
  t("coarsen", &image_spec::coarsen,
    "Edge of the blocks whose mean becomes one voxel, counted in voxels of the image after steps and crop; 1: as it is. "
    "The specimen keeps its size: where the number of voxels is no multiple, a block takes parts of voxels. For a quick "
    "look at a job, and for [uncertainty].",
    {.range = from_to(1, 64, "voxels")});
  t("noise_sd", &image_spec::noise_sd,
    "Standard deviation of a noise that is added to the grey values after coarsening, for [uncertainty]. Left out: none.",
    {.range = positive("", ", in grey values of the image")});
  t("noise_blur_voxels", &image_spec::noise_blur_voxels,
    "The noise is blurred by a Gaussian of this standard deviation in voxels, [0, 4], and keeps noise_sd; 0: it differs "
    "from voxel to voxel.",
    {.range = from_to(0, 4, "voxels")});
  t("noise_seed", &image_spec::noise_seed, "Which noise: another number, another noise; the same on all machines.");
  add_step_keys(
      table
          .list<spec>(
              "step",
              "What is done to the image before the threshold, in the order of the file. Each step holds the whole image in "
              "memory (docs/images.md). A crop and a resampling are done to the images that are laid over the scan, too.",
              [](spec& s) -> auto& { return s.image.steps; }, 0, key_use::model)
          .keys<image_step_spec>());
}

void add_segment_keys(key_table& job) {
  key_table& table = job.table("segment", "Which voxels are solid.", 20, key_use::model);
  auto t = table.keys_in<segment_spec, spec>(&spec::segment);
  t("threshold", &segment_spec::threshold,
    "Voxels with a grey value above this are solid. Left out: that of greys, or by Otsu's method.", {.word = "otsu"});
  t("upper", &segment_spec::upper, "Voxels with a grey value above this are not solid (metal, markers).");
  t("greys", &segment_spec::greys,
    "[empty, solid]: grey values of empty space and of solid. The threshold, where it is left out, then is the one above "
    "which "
    "lies as much solid as the mean of the grey values implies, so that thin struts are kept. "
    "docs/images.md#thin-structures.");
  t("labels", &segment_spec::labels, "The image holds labels, one per material, instead of grey values.");
  t("void_labels", &segment_spec::void_labels, "Labels that are empty space.");
  t("keep", &segment_spec::keep,
    "Connected parts that are kept. largest: the largest part. percolating: all parts that join both loaded faces "
    "(conductivity_tensor: the faces of any axis; heat_transfer: all parts that touch a face with a condition). all: "
    "every part. Default: percolating for physics = \"heat\", otherwise largest. Periodic tests also connect parts "
    "through the periodic faces.");
  t("connectivity", &segment_spec::connectivity,
    "By what voxels are connected, for keep: 6, their faces; 26, also their edges and corners, as elasticity only can "
    "have "
    "it: a part that is connected by one edge or corner only turns freely, and needs drop_unsupported. The import reports "
    "the voxels that 6 drops and 26 would keep.");
  t("compare_connectivity", &segment_spec::compare_connectivity,
    "When the job is done, compute it again with the other connectivity, 26 instead of 6 or 6 instead of 26, into the "
    "folder connectivity_26 or connectivity_6 of the output, and tell by how much the answers change: "
    "effect_of_connectivity in summary.json. Takes the time of a second job, unless no part is connected by edges or "
    "corners only. Parts that turn freely about an edge carry no load and are dropped. Elasticity only.",
    {.use = key_use::files});
  t("drop_unsupported", &segment_spec::drop_unsupported,
    "Drop the kept parts that no support of a load case holds (islands, and parts that hang on others by single nodes or "
    "edges). Otherwise they are refused. Elasticity only.",
    {.use = key_use::answers});
}

void add_material_keys(key_table& job) {
  auto t =
      job.list<spec>("material", "A material. Give one for all solid voxels, or one for each label.", &spec::materials, 30)
          .keys<material_spec>();
  t("name", &material_spec::name, "Name shown in the results.", {.use = key_use::stored});
  t("label", &material_spec::label, "Voxels of the image with this label have this material.", {.use = key_use::model});
  t("youngs_modulus_MPa", &material_spec::youngs_modulus_MPa, "Young's modulus in MPa, > 0.",
    {.range = positive("MPa"), .use = key_use::model});
  t("poisson_ratio", &material_spec::poisson_ratio, "Poisson's ratio, in (-1, 0.5). Needed where stresses are computed.",
    {.range = poisson_range(), .use = key_use::model});
  t("conductivity_W_per_mK", &material_spec::conductivity_W_per_mK, "Thermal conductivity in W/(m K), > 0.",
    {.range = positive("W/(m K)"), .use = key_use::model});
  t("density_kg_per_m3", &material_spec::density_kg_per_m3, "Mass density in kg/m3, > 0; needed for gravity_m_per_s2 only.",
    {.range = positive("kg/m3")});
  t("heat_capacity_J_per_m3K", &material_spec::heat_capacity_J_per_m3K,
    "Density times specific heat in J/(m3 K), > 0; needed by [transient].", {.range = positive("J/(m3 K)")});
  t("heat_source_W_per_m3", &material_spec::heat_source_W_per_m3,
    "Heat made in this material in W/m3 (test heat_transfer, or flow.heat).");
  t("thermal_expansion_per_K", &material_spec::thermal_expansion_per_K, "Coefficient of linear thermal expansion in 1/K.",
    {.range = between(-1, 1, "1/K", "; bone has about 2.7e-5")});
}

void add_density_law_keys(key_table& job) {
  auto t =
      job.optional_table<spec>(
             "density_law",
             "Modulus from grey values by way of the density rho. Up to 4096 different moduli are exact; "
             "more are sorted into 4096 classes, and `segmentation` in summary.json tells the largest relative error of "
             "a modulus by that (at most 0.06 % if the moduli span two decades, 0.11 % for four).",
             &spec::density_law, 40, key_use::model)
          .keys<density_law_spec>();
  t("slope", &density_law_spec::slope, "rho = slope * grey + intercept; densities below 0 count as 0.");
  t("intercept", &density_law_spec::intercept, "Density at grey value 0.");
  t("calibration", &density_law_spec::calibration,
    "Instead of slope and intercept: points [[grey, density], ...] of a phantom; the line with the least "
    "sum of squares is taken through them.");
  t("from_image", &density_law_spec::from_image,
    "Instead of slope and intercept: the calibration that the image states, as Scanco's AIM and ISQ do "
    "(density in mg HA/cm3).");
  t("law", &density_law_spec::law,
    "power: E = coefficient_MPa * rho^exponent; linear: E = a0 + a1 * rho; polynomial: E = a0 + a1 * rho "
    "+ a2 * rho^2 ...");
  t("coefficient_MPa", &density_law_spec::coefficient_MPa, "Modulus in MPa at density 1, of the power law.",
    {.range = positive("MPa")});
  t("exponent", &density_law_spec::exponent, "Exponent of the power law.");
  t("coefficients_MPa", &density_law_spec::coefficients_MPa, "[a0, a1, ...] of the linear law or the polynomial.");
  t("min_modulus_MPa", &density_law_spec::min_modulus_MPa, "Smaller moduli are raised to this.", {.range = positive("MPa")});
  t("max_modulus_MPa", &density_law_spec::max_modulus_MPa, "Larger moduli are lowered to this.");
  t("poisson_ratio", &density_law_spec::poisson_ratio, "Poisson's ratio of all voxels, in (-1, 0.5). Needed.",
    {.range = poisson_range()});
}

void add_keys_of_moduli(key_table& job) {
  auto t =
      job.optional_table<spec>(
             "modulus_image",
             "Young's modulus voxel by voxel, instead of [[material]] or [density_law]: an image of the shape of the "
             "scan, cropped with it. Which voxels are solid is still told by [segment]; the scan may be the same image. "
             "With [poisson_image], up to 4096 different pairs are exact; more are sorted into 4096 classes, and "
             "`segmentation` in summary.json tells the largest errors of E (relative) and nu by that.",
             &spec::modulus_image, 50, key_use::model)
          .keys<modulus_image_spec>();
  t("path", &modulus_image_spec::path, "Image file of moduli in MPa, > 0 at solid voxels.");
  t("poisson_ratio", &modulus_image_spec::poisson_ratio,
    "Poisson's ratio of all voxels, in (-1, 0.5). Needed if there is no [poisson_image].", {.range = poisson_range()});
  job.optional_table<spec>("poisson_image", "Poisson's ratio voxel by voxel; goes with [modulus_image].",
                           &spec::poisson_image, 60, key_use::model)
      .keys<poisson_image_spec>()("path", &poisson_image_spec::path,
                                  "Image file of Poisson's ratios, in (-1, 0.5) at solid voxels.");
}

void add_load_keys(key_table& job) {
  key_table& table = job.table("load", "The load of the specimen.", 70);
  auto t = table.keys_in<load_spec, spec>(&spec::load);
  t("test", &load_spec::test, meaning_of_tests(), {.choices = all_tests(), .own_choices = own_tests});
  t("axis", &load_spec::axis, "Direction of the load, of the heat flow or of the fluid.", {.use = key_use::model});
  table.keys_in<load_spec, spec>(&spec::load, 40)(
      "boundary_condition", &load_spec::boundary_condition,
      "What is done to the outer faces by homogenise and conductivity_tensor. periodic: the image repeats itself, and solid "
      "on a face without a partner on the opposite face is free there; conductivity_tensor uses it if this is left out. "
      "kubc: all their nodes move with the mean strain, an upper bound; homogenise uses it if this is left out. uniform: a "
      "linear temperature on all faces, an upper bound; of conductivity_tensor. Of permeability and permeability_tensor: "
      "periodic, used if this is left out: the fluid is driven by a uniform gradient through the repeating image; mirrored: "
      "a pressure at the two faces of the direction, sides along which it slips, which is what an image mirrored at its "
      "faces does; closed: a pressure at the two faces, sides that are walls, as of a sample in a sleeve. Of dispersion: "
      "periodic or mirrored, as of permeability.");
}

void add_compartment_keys(key_table& job) {
  auto t = job.list<spec>("compartment",
                          "A part of the image whose shape is measured by itself, beside all of it: osteon morphometry, "
                          "output.morphometry. "
                          "docs/morphometry.md.",
                          &spec::compartments, 90, key_use::files)
               .keys<compartment_spec>();
  t("name", &compartment_spec::name, "Name of the part: letters, digits and _.");
  t("kind", &compartment_spec::kind,
    "What is measured in it; left out: what the name says. trabecular: thickness and separation. cortical: thickness "
    "of the part with its pores, and their share. total: share of the solid and mean density, as of the others.",
    {.choices = {"trabecular", "cortical", "total"}});
  t("image", &compartment_spec::image,
    "Label image of the shape of the scan; left out: the scan itself, whose values are labels.");
  t("labels", &compartment_spec::labels, "Its voxels are those of these labels.");
}

void add_solve_keys(key_table& job) {
  auto t = job.table("solve", "How exactly.", 160).keys_in<solve_spec, spec>(&spec::solve);
  t("tolerance", &solve_spec::tolerance,
    "Residual relative to the initial one at which the solver stops; left out: 1e-6. Of permeability: how far its bounds "
    "may be "
    "apart; of flow: the error that the preconditioner sees, relative to the answer; left out: 1e-4.",
    {.range = between(0, 1, "", ", e.g. 1e-6")});
  t("max_iterations", &solve_spec::max_iterations, "The solver gives up after this many iterations (exit code 4).",
    {.range = from_to(1, 1e6), .use = key_use::files});
}

void add_uncertainty_keys(key_table& job) {
  auto t = job.optional_table<spec>("uncertainty",
                                    "Uncertainty of the answers: the job is solved again with the threshold, the voxels or "
                                    "the grey values changed; `uncertainty` in summary.json, the table on the terminal and "
                                    "the report state the change of each answer. "
                                    "docs/uncertainty.md.",
                                    &spec::uncertainty, 170, key_use::files)
               .keys<uncertainty_spec>();
  t("enabled", &uncertainty_spec::enabled, "Solve again.");
  t("threshold_sd", &uncertainty_spec::threshold_sd,
    "Standard deviation of the threshold in grey values: solved again with a threshold lower and higher by it.",
    {.range = positive("", ", in grey values of the image")});
  t("voxel_size", &uncertainty_spec::voxel_size,
    "Solve again with voxels of twice and four times the edge, and extrapolate to voxels of none where the answers "
    "converge with an order from 0.5 to 2.5.");
  t("noise_sd", &uncertainty_spec::noise_sd,
    "Standard deviation of the noise of the grey values: solved again with two such noises added to the image.",
    {.range = positive("", ", in grey values of the image")});
  t("noise_blur_voxels", &uncertainty_spec::noise_blur_voxels,
    "As image.noise_blur_voxels: how far the noise of voxels is alike.", {.range = from_to(0, 4, "voxels")});
}

void add_picture_keys(key_table& job) {
  auto t = job.table("picture", "The picture.", 190, key_use::files).keys_in<picture_spec, spec>(&spec::picture);
  t("enabled", &picture_spec::enabled, "Make a picture.");
  t("width", &picture_spec::width, "Width in pixels.", {.range = from_to(16, 16384, "pixels")});
  t("height", &picture_spec::height, "Height in pixels.", {.range = from_to(16, 16384, "pixels")});
  t("azimuth_deg", &picture_spec::azimuth_deg, "Direction of view around the z axis, in degrees.");
  t("elevation_deg", &picture_spec::elevation_deg, "Height of the view above the x-y plane, in degrees.");
  t("zoom", &picture_spec::zoom, "1 fits the specimen into the picture.", {.range = positive("")});
  t("method", &picture_spec::method,
    "surface: the solid's surface, smoothed and opaque, in the field's colours. volume: the field glows in the "
    "translucent "
    "solid. Left out: surface of a solid that is loaded, volume of heat and flow.",
    {.choices = {"volume", "surface"}});
  t("preset", &picture_spec::preset, "screen: on dark slate. paper: on white, with dark text.",
    {.choices = {"screen", "paper"}});
  t("field", &picture_spec::field,
    "What is shown of an elasticity result; left out: sed, the strain energy density. "
    "principal_strain_1 is the largest principal strain. Of a flow: speed, temperature (shown with flow.heat if this is "
    "left out), residence_time (with flow.residence_time).",
    {.choices = fields_of_all(), .own_choices = own_fields});
  t("colour_map", &picture_spec::colour_map,
    "Colour map of the field; left out: ivory of a surface, from the colour of bone over orange to violet, inferno of a "
    "volume.",
    {.choices = {"batlow", "inferno", "ivory", "lipari", "viridis", "vik"}});
  t("streamlines", &picture_spec::streamlines,
    "So many lines of the velocity of a flow, as tubes in the colours of its speed; left out: 300; 0: the speed glows "
    "instead. Of heat: lines of the heat flux density, whose vectors then are among the results; left out: 0.",
    {.range = from_to(0, 1e6, "lines")});
  t("pathlines", &picture_spec::pathlines,
    "Of a flow in time: so many particles, let go evenly over the time in the openings by which the fluid comes in, drift "
    "with it; their paths are drawn instead of streamlines, and written as pathlines.vtp; 0: none.");
  t("tube_mm", &picture_spec::tube_mm, "Radius of the streamlines in mm, > 0; left out: a third of a voxel.",
    {.range = positive("mm")});
  t("compositing", &picture_spec::compositing,
    "How the images of several ranks become one: auto (the usual method for the picture; for frames what the model of the "
    "measured machine says), a method such as binary-swap, METHOD,TRANSPORT, or a transport: messages, shared, hybrid. "
    "docs/compositing.md. The picture is the same.");
  t("every", &picture_spec::every,
    "Also draw the solution after every so many iterations, or steps of a problem in time, and at the end of each solve: "
    "frame_000012.png (of the second solve, frame_2_000012.png) in the results' folder; 0: do not. Heat shows the "
    "temperature, a flow in time the speed; of thermo_elasticity only the temperatures are drawn.",
    {.range = from_to(0, 1e6, "iterations or steps", "; 0: no frames")});
  t("shows", &picture_spec::shows,
    "What the frames of a flow in time show: speed, a glow in the fluid; streamlines; cut, a layer of voxels through the "
    "middle by line integral convolution; pathlines, where the particles of picture.pathlines come from, for an eighth of "
    "the time. Left out: pathlines if there are any, else the speed.",
    {.choices = {"speed", "streamlines", "cut", "pathlines"}});
  t("film", &picture_spec::film,
    "Also make a film of the frames, 12 a second, of which the last is the end of the solve: film.png, an animated PNG "
    "that "
    "browsers play, in the report, too; and film.mp4 if ffmpeg is installed.");
}

void add_output_keys(key_table& job) {
  auto t = job.table("output", "Folder and selection of the results.", 200, key_use::files).keys<spec>();
  t("directory", &spec::output_directory, "Folder for the results, relative to the working directory; default <name>.out.",
    {.use = key_use::run});
  t("morphometry", &spec::measures_shape,
    "Also measure the shape of the solid (of a flow: of the fluid): BV/TV, thickness, connectivity, anisotropy ..., as "
    "osteon morphometry does, into morphometry of summary.json, the table and the report. docs/morphometry.md.");
}

void add_run_keys(key_table& job) {
  auto t =
      job.table(
             "run",
             "How many processes and threads `osteon run` starts. Under mpirun or srun those decide on the processes, and "
             "OMP_NUM_THREADS on the threads.",
             210, key_use::run)
          .keys_in<run_spec, spec>(&spec::run);
  t("ranks", &run_spec::ranks, "MPI processes; 0 takes all cores.", {.range = from_to(0, 1e6)});
  t("threads", &run_spec::threads, "OpenMP threads of each process.", {.range = from_to(1, 4096)});
  t("decomposition", &run_spec::decomposition,
    "What part of the image a rank gets. planes: whole z planes; bricks: boxes; both are balanced by solid voxels. "
    "auto: planes if there are 16 or more for each rank, otherwise bricks.");
  t("place", &run_spec::place,
    "On several hosts: measure the links between them, once for the same hosts, and give parts that touch to ranks "
    "that are close. Results do not change.");
  t("bind", &run_spec::bind,
    "What a rank is bound to. auto: with its threads to cores, if the job fills its hosts; else to its memory (NUMA "
    "node), where there are several; else to nothing, as others may be there. measured: each is tried for a moment.",
    {.choices = {"auto", "none", "core", "l3", "numa", "socket", "measured"}});
}

void add_io_keys(key_table& job) {
  auto t = job.table("io", "How files are stored, and which processes read and write them; docs/format.md has the details.",
                     220, key_use::run)
               .keys_in<io_spec, spec>(&spec::io);
  t("mode", &io_spec::mode,
    "serial: the first rank alone; aggregated: one rank of each host; parallel: all ranks. Values and digests in the "
    "file "
    "are the same. auto: by the file system and the number of hosts.",
    {.choices = {"auto", "serial", "aggregated", "parallel"}});
  t("ranks_per_writer", &io_spec::ranks_per_writer, "aggregated: so many ranks of a host share a writer; 0: all of them.",
    {.range = from_to(0, 1e6)});
  t("hints", &io_spec::hints, "Hints for MPI-IO, e.g. [\"striping_factor=8\", \"cb_nodes=4\"].");
  t("alignment_bytes", &io_spec::alignment_bytes,
    "Large parts of a file begin at multiples of this, e.g. a stripe; 0: anywhere.", {.range = from_to(0, 2147483647)});
  t("read_back", &io_spec::read_back,
    "Read results back and compare them with their digests before they get their name: MPI-IO can lose a write.");
  t("compression", &io_spec::compression,
    "deflate: every program can read it. zstd: faster, but readers need the filter of the Python package hdf5plugin. "
    "none: for the fastest disks.",
    {.choices = {"deflate", "zstd", "none"}, .use = key_use::stored});
  t("compression_level", &io_spec::compression_level,
    "deflate: 1 to 9; zstd: 1 to 19. Left out: 1, with zstd its fast level -3.", {.use = key_use::stored});
  t("significant_digits", &io_spec::significant_digits,
    "Round fields to so many decimal digits, 1 to 6, which makes files smaller; 0: exact.",
    {.range = from_to(0, 6), .use = key_use::files});
}

void add_checkpoint_keys(key_table& job) {
  auto t =
      job.table("checkpoint",
                "The state of a running solver on disk, so that `osteon resume` can go on after the program was ended; see "
                "checkpoint.md. It is removed when the job is done.",
                230, key_use::run)
          .keys_in<checkpoint_spec, spec>(&spec::checkpoint);
  t("directory", &checkpoint_spec::directory,
    "Folder for the checkpoints, relative to the working directory; default: checkpoint in the output directory.");
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
