#include <osteon/physics/flow/entry.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

std::vector<answer> buoyancy_answers() {
  return {
      {"rayleigh_number", "Rayleigh number", "",
       "With buoyancy: density * expansion * gravity * dT * L^3 / (viscosity * thermal diffusivity), with dT = "
       "rayleigh_temperature_difference_K and L the height of the image along gravity."},
      {"rayleigh_temperature_difference_K", "temperature difference of the Rayleigh number", "K",
       "With buoyancy: difference of the extreme prescribed temperatures (faces, ambients, inflows, and with prescribed "
       "pressures the reference temperature). With heat fluxes or sources, or equal prescribed temperatures: at least the "
       "temperature range of the fluid voxels."},
      {"prandtl_number", "Prandtl number", "", "With buoyancy: kinematic viscosity over thermal diffusivity."},
      {"convection_nusselt_number.*", "heat relative to pure conduction, through", "",
       "With buoyancy, without openings, fluxes and sources: heat flow through the face over the heat flow by pure "
       "conduction in the same image. For a box heated at opposite faces, this is the mean Nusselt number."},
      {"highest_velocity_mm_per_s", "highest velocities along z, y, x", "mm/s",
       "With buoyancy: largest magnitude on any voxel face."},
      {"boundary_layer_voxels", "voxels in a thermal boundary layer", "",
       "With buoyancy: distance between the faces of the largest convection_nusselt_number over twice that number, in "
       "voxels; values below 3 are poorly resolved."},
      report_only({"reference_temperature_K", "reference temperature of buoyancy", "K",
                   "Pressures are relative to the hydrostatic pressure at this temperature."}),
      report_only({"coupling_rounds", "iterations of flow and temperature", "",
                   "With buoyancy: alternating solutions of flow and temperature."}),
      report_only({"coupling_change", "change of the temperature in the last iteration", "",
                   "With buoyancy: root mean square over the fluid, relative to its temperature range."}),
      report_only({"disturbance_growth_per_s", "growth rate of the leading disturbance", "1/s",
                   "With buoyancy: growth rate of a small disturbance of the steady state from time steps; negative: "
                   "stable. Omitted for a fluid that is stably stratified or too weakly unstable to flow."}),
      report_only({"unstable_states", "rejected unstable steady states", "",
                   "With buoyancy: number of steady states that the solver rejected because small disturbances grow."}),
      report_only({"momentum_residual", "flow residual at the last temperature", "",
                   "With buoyancy: residual of momentum and mass, relative to buoyancy and prescribed values."}),
  };
}

}  // namespace

