#include <osteon/voxel/elastic_classes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <osteon/base/error.hpp>

namespace osteon::voxel {

namespace {

constexpr std::size_t most_materials = 255;

struct range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// A fine grid over the pairs, linear in nu and logarithmic in E, and the classes that its occupied bins are joined into.
class pair_grid {
 public:
  pair_grid(range modulus, range poisson)
      : modulus_(modulus), poisson_(poisson), step_(std::log(modulus.high / modulus.low) / modulus_bins) {}

  void mark(elastic_constants c) { occupied_[poisson_bin(c) * modulus_bins + modulus_bin(c)] = 1; }

  /// Join the bins into the classes with the smallest error.
  void choose() {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t rows = 1; rows <= poisson_bins; ++rows) {
      if (poisson_bins % rows != 0) continue;
      const double poisson_error = (poisson_.high - poisson_.low) / static_cast<double>(2 * rows);
      const std::vector<std::uint8_t> joined = join_rows(rows);
      const auto enough = [&](std::size_t length) { return number(joined, rows, length, nullptr) <= most_materials; };
      if (!enough(modulus_bins)) break;
      std::size_t few = 0, many = modulus_bins;  // `few` bins a class are too few, `many` are enough
      while (many - few > 1) (enough((few + many) / 2) ? many : few) = (few + many) / 2;
      const double error = std::max(poisson_error, std::tanh(static_cast<double>(many) * step_ / 2));
      if (error < smallest) {
        smallest = error;
        rows_ = rows;
        number(joined, rows, many, &class_of_bin_);
      }
    }
  }

  /// Class of a pair, from 1.
  std::uint8_t find(elastic_constants c) const {
    return class_of_bin_[poisson_bin(c) * rows_ / poisson_bins * modulus_bins + modulus_bin(c)];
  }

 private:
  static constexpr std::size_t modulus_bins = 16384, poisson_bins = 60;  // 60 has many divisors

  std::size_t modulus_bin(elastic_constants c) const {
    if (!(step_ > 0)) return 0;
    return std::min(modulus_bins - 1, static_cast<std::size_t>(std::log(c.youngs_modulus_MPa / modulus_.low) / step_));
  }
  std::size_t poisson_bin(elastic_constants c) const {
    const double width = (poisson_.high - poisson_.low) / poisson_bins;
    if (!(width > 0)) return 0;
    return std::min(poisson_bins - 1, static_cast<std::size_t>((c.poisson_ratio - poisson_.low) / width));
  }

  std::vector<std::uint8_t> join_rows(std::size_t rows) const {
    std::vector<std::uint8_t> joined(rows * modulus_bins);
    for (std::size_t p = 0; p < poisson_bins; ++p)
      for (std::size_t m = 0; m < modulus_bins; ++m)
        joined[p * rows / poisson_bins * modulus_bins + m] |= occupied_[p * modulus_bins + m];
    return joined;
  }

  // Number of classes of at most `length` bins that hold all occupied bins, and which class a bin is in.
  static std::size_t number(const std::vector<std::uint8_t>& joined, std::size_t rows, std::size_t length,
                            std::vector<std::uint8_t>* class_of_bin) {
    if (class_of_bin) class_of_bin->assign(joined.size(), 0);
    std::size_t classes = 0;
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t m = 0, end = 0; m < modulus_bins; ++m) {
        if (!joined[row * modulus_bins + m]) continue;
        if (m >= end) {
          ++classes;
          end = m + length;
        }
        if (class_of_bin) (*class_of_bin)[row * modulus_bins + m] = static_cast<std::uint8_t>(classes);
      }
    return classes;
  }

  range modulus_, poisson_;
  double step_;  // of the logarithm of E
  std::vector<std::uint8_t> occupied_ = std::vector<std::uint8_t>(poisson_bins * modulus_bins);
  std::size_t rows_ = 1;
  std::vector<std::uint8_t> class_of_bin_;
};

std::string name_of(range modulus, range poisson, bool many_poissons) {
  const auto text = [](range r) {
    return r.low == r.high ? fmt::format("{:.6g}", r.low) : fmt::format("{:.6g} to {:.6g}", r.low, r.high);
  };
  return fmt::format("E {} MPa{}", text(modulus), many_poissons ? fmt::format(", nu {}", text(poisson)) : "");
}

}  // namespace

elastic_classes sort_into_materials(std::vector<std::uint8_t>& voxels,
                                    const std::function<elastic_constants(std::int64_t)>& constants_of) {
  const auto for_each_solid = [&](auto body) {
    for (std::size_t i = 0; i < voxels.size(); ++i)
      if (voxels[i]) body(voxels[i], constants_of(static_cast<std::int64_t>(i)));
  };
  std::map<elastic_constants, std::uint8_t> number_of;  // stays small: it stops growing once there are too many
  range modulus, poisson;
  for_each_solid([&](std::uint8_t, elastic_constants c) {
    modulus.include(c.youngs_modulus_MPa);
    poisson.include(c.poisson_ratio);
    if (number_of.size() <= most_materials) number_of.emplace(c, 0);
  });
  std::vector<range> modulus_of(1 + most_materials), poisson_of(1 + most_materials);
  const auto assign = [&](auto find) {
    for_each_solid([&](std::uint8_t& voxel, elastic_constants c) {
      voxel = find(c);
      modulus_of[voxel].include(c.youngs_modulus_MPa);
      poisson_of[voxel].include(c.poisson_ratio);
    });
  };
  if (number_of.size() <= most_materials) {
    std::uint8_t next = 1;
    for (auto& [constants, number] : number_of) number = next++;
    assign([&](elastic_constants c) { return number_of.at(c); });
  } else {
    pair_grid grid(modulus, poisson);
    for_each_solid([&](std::uint8_t, elastic_constants c) { grid.mark(c); });
    grid.choose();
    assign([&](elastic_constants c) { return grid.find(c); });
  }

  elastic_classes result;
  result.materials.push_back({"empty", 0, 0, 0});
  for (std::size_t n = 1; n <= most_materials && modulus_of[n].low <= modulus_of[n].high; ++n) {
    const auto [low, high] = modulus_of[n];
    const auto [less, more] = poisson_of[n];
    result.materials.push_back({name_of(modulus_of[n], poisson_of[n], poisson.low < poisson.high),
                                low == high ? low : 2 * low * high / (low + high), less == more ? less : (less + more) / 2,
                                0});
    result.modulus_error = std::max(result.modulus_error, (high - low) / (high + low));
    result.poisson_error = std::max(result.poisson_error, (more - less) / 2);
  }
  return result;
}

}  // namespace osteon::voxel
