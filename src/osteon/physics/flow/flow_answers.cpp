#include <osteon/physics/flow/entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

std::vector<answer> buoyancy_answers() {
  return {
      {"rayleigh_number", "Rayleigh number", "",
       "With buoyancy: density * expansion * gravity * dT * L^3 over viscosity and thermal diffusivity; dT is "
       "rayleigh_temperature_difference_K, L is the height of the image along gravity."},
      {"rayleigh_temperature_difference_K", "temperature difference of the Rayleigh number", "K",
       "With buoyancy: between the lowest and the highest prescribed temperature (faces, surroundings of films, "
       "inflows; with prescribed pressures the reference temperature, too). With fluxes or sources of heat, or "
       "where all prescribed temperatures are equal: at least the range of the fluid's voxels."},
      {"prandtl_number", "Prandtl number", "", "With buoyancy: kinematic viscosity over thermal diffusivity of the fluid."},
      {"convection_nusselt_number.*", "heat over that of the fluid at rest, through", "",
       "With buoyancy, in a fluid without openings and without given fluxes and sources: heat through the face "
       "over that by conduction alone, of the same image; for a box heated from opposite faces its mean Nusselt "
       "number."},
      {"highest_velocity_mm_per_s", "highest velocities along z, y, x", "mm/s",
       "With buoyancy: through any face of a voxel, without the sign."},
      {"boundary_layer_voxels", "voxels in a thermal boundary layer", "",
       "With buoyancy: the extent of the image between the faces of the largest convection_nusselt_number over "
       "twice that number, in voxels; below 3 it is hardly resolved."},
      report_only({"reference_temperature_K", "reference temperature of buoyancy", "K",
                   "Pressures are those above the hydrostatic one at this temperature."}),
      report_only({"coupling_rounds", "rounds of flow and temperature", "",
                   "With buoyancy: each a flow of a temperature and the temperature of that flow."}),
      report_only({"coupling_change", "change of the temperature by the last round", "",
                   "With buoyancy: root of the mean square over the fluid, of its range of temperatures."}),
      report_only(
          {"disturbance_growth_per_s", "growth rate of the leading disturbance", "1/s",
           "With buoyancy: growth rate of a small disturbance of the steady state, computed by time steps; the state is "
           "stable if it is below 0. Omitted if the fluid is stably stratified, or too weakly unstable for a flow to "
           "arise."}),
      report_only({"unstable_states", "unstable steady states found before", "",
                   "With buoyancy: steady states that the solver found and left, as small disturbances of them grow."}),
      report_only(
          {"momentum_residual", "residual of the flow with the last temperature", "",
           "With buoyancy: of velocities and masses together, over the size of what drives: buoyancy, and what is given."}),
  };
}

}  // namespace

