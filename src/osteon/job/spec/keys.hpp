#pragma once
/// @file
/// Every key of a job file, once: its name, its place in `spec` and what it means. The reader, the JSON Schema and the
/// checks for unknown keys are visitors of this description, so they cannot disagree.
#include <osteon/job/elasticity/load_keys.hpp>
#include <osteon/job/heat/heat_keys.hpp>
#include <osteon/job/physics.hpp>
#include <osteon/job/probes/probe_keys.hpp>
#include <osteon/job/spec.hpp>

namespace osteon::job {

template <class Visitor>
void describe_image_step(Visitor& t, image_step_spec& p) {
  t("kind", p.kind,
    "gaussian: blurred by sigma. median: of the cube of radius_voxels. close, open: grey closing and opening by a ball of "
    "radius_voxels; a closing fills gaps between what is bright. resample: to spacing_mm. crop: to voxels. labels: ranges "
    "of greys become labels, for segment.labels. laplace_hamming: fine structures brighter, noise less. local_threshold: "
    "voxels from low to high that are brighter than what is around are raised just above high. hysteresis: so are those "
    "that "
    "hang together with voxels above high. segment.threshold = high then keeps them, too.",
    {"gaussian", "median", "close", "open", "resample", "crop", "labels", "laplace_hamming", "local_threshold",
     "hysteresis"});
  t("sigma_mm", p.sigma_mm, "gaussian: its standard deviation in mm, > 0.");
  t("sigma_voxels", p.sigma_voxels, "gaussian: the same in voxels, along each axis, instead of sigma_mm.");
  t("radius_voxels", p.radius_voxels,
    "median, close, open: 1 to 16 voxels; local_threshold: half the edge of its window, 2 to 64.");
  t("spacing_mm", p.spacing_mm, "resample: the new edges of a voxel in mm, [z, y, x] or one number.");
  t("interpolation", p.interpolation,
    "resample: linear, nearest (labels), or bspline, cubic. To larger voxels, blur before: only the voxels around a centre "
    "count.",
    {"linear", "nearest", "bspline"});
  t("voxels", p.voxels, "crop: [[z0, z1], [y0, y1], [x0, x1]], half open.");
  t("ranges", p.ranges, "labels: [[low, high, label], ...], both ends within; other greys become 0.");
  t("method", p.method,
    "local_threshold: sauvola, phansalkar: by mean and standard deviation of the window, of greys from 0 to 1 over their "
    "range. bernsen: the middle between its darkest and brightest voxel.",
    {"sauvola", "phansalkar", "bernsen"});
  t("weight", p.weight, "local_threshold, sauvola and phansalkar: k, how much the deviation counts; left out: 0.2, 0.25.");
  t("contrast", p.contrast,
    "local_threshold, bernsen: windows whose greys differ by less are what their middle is, above or below Otsu's "
    "threshold.");
  t("low", p.low, "local_threshold, hysteresis: what is not above stays as it is.");
  t("high", p.high,
    "local_threshold, hysteresis: what is above is solid whatever is around it; the threshold of [segment].");
  t("epsilon", p.epsilon, "laplace_hamming: share of the Laplacian, in [0, 1]; left out: 0.45.");
  t("cutoff", p.cutoff, "laplace_hamming: cycles a voxel from which on nothing is left, in (0, 0.5]; left out: 0.3.");
}

/// Call `v(key, field, doc)` for every key. Visitors also have `v.table(name, doc, f)`, `v.optional_table(name, field, doc,
/// f)` and `v.list(name, field, doc, f)` for tables, optional tables and arrays of tables.
template <class Visitor>
void describe(Visitor& v, spec& s) {
  v("name", s.name, "Name of the job; the default output directory is <name>.out.");
  std::vector<std::string> names;
  std::string meanings;
  for (const physics_entry* p : all_physics()) {
    names.emplace_back(p->name);
    meanings += (meanings.empty() ? "" : "; ") + names.back() + ": " + p->meaning;
  }
  v("physics", s.physics, (meanings + ".").c_str(), names);
  v.table("image", "The scan.", [&](auto& t) {
    image_spec& i = s.image;
    t("path", i.path,
      "Image file, folder of slices or pattern such as slices/*.png, relative to the job file: TIFF, DICOM, NIfTI, NRRD, "
      "MetaImage, PNG, BMP, Scanco AIM and ISQ, InVesalius, npy, npz, HDF5, OME-Zarr, FreeSurfer mgz, DICOM segmentations, "
      "raw with a header (docs/images.md).");
    t("spacing_mm", i.spacing_mm,
      "Edge lengths of a voxel in mm, [z, y, x] or one number. May be left out only if the image itself states them.");
    t("spacing_note", i.spacing_note,
      "Where the spacing comes from; repeated in the report. Say so if it is an assumption.");
    t("crop_voxels", i.crop_voxels,
      "Part of the image to use: [[z0, z1], [y0, y1], [x0, x1]], half open, counted after the steps. Positions in mm remain "
      "those of the whole image.");
    t("accept_fill_value", i.accept_fill_value,
      "HDF5: voxels of chunks that the file lacks have the fill value that it states. Otherwise such a file is rejected.");
    t("coarsen", i.coarsen,
      "Edge of the blocks whose mean becomes one voxel, counted in voxels of the image after steps and crop; 1: as it is. "
      "The specimen keeps its size: where the number of voxels is no multiple, a block takes parts of voxels. For a quick "
      "look at a job, and for [uncertainty].");
    t("noise_sd", i.noise_sd,
      "Standard deviation of a noise that is added to the grey values after coarsening, for [uncertainty]. Left out: none.");
    t("noise_blur_voxels", i.noise_blur_voxels,
      "The noise is blurred by a Gaussian of this standard deviation in voxels, [0, 4], and keeps noise_sd; 0: it differs "
      "from voxel to voxel.");
    t("noise_seed", i.noise_seed, "Which noise: another number, another noise; the same on all machines.");
    t.list("step", i.steps,
           "What is done to the image before the threshold, in the order of the file. Each step holds the whole image in "
           "memory (docs/images.md). A crop and a resampling are done to the images that are laid over the scan, too.",
           [](auto& u, image_step_spec& p) { describe_image_step(u, p); });
  });
  v.table("segment", "Which voxels are solid.", [&](auto& t) {
    segment_spec& g = s.segment;
    t("threshold", g.threshold,
      "Voxels with a grey value above this are solid. Left out: that of greys, or by Otsu's method.");
    t("upper", g.upper, "Voxels with a grey value above this are not solid (metal, markers).");
    t("greys", g.greys,
      "[empty, solid]: grey values of empty space and of solid. The threshold, where it is left out, then is the one above "
      "which "
      "lies as much solid as the grey values tell, so that thin struts are not lost. docs/images.md#thin-structures.");
    t("labels", g.labels, "The image holds labels, one per material, instead of grey values.");
    t("void_labels", g.void_labels, "Labels that are empty space.");
    t("keep", g.keep,
      "Connected parts that are kept. largest: the largest part. percolating: all parts that join both loaded faces "
      "(conductivity_tensor: the faces of any axis; heat_transfer: all parts that touch a face with a condition). all: "
      "every part. Default: percolating for physics = \"heat\", otherwise largest. Periodic tests also connect parts "
      "through the periodic faces.",
      {"largest", "percolating", "all"});
    t("connectivity", g.connectivity,
      "By what voxels are connected, for keep: 6, their faces; 26, also their edges and corners, as elasticity only can "
      "have "
      "it: a part that hangs on one edge or corner turns freely, and needs drop_unsupported. What 6 drops and 26 would keep "
      "is told when the image is imported.");
    t("compare_connectivity", g.compare_connectivity,
      "When the job is done, compute it again with the other connectivity, 26 instead of 6 or 6 instead of 26, into the "
      "folder connectivity_26 or connectivity_6 of the output, and tell by how much the answers change: "
      "effect_of_connectivity in summary.json. Takes the time of a second job, unless nothing hangs by edges or corners. "
      "What turns freely about an edge bears nothing and is dropped. Elasticity only.");
    t("drop_unsupported", g.drop_unsupported,
      "Drop the kept parts that no support of a load case holds (islands, and parts that hang on others by single nodes or "
      "edges). Otherwise they are refused. Elasticity only.");
  });
  v.list("material", s.materials, "A material. Give one for all solid voxels, or one for each label.",
         [](auto& t, material_spec& m) {
           t("name", m.name, "Name shown in the results.");
           t("label", m.label, "Voxels of the image with this label have this material.");
           t("youngs_modulus_MPa", m.youngs_modulus_MPa, "Young's modulus in MPa, > 0.");
           t("poisson_ratio", m.poisson_ratio, "Poisson's ratio, in (-1, 0.5). Needed where stresses are computed.");
           t("conductivity_W_per_mK", m.conductivity_W_per_mK, "Thermal conductivity in W/(m K), > 0.");
           t("density_kg_per_m3", m.density_kg_per_m3, "Mass density in kg/m3, > 0; needed for gravity_m_per_s2 only.");
           t("heat_capacity_J_per_m3K", m.heat_capacity_J_per_m3K,
             "Density times specific heat in J/(m3 K), > 0; needed by [transient].");
           t("heat_source_W_per_m3", m.heat_source_W_per_m3,
             "Heat made in this material in W/m3 (test heat_transfer, or flow.heat).");
           t("thermal_expansion_per_K", m.thermal_expansion_per_K, "Coefficient of linear thermal expansion in 1/K.");
         });
  v.optional_table(
      "density_law", s.density_law,
      "Modulus from grey values by way of the density rho. Up to 4096 different moduli are exact; "
      "more are sorted into 4096 classes, and `segmentation` in summary.json tells the largest relative error of "
      "a modulus by that (at most 0.06 % if the moduli span two decades, 0.11 % for four).",
      [](auto& t, density_law_spec& d) {
        t("slope", d.slope, "rho = slope * grey + intercept; densities below 0 count as 0.");
        t("intercept", d.intercept, "Density at grey value 0.");
        t("calibration", d.calibration,
          "Instead of slope and intercept: points [[grey, density], ...] of a phantom; the line with the least "
          "sum of squares is taken through them.");
        t("from_image", d.from_image,
          "Instead of slope and intercept: the calibration that the image states, as Scanco's AIM and ISQ do "
          "(density in mg HA/cm3).");
        t("law", d.law,
          "power: E = coefficient_MPa * rho^exponent; linear: E = a0 + a1 * rho; polynomial: E = a0 + a1 * rho "
          "+ a2 * rho^2 ...",
          {"power", "linear", "polynomial"});
        t("coefficient_MPa", d.coefficient_MPa, "Modulus in MPa at density 1, of the power law.");
        t("exponent", d.exponent, "Exponent of the power law.");
        t("coefficients_MPa", d.coefficients_MPa, "[a0, a1, ...] of the linear law or the polynomial.");
        t("min_modulus_MPa", d.min_modulus_MPa, "Smaller moduli are raised to this.");
        t("max_modulus_MPa", d.max_modulus_MPa, "Larger moduli are lowered to this.");
        t("poisson_ratio", d.poisson_ratio, "Poisson's ratio of all voxels, in (-1, 0.5). Needed.");
      });
  v.optional_table(
      "modulus_image", s.modulus_image,
      "Young's modulus voxel by voxel, instead of [[material]] or [density_law]: an image of the shape of the "
      "scan, cropped with it. Which voxels are solid is still told by [segment]; the scan may be the same image. "
      "With [poisson_image], up to 4096 different pairs are exact; more are sorted into 4096 classes, and "
      "`segmentation` in summary.json tells the largest errors of E (relative) and nu by that.",
      [](auto& t, modulus_image_spec& m) {
        t("path", m.path, "Image file of moduli in MPa, > 0 at solid voxels.");
        t("poisson_ratio", m.poisson_ratio,
          "Poisson's ratio of all voxels, in (-1, 0.5). Needed if there is no [poisson_image].");
      });
  v.optional_table("poisson_image", s.poisson_image, "Poisson's ratio voxel by voxel; goes with [modulus_image].",
                   [](auto& t, poisson_image_spec& p) {
                     t("path", p.path, "Image file of Poisson's ratios, in (-1, 0.5) at solid voxels.");
                   });
  v.table("load", "What is done to the specimen.", [&](auto& t) {
    load_spec& l = s.load;
    t("test", l.test,
      "axial_bonded: both faces of the axis are held by rigid plates, one is driven. uniaxial: the same without friction. "
      "confined: uniaxial with guided sides. shear: the driven plate slides. pure_shear: the faces across axis and "
      "direction slide symmetrically. bending: the faces turn about direction. torsion: the driven face turns about axis. "
      "custom: only [[support]], [[force]] and gravity. conduction: fixed temperatures on the faces. heat_transfer: "
      "what the [[boundary]] tables say. conductivity_tensor: the effective conductivity in all directions. "
      "homogenise: stiffness of the material, from six mean strains. permeability: of the fluid, along the axis; "
      "permeability_tensor: along all. dispersion: of what the fluid carries along the axis. flow: of a fluid, between the "
      "openings that the [[boundary]] tables say. "
      "free_expansion: nothing but the temperatures, in "
      "thermo_elasticity. Left out: custom if "
      "there is a [[support]], else axial_bonded, in a heat job heat_transfer if there is a [[boundary]], else conduction, "
      "in a flow job flow if there is a [[boundary]], else permeability.",
      {"axial_bonded", "uniaxial", "confined", "shear", "pure_shear", "bending", "torsion", "custom", "conduction",
       "heat_transfer", "conductivity_tensor", "homogenise", "permeability", "permeability_tensor", "dispersion", "flow",
       "free_expansion"});
    t("axis", l.axis, "Direction of the load, of the heat flow or of the fluid.", {"z", "y", "x"});
    describe_drive(t, l);
    t("low_K", l.low_K, "Temperature of the low face in K.");
    t("high_K", l.high_K, "Temperature of the high face in K.");
    t("reference_K", l.reference_K, "Temperature in K at which a thermo_elasticity job is free of stress.");
    t("boundary_condition", l.boundary_condition,
      "What is done to the outer faces by homogenise and conductivity_tensor. periodic: the image repeats itself, and solid "
      "on a face without a partner on the opposite face is free there; conductivity_tensor uses it if this is left out. "
      "kubc: all their nodes move with the mean strain, an upper bound; homogenise uses it if this is left out. uniform: a "
      "linear temperature on all faces, an upper bound; of conductivity_tensor. Of permeability and permeability_tensor: "
      "periodic, used if this is left out: the fluid is driven by a uniform gradient through the repeating image; mirrored: "
      "a pressure at the two faces of the direction, sides along which it slips, which is what an image mirrored at its "
      "faces does; closed: a pressure at the two faces, sides that are walls, as of a sample in a sleeve. Of dispersion: "
      "periodic or mirrored, as of permeability.",
      {"periodic", "kubc", "uniform", "mirrored", "closed"});
    t("gradient_K_per_mm", l.gradient_K_per_mm,
      "Mean temperature gradient [z, y, x] of a heat_transfer: periodic faces differ by it, and prescribed temperatures "
      "rise with it from the centre of the image.");
  });
  v.list(
      "set", s.sets,
      "A set of nodes, to be named by on. Entries of the same name are one set, the union of what they select; within makes "
      "an intersection. The faces "
      "of the image are sets already: z_low, z_high, y_low, y_high, x_low, x_high. Positions are in mm, as in the result "
      "file: along the image's axes, from the origin that the image states, else from its low corner; a crop does not "
      "move them.",
      [](auto& t, set_spec& n) { describe_set(t, n); });
  v.list(
      "compartment", s.compartments,
      "A part of the image whose shape is measured by itself, beside all of it: osteon morphometry, output.morphometry. "
      "docs/morphometry.md.",
      [](auto& t, compartment_spec& c) {
        t("name", c.name, "Name of the part: letters, digits and _.");
        t("kind", c.kind,
          "What is measured in it; left out: what the name says. trabecular: thickness and separation. cortical: thickness "
          "of the part with its pores, and their share. total: share of the solid and mean density, as of the others.",
          {"trabecular", "cortical", "total"});
        t("image", c.image, "Label image of the shape of the scan; left out: the scan itself, whose values are labels.");
        t("labels", c.labels, "Its voxels are those of these labels.");
      });
  v.list("support", s.supports, "Prescribed displacements of a set, in all load cases.",
         [](auto& t, support_spec& p) { describe_support(t, p); });
  v.list("force", s.forces, "Forces on a set, in all load cases.", [](auto& t, force_spec& f) { describe_force(t, f); });
  v.list("case", s.cases,
         "A load case. Several of them are solved in one job; those that hold the same nodes share the solver's setup. The "
         "answers are in cases of summary.json, the fields have the case's name at their end.",
         [](auto& t, case_spec& c) {
           t("name", c.name, "Name of the case: letters, digits and _.");
           t("test", c.load.test, "As load.test.",
             {"axial_bonded", "uniaxial", "confined", "shear", "pure_shear", "bending", "torsion", "custom"});
           t("axis", c.load.axis, "As load.axis, which it takes if left out.", {"z", "y", "x"});
           describe_drive(t, c.load);
           t.list("support", c.supports, "Prescribed displacements in this case.",
                  [](auto& u, support_spec& p) { describe_support(u, p); });
           t.list("force", c.forces, "Forces in this case.", [](auto& u, force_spec& f) { describe_force(u, f); });
         });
  v.list(
      "boundary", s.boundaries,
      "What happens on an outer face of the image: to heat where the solid meets it, in the test heat_transfer, where faces "
      "that are not named are insulated; to a fluid, in the test flow, where all that is not named is a wall without slip.",
      [](auto& t, boundary_spec& b) { describe_boundary(t, b); });
  v.list(
      "probe", s.probes,
      "A place where the test flow tells velocity, pressure and temperature, in time at each record: a point (at_mm), a "
      "line (from_mm, to_mm), or the mean over a box (low_mm, high_mm) or a ball (centre_mm, radius_mm). The records are in "
      "probes.csv. docs/flow.md.",
      [](auto& t, probe_spec& p) { describe_probe(t, p); });
  v.optional_table("transient", s.transient,
                   "Steps in time: heat from one temperature everywhere; of a fluid the test flow.",
                   [](auto& t, transient_spec& p) { describe_transient(t, p); });
  v.table("solve", "How exactly.", [&](auto& t) {
    t("tolerance", s.solve.tolerance,
      "Residual relative to the initial one at which the solver stops; left out: 1e-6. Of permeability: how far its bounds "
      "may be "
      "apart; of flow: the error that the preconditioner sees, relative to the answer; left out: 1e-4.");
    t("max_iterations", s.solve.max_iterations, "The solver gives up after this many iterations (exit code 4).");
  });
  v.optional_table(
      "uncertainty", s.uncertainty,
      "How far the answers are known: the job is solved again with the threshold, the voxels or the grey values changed, "
      "and `uncertainty` in summary.json, the table on the terminal and the report say by how much each answer differs. "
      "docs/uncertainty.md.",
      [](auto& t, uncertainty_spec& u) {
        t("enabled", u.enabled, "Solve again.");
        t("threshold_sd", u.threshold_sd,
          "Standard deviation of the threshold in grey values: solved again with a threshold lower and higher by it.");
        t("voxel_size", u.voxel_size,
          "Solve again with voxels of twice and four times the edge, and extrapolate to voxels of none where the answers "
          "converge with an order from 0.5 to 2.5.");
        t("noise_sd", u.noise_sd,
          "Standard deviation of the noise of the grey values: solved again with two such noises added to the image.");
        t("noise_blur_voxels", u.noise_blur_voxels, "As image.noise_blur_voxels: how far the noise of voxels is alike.");
      });
  v.table(
      "pistoia",
      "Failure load: the load at which critical_volume of the solid exceeds critical_strain. It has the sign of the load.",
      [&](auto& t) {
        t("critical_strain", s.pistoia.critical_strain,
          "Effective strain, sqrt(2 SED / E) at the voxel's centre, at which tissue yields.");
        t("critical_volume", s.pistoia.critical_volume, "Fraction of the solid that may exceed it.");
      });
  v.table("picture", "The picture.", [&](auto& t) {
    picture_spec& p = s.picture;
    t("enabled", p.enabled, "Make a picture.");
    t("width", p.width, "Width in pixels.");
    t("height", p.height, "Height in pixels.");
    t("azimuth_deg", p.azimuth_deg, "Direction of view around the z axis, in degrees.");
    t("elevation_deg", p.elevation_deg, "Height of the view above the x-y plane, in degrees.");
    t("zoom", p.zoom, "1 fits the specimen into the picture.");
    t("method", p.method,
      "surface: the solid's surface, smoothed and opaque, in the field's colours. volume: the field glows in the "
      "translucent "
      "solid. Left out: surface of a solid that is loaded, volume of heat and flow.",
      {"volume", "surface"});
    t("preset", p.preset, "screen: on dark slate. paper: on white, with dark text.", {"screen", "paper"});
    t("field", p.field,
      "What is shown of an elasticity result; left out: sed, the strain energy density. "
      "principal_strain_1 is the largest principal strain. Of a flow: speed, temperature (shown with flow.heat if this is "
      "left out), residence_time (with flow.residence_time).",
      {"sed", "von_mises", "effective_strain", "principal_strain_1", "speed", "temperature", "residence_time"});
    t("colour_map", p.colour_map,
      "Colour map of the field; left out: ivory of a surface, from the colour of bone over orange to violet, inferno of a "
      "volume.",
      {"batlow", "inferno", "ivory", "lipari", "viridis", "vik"});
    t("streamlines", p.streamlines,
      "So many lines of the velocity of a flow, as tubes in the colours of its speed; left out: 300; 0: the speed glows "
      "instead. Of heat: lines of the heat flux density, whose vectors then are among the results; left out: 0.");
    t("pathlines", p.pathlines,
      "Of a flow in time: so many particles, let go evenly over the time in the openings by which the fluid comes in, drift "
      "with it; their paths are drawn instead of streamlines, and written as pathlines.vtp; 0: none.");
    t("tube_mm", p.tube_mm, "Radius of the streamlines in mm, > 0; left out: a third of a voxel.");
    t("compositing", p.compositing,
      "How the images of several ranks become one: auto (the usual method for the picture; for frames what the model of the "
      "measured machine says), a method such as binary-swap, METHOD,TRANSPORT, or a transport: messages, shared, hybrid. "
      "docs/compositing.md. The picture is the same.");
    t("every", p.every,
      "Also draw the solution after every so many iterations, or steps of a problem in time, and at the end of each solve: "
      "frame_000012.png (of the second solve, frame_2_000012.png) in the results' folder; 0: do not. Heat shows the "
      "temperature, a flow in time the speed; of thermo_elasticity only the temperatures are drawn.");
    t("shows", p.shows,
      "What the frames of a flow in time show: speed, a glow in the fluid; streamlines; cut, a layer of voxels through the "
      "middle by line integral convolution; pathlines, where the particles of picture.pathlines come from, for an eighth of "
      "the time. Left out: pathlines if there are any, else the speed.",
      {"speed", "streamlines", "cut", "pathlines"});
    t("film", p.film,
      "Also make a film of the frames, 12 a second, of which the last is the end of the solve: film.png, an animated PNG "
      "that "
      "browsers play, in the report, too; and film.mp4 if ffmpeg is installed.");
  });
  v.table("output", "Where the results go, and which.", [&](auto& t) {
    t("directory", s.output_directory, "Folder for the results, relative to the working directory; default <name>.out.");
    t("morphometry", s.measures_shape,
      "Also measure the shape of the solid (of a flow: of the fluid): BV/TV, thickness, connectivity, anisotropy ..., as "
      "osteon morphometry does, into morphometry of summary.json, the table and the report. docs/morphometry.md.");
    t("fields", s.output_fields,
      "Fields of an elasticity result; left out: displacement, sed, effective_strain, von_mises. Strain, stress and sed, "
      "the strain energy density, are taken at the voxels' centres; sed_integrated is the energy of the whole voxel over "
      "its volume. principal_stress, principal_strain and principal_direction become three fields each, "
      "_1 for the largest stress or strain to _3. stiffness_sensitivity is the change of the stiffness with the voxel's "
      "modulus; neck_energy the share of the strain energy of voxels that alone join others, 0 elsewhere.",
      {"displacement", "strain", "stress", "principal_stress", "principal_strain", "principal_direction", "von_mises", "sed",
       "sed_integrated", "effective_strain", "stiffness_sensitivity", "neck_energy"});
  });
  v.table(
      "run",
      "How many processes and threads `osteon run` starts. Under mpirun or srun those decide on the processes, and "
      "OMP_NUM_THREADS on the threads.",
      [&](auto& t) {
        t("ranks", s.run.ranks, "MPI processes; 0 takes all cores.");
        t("threads", s.run.threads, "OpenMP threads of each process.");
        t("decomposition", s.run.decomposition,
          "What part of the image a rank gets. planes: whole z planes; bricks: boxes; both are balanced by solid voxels. "
          "auto: planes if there are 16 or more for each rank, otherwise bricks.",
          {"auto", "planes", "bricks"});
        t("place", s.run.place,
          "On several hosts: measure the links between them, once for the same hosts, and give parts that touch to ranks "
          "that are close. Results do not change.");
        t("bind", s.run.bind,
          "What a rank is bound to. auto: with its threads to cores, if the job fills its hosts; else to its memory (NUMA "
          "node), where there are several; else to nothing, as others may be there. measured: each is tried for a moment.",
          {"auto", "none", "core", "l3", "numa", "socket", "measured"});
      });
  v.table(
      "io", "How files are stored, and which processes read and write them; docs/format.md has the details.", [&](auto& t) {
        io_spec& f = s.io;
        t("mode", f.mode,
          "serial: the first rank alone; aggregated: one rank of each host; parallel: all ranks. Values and digests in the "
          "file "
          "are the same. auto: by the file system and the number of hosts.",
          {"auto", "serial", "aggregated", "parallel"});
        t("ranks_per_writer", f.ranks_per_writer, "aggregated: so many ranks of a host share a writer; 0: all of them.");
        t("hints", f.hints, "Hints for MPI-IO, e.g. [\"striping_factor=8\", \"cb_nodes=4\"].");
        t("alignment_bytes", f.alignment_bytes,
          "Large parts of a file begin at multiples of this, e.g. a stripe; 0: anywhere.");
        t("read_back", f.read_back,
          "Read results back and compare them with their digests before they get their name: MPI-IO can lose a write.");
        t("compression", f.compression,
          "deflate: every program can read it. zstd: faster, but readers need the filter of the Python package hdf5plugin. "
          "none: for the fastest disks.",
          {"deflate", "zstd", "none"});
        t("compression_level", f.compression_level,
          "deflate: 1 to 9; zstd: 1 to 19. Left out: 1, with zstd its fast level -3.");
        t("significant_digits", f.significant_digits,
          "Round fields to so many decimal digits, 1 to 6, which makes files smaller; 0: exact.");
      });
  v.table("checkpoint",
          "The state of a running solver on disk, so that `osteon resume` can go on after the program was ended; see "
          "checkpoint.md. It is removed when the job is done.",
          [&](auto& t) {
            t("directory", s.checkpoint.directory,
              "Folder for the checkpoints, relative to the working directory; default: checkpoint in the output directory.");
            t("every_minutes", s.checkpoint.every_minutes,
              "Time between checkpoints; 0: only when the job is told to end by SIGTERM or SIGUSR1.");
          });
  for (const physics_entry* p : all_physics())
    if (p->keys)
      v.table(p->name, p->about_keys, [&](auto& t) {
        key_forwarder forward(t);
        p->keys(forward, s);
      });
}

}  // namespace osteon::job
