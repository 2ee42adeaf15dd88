#include <osteon/voxel/segment.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <osteon/base/counted.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/voxel/elastic_classes.hpp>
#include <set>
#include <type_traits>

namespace osteon::voxel {

namespace {

// Bits of the voxels of a row: bit x % 64 of word x / 64 is 1 in solid voxels. The flags of 64 voxels are bytes first,
// because compilers vectorise this loop.
template <class T, class IsSolid>
void set_bits(const T* row, std::int64_t voxels, IsSolid& is_solid, std::span<std::uint64_t> bits) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    std::array<std::uint8_t, 64> flags{};
    const std::int64_t first = static_cast<std::int64_t>(w) * 64, count = std::min<std::int64_t>(voxels - first, 64);
    if (count == 64)
      for (std::size_t x = 0; x < 64; ++x) flags[x] = is_solid(row[first + static_cast<std::int64_t>(x)]) ? 1 : 0;
    else
      for (std::int64_t x = 0; x < count; ++x) flags[static_cast<std::size_t>(x)] = is_solid(row[first + x]) ? 1 : 0;
    bits[w] = 0;
    for (std::size_t part = 0; part < 8; ++part) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, flags.data() + 8 * part, sizeof(eight));
      bits[w] |= (eight * 0x0102040810204080ULL >> 56) << (8 * part);  // gathers the low bits of eight bytes
    }
  }
}

// Append the runs of a row. @param bits the last word has a zero bit behind the row
void append_runs(image_runs& runs, std::span<const std::uint64_t> bits) {
  std::uint64_t before = 0;  // the last bit of the previous word
  std::int64_t begin = -1;   // of the open run
  for (std::size_t word = 0; word < bits.size(); ++word) {
    std::uint64_t changes = bits[word] ^ (bits[word] << 1 | before);  // between neighbours
    before = bits[word] >> 63;
    for (; changes != 0; changes &= changes - 1) {
      const std::int64_t x = static_cast<std::int64_t>(word) * 64 + std::countr_zero(changes);
      if (begin < 0) {
        begin = x;
      } else {
        runs.append(begin, x - begin);
        begin = -1;
      }
    }
  }
}

// Runs of voxels for which `is_solid(value)` is true.
// @param is_pure the result depends on the value only, so that several threads may call the function
template <class IsSolid>
image_runs runs_where(const image_planes& scan, IsSolid is_solid, bool is_pure = false) {
  image_runs runs(scan.shape);
  const std::size_t words = static_cast<std::size_t>(scan.shape.x) / 64 + 1;
  std::vector<std::uint64_t> bits;
  for_each_block(scan, [&](std::int64_t, auto values) {
    const std::int64_t rows = values.extent(0) * scan.shape.y;
    bits.resize(static_cast<std::size_t>(rows) * words);
    const auto bits_of = [&](std::int64_t row) {
      return std::span(bits).subspan(static_cast<std::size_t>(row) * words, words);
    };
    const auto* data = values.data_handle();
    osteon::for_each_block(rows, is_pure ? 64 : rows, [&](std::int64_t begin, std::int64_t end) {
      auto selects = is_solid;  // a local copy, which the loop keeps in registers
      for (std::int64_t row = begin; row < end; ++row)
        set_bits(data + row * scan.shape.x, scan.shape.x, selects, bits_of(row));
    });
    for (std::int64_t row = 0; row < rows; ++row) {
      runs.begin_row();
      append_runs(runs, bits_of(row));
    }
  });
  return runs;
}

// Selection of the grey values in (threshold, upper], or of the other grey values.
class grey_interval {
 public:
  grey_interval(double threshold, double upper, bool inverted) : threshold_(threshold), upper_(upper), inverted_(inverted) {}
  template <class T>
  bool operator()(T value) const {
    const auto grey = static_cast<double>(value);
    return (grey > threshold_ && grey <= upper_) != inverted_;
  }
  double threshold() const { return threshold_; }
  double upper() const { return upper_; }
  bool inverted() const { return inverted_; }

