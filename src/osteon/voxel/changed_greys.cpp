#include <osteon/voxel/changed_greys.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <osteon/base/splitmix.hpp>
#include <vector>

namespace osteon::voxel {

namespace {

// Voxels along one axis that overlap a coarse voxel, with their overlap fractions.
struct covered {
  std::int64_t first = 0;
  std::vector<double> weight;  // overlap fractions; their sum is 1
};

std::vector<covered> covers(std::int64_t from, std::int64_t to) {
  std::vector<covered> all(static_cast<std::size_t>(to));
  for (std::int64_t i = 0; i < to; ++i) {
    // Positions in units of 1/to of a voxel are integers.
    const std::int64_t begin = i * from, end = (i + 1) * from;
    covered& c = all[static_cast<std::size_t>(i)];
    c.first = begin / to;
    for (std::int64_t k = c.first; k * to < end; ++k)
      c.weight.push_back(static_cast<double>(std::min(end, (k + 1) * to) - std::max(begin, k * to)) /
                         static_cast<double>(from));
  }
  return all;
}

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}

// Averages planes of an image to planes of a coarser image.
class coarse_reader {
 public:
  coarse_reader(image_planes scan, index3 shape)
      : scan_(std::move(scan)),
        shape_(shape),
        z_(covers(scan_.shape.z, shape.z)),
        y_(covers(scan_.shape.y, shape.y)),
        x_(covers(scan_.shape.x, shape.x)) {}

  void read(std::int64_t first, std::int64_t planes, std::span<std::byte> values) {
    const std::span<float> to = floats(values);
    const auto plane = static_cast<std::size_t>(shape_.y * shape_.x);
    std::vector<double> sum(plane), row(static_cast<std::size_t>(shape_.x));
    for (std::int64_t z = 0; z < planes; ++z) {
      std::fill(sum.begin(), sum.end(), 0.0);
      const covered& across = z_[static_cast<std::size_t>(first + z)];
      for (std::size_t k = 0; k < across.weight.size(); ++k) {
        scan_.read_into(whole_, across.first + static_cast<std::int64_t>(k), 1);
        whole_.visit([&](auto greys) { add(greys, across.weight[k], sum, row); });
      }
      std::transform(sum.begin(), sum.end(), to.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(z) * plane),
                     [](double v) { return static_cast<float>(v); });
    }
  }

 private:
  template <class View>
  void add(const View& greys, double weight, std::vector<double>& sum, std::vector<double>& row) const {
    for (std::int64_t y = 0; y < shape_.y; ++y) {
      const covered& rows = y_[static_cast<std::size_t>(y)];
      std::fill(row.begin(), row.end(), 0.0);
      for (std::size_t j = 0; j < rows.weight.size(); ++j) {
        const auto* from = &greys(0, rows.first + static_cast<std::int64_t>(j), 0);
        for (std::int64_t x = 0; x < shape_.x; ++x) {
          const covered& c = x_[static_cast<std::size_t>(x)];
          double mean = 0;
          for (std::size_t i = 0; i < c.weight.size(); ++i)
            mean += c.weight[i] * static_cast<double>(from[c.first + static_cast<std::int64_t>(i)]);
          row[static_cast<std::size_t>(x)] += rows.weight[j] * mean;
        }
      }
      for (std::int64_t x = 0; x < shape_.x; ++x)
        sum[static_cast<std::size_t>(y * shape_.x + x)] += weight * row[static_cast<std::size_t>(x)];
    }
  }

  image_planes scan_;
  index3 shape_;
  std::vector<covered> z_, y_, x_;
  image whole_;
};

// Normally distributed random number by the Box-Muller transform.
double normal(std::uint64_t seed, std::uint64_t place) {
  const std::uint64_t a = splitmix64(splitmix64(seed) ^ place), b = splitmix64(a);
  constexpr double unit = 0x1p-53;
  const double radius = std::sqrt(-2 * std::log((static_cast<double>(a >> 11) + 0.5) * unit));
  return radius * std::cos(2 * std::numbers::pi * static_cast<double>(b >> 11) * unit);
}

