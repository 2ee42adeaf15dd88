#include <osteon/physics/failure/solver/failure.hpp>

#include <algorithm>
#include <cmath>

namespace osteon::physics {

failure_plan halved(const failure_plan& plan, const failure_solution& solution) {
  failure_plan fine = plan;
  fine.load = 0;
  fine.turns = solution.turns;
  fine.stops.clear();
  for (std::size_t n = 1; n < solution.curve.size(); ++n) {
    const failure_record &before = solution.curve[n - 1], &r = solution.curve[n];
    if (r.corrections > 0) fine.stops.push_back((before.factor + r.factor) / 2);
    fine.stops.push_back(r.factor);
  }
  return fine;
}

double change_of_loads(std::span<const failure_record> coarse, std::span<const failure_record> fine) {
  double largest = 0, change = 0;
  std::size_t at = 0;
  for (const failure_record& r : coarse) {
    largest = std::max(largest, std::abs(r.load));
    for (std::size_t n = at; n < fine.size(); ++n) {
      if (fine[n].factor != r.factor) continue;
      change = std::max(change, std::abs(fine[n].load - r.load));
      at = n + 1;
      break;
    }
  }
  return largest > 0 ? change / largest : 0;
}

}  // namespace osteon::physics