 private:
  double threshold_, upper_;
  bool inverted_;
};

// The same selection for integers, which processors compare faster.
template <class T>
struct integer_interval {
  T low, high;  // if low > high, no value is in the interval
  bool inverted;
  bool operator()(T value) const { return ((value >= low) & (value <= high)) != inverted; }
};

image_runs runs_in(const image_planes& scan, const grey_interval& interval) {
  image_runs runs;
  image{{}, scan.type, {}}.visit([&](auto values) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(values.data_handle())>>;
    if constexpr (std::is_integral_v<T>) {
      constexpr double lowest = std::numeric_limits<T>::min(), highest = std::numeric_limits<T>::max();
      const double low = std::floor(interval.threshold()) + 1, high = std::floor(interval.upper());
      const bool is_empty = !(low <= highest && high >= lowest && low <= high);
      const integer_interval<T> of_type{is_empty ? T{1} : static_cast<T>(std::max(low, lowest)),
                                        is_empty ? T{0} : static_cast<T>(std::min(high, highest)), interval.inverted()};
      runs = runs_where(scan, [of_type](auto value) { return of_type(static_cast<T>(value)); }, true);
    } else {
      runs = runs_where(scan, interval, true);
    }
  });
  return runs;
}

// Call `f(i)` for the solid voxels in the planes [first, first + planes); `i` is relative to the first voxel of these
// planes.
template <class F>
void for_each_voxel(const image_runs& solid, std::int64_t first, std::int64_t planes, F f) {
  const index3 n = solid.shape();
  for (std::int64_t z = 0; z < planes; ++z)
    solid.for_each_in_plane(first + z, [&](const run& r) {
      for (std::int64_t i = (z * n.y + r.y) * n.x + r.x, end = i + r.length; i < end; ++i) f(i);
    });
}

// Material numbers of solid voxels by `number_of(at)`, 0 elsewhere.
template <class NumberOf>
void fill_planes(const image_runs& solid, std::int64_t first, std::int64_t planes, std::span<material_number> numbers,
                 NumberOf number_of) {
  std::fill(numbers.begin(), numbers.end(), material_number{0});
  for_each_voxel(solid, first, planes, [&](std::int64_t i) { numbers[static_cast<std::size_t>(i)] = number_of(i); });
}

// The same material number in all solid voxels, `other` elsewhere.
void fill_planes(const image_runs& solid, std::int64_t first, std::int64_t planes, std::span<material_number> numbers,
                 material_number number, material_number other) {
  std::fill(numbers.begin(), numbers.end(), other);
  const index3 n = solid.shape();
  osteon::for_each_block(planes, 1, [&](std::int64_t z, std::int64_t) {
    solid.for_each_in_plane(
        first + z, [&](const run& r) { std::fill_n(numbers.begin() + (z * n.y + r.y) * n.x + r.x, r.length, number); });
  });
}

// Select voxels by label, and select parts.
segmented find_labelled(const image_planes& scan, const segmentation_options& options) {
  segmented result;
  result.shape = scan.shape;
  result.report.grey = check_values(scan);
  result.report.method = "labels";
  require_labels(scan, "the image of labels");
  const std::set<std::int64_t> selected(options.labels.begin(), options.labels.end());
  std::int64_t last = 0;  // neighbours mostly have equal labels
  bool is_selected = selected.contains(0) != options.inverted;
  result.solid = runs_where(scan, [&](auto value) {
    if (const auto label = static_cast<std::int64_t>(value); label != last) {
      last = label;
      is_selected = selected.contains(label) != options.inverted;
    }
    return is_selected;
  });
  if (result.solid.size() == 0)
    throw data_error(fmt::format("{} {} select no voxel; the labels of the image are in [{}, {}]",
                                 options.inverted ? "labels other than" : "labels", fmt::join(options.labels, ", "),
                                 result.report.grey.low, result.report.grey.high));
  result.solid = keep_parts(std::move(result.solid), options, result.report);
  return result;
}

