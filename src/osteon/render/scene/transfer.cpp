#include <osteon/render/scene/transfer.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace osteon::render {

namespace {

constexpr std::size_t entries = 1024;

}  // namespace

std::array<float, 4> interpolate(const std::vector<control_point>& transfer, double value) {
  const auto above = std::upper_bound(transfer.begin(), transfer.end(), value,
                                      [](double v, const control_point& p) { return v < p.value; });
  const auto& a = above == transfer.begin() ? transfer.front() : *(above - 1);
  const auto& b = above == transfer.end() ? transfer.back() : *above;
  const auto f = static_cast<float>(b.value > a.value ? std::clamp((value - a.value) / (b.value - a.value), 0.0, 1.0) : 0.0);
  std::array<float, 4> result{};
  for (std::size_t c = 0; c < 3; ++c) result[c] = a.colour[c] + f * (b.colour[c] - a.colour[c]);
  result[3] = a.opacity + f * (b.opacity - a.opacity);
  return result;
}

double reference_length(index3 domain, vector3 spacing_mm) {
  double square = 0;
  for (int axis = 0; axis < 3; ++axis) square += std::pow(static_cast<double>(domain[axis]) * spacing_mm[axis], 2);
  return std::sqrt(square) / 100;
}

kernel::transfer_table tabulate(const std::vector<control_point>& transfer, double step_mm, double reference_mm) {
  const double low = transfer.front().value, high = transfer.back().value;
  kernel::transfer_table table{static_cast<float>(low), static_cast<float>(high), {}};
  table.entries.reserve(entries);
  for (std::size_t i = 0; i < entries; ++i) {
    auto entry = interpolate(transfer, low + (high - low) * static_cast<double>(i) / (entries - 1));
    // Beer-Lambert law: the transmittance decreases exponentially with the length of the path.
    entry[3] = static_cast<float>(1 - std::pow(1 - static_cast<double>(entry[3]), step_mm / reference_mm));
    table.entries.push_back(entry);
  }
  return table;
}

void check_transfer(const std::vector<control_point>& transfer, const std::string& where, std::vector<problem>& found) {
  if (transfer.empty()) found.push_back({where, "the transfer function is empty; pass at least one control point"});
  for (std::size_t i = 0; i < transfer.size(); ++i) {
    const auto& p = transfer[i];
    const std::string here = fmt::format("{}[{}]", where, i);
    if (!std::isfinite(p.value)) found.push_back({here, fmt::format("value {}; must be finite", p.value)});
    if (i > 0 && !(p.value >= transfer[i - 1].value))
      found.push_back(
          {here, fmt::format("value {} follows {}; sort the control points by value", p.value, transfer[i - 1].value)});
    if (!(p.opacity >= 0 && p.opacity <= 1))
      found.push_back({here, fmt::format("opacity {}; must be in [0, 1]", p.opacity)});
    for (const float c : p.colour)
      if (!(c >= 0 && c <= 1)) found.push_back({here, fmt::format("colour component {}; must be in [0, 1]", c)});
  }
}

}  // namespace osteon::render
