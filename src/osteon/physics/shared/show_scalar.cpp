#include <osteon/physics/shared/show_scalar.hpp>

#include <utility>

namespace osteon::physics {

numerics::field_statistics show_scalar(physics_result& result, MPI_Comm comm, cell_values values, const std::string& name,
                                       const std::string& title, const std::string& units) {
  const numerics::field_statistics s = numerics::statistics(comm, *values);
  result.shown = std::move(values);
  result.shown_name = name;
  result.shown_title = title;
  result.shown_units = units;
  result.shown_low = 0;
  result.shown_high = s.p99 > s.median ? s.p99 : s.max;
  return s;
}

}  // namespace osteon::physics