// Apply the threshold, and select parts.
segmented find_solid(const image_planes& scan, const segmentation_options& options) {
  if (!options.labels.empty()) return find_labelled(scan, options);
  segmented result;
  result.shape = scan.shape;
  grey_counts counts;
  result.report.grey = check_values(scan, options.threshold ? nullptr : &counts);
  result.report.method = options.threshold ? "given" : options.greys ? "volume" : "otsu";
  const double threshold = options.threshold ? *options.threshold
                           : options.greys   ? volume_threshold(scan, result.report.grey, *options.greys, counts)
                                             : otsu_threshold(scan, result.report.grey, counts);
  const double upper = options.upper.value_or(std::numeric_limits<double>::infinity());
  result.report.threshold = threshold;
  result.solid = runs_in(scan, {threshold, upper, options.inverted});
  if (result.solid.size() == 0)
    throw data_error(
        fmt::format("the threshold {} leaves no {} voxel: the grey values of the image are in [{}, {}]{}; choose a "
                    "threshold inside that range, or remove it to use Otsu's method",
                    threshold, options.inverted ? "empty" : "solid", result.report.grey.low, result.report.grey.high,
                    options.upper ? fmt::format(" and segment.upper is {}", upper) : ""));
  result.solid = keep_parts(std::move(result.solid), options, result.report);
  return result;
}

void set_materials(segmented& model, elastic_classes& classes) {
  model.materials = std::move(classes.materials);
  model.modulus_error = classes.modulus_error;
  model.poisson_error = classes.poisson_error;
}

// Values of the voxels of some planes, valid until the next request.
template <class T>
using by_planes = std::function<std::function<T(std::int64_t)>(std::int64_t first, std::int64_t planes)>;

by_planes<double> values_of(const image_planes& image_in_planes) {
  return [image_in_planes, block = std::make_shared<image>()](std::int64_t first, std::int64_t planes) {
    image_in_planes.read_into(*block, first, planes);
    return block->visit([](auto view) -> std::function<double(std::int64_t)> {
      return [data = view.data_handle()](std::int64_t i) { return static_cast<double>(data[i]); };
    });
  };
}

// Call `f(first, planes)` for all planes, some planes at a time.
void for_each_piece(const image_planes& scan, const std::function<void(std::int64_t, std::int64_t)>& f) {
  const std::int64_t most = scan.at_a_time(sizeof(double));
  for (std::int64_t z = 0; z < scan.shape.z; z += most) f(z, std::min(most, scan.shape.z - z));
}

// Set the materials of voxels with individual constants.
void set_classes(segmented& model, const image_planes& scan, const by_planes<elastic_constants>& constants) {
  elastic_classes classes = sort_into_materials([&](const auto& body) {
    for_each_piece(scan, [&](std::int64_t first, std::int64_t planes) {
      const auto at = constants(first, planes);
      for_each_voxel(model.solid, first, planes, [&](std::int64_t i) { body(at(i)); });
    });
  });
  set_materials(model, classes);
  model.material = [constants, solid = model.solid, number = std::move(classes.number)](
                       std::int64_t first, std::int64_t planes, std::span<material_number> numbers) {
    const auto at = constants(first, planes);
    fill_planes(solid, first, planes, numbers, [&](std::int64_t i) { return number(at(i)); });
  };
}