std::vector<answer> flow_answers() {
  std::vector<answer> all{
      table_only({"percolates", "path between the faces", "",
                  "Whether a path of fluid leads through along the axis; if none does, the permeability is 0."}),
      {"permeability_m2", "permeability", "m2",
       "Mean velocity times viscosity over the gradient of the pressure [Darcy's law], along the axis."},
      {"permeability_darcy", "permeability", "darcy", "The same; 1 darcy is 9.869e-13 m2."},
      report_only({"permeability_from_flux_m2", "permeability from the flux", "m2", "By the mean velocity."}),
      report_only({"permeability_from_dissipation_m2", "permeability from dissipation", "m2",
                   "By the power that friction takes; at the exact solution it is the one from the flux."}),
      {"principal_permeabilities_m2", "principal permeabilities", "m2", "Of the whole box, along the principal directions."},
      report_only({"permeability_tensor_m2", "permeability tensor", "m2", "Rows and columns z, y, x."}),
      report_only({"principal_directions", "principal directions (z, y, x)", "", "Unit vectors, the most permeable first."}),
      {"porosity", "porosity", "", "Voxels of the fluid over all."},
      {"flowing_share", "share of the fluid that flows", "", "Voxels in parts that lead through; the rest stands still."},
      {"thin_share", "share of the pores thinner than 4 voxels", "",
       "Flowing voxels in a chord of fluid of less than 4 voxels along an axis, where the flow is hardly resolved."},
      {"hydraulic_diameter_mm", "hydraulic diameter", "mm",
       "Four times the volume of the flowing fluid over its wetted area, that of the smooth surface that the voxels "
       "represent."},
      {"flow_rate_mm3_per_s", "flow rate", "mm3/s",
       "Through the faces of the axis, at the given drop of pressure; of the test flow all that flows in."},
      {"pressure_drop_Pa", "drop of pressure", "Pa", "Mean pressure of what flows in, less that of what flows out."},
      {"opening_inflow_mm3_per_s.*", "flow rate in through", "mm3/s",
       "By face or label, a second condition on one of them with a number; negative: the fluid leaves."},
      {"opening_pressure_Pa.*", "mean pressure at", "Pa", "Over the area of the opening."},
      {"mean_speed_mm_per_s", "mean speed", "mm/s", "Over the fluid that flows, of the test flow."},
      {"highest_speed_mm_per_s", "highest speed", "mm/s", "At the centre of a voxel."},
      report_only(
          {"force_on_solid_N", "force on the solid (z, y, x)", "N",
           "Of the fluid on the voxels that are solid, by pressure and friction; the walls in the faces of the image "
           "are not in it."}),
      {"force_coefficients", "coefficients of that force (z, y, x)", "",
       "Force over density / 2 * U^2 * A, with flow.reference_velocity_mm_per_s and flow.reference_area_mm2: "
       "along the flow the drag coefficient, across it the lift coefficient."},
      report_only(
          {"force_on_label_N.*", "force (z, y, x) on label", "N",
           "The part of the force on the solid that acts on the voxels of each of flow.force_labels; other: the rest, so "
           "that all together are force_on_solid_N."}),
      {"force_coefficients_of_label.*", "coefficients of the force (z, y, x) on label", "",
       "As force_coefficients, of the force on each label."},
      {"period_flow_rate_mm3_per_s.*", "flow rate through the period along", "mm3/s",
       "Towards the high face, through the image where it repeats itself."},
      {"period_pressure_drop_Pa.*", "drop of pressure over the period along", "Pa",
       "From the low face to the high one: given, or found for the given flow rate."},
      {"mean_wall_shear_stress_Pa", "mean wall shear stress", "Pa",
       "Of the moving fluid on its walls, over the area of the smooth surface that the voxels represent; the field "
       "wall_shear_stress of a steady flow holds it voxel by voxel."},
      {"wall_shear_stress_p95_Pa", "wall shear stress, 95th percentile", "Pa",
       "5 % of this area have a higher stress. Beside stairs of voxels the stress is averaged along the surface, "
       "over about three voxels to either side."},
      {"kinetic_energy_J", "kinetic energy of the fluid", "J", "Of [transient], at the end."},
      {"end_s", "time at the end", "s", "Of [transient]: reached, or earlier, where steady."},
      {"is_steady", "is steady at the end", "", "Of [transient]: whether it ended by flow.steady_change_per_s."},
      {"change_per_s", "change of the velocities at the end", "1/s",
       "Of [transient]: largest change of a velocity in the last step over the step and the highest velocity."},
      {"time_steps", "steps in time", "", "Of [transient]."},
      report_only({"shortest_step_s", "shortest step", "s", "Of [transient]."}),
      report_only({"longest_step_s", "longest step", "s", "Of [transient]."}),
      {"highest_cfl", "highest Courant number", "",
       "Of [transient]: of any step, sum over the axes of speed times step over spacing."},
      {"highest_divergence", "largest divergence", "",
       "Of [transient]: after any step, of a voxel, in highest velocities over the voxel's edge."},
      report_only(
          {"probes.*.velocity_mm_per_s.last", "velocity (z, y, x) at probe", "mm/s",
           "Of a [[probe]]: at a point, or the mean over a box or a ball; of [transient] at the end. Lines have theirs "
           "in last.velocity_mm_per_s."}),
      {"probes.*.speed_mm_per_s.last", "speed at probe", "mm/s",
       "The magnitude of that velocity; over a box or a ball the mean of the speeds."},
      {"probes.*.speed_mm_per_s.mean", "speed, mean over time, at probe", "mm/s",
       "Of [transient], from the first record to the last by the trapezoidal rule; low and high beside it are the "
       "lowest and highest of any record."},
      {"probes.*.pressure_Pa.last", "pressure at probe", "Pa",
       "Between the middles of voxels that have one; mean, low and high beside it as of the speed."},
      {"probes.*.temperature_K.last", "temperature at probe", "K", "With flow.heat."},
      {"probes.*.frequency_Hz", "frequency at probe", "1/s",
       "Of the component of the velocity that varies most, if it swings evenly: mean time between upward crossings "
       "of its mean over the second half of the time, three at least."},
      report_only({"pressure_method", "solver of the pressure", "",
                   "Of [transient]: transforms, where the fluid is a whole box and each of its faces gives the pressure "
                   "everywhere or nowhere; else multigrid."}),
      {"mass_imbalance", "inflow less outflow, of the inflow", "",
       "What the solver's tolerance leaves of a balance that is exact."},
      {"forchheimer_permeability_m2", "permeability by Forchheimer's law", "m2",
       "K of drop / length = viscosity / K * velocity + beta * density * velocity^2, velocity of the whole "
       "cross-section along the axis, fitted to the multiples."},
      {"forchheimer_beta_per_m", "inertial coefficient by Forchheimer's law", "1/m", "beta of the same."},
      {"forchheimer_error", "largest distance from Forchheimer's law", "", "Of the drop of a multiple, relative."},
      report_only({"cell_reynolds_number", "highest Reynolds number of a voxel", "",
                   "Density times velocity across a face times the voxel's edge over viscosity."}),
      report_only({"upwinded_share", "share of the faces with upwind differences", "",
                   "Sides of control volumes where the Reynolds number of a voxel exceeds 2 and flow.convection is blended; "
                   "limited: those of them that the limiter does not leave central."}),
      report_only({"limiter_residual", "what the limiter would still change", "",
                   "With flow.convection = limited, of a steady flow: change of the answer, relative, that the solver would "
                   "ask for with the limiter's shares of the answer itself; the answer has those of a look before it."}),
      {"peclet_number", "Peclet number", "",
       "Of the last dispersion: mean velocity in the pores times peclet_length_mm over the diffusivity."},
      {"longitudinal_dispersion", "dispersion along the flow, over the diffusivity", "",
       "Of the last Peclet number, of the fluid that flows; dispersion in summary.json has all, with tensors."},
      {"transverse_dispersion", "dispersion across the flow, over the diffusivity", "",
       "The same, mean of the two axes across."},
      {"longitudinal_dispersion_m2_per_s", "dispersion along the flow", "m2/s", "The same, with flow.diffusivity_m2_per_s."},
      report_only({"peclet_length_mm", "length of the Peclet number", "mm", "Given, or the hydraulic diameter."}),
      {"temperature_K.mean", "temperature, mean", "K", "Over fluid and solid."},
      {"temperature_K.low", "temperature, lowest", "K", "Of any voxel."},
      {"temperature_K.high", "temperature, highest", "K", "Of any voxel."},
      {"temperature_K.fluid", "temperature of the fluid, mean", "K", "Over its voxels."},
      {"temperature_K.solid", "temperature of the solid, mean", "K", "Over its voxels."},
      {"opening_temperature_K.*", "temperature of what passes", "K",
       "Mean over the opening, weighted by the flow through each voxel (mixing cup)."},
      silent_at_0({"face_inflow_W.*", "heat in through", "W",
                   "By conduction and given flux, not by what flows; negative: heat leaves."}),
      silent_at_0({"heat_source_W", "heat made by sources", "W", "In fluid and solid."}),
      {"heat_carried_out_W", "heat carried out by the flow", "W", "What leaves by openings, less what enters."},
      {"heat_stored_W", "heat taken up by fluid and solid", "W", "With [transient]: in the last step."},
      {"wall_heat_W", "heat into the fluid from walls", "W",
       "From the solid, and from walls in the faces of the image that have a condition for heat."},
      {"wall_temperature_K", "temperature of these walls", "K",
       "Mean over the area of their smooth surface, on the wall itself."},
      {"heat_transfer_coefficient_W_per_m2K", "heat transfer coefficient", "W/(m2 K)",
       "Heat into the fluid from walls, less what the fluid conducts out through openings, over the area of the smooth "
       "surface that the voxels of the walls represent and the logarithmic mean of the difference between their mean "
       "temperature and the fluid's, where it flows in and where it flows out; none where that difference changes its "
       "sign."},
      {"nusselt_number", "Nusselt number", "",
       "Heat transfer coefficient times hydraulic diameter over the conductivity of the fluid."},
      {"heat_imbalance", "heat in less heat out, of all", "",
       "What the tolerance of the temperature leaves of a balance that is exact."},
      {"highest_heat_imbalance", "the same of the worst step", "",
       "With [transient]: what enters less what leaves and what is stored, of all."},
      report_only(
          {"flux_correction", "correction of the velocities that carry heat", "",
           "Of the flow that carries the temperature: how far its velocities on the faces of voxels were changed to keep "
           "mass in each voxel, root mean square over that of the velocities; what the tolerance of the flow leaves. "
           "Also of dispersion."}),
      report_only({"temperature_overshoot_K", "temperature out of its bounds", "K",
                   "By how much the lowest or the highest temperature leaves the range of the given ones; where sources or "
                   "fluxes heat or cool, that side has no bound."}),
      report_only({"cell_peclet_number", "highest Peclet number of a voxel", "",
                   "Velocity across a face times the voxel's edge times the heat capacity over the conductivity."}),
      report_only({"limited_share", "share of the faces with a limited temperature", "",
                   "Faces that the fluid passes where the temperature is not the mean of the two voxels."}),
      {"residence_time_s.mean", "residence time, mean", "s",
       "Age of what leaves, weighted by the flow: the volume that is renewed over the flow rate."},
      {"residence_time_s.median", "residence time, median", "s", "Of what leaves."},
      {"residence_time_s.p95", "residence time, 95th percentile", "s", "Of what leaves."},
      {"fluid_age_s.mean", "age of the fluid, mean", "s",
       "Over the volume: since it flowed in; half the residence time in plug flow, all of it where it is mixed."},
      {"fluid_age_s.median", "age of the fluid, median", "s", "Over the volume."},
      {"fluid_age_s.p95", "age of the fluid, 95th percentile", "s", "Over the volume."},
      {"fluid_age_s.high", "age of the fluid, highest", "s", "Of any voxel."},
      {"stagnant_share", "share of the fluid that stagnates", "",
       "Older than three mean residence times, or in pores that nothing flows through."},
      {"mean_velocity_mm_per_s", "mean velocity in the pores", "mm/s", "Along the axis, over the fluid that flows."},
      {"hydraulic_tortuosity", "hydraulic tortuosity", "",
       "Mean speed over mean velocity along the axis; 1 is a straight path."},
      {"still_share", "share of the fluid that hardly moves", "",
       "Voxels slower than a thousandth of the mean speed: dead ends, and pores that lead nowhere."},
      {"permeability_error", "error of the solver, at most", "",
       "Distance of its bounds of the permeability over the permeability; the error of the voxels is not in it."},
      neither_shown({"permeability_bounds_m2", "bounds of the permeability", "m2",
                     "Of the exact solution on these voxels, from the residual and the quality of the preconditioner."}),
      report_only({"percolates_along.*", "path of fluid along", "", "Whether one leads through."}),
      report_only({"asymmetry", "asymmetry of the tensor", "",
                   "What the solver's tolerance leaves, in mean velocities, of a symmetry that is exact."}),
      {"reynolds_number", "Reynolds number", "",
       "Density times mean velocity (of the test flow, mean speed) times hydraulic diameter over viscosity; the "
       "permeability is that of creeping flow, far below 1."},
  };
  for (answer& more : buoyancy_answers()) all.push_back(std::move(more));
  return all;
}

}  // namespace osteon::physics
