#pragma once
/// @file
/// Every key of a job file, once: its name, its place in `spec` and what it means. The reader, the JSON Schema and the
/// checks for unknown keys are visitors of this description, so they cannot disagree.
#include <osteon/job/spec.hpp>

namespace osteon::job {

/// Call `v(key, field, doc)` for every key. Visitors also have `v.table(name, doc, f)`, `v.optional_table(name, field, doc,
/// f)` and `v.list(name, field, doc, f)` for tables, optional tables and arrays of tables.
template <class Visitor>
void describe(Visitor& v, spec& s) {
  v("name", s.name, "Name of the job; the default output directory is <name>.out.");
  v("physics", s.physics,
    "elasticity: stiffness and strain energy; heat: effective conductivity and tortuosity; thermo_elasticity: the stress "
    "that the temperatures of a heat problem cause.",
    {"elasticity", "heat", "thermo_elasticity"});
  v.table("image", "The scan.", [&](auto& t) {
    image_spec& i = s.image;
    t("path", i.path, "Image file or folder, relative to the job file: TIFF, DICOM, NIfTI, NRRD, MetaImage, npy.");
    t("spacing_mm", i.spacing_mm,
      "Edge lengths of a voxel in mm, [z, y, x] or one number. May be left out only if the image itself states them.");
    t("spacing_note", i.spacing_note,
      "Where the spacing comes from; repeated in the report. Say so if it is an assumption.");
    t("crop_voxels", i.crop_voxels, "Part of the image to use: [[z0, z1], [y0, y1], [x0, x1]], half open.");
  });
  v.table("segment", "Which voxels are solid.", [&](auto& t) {
    segment_spec& g = s.segment;
    t("threshold", g.threshold, "Voxels with a grey value above this are solid. Left out: by Otsu's method.");
    t("upper", g.upper, "Voxels with a grey value above this are not solid (metal, markers).");
    t("labels", g.labels, "The image holds labels, one per material, instead of grey values.");
    t("void_labels", g.void_labels, "Labels that are empty space.");
    t("keep", g.keep, "largest: the largest 6-connected part; percolating: the parts that join both loaded faces; all.",
      {"largest", "percolating", "all"});
  });
  v.list("material", s.materials, "A material. Give one for all solid voxels, or one for each label.",
         [](auto& t, material_spec& m) {
           t("name", m.name, "Name shown in the results.");
           t("label", m.label, "Voxels of the image with this label have this material.");
           t("youngs_modulus_MPa", m.youngs_modulus_MPa, "Young's modulus in MPa, > 0.");
           t("poisson_ratio", m.poisson_ratio, "Poisson's ratio, in (-1, 0.5).");
           t("conductivity_W_per_mK", m.conductivity_W_per_mK, "Thermal conductivity in W/(m K), > 0.");
           t("thermal_expansion_per_K", m.thermal_expansion_per_K, "Coefficient of linear thermal expansion in 1/K.");
         });
  v.optional_table("density_law", s.density_law,
                   "Modulus from grey values by way of the density rho. A model has at most 255 materials: images with more "
                   "moduli are sorted into 255 classes, and `segmentation` in summary.json tells the largest relative error "
                   "of a modulus by that (at most 0.9 % if the moduli span two decades, 1.8 % for four).",
                   [](auto& t, density_law_spec& d) {
                     t("slope", d.slope, "rho = slope * grey + intercept; densities below 0 count as 0.");
                     t("intercept", d.intercept, "Density at grey value 0.");
                     t("calibration", d.calibration,
                       "Instead of slope and intercept: points [[grey, density], ...] of a phantom; the line with the least "
                       "sum of squares is taken through them.");
                     t("law", d.law,
                       "power: E = coefficient_MPa * rho^exponent; linear: E = a0 + a1 * rho; polynomial: E = a0 + a1 * rho "
                       "+ a2 * rho^2 ...",
                       {"power", "linear", "polynomial"});
                     t("coefficient_MPa", d.coefficient_MPa, "Modulus in MPa at density 1, of the power law.");
                     t("exponent", d.exponent, "Exponent of the power law.");
                     t("coefficients_MPa", d.coefficients_MPa, "[a0, a1, ...] of the linear law or the polynomial.");
                     t("min_modulus_MPa", d.min_modulus_MPa, "Smaller moduli are raised to this.");
                     t("max_modulus_MPa", d.max_modulus_MPa, "Larger moduli are lowered to this.");
                     t("poisson_ratio", d.poisson_ratio, "Poisson's ratio of all voxels, in (-1, 0.5).");
                   });
  v.optional_table(
      "modulus_image", s.modulus_image,
      "Young's modulus voxel by voxel, instead of [[material]] or [density_law]: an image of the shape of the "
      "scan, cropped with it. Which voxels are solid is still told by [segment]; the scan may be the same image. "
      "With [poisson_image], up to 255 different pairs are exact; more are sorted into 255 classes, and "
      "`segmentation` in summary.json tells the largest errors of E (relative) and nu by that.",
      [](auto& t, modulus_image_spec& m) {
        t("path", m.path, "Image file of moduli in MPa, > 0 at solid voxels.");
        t("poisson_ratio", m.poisson_ratio, "Poisson's ratio of all voxels, in (-1, 0.5), if there is no [poisson_image].");
      });
  v.optional_table("poisson_image", s.poisson_image, "Poisson's ratio voxel by voxel; goes with [modulus_image].",
                   [](auto& t, poisson_image_spec& p) {
                     t("path", p.path, "Image file of Poisson's ratios, in (-1, 0.5) at solid voxels.");
                   });
  v.table("load", "What is done to the specimen.", [&](auto& t) {
    load_spec& l = s.load;
    t("test", l.test,
      "axial_bonded: both faces of the axis are held by rigid plates, one is driven. conduction: fixed temperatures on "
      "them. free_expansion: nothing but the temperatures, in thermo_elasticity.",
      {"axial_bonded", "conduction", "free_expansion"});
    t("axis", l.axis, "Direction of the load or of the heat flow.", {"z", "y", "x"});
    t("strain", l.strain,
      "Displacement of the driven face over the length; negative compresses. Left out: -0.01, or 0 in "
      "thermo_elasticity.");
    t("low_K", l.low_K, "Temperature of the low face in K.");
    t("high_K", l.high_K, "Temperature of the high face in K.");
    t("reference_K", l.reference_K, "Temperature in K at which a thermo_elasticity job is free of stress.");
  });
  v.table("solve", "How exactly.", [&](auto& t) {
    t("tolerance", s.solve.tolerance, "Residual relative to the initial one at which the solver stops.");
    t("max_iterations", s.solve.max_iterations, "The solver gives up after this many iterations (exit code 4).");
  });
  v.table("pistoia", "Failure load: the load at which critical_volume of the solid exceeds critical_strain.", [&](auto& t) {
    t("critical_strain", s.pistoia.critical_strain, "Effective strain at which tissue yields.");
    t("critical_volume", s.pistoia.critical_volume, "Fraction of the solid that may exceed it.");
  });
  v.table("picture", "The volume-rendered picture.", [&](auto& t) {
    picture_spec& p = s.picture;
    t("enabled", p.enabled, "Make a picture.");
    t("width", p.width, "Width in pixels.");
    t("height", p.height, "Height in pixels.");
    t("azimuth_deg", p.azimuth_deg, "Direction of view around the z axis, in degrees.");
    t("elevation_deg", p.elevation_deg, "Height of the view above the x-y plane, in degrees.");
    t("zoom", p.zoom, "1 fits the specimen into the picture.");
    t("field", p.field, "What is shown of an elasticity result; left out: sed, the strain energy density.",
      {"sed", "von_mises", "effective_strain"});
    t("colour_map", p.colour_map, "Perceptual colour map of the field.", {"batlow", "inferno", "lipari", "viridis", "vik"});
  });
  v.table("output", "Where the results go, and which.", [&](auto& t) {
    t("directory", s.output_directory, "Folder for the results, relative to the working directory; default <name>.out.");
    t("fields", s.output_fields,
      "Fields of an elasticity result; left out: displacement, sed, effective_strain, von_mises. Strain and stress are "
      "taken at the voxels' centres. principal_stress, principal_strain and principal_direction become three fields each, "
      "_1 for the largest stress or strain to _3.",
      {"displacement", "strain", "stress", "principal_stress", "principal_strain", "principal_direction", "von_mises", "sed",
       "effective_strain"});
  });
  v.table("run",
          "How many processes and threads `osteon run` starts. Under mpirun or srun those decide on the processes, and "
          "OMP_NUM_THREADS on the threads.",
          [&](auto& t) {
            t("ranks", s.run.ranks, "MPI processes; 0 takes all cores.");
            t("threads", s.run.threads, "OpenMP threads of each process.");
          });
}

}  // namespace osteon::job