// Materials by a law, for grey values of at most 16 bits. A table of all grey values is cheaper than a power function per
// voxel.
template <class Grey>
void set_classes_of_greys(segmented& model, const image_planes& scan, const density_law& law) {
  using place = std::make_unsigned_t<Grey>;
  constexpr std::size_t places = std::size_t{std::numeric_limits<place>::max()} + 1;
  const auto block = std::make_shared<image>();
  const auto greys_of = [scan, block](std::int64_t first, std::int64_t planes) {
    scan.read_into(*block, first, planes);
    return reinterpret_cast<const place*>(block->bytes.data());
  };
  std::vector<bool> occurs(places);
  for_each_piece(scan, [&](std::int64_t first, std::int64_t planes) {
    const place* greys = greys_of(first, planes);
    for_each_voxel(model.solid, first, planes, [&](std::int64_t i) { occurs[greys[i]] = true; });
  });
  const auto constants_of = [&](std::size_t p) {
    return elastic_constants{law.modulus_MPa(static_cast<Grey>(static_cast<place>(p))), law.poisson_ratio};
  };
  elastic_classes classes = sort_into_materials([&](const auto& body) {
    for (std::size_t p = 0; p < places; ++p)
      if (occurs[p]) body(constants_of(p));
  });
  std::vector<material_number> number(places);
  for (std::size_t p = 0; p < places; ++p)
    if (occurs[p]) number[p] = classes.number(constants_of(p));
  set_materials(model, classes);
  model.material = [greys_of, solid = model.solid, number = std::move(number)](std::int64_t first, std::int64_t planes,
                                                                               std::span<material_number> numbers) {
    const place* greys = greys_of(first, planes);
    fill_planes(solid, first, planes, numbers, [&](std::int64_t i) { return number[greys[i]]; });
  };
}

// Reject a model with invalid values at solid voxels. The message contains the number of these voxels and the position of
// the first invalid voxel.
void require(const segmented& model, const image_planes& scan, const by_planes<double>& values, bool (*allowed)(double),
             const char* quantity, const char* limit) {
  const index3 n = model.shape;
  std::int64_t bad = 0, first_bad = -1;
  double value = 0;
  for_each_piece(scan, [&](std::int64_t first, std::int64_t planes) {
    const auto at = values(first, planes);
    for_each_voxel(model.solid, first, planes, [&](std::int64_t i) {
      if (allowed(at(i)) || bad++ > 0) return;
      first_bad = first * n.y * n.x + i;
      value = at(i);
    });
  });
  if (bad == 0) return;
  throw data_error(
      fmt::format("{} solid voxels have an invalid {}, the first {} at (z, y, x) = ({}, {}, {}); {}: correct the image, or "
                  "choose a threshold that excludes these voxels",
                  bad, quantity, value, first_bad / (n.y * n.x), first_bad / n.x % n.y, first_bad % n.x, limit));
}

// Numbers of materials by label.
class number_table {
 public:
  number_table() = default;
  number_table(const number_table& other) : number_of_(other.number_of_) {}  // the cache points into the other object
  void set(std::int64_t label, material_number number) { number_of_[label] = number; }
  void add(const std::vector<labelled_material>& table, const std::vector<std::int64_t>& void_labels,
           material_table& materials) {
    for (const std::int64_t label : void_labels) set(label, 0);
    for (const labelled_material& entry : table) {
      set(entry.label, static_cast<material_number>(materials.size()));
      materials.push_back(entry.properties);
    }
  }
  /// Material number of a label; null if the label has no material.
  const material_number* find(std::int64_t label) {
    // The last label is cached. Neighbouring voxels mostly have equal labels; the map is therefore rarely accessed.
    if (last_ == nullptr || label != last_label_) {
      const auto found = number_of_.find(label);
      last_ = found == number_of_.end() ? nullptr : &found->second;
      last_label_ = label;
    }
    return last_;
  }

 private:
  std::map<std::int64_t, material_number> number_of_;
  std::int64_t last_label_ = 0;
  const material_number* last_ = nullptr;
};

