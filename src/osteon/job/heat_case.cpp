#include <osteon/job/heat_case.hpp>

namespace osteon::job {

solve::heat_problem make_heat_problem(const spec& job, const specimen& part) {
  return {.where = part.where,
          .spacing_mm = part.header.spacing_mm,
          .materials = &part.header.materials,
          .cells = part.cells,
          .material = voxel::gather(part.cells, {part.image.data(), part.where.owned.shape()}),
          .along = load_axis(job),
          .low_K = job.load.low_K,
          .high_K = job.load.high_K};
}

std::vector<result_field> heat_fields(const specimen& part, const std::vector<double>& temperature_K,
                                      std::vector<float> heat_flux) {
  return {{{"temperature", "temperature", "K", io::centring::cell, 1},
           [&part, temperature = std::vector<float>(temperature_K.begin(), temperature_K.end())] {
             return spread_cells(part, temperature);
           }},
          {{"heat_flux", "magnitude of the heat flux density", "W mm-2", io::centring::cell, 1},
           [&part, heat_flux = std::move(heat_flux)] { return spread_cells(part, heat_flux); }}};
}

}  // namespace osteon::job