std::vector<answer> flow_answers() {
  std::vector<answer> all{
      table_only({"percolates", "path between the faces", "",
                  "True if a path of fluid connects the faces of the axis; otherwise the permeability is 0."}),
      {"permeability_m2", "permeability", "m2",
       "Mean velocity times viscosity over pressure gradient (Darcy's law) along the axis."},
      {"permeability_darcy", "permeability", "darcy", "Permeability in darcy; 1 darcy = 9.869e-13 m2."},
      report_only({"permeability_from_flux_m2", "permeability from the flux", "m2", "Permeability from the mean velocity."}),
      report_only({"permeability_from_dissipation_m2", "permeability from dissipation", "m2",
                   "Permeability from the viscous dissipation; equal to permeability_from_flux_m2 for the exact solution."}),
      {"principal_permeabilities_m2", "principal permeabilities", "m2",
       "Eigenvalues of the permeability tensor of the whole box."},
      report_only({"permeability_tensor_m2", "permeability tensor", "m2", "Rows and columns in the order z, y, x."}),
      report_only({"principal_directions", "principal directions (z, y, x)", "",
                   "Unit vectors in the order of descending permeability."}),
      {"porosity", "porosity", "", "Fluid voxels over all voxels."},
      {"flowing_share", "flowing fluid fraction", "",
       "Fraction of fluid voxels in connected parts between the faces; the remaining fluid is at rest."},
      {"thin_share", "fraction of pores thinner than 4 voxels", "",
       "Fraction of flowing voxels in pores narrower than 4 voxels along an axis, with poorly resolved flow."},
      {"hydraulic_diameter_mm", "hydraulic diameter", "mm",
       "Four times the volume of the flowing fluid over its wetted area, estimated for the smooth surface that the voxels "
       "represent."},
      {"flow_rate_mm3_per_s", "flow rate", "mm3/s",
       "Flow rate through the faces of the axis at the given pressure drop; test flow: total inflow."},
      {"pressure_drop_Pa", "pressure drop", "Pa", "Mean pressure of the inflow minus mean pressure of the outflow."},
      {"opening_inflow_mm3_per_s.*", "inflow through", "mm3/s",
       "Inflow by face or label; negative: outflow. Further conditions on the same face or label are numbered."},
      {"opening_pressure_Pa.*", "mean pressure at", "Pa", "Mean over the area of the opening."},
      {"mean_speed_mm_per_s", "mean speed", "mm/s", "Mean over the flowing fluid, or over all fluid of the test flow."},
      {"highest_speed_mm_per_s", "highest speed", "mm/s", "Maximum over voxel centres."},
      report_only({"force_on_solid_N", "force on the solid (z, y, x)", "N",
                   "Force of the fluid on solid voxels by pressure and friction, without walls in the faces of the image."}),
      {"force_coefficients", "force coefficients of the solid (z, y, x)", "",
       "Force over density / 2 * U^2 * A, with U = flow.reference_velocity_mm_per_s and A = flow.reference_area_mm2: drag "
       "coefficient along the flow, lift coefficient across the flow."},
      report_only({"force_on_label_N.*", "force (z, y, x) on label", "N",
                   "Force of the fluid on the voxels of each label of flow.force_labels; other: all remaining solid voxels. "
                   "The sum is force_on_solid_N."}),
      {"force_coefficients_of_label.*", "force coefficients (z, y, x) of label", "",
       "Coefficients of the force on each label, as force_coefficients."},
      {"period_flow_rate_mm3_per_s.*", "flow rate through the period along", "mm3/s",
       "Flow rate through a periodic face, towards the high face."},
      {"period_pressure_drop_Pa.*", "pressure drop over the period along", "Pa",
       "Pressure drop from the low to the high face, prescribed or computed for the prescribed flow rate."},
      {"mean_wall_shear_stress_Pa", "mean wall shear stress", "Pa",
       "Mean shear stress of the flowing fluid over the smooth wall surface that the voxels represent; the field "
       "wall_shear_stress of a steady flow contains voxel values."},
      {"wall_shear_stress_p95_Pa", "wall shear stress, 95th percentile", "Pa",
       "5 % of the wall area have a higher stress. On stepped surfaces the stress is averaged along the surface over about "
       "three voxels to either side."},
      {"kinetic_energy_J", "kinetic energy of the fluid", "J", "[transient]: kinetic energy at the end."},
      {"end_s", "end time", "s", "[transient]: end of the solution; earlier than end_s if steady."},
      {"is_steady", "steady at the end", "", "[transient]: true if flow.steady_change_per_s ended the solution."},
      {"change_per_s", "velocity change at the end", "1/s",
       "[transient]: largest velocity change of the last step, per time and relative to the highest velocity."},
      {"time_steps", "number of time steps", "", "[transient]: number of time steps."},
      report_only({"shortest_step_s", "smallest time step", "s", "[transient]: smallest time step."}),
      report_only({"longest_step_s", "largest time step", "s", "[transient]: largest time step."}),
      {"highest_cfl", "highest Courant number", "",
       "[transient]: maximum over steps of the sum over axes of speed times step over spacing."},
      {"highest_divergence", "largest divergence", "",
       "[transient]: largest divergence of a voxel after any step, relative to the highest velocity over the voxel size."},
      report_only({"probes.*.velocity_mm_per_s.last", "velocity (z, y, x) at probe", "mm/s",
                   "Velocity at a point, or mean over a box or ball, of a [[probe]]; [transient]: at the end. Values of "
                   "lines are in last.velocity_mm_per_s."}),
      {"probes.*.speed_mm_per_s.last", "speed at probe", "mm/s",
       "Magnitude of the velocity; box or ball: mean of the speeds."},
      {"probes.*.speed_mm_per_s.mean", "speed, mean over time, at probe", "mm/s",
       "[transient]: mean from the first to the last record by the trapezoidal rule; low and high are the extremes of all "
       "records."},
      {"probes.*.pressure_Pa.last", "pressure at probe", "Pa",
       "Interpolated between voxel centres with a pressure; mean, low and high as for the speed."},
      {"probes.*.temperature_K.last", "temperature at probe", "K", "Temperature with flow.heat."},
      {"probes.*.frequency_Hz", "frequency at probe", "1/s",
       "Frequency of the velocity component with the largest variation, if periodic: from at least three upward crossings "
       "of its mean in the second half of the time."},
      report_only({"pressure_method", "pressure solver", "",
                   "[transient]: transforms if the fluid fills a box with homogeneous types of boundary conditions per "
                   "face; otherwise multigrid."}),
      {"mass_imbalance", "inflow minus outflow, relative", "",
       "Imbalance due to the tolerance of the solver; 0 for the exact solution."},
      {"forchheimer_permeability_m2", "permeability by Forchheimer's law", "m2",
       "K of the fit drop / length = viscosity / K * velocity + beta * density * velocity^2 to the multiples, with the "
       "superficial velocity along the axis."},
      {"forchheimer_beta_per_m", "inertial coefficient by Forchheimer's law", "1/m",
       "beta of the fit to Forchheimer's law."},
      {"forchheimer_error", "largest deviation from Forchheimer's law", "",
       "Largest relative deviation of the pressure drop of a multiple."},
      report_only({"cell_reynolds_number", "highest Reynolds number of a voxel", "",
                   "Density times normal velocity on a face times voxel size over viscosity."}),
      report_only({"upwinded_share", "fraction of faces with upwind differences", "",
                   "Fraction of control volume faces with a voxel Reynolds number above 2; limited: fraction of faces with "
                   "a reduced central difference."}),
      report_only({"limiter_residual", "change by a further limiter update", "",
                   "flow.convection = \"limited\", steady flow: relative change of the solution by an update of the "
                   "limiter, which is lagged by one iteration."}),
      {"peclet_number", "Peclet number", "",
       "Last Peclet number: mean pore velocity times peclet_length_mm over diffusivity."},
      {"longitudinal_dispersion", "dispersion along the flow, over the diffusivity", "",
       "Longitudinal dispersion of the last Peclet number in the flowing fluid; `dispersion` in summary.json contains the "
       "tensors of all Peclet numbers."},
      {"transverse_dispersion", "dispersion across the flow, over the diffusivity", "",
       "Transverse dispersion, mean of the two axes."},
      {"longitudinal_dispersion_m2_per_s", "dispersion along the flow", "m2/s",
       "Longitudinal dispersion with flow.diffusivity_m2_per_s."},
      report_only({"peclet_length_mm", "length of the Peclet number", "mm", "Given length, or hydraulic diameter."}),
      {"temperature_K.mean", "temperature, mean", "K", "Mean over fluid and solid."},
      {"temperature_K.low", "temperature, lowest", "K", "Minimum over voxels."},
      {"temperature_K.high", "temperature, highest", "K", "Maximum over voxels."},
      {"temperature_K.fluid", "temperature of the fluid, mean", "K", "Mean over the fluid voxels."},
      {"temperature_K.solid", "temperature of the solid, mean", "K", "Mean over the solid voxels."},
      {"opening_temperature_K.*", "bulk temperature of the flow", "K",
       "Flow-weighted mean over the opening (mixing-cup temperature)."},
      silent_at_0({"face_inflow_W.*", "heat inflow through", "W",
                   "Heat by conduction and prescribed flux, without convection; negative: outward."}),
      silent_at_0({"heat_source_W", "heat from sources", "W", "Heat generated in fluid and solid."}),
      {"heat_carried_out_W", "heat carried out by the flow", "W",
       "Heat convected out of openings minus heat convected into openings."},
      {"heat_stored_W", "heat storage rate", "W", "[transient]: rate of heat storage in fluid and solid in the last step."},
      {"wall_heat_W", "heat into the fluid from walls", "W",
       "Heat from the solid and from walls in the faces of the image with a thermal condition."},
      {"wall_temperature_K", "temperature of the walls", "K",
       "Mean over the smooth surface area of walls with heat to or from the fluid."},
      {"heat_transfer_coefficient_W_per_m2K", "heat transfer coefficient", "W/(m2 K)",
       "Heat into the fluid from walls minus heat conducted out through openings, over smooth wall area and logarithmic "
       "mean temperature difference between walls and fluid at inflow and outflow; undefined if this difference changes its "
       "sign."},
      {"nusselt_number", "Nusselt number", "",
       "Heat transfer coefficient times hydraulic diameter over conductivity of the fluid."},
      {"heat_imbalance", "heat imbalance, relative", "",
       "Imbalance due to the tolerance of the temperature; 0 for the exact solution."},
      {"highest_heat_imbalance", "heat imbalance of the worst step, relative", "",
       "[transient]: heat in minus heat out minus stored heat, relative."},
      report_only({"flux_correction", "velocity correction for heat transport", "",
                   "Correction of the face velocities for mass conservation in each voxel, due to the tolerance of the "
                   "flow: root mean square relative to the velocities. Also for dispersion."}),
      report_only({"temperature_overshoot_K", "temperature overshoot", "K",
                   "Excess of the extreme temperatures over the range of the prescribed temperatures. Heating by sources or "
                   "fluxes removes the upper bound, cooling the lower bound."}),
      report_only({"cell_peclet_number", "highest Peclet number of a voxel", "",
                   "Normal velocity on a face times voxel size times heat capacity over conductivity."}),
      report_only({"limited_share", "fraction of faces with a limited temperature", "",
                   "Fraction of flow-carrying faces with a temperature other than the mean of both voxels."}),
      {"residence_time_s.mean", "residence time, mean", "s",
       "Flow-weighted mean age of the outflow: renewed volume over flow rate."},
      {"residence_time_s.median", "residence time, median", "s", "Flow-weighted quantile of the age of the outflow."},
      {"residence_time_s.p95", "residence time, 95th percentile", "s", "Flow-weighted quantile of the age of the outflow."},
      {"fluid_age_s.mean", "age of the fluid, mean", "s",
       "Volume mean of the age since inflow; half the residence time in plug flow, equal to the residence time in mixed "
       "flow."},
      {"fluid_age_s.median", "age of the fluid, median", "s", "Quantile over the volume."},
      {"fluid_age_s.p95", "age of the fluid, 95th percentile", "s", "Quantile over the volume."},
      {"fluid_age_s.high", "age of the fluid, highest", "s", "Maximum over voxels."},
      {"stagnant_share", "stagnant fluid fraction", "",
       "Fraction older than three mean residence times, or in pores without flow."},
      {"mean_velocity_mm_per_s", "mean velocity in the pores", "mm/s", "Mean along the axis over the flowing fluid."},
      {"hydraulic_tortuosity", "hydraulic tortuosity", "",
       "Mean speed over mean velocity along the axis; 1 for straight paths."},
      {"still_share", "nearly stagnant fluid fraction", "",
       "Fraction of voxels slower than a thousandth of the mean speed, as in dead-end pores."},
      {"permeability_error", "bound of the solver error", "",
       "Relative distance between the bounds of the permeability; does not include the discretisation error."},
      neither_shown({"permeability_bounds_m2", "bounds of the permeability", "m2",
                     "Bounds of the exact discrete solution, from the residual and the quality of the preconditioner."}),
      report_only({"percolates_along.*", "fluid path along", "", "True if a path connects the faces of the axis."}),
      report_only({"asymmetry", "asymmetry of the tensor", "",
                   "Asymmetry due to the tolerance of the solver, in mean velocities; 0 for the exact solution."}),
      {"reynolds_number", "Reynolds number", "",
       "Density times mean velocity (test flow: mean speed) times hydraulic diameter over viscosity; a permeability "
       "requires creeping flow, far below 1."},
  };
  for (answer& more : buoyancy_answers()) all.push_back(std::move(more));
  return all;
}

}  // namespace osteon::physics