// Assign materials by label to all voxels with a known label.
segmented segment_numbered(const image_planes& labels, number_table numbers, material_table materials) {
  segmented result;
  result.shape = labels.shape;
  result.report.grey = check_values(labels);
  result.report.method = "labels";
  require_labels(labels, "the image of labels");
  result.materials = std::move(materials);
  std::map<std::int64_t, std::int64_t> unknown;
  for_each_block(labels, [&](std::int64_t, auto values) {
    const auto* data = values.data_handle();
    for (std::int64_t i = 0; i < values.size(); ++i)
      if (const auto label = static_cast<std::int64_t>(data[i]); !numbers.find(label)) ++unknown[label];
  });
  if (!unknown.empty()) {
    std::vector<std::string> shown;
    for (const auto& [label, count] : unknown)
      if (shown.size() < 20) shown.push_back(fmt::format("{} ({})", label, counted(count, "voxel")));
    throw data_error(fmt::format(
        "labels without a material: {}{}; add a [[material]] with this label, or add the label to segment.void_labels",
        fmt::join(shown, ", "), unknown.size() > shown.size() ? " and more" : ""));
  }
  result.solid =
      runs_where(labels, [&](auto value) { return *numbers.find(static_cast<std::int64_t>(value)) != material_number{0}; });
  if (result.solid.size() == 0)
    throw data_error(fmt::format("all voxels have void labels; the labels of the image are in [{}, {}]",
                                 result.report.grey.low, result.report.grey.high));
  return result;
}

// Number of voxels of each material, before the removal of parts.
std::vector<std::int64_t> count_materials(const image_planes& labels, number_table numbers, std::size_t materials) {
  std::vector<std::int64_t> count(materials);
  for_each_block(labels, [&](std::int64_t, auto values) {
    const auto* data = values.data_handle();
    for (std::int64_t i = 0; i < values.size(); ++i) {
      const material_number number = *numbers.find(static_cast<std::int64_t>(data[i]));
      if (number != 0) ++count[number];
    }
  });
  return count;
}

// Set the reader of the material numbers of the model.
void read_numbers(segmented& model, const image_planes& labels, const number_table& table) {
  model.material = [labels, numbers = std::make_shared<number_table>(table), solid = model.solid,
                    block = std::make_shared<image>()](std::int64_t first, std::int64_t planes,
                                                       std::span<material_number> out) {
    labels.read_into(*block, first, planes);
    block->visit([&](auto values) {
      const auto* data = values.data_handle();
      fill_planes(solid, first, planes, out,
                  [&](std::int64_t i) { return *numbers->find(static_cast<std::int64_t>(data[i])); });
    });
  };
}

}  // namespace

calibration calibrate(std::span<const std::pair<double, double>> points) {
  const auto n = static_cast<double>(points.size());
  double grey = 0, density = 0, square = 0, product = 0;
  for (const auto& [g, rho] : points) grey += g / n, density += rho / n;
  for (const auto& [g, rho] : points) {
    square += (g - grey) * (g - grey);
    product += (g - grey) * (rho - density);
  }
  calibration line{product / square, density - product / square * grey};
  if (std::abs(line.intercept) < 1e-14 * std::abs(density)) line.intercept = 0;  // the line passes through the origin
  for (const auto& [g, rho] : points)
    line.largest_residual = std::max(line.largest_residual, std::abs(line.slope * g + line.intercept - rho));
  return line;
}

double density_law::modulus_MPa(double grey) const {
  const double density = std::max(0.0, slope * grey + intercept);
  double modulus = 0;
  for (auto a = polynomial_MPa.rbegin(); a != polynomial_MPa.rend(); ++a) modulus = modulus * density + *a;
  if (polynomial_MPa.empty()) modulus = coefficient_MPa * std::pow(density, exponent);
  return std::clamp(modulus, min_modulus_MPa, max_modulus_MPa);
}

std::vector<material_number> all_materials(const segmented& model) {
  std::vector<material_number> numbers(static_cast<std::size_t>(model.shape.volume()));
  model.material(0, model.shape.z, numbers);
  return numbers;
}

segmented segment(const image_planes& scan, const segmentation_options& options, const material& solid) {
  segmented result = find_solid(scan, options);
  result.materials = {material{"empty", 0, 0, 0}, solid};
  result.report.voxels_of_material = {0, result.report.solid_voxels};
  result.material = [cells = result.solid](std::int64_t first, std::int64_t planes, std::span<material_number> numbers) {
    fill_planes(cells, first, planes, numbers, 1, 0);
  };
  return result;
}