// White noise, blurred along each axis. Stores the planes around the current plane.
class noise {
 public:
  noise(index3 shape, double sd, double blur, std::uint64_t seed) : shape_(shape), seed_(seed) {
    reach_ = blur > 0 ? static_cast<std::int64_t>(std::ceil(3 * blur)) : 0;
    for (std::int64_t k = -reach_; k <= reach_; ++k)
      weight_.push_back(blur > 0 ? std::exp(-static_cast<double>(k * k) / (2 * blur * blur)) : 1.0);
    // Normalise the weights to unit variance of the sum of independent numbers.
    const double length = std::sqrt(std::inner_product(weight_.begin(), weight_.end(), weight_.begin(), 0.0));
    for (double& w : weight_) w *= std::cbrt(sd) / length;
  }

  /// Add the noise of a plane.
  void add(std::int64_t z, std::span<float> values) {
    for (std::int64_t k = -reach_; k <= reach_; ++k) {
      const std::vector<double>& plane = blurred(z + k);
      const double w = weight_[static_cast<std::size_t>(k + reach_)];
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += static_cast<float>(w * plane[i]);
    }
  }

 private:
  struct kept {
    std::int64_t z = 0;
    std::vector<double> values;
  };

  const std::vector<double>& blurred(std::int64_t z) {
    for (const kept& k : planes_)
      if (k.z == z) return k.values;
    if (std::ssize(planes_) <= 2 * reach_) {
      planes_.emplace_back();
    } else {
      std::rotate(planes_.begin(), planes_.begin() + 1, planes_.end());  // remove the oldest plane
    }
    kept& made = planes_.back();
    made.z = z;
    make(z, made.values);
    return made.values;
  }

  // White noise of a plane of the image extended by `reach` voxels, blurred along y and x.
  void make(std::int64_t z, std::vector<double>& plane) const {
    const std::int64_t wide = shape_.x + 2 * reach_, high = shape_.y + 2 * reach_;
    std::vector<double> white(static_cast<std::size_t>(wide)), along_x(static_cast<std::size_t>(high * shape_.x));
    for (std::int64_t y = 0; y < high; ++y) {
      const auto row = static_cast<std::uint64_t>((z + reach_) * high + y) * static_cast<std::uint64_t>(wide);
      for (std::int64_t x = 0; x < wide; ++x)
        white[static_cast<std::size_t>(x)] = normal(seed_, row + static_cast<std::uint64_t>(x));
      for (std::int64_t x = 0; x < shape_.x; ++x)
        along_x[static_cast<std::size_t>(y * shape_.x + x)] =
            std::inner_product(weight_.begin(), weight_.end(), white.begin() + x, 0.0);
    }
    plane.assign(static_cast<std::size_t>(shape_.y * shape_.x), 0.0);
    for (std::int64_t y = 0; y < shape_.y; ++y)
      for (std::size_t k = 0; k < weight_.size(); ++k)
        for (std::int64_t x = 0; x < shape_.x; ++x)
          plane[static_cast<std::size_t>(y * shape_.x + x)] +=
              weight_[k] * along_x[static_cast<std::size_t>((y + static_cast<std::int64_t>(k)) * shape_.x + x)];
  }

  index3 shape_;
  std::uint64_t seed_;
  std::int64_t reach_ = 0;
  std::vector<double> weight_;
  std::vector<kept> planes_;
};

}  // namespace

index3 coarsened_shape(index3 shape, std::int64_t factor) {
  for (int a = 0; a < 3; ++a) shape[a] = (shape[a] + factor - 1) / factor;
  return shape;
}

image_planes coarsen(const image_planes& scan, index3 shape) {
  const auto reader = std::make_shared<coarse_reader>(scan, shape);
  return {shape, scalar::f4, [reader](std::int64_t first, std::int64_t planes, std::span<std::byte> values) {
            reader->read(first, planes, values);
          }};
}

image_planes with_noise(const image_planes& scan, double sd, double blur_voxels, std::uint64_t seed) {
  const auto added = std::make_shared<noise>(scan.shape, sd, blur_voxels, seed);
  const auto block = std::make_shared<image>();
  const auto plane = static_cast<std::size_t>(scan.shape.y * scan.shape.x);
  return {scan.shape, scalar::f4,
          [scan, added, block, plane](std::int64_t first, std::int64_t planes, std::span<std::byte> values) {
            const std::span<float> to = floats(values);
            scan.read_into(*block, first, planes);
            block->visit([&](auto greys) {
              std::transform(greys.data_handle(), greys.data_handle() + greys.size(), to.begin(),
                             [](auto v) { return static_cast<float>(v); });
            });
            for (std::int64_t z = 0; z < planes; ++z)
              added->add(first + z, to.subspan(static_cast<std::size_t>(z) * plane, plane));
          }};
}

}  // namespace osteon::voxel
