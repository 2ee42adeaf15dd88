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
  v("physics", s.physics, "elasticity: stiffness and strain energy; heat: effective conductivity and tortuosity.",
    {"elasticity", "heat"});
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
           t("heat_capacity_J_per_m3K", m.heat_capacity_J_per_m3K,
             "Density times specific heat in J/(m3 K), > 0; needed by [transient].");
           t("heat_source_W_per_m3", m.heat_source_W_per_m3, "Heat made in this material in W/m3 (test heat_transfer).");
         });
  v.optional_table("density_law", s.density_law,
                   "Modulus from grey values: rho = slope * grey + intercept, E = coefficient_MPa * rho^exponent.",
                   [](auto& t, density_law_spec& d) {
                     t("slope", d.slope, "Density per grey value.");
                     t("intercept", d.intercept, "Density at grey value 0.");
                     t("coefficient_MPa", d.coefficient_MPa, "Modulus in MPa at density 1.");
                     t("exponent", d.exponent, "Exponent of the power law; 1 is a linear law.");
                     t("min_modulus_MPa", d.min_modulus_MPa, "Smaller moduli are raised to this.");
                     t("max_modulus_MPa", d.max_modulus_MPa, "Larger moduli are lowered to this.");
                     t("poisson_ratio", d.poisson_ratio, "Poisson's ratio of all voxels, in (-1, 0.5).");
                   });
  v.table("load", "What is done to the specimen.", [&](auto& t) {
    load_spec& l = s.load;
    t("test", l.test,
      "axial_bonded: both faces of the axis are held by rigid plates, one is driven. conduction: fixed temperatures on "
      "them. heat_transfer: what the [[boundary]] tables say. conductivity_tensor: the effective conductivity in all "
      "directions.",
      {"axial_bonded", "conduction", "heat_transfer", "conductivity_tensor"});
    t("axis", l.axis, "Direction of the load or of the heat flow.", {"z", "y", "x"});
    t("strain", l.strain, "Displacement of the driven face over the length; negative compresses.");
    t("low_K", l.low_K, "Temperature of the low face in K.");
    t("high_K", l.high_K, "Temperature of the high face in K.");
    t("surroundings", l.surroundings,
      "What the box of a conductivity_tensor stands in. periodic (default): copies of itself; uniform: a linear temperature "
      "on all faces, an upper bound.",
      {"periodic", "uniform"});
    t("gradient_K_per_mm", l.gradient_K_per_mm,
      "Mean temperature gradient [z, y, x] of a heat_transfer: periodic faces differ by it, and prescribed temperatures "
      "rise with it from the centre of the image.");
  });
  v.list(
      "boundary", s.boundaries,
      "Heat on an outer face of the image, where the solid meets it; faces that are not named are insulated. For the test "
      "heat_transfer.",
      [](auto& t, boundary_spec& b) {
        t("face", b.face, "z-low, z-high, y-low, ...; or z, y or x for both faces of the axis.",
          {"z-low", "z-high", "y-low", "y-high", "x-low", "x-high", "z", "y", "x"});
        t("kind", b.kind,
          "temperature of the face; flux into the solid; convection to an ambient; periodic: both faces of an axis are "
          "one.",
          {"temperature", "flux", "convection", "periodic"});
        t("temperature_K", b.temperature_K, "Temperature of the face, or of the ambient, in K.");
        t("flux_W_per_m2", b.flux_W_per_m2, "Heat into the solid in W/m2; negative cools.");
        t("transfer_W_per_m2K", b.transfer_W_per_m2K, "Heat transfer coefficient in W/(m2 K), > 0.");
      });
  v.optional_table("transient", s.transient, "Heat in time, from one temperature everywhere, by implicit steps.",
                   [](auto& t, transient_spec& p) {
                     t("initial_K", p.initial_K, "Temperature at the start in K.");
                     t("end_s", p.end_s, "Time at the end in s.");
                     t("step_s", p.step_s, "Step in s; shortened so that a whole number of steps reaches the end.");
                     t("output_every_s", p.output_every_s, "Time between the records of the history; 0: every step.");
                     t("scheme", p.scheme,
                       "implicit_euler: first order, never overshoots. crank_nicolson: second order, may oscillate after "
                       "a sudden change.",
                       {"implicit_euler", "crank_nicolson"});
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
    t("colour_map", p.colour_map, "Perceptual colour map of the field.", {"batlow", "inferno", "lipari", "viridis", "vik"});
  });
  v.table("output", "Where the results go.", [&](auto& t) {
    t("directory", s.output_directory, "Folder for the results, relative to the working directory; default <name>.out.");
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
