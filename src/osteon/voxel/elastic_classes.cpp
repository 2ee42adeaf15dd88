#include <osteon/voxel/elastic_classes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

namespace osteon::voxel {

namespace {

struct range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

struct hash_of_constants {
  std::size_t operator()(const elastic_constants& c) const {
    // Mix the bits, because the bits of round moduli would otherwise occupy few buckets. -0 and 0 are equal.
    const auto bits = [](double v) { return std::bit_cast<std::uint64_t>(v + 0.0); };
    std::uint64_t h = bits(c.youngs_modulus_MPa) * 0x9e3779b97f4a7c15U + bits(c.poisson_ratio);
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93U;
    return static_cast<std::size_t>(h ^ (h >> 32));
  }
};

// A fine grid of (E, nu) pairs, linear in nu and logarithmic in E, and the classes formed by its occupied bins.
class pair_grid {
 public:
  pair_grid(range modulus, range poisson)
      : modulus_(modulus),
        poisson_(poisson),
        poisson_bins_(poisson.low < poisson.high ? most_poisson_bins : 1),
        step_(std::log(modulus.high / modulus.low) / modulus_bins),
        occupied_(poisson_bins_ * modulus_bins) {}

  void mark(elastic_constants c) { occupied_[poisson_bin(c) * modulus_bins + modulus_bin(c)] = 1; }

  /// Divide the bins into classes with the smallest error.
  void choose() {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t rows = 1; rows <= poisson_bins_; ++rows) {
      if (poisson_bins_ % rows != 0) continue;
      const double poisson_error = (poisson_.high - poisson_.low) / static_cast<double>(2 * rows);
      const std::vector<std::uint8_t> joined = join_rows(rows);
      const auto enough = [&](std::size_t length) { return number(joined, rows, length, nullptr) <= most_classes; };
      if (!enough(modulus_bins)) break;
      std::size_t few = 0, many = modulus_bins;  // `few` bins per class yield too many classes, `many` do not
      while (many - few > 1) (enough((few + many) / 2) ? many : few) = (few + many) / 2;
      const double error = std::max(poisson_error, std::tanh(static_cast<double>(many) * step_ / 2));
      if (error < smallest) {
        smallest = error;
        rows_ = rows;
        number(joined, rows, many, &class_of_bin_);
      }
    }
    occupied_ = {};
  }

  /// Class of a pair, from 1.
  material_number find(elastic_constants c) const {
    return class_of_bin_[poisson_bin(c) * rows_ / poisson_bins_ * modulus_bins + modulus_bin(c)];
  }

 private:
  static constexpr std::size_t modulus_bins = 64 * most_classes, most_poisson_bins = 60;  // 60 is divisible by many numbers

  std::size_t modulus_bin(elastic_constants c) const {
    if (!(step_ > 0)) return 0;
    return std::min(modulus_bins - 1, static_cast<std::size_t>(std::log(c.youngs_modulus_MPa / modulus_.low) / step_));
  }
  std::size_t poisson_bin(elastic_constants c) const {
    const double width = (poisson_.high - poisson_.low) / static_cast<double>(poisson_bins_);
    if (!(width > 0)) return 0;
    return std::min(poisson_bins_ - 1, static_cast<std::size_t>((c.poisson_ratio - poisson_.low) / width));
  }

  std::vector<std::uint8_t> join_rows(std::size_t rows) const {
    std::vector<std::uint8_t> joined(rows * modulus_bins);
    for (std::size_t p = 0; p < poisson_bins_; ++p)
      for (std::size_t m = 0; m < modulus_bins; ++m)
        joined[p * rows / poisson_bins_ * modulus_bins + m] |= occupied_[p * modulus_bins + m];
    return joined;
  }

  // Number of classes of at most `length` bins that cover all occupied bins, and the class of each bin.
  static std::size_t number(const std::vector<std::uint8_t>& joined, std::size_t rows, std::size_t length,
                            std::vector<material_number>* class_of_bin) {
    if (class_of_bin) class_of_bin->assign(joined.size(), 0);
    std::size_t classes = 0;
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t m = 0, end = 0; m < modulus_bins; ++m) {
        if (!joined[row * modulus_bins + m]) continue;
        if (m >= end) {
          ++classes;
          end = m + length;
        }
        if (class_of_bin) (*class_of_bin)[row * modulus_bins + m] = static_cast<material_number>(classes);
      }
    return classes;
  }

  range modulus_, poisson_;
  std::size_t poisson_bins_;
  double step_;  // step of log(E)
  std::vector<std::uint8_t> occupied_;
  std::size_t rows_ = 1;
  std::vector<material_number> class_of_bin_;
};

std::string name_of(range modulus, range poisson, bool many_poissons) {
  const auto text = [](range r) {
    return r.low == r.high ? fmt::format("{:.6g}", r.low) : fmt::format("{:.6g} to {:.6g}", r.low, r.high);
  };
  return fmt::format("E {} MPa{}", text(modulus), many_poissons ? fmt::format(", nu {}", text(poisson)) : "");
}

}  // namespace

elastic_classes sort_into_materials(const each_solid_voxel& visit) {
  // Remains small: no further entries are added once the limit is exceeded.
  std::unordered_map<elastic_constants, material_number, hash_of_constants> number_of;
  range modulus, poisson;
  visit([&](const elastic_constants& c) {
    modulus.include(c.youngs_modulus_MPa);
    poisson.include(c.poisson_ratio);
    if (number_of.size() <= most_classes) number_of.try_emplace(c, material_number{0});
  });
  std::vector<range> modulus_of(1 + most_classes), poisson_of(1 + most_classes);
  const auto include = [&](material_number n, const elastic_constants& c) {
    modulus_of[n].include(c.youngs_modulus_MPa);
    poisson_of[n].include(c.poisson_ratio);
  };
  elastic_classes result;
  if (number_of.size() <= most_classes) {
    std::vector<elastic_constants> ascending;
    for (const auto& [constants, number] : number_of) ascending.push_back(constants);
    std::sort(ascending.begin(), ascending.end());
    for (std::size_t i = 0; i < ascending.size(); ++i) {
      number_of[ascending[i]] = static_cast<material_number>(i + 1);
      include(static_cast<material_number>(i + 1), ascending[i]);
    }
    result.number = [number_of = std::move(number_of)](const elastic_constants& c) { return number_of.at(c); };
  } else {
    const auto grid = std::make_shared<pair_grid>(modulus, poisson);
    visit([&](const elastic_constants& c) { grid->mark(c); });
    grid->choose();
    visit([&](const elastic_constants& c) { include(grid->find(c), c); });
    result.number = [grid](const elastic_constants& c) { return grid->find(c); };
  }

  result.materials.push_back({"empty", 0, 0, 0});
  for (std::size_t n = 1; n <= most_classes && modulus_of[n].low <= modulus_of[n].high; ++n) {
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
