#include <fmt/format.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <osteon/render/scene/colour_map.hpp>
#include <osteon/render/scene/colour_map_tables.hpp>
#include <utility>

namespace osteon::render {

namespace {

using map = std::array<std::array<float, 3>, 256>;

constexpr std::pair<std::string_view, std::string_view> known[] = {
    {"batlow", tables::batlow}, {"inferno", tables::inferno}, {"ivory", tables::ivory},
    {"lipari", tables::lipari}, {"viridis", tables::viridis}, {"vik", tables::vik}};

float to_linear(int srgb) {
  const double c = srgb / 255.0;
  return static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
}

map decode(std::string_view digits) {
  map result{};
  for (std::size_t i = 0; i < result.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::string byte(digits.substr(6 * i + 2 * c, 2));
      result[i][c] = to_linear(std::stoi(byte, nullptr, 16));
    }
  return result;
}

template <std::size_t... I>
const map& decoded(std::size_t which, std::index_sequence<I...>) {
  static const map maps[] = {decode(known[I].second)...};
  return maps[which];
}

}  // namespace

const std::array<std::array<float, 3>, 256>& colour_map(const std::string& name) {
  std::string names;
  for (std::size_t i = 0; i < std::size(known); ++i) {
    if (known[i].first == name) return decoded(i, std::make_index_sequence<std::size(known)>());
    names += fmt::format("{}{}", i ? ", " : "", known[i].first);
  }
  throw usage_error(fmt::format("unknown colour map '{}'; must be one of {}", name, names));
}

}  // namespace osteon::render