segmented segment(const image_planes& scan, const segmentation_options& options, const density_law& law) {
  segmented result = find_solid(scan, options);
  image{{}, scan.type, {}}.visit([&](auto values) {
    using grey = std::remove_const_t<std::remove_pointer_t<decltype(values.data_handle())>>;
    if constexpr (sizeof(grey) <= 2) {
      set_classes_of_greys<grey>(result, scan, law);
    } else {
      set_classes(result, scan, [law, greys = values_of(scan)](std::int64_t first, std::int64_t planes) {
        return [&law, grey_at = greys(first, planes)](std::int64_t i) {
          return elastic_constants{law.modulus_MPa(grey_at(i)), law.poisson_ratio};
        };
      });
    }
  });
  return result;
}

segmented segment(const image_planes& scan, const segmentation_options& options, const elastic_images& constants) {
  const bool has_poisson_image = constants.poisson_ratio.has_value();
  const auto require_shape = [&](const image_planes& values, const char* quantity) {
    if (values.shape != scan.shape)
      throw data_error(fmt::format(
          "the image of {} has {} x {} x {} voxels (z, y, x), but the scan has {} x {} x {}; both must have the same shape",
          quantity, values.shape.z, values.shape.y, values.shape.x, scan.shape.z, scan.shape.y, scan.shape.x));
  };
  require_shape(constants.modulus_MPa, "the modulus");
  if (has_poisson_image) require_shape(*constants.poisson_ratio, "Poisson's ratio");
  segmented result = find_solid(scan, options);
  const auto modulus = values_of(constants.modulus_MPa);
  const auto poisson = has_poisson_image
                           ? values_of(*constants.poisson_ratio)
                           : by_planes<double>([nu = constants.same_poisson_ratio](std::int64_t, std::int64_t) {
                               return [nu](std::int64_t) { return nu; };
                             });
  require(
      result, scan, modulus, [](double e) { return e > 0 && std::isfinite(e); }, "Young's modulus", "it must be > 0 MPa");
  require(
      result, scan, poisson, [](double nu) { return nu > -1 && nu < 0.5; }, "Poisson's ratio", "it must be in (-1, 0.5)");
  set_classes(result, scan, [modulus, poisson](std::int64_t first, std::int64_t planes) {
    return
        [e = modulus(first, planes), nu = poisson(first, planes)](std::int64_t i) { return elastic_constants{e(i), nu(i)}; };
  });
  return result;
}

segmented segment(const image_planes& labels, const segmentation_options& options,
                  const std::vector<labelled_material>& table, const std::vector<std::int64_t>& void_labels) {
  number_table numbers;
  material_table materials{material{"empty", 0, 0, 0}};
  numbers.add(table, void_labels, materials);
  segmented result = segment_numbered(labels, numbers, std::move(materials));
  result.report.voxels_of_material = count_materials(labels, numbers, result.materials.size());
  result.solid = keep_parts(std::move(result.solid), options, result.report);
  read_numbers(result, labels, numbers);
  return result;
}

segmented segment_phases(const image_planes& scan, const segmentation_options& options, const material& phase,
                         const material& others) {
  segmented result = find_solid(scan, options);
  result.materials = {material{"empty", 0, 0, 0}, phase, others};
  result.material = [cells = std::move(result.solid)](std::int64_t first, std::int64_t planes,
                                                      std::span<material_number> numbers) {
    fill_planes(cells, first, planes, numbers, 1, 2);
  };
  result.solid = runs_where(scan, [](auto) { return true; });
  return result;
}

segmented segment_phases(const image_planes& labels, const segmentation_options& options, const material& phase,
                         const std::vector<labelled_material>& others, const std::vector<std::int64_t>& void_labels) {
  const segmentation_report report = find_labelled(labels, options).report;
  number_table numbers;
  material_table materials{material{"empty", 0, 0, 0}, phase};
  numbers.add(others, void_labels, materials);
  for (const std::int64_t label : options.labels) numbers.set(label, 1);
  segmented result = segment_numbered(labels, numbers, std::move(materials));
  result.report = report;
  read_numbers(result, labels, numbers);
  return result;
}

}  // namespace osteon::voxel
