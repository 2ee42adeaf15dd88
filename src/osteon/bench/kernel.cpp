/// @file
/// Measurement of y = K x with the brick kernel. Usage: osteon_bench_kernel REPETITIONS IMAGE.npy ...
///
/// Each image is segmented with the threshold of Otsu. The largest part of the image is measured with a single material, and
/// with one material for each grey value. Repetitions of all cases are interleaved. The program prints the minimum of the
/// CPU time per thread. On a machine with other users, wall times also contain other work. Set OMP_WAIT_POLICY=passive.
/// Otherwise, waiting threads use CPU time.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/io/npy.hpp>
#include <osteon/kernel/machine_limits.hpp>
#include <osteon/numerics/operators/list_bricks.hpp>
#include <osteon/voxel/segment.hpp>

using namespace osteon;

namespace {

/// CPU time in s of one call of `work`, divided by the number of threads.
template <class F>
double seconds_of(int threads, F work) {
  omp_set_num_threads(threads);
  const double start = cpu_seconds();
  work();
  return (cpu_seconds() - start) / threads;
}

/// Memory bandwidth in bytes/s of a = b + 3 c on three arrays that are larger than all caches.
double triad_bandwidth(int threads, int repetitions) {
  omp_set_num_threads(threads);
  kernel::triad limit(1 << 26);
  double best = 1e30;
  std::int64_t bytes = 0;
  for (int k = 0; k < repetitions; ++k) best = std::min(best, seconds_of(threads, [&] { bytes = limit.run(); }));
  return static_cast<double>(bytes) / best;
}

/// A solid with its vectors.
class solid {
 public:
  solid(const voxel::segmented& model) {
    const std::vector<material_number> material = voxel::all_materials(model);
    const view3<const material_number> image{material.data(), model.shape};
    const voxel::run_set cells = voxel::active_cells(image), nodes = voxel::corner_nodes(cells);
    material_ = voxel::gather(cells, image);
    lists_ = numerics::list_bricks(cells, nodes, material_);
    nodes_ = nodes.size();
    stride_ = (nodes_ + kernel::hex8_padding + 15) / 16 * 16;
    std::vector<kernel::lame> table;
    for (const voxel::material& m : model.materials)
      table.push_back(m.youngs_modulus_MPa > 0 ? kernel::lame_of(m.youngs_modulus_MPa, m.poisson_ratio) : kernel::lame{});
    make(double_, table);
    make(single_, table);
  }

  template <class T>
  void multiply() {
    auto& of = vectors_of<T>();
    of.k->multiply(lists_.view(material_.data()), of.x.data(), of.y.data(), stride_);
  }

  std::int64_t dofs() const { return 3 * nodes_; }
  std::size_t elements() const { return material_.size(); }
  std::size_t runs() const { return lists_.runs.size(); }

 private:
  template <class T>
  struct vectors {
    std::optional<kernel::hex8_stiffness<T>> k;
    std::vector<T> x, y;
  };
  template <class T>
  auto& vectors_of() {
    if constexpr (sizeof(T) == 8)
      return double_;
    else
      return single_;
  }
  template <class T>
  void make(vectors<T>& of, const std::vector<kernel::lame>& table) {
    of.k.emplace(vector3{0.02, 0.02, 0.02}, table);
    of.y.resize(static_cast<std::size_t>(3 * stride_));
    for (std::size_t i = 0; i < of.y.size(); ++i) of.x.push_back(static_cast<T>(std::sin(0.37 * static_cast<double>(i))));
  }

  std::int64_t nodes_ = 0, stride_ = 0;
  std::vector<material_number> material_;
  numerics::brick_lists lists_;
  vectors<double> double_;
  vectors<float> single_;
};

struct measurement {
  std::string image;
  bool one_material;
  solid model;
  /// time in s for each precision and each number of threads - 1
  std::array<std::array<double, 2>, 2> best{{{1e30, 1e30}, {1e30, 1e30}}};
};

int measure(int repetitions, const std::vector<std::string>& files) {
  std::vector<std::unique_ptr<measurement>> all;
  for (const std::string& file : files) {
    const voxel::image scan = io::read_npy(file);
    const auto range = voxel::check_values(scan);
    // The modulus increases from 1 to 2 with the grey value.
    voxel::density_law law;
    law.slope = 1 / (range.high - range.low);
    law.intercept = 1 - range.low / (range.high - range.low);
    all.emplace_back(new measurement{file, true, solid(voxel::segment(scan, {}, voxel::material{"bone", 1}))});
    all.emplace_back(new measurement{file, false, solid(voxel::segment(scan, {}, law))});
  }
  const int most_threads = std::min(2, omp_get_num_procs());
  for (int k = 0; k < repetitions; ++k)
    for (const auto& m : all)
      for (int threads = 1; threads <= most_threads; ++threads) {
        const auto at = static_cast<std::size_t>(threads - 1);
        m->best[0][at] = std::min(m->best[0][at], seconds_of(threads, [&] { m->model.multiply<double>(); }));
        m->best[1][at] = std::min(m->best[1][at], seconds_of(threads, [&] { m->model.multiply<float>(); }));
      }

  nlohmann::json out{{"schema", "osteon.bench/1"}, {"rows", nlohmann::json::array()}};
  for (int threads = 1; threads <= most_threads; ++threads) {
    const double bandwidth = triad_bandwidth(threads, repetitions);
    out["triad_GB_per_s"].push_back(bandwidth / 1e9);
    for (const auto& m : all)
      for (const std::size_t precision : {0, 1}) {
        // A product reads x once, writes y, reads and writes y again, and reads the list of runs.
        const double bytes = precision == 0 ? 25 : 13;
        const double seconds = m->best[precision][static_cast<std::size_t>(threads - 1)];
        const auto dofs = static_cast<double>(m->model.dofs());
        out["rows"].push_back({{"image", m->image},
                               {"materials", m->one_material ? "one" : "by grey value"},
                               {"precision", precision == 0 ? "double" : "float"},
                               {"threads", threads},
                               {"elements", m->model.elements()},
                               {"dofs", m->model.dofs()},
                               {"runs", m->model.runs()},
                               {"ns_per_dof", 1e9 * seconds / dofs},
                               {"share_of_bandwidth", bytes * dofs / seconds / bandwidth}});
      }
  }
  fmt::print("{}\n", out.dump(1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const int repetitions = arguments.empty() ? 0 : std::atoi(arguments[0].c_str());
    if (repetitions < 1 || arguments.size() < 2)
      throw usage_error("usage: osteon_bench_kernel REPETITIONS IMAGE.npy ...; REPETITIONS must be at least 1");
    return measure(repetitions, {arguments.begin() + 1, arguments.end()});
  } catch (const std::exception& fault) {
    fmt::print(stderr, "osteon_bench_kernel: {}\n", fault.what());
    return 2;
  }
}
