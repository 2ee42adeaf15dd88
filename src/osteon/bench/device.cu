/// @file
/// Correctness and speed of the kernels on a CUDA device. Usage: osteon_bench_device [EDGE]
///
/// The model is a sheet with the thickness of bone, in a cube of EDGE voxels (default 96). The program prints JSON. The exit
/// code is 1 if a result is wrong, and 77 without a usable device. Build the program with tools/cuda_compile.py.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <osteon/base/device_buffer.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/kernel/elasticity/hex8_at_node.hpp>
#include <osteon/kernel/elasticity/hex8_by_warps.cuh>
#include <osteon/kernel/heat/conduction_at_cell.hpp>
#include <osteon/kernel/vector_steps.hpp>
#include <osteon/numerics/operators/list_bricks.hpp>
#include <string>

using namespace osteon;

namespace {

constexpr vector3 spacing_mm{0.02, 0.03, 0.025};
const std::vector<kernel::lame> materials{{}, kernel::lame_of(10, 0.3), kernel::lame_of(3, -0.2), kernel::lame_of(25, 0.4)};

/// Labels 1 to 3 on a gyroid sheet, shape (edge, edge, edge). The sheet has a quarter of the voxels and is connected along
/// all axes.
std::vector<material_number> sheet(std::int64_t edge) {
  std::vector<material_number> image;
  const auto wave = [](std::int64_t i) { return 0.35 * static_cast<double>(i); };
  for (std::int64_t z = 0; z < edge; ++z)
    for (std::int64_t y = 0; y < edge; ++y)
      for (std::int64_t x = 0; x < edge; ++x) {
        const double level = std::sin(wave(x)) * std::cos(wave(y)) + std::sin(wave(y)) * std::cos(wave(z)) +
                             std::sin(wave(z)) * std::cos(wave(x));
        image.push_back(std::abs(level) < 0.38 ? static_cast<material_number>(1 + (x / 7 + y / 5 + z) % 3) : 0);
      }
  return image;
}

template <class T>
std::vector<T> some_values(std::int64_t count) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<T>(std::sin(0.37 * static_cast<double>(i))));
  return values;
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  double difference = 0, size = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return difference / size;
}

/// Time of the kernels that `launch` starts on the device. The result is the minimum of 20 runs.
template <class L>
double seconds_of(L launch) {
  double best = 1e30;
  for (int k = 0; k < 20; ++k) {
    finish_device();
    const stopwatch clock;
    launch();
    finish_device();
    best = std::min(best, clock.seconds());
  }
  return best;
}

template <class F>
double seconds_on_device(std::int64_t count, F functor) {
  return seconds_of([&] { for_each(count, functor); });
}

class comparison {
 public:
  /// @param unit unit of a value of the result @param bytes memory traffic per value, if known
  template <class T>
  void add(const char* name, const char* unit, double seconds, const std::vector<T>& device, const std::vector<T>& host,
           double values, double bytes = 0) {
    const double difference = largest_difference(device, host), limit = sizeof(T) == 8 ? 1e-12 : 1e-5;
    wrong_ = wrong_ || !(difference <= limit);
    char row[256];
    std::snprintf(row, sizeof row,
                  "%s\n  {\"kernel\": \"%s\", \"precision\": \"%s\", \"ns_per_%s\": %.5f, "
                  "\"difference\": %.3e, \"limit\": %.0e}",
                  rows_.empty() ? "" : ",", name, sizeof(T) == 8 ? "double" : "float", unit, 1e9 * seconds / values,
                  difference, limit);
    rows_ += row;
    if (bytes == 0) return;
    rows_.pop_back();
    std::snprintf(row, sizeof row, ", \"GB_per_s\": %.0f}", 1e-9 * bytes * values / seconds);
    rows_ += row;
  }
  int finish(const char* device) const {
    std::printf("{\"schema\": \"osteon.bench/1\", \"device\": \"%s\", \"rows\": [%s\n]}\n", device, rows_.c_str());
    return wrong_ ? 1 : 0;
  }

 private:
  std::string rows_;
  bool wrong_ = false;
};

template <class T>
void compare_stiffness(const voxel::run_set& cells, const voxel::run_set& nodes,
                       const std::vector<material_number>& material, comparison& table) {
  const numerics::brick_lists lists = numerics::list_bricks(cells, nodes, material);
  const std::int64_t stride = (nodes.size() + kernel::hex8_padding + 15) / 16 * 16;
  const std::vector<T> x = some_values<T>(3 * stride);
  std::vector<T> by_host(x.size());
  kernel::hex8_stiffness<T>(spacing_mm, materials).multiply(lists.view(material.data()), x.data(), by_host.data(), stride);

  const double bytes =
      2.0 * sizeof(T) + sizeof(material_number) * static_cast<double>(material.size()) / (3.0 * nodes.size());
  const device_buffer<kernel::hex8_run> runs(lists.runs);
  const device_buffer<std::int32_t> runs_of_node(kernel::runs_of_nodes(lists.runs, nodes.size()));
  const device_buffer<material_number> materials_there(material);
  const device_buffer<T> matrices(kernel::element_matrices<T>(spacing_mm, materials)), x_there(x),
      y_there(std::vector<T>(x.size()));
  const double seconds =
      seconds_on_device(nodes.size(), kernel::hex8_at_node<T>{runs.data(), runs_of_node.data(), materials_there.data(),
                                                              matrices.data(), x_there.data(), y_there.data(), stride});
  table.add("stiffness, element matrices", "dof", seconds, y_there.to_host(), by_host, 3.0 * nodes.size(), bytes);

  std::vector<T> ratio, mu;
  for (const kernel::lame& m : materials) {
    ratio.push_back(static_cast<T>(m.mu > 0 ? m.lambda / m.mu : 0));
    mu.push_back(static_cast<T>(m.mu));
  }
  const device_buffer<kernel::aligned_run> aligned(std::vector<kernel::aligned_run>(lists.runs.begin(), lists.runs.end()));
  const device_buffer<T> ratio_there(ratio), mu_there(mu), by_modes(std::vector<T>(x.size()));
  const kernel::hex8_on_device<T> k{aligned.data(),
                                    runs_of_node.data(),
                                    materials_there.data(),
                                    ratio_there.data(),
                                    mu_there.data(),
                                    nodes.size(),
                                    stride,
                                    kernel::make_lame_blocks<T>(spacing_mm)};
  const double seconds_by_modes = seconds_of([&] { kernel::multiply(k, x_there.data(), by_modes.data()); });
  table.add("stiffness, modes", "dof", seconds_by_modes, by_modes.to_host(), by_host, 3.0 * nodes.size(), bytes);
}

template <class T>
void compare_vectors(std::int64_t count, comparison& table) {
  const std::vector<T> a = some_values<T>(count), b = some_values<T>(count);
  const auto n = static_cast<double>(count);

  std::vector<T> r = a, d = b, x = a;
  const device_buffer<T> a_there(a), b_there(b), r_there(r), d_there(d), x_there(x);
  const kernel::chebyshev_next<T> on_host{a.data(), b.data(), r.data(), d.data(), x.data(), T(0.2), T(0.8)};
  const kernel::chebyshev_next<T> on_device{a_there.data(), b_there.data(), r_there.data(), d_there.data(),
                                            x_there.data(), T(0.2),         T(0.8)};
  for (std::int64_t i = 0; i < count; ++i) on_host(i);
  for_each(count, on_device);
  const std::vector<T> once = x_there.to_host();
  table.add("chebyshev step", "dof", seconds_on_device(count, on_device), once, x, n, 8.0 * sizeof(T));

  std::vector<T> y = b;
  const device_buffer<T> y_there(y);
  const kernel::add_scaled<T> add_there{T(0.5), a_there.data(), y_there.data()};
  const kernel::add_scaled<T> add_here{T(0.5), a.data(), y.data()};
  for (std::int64_t i = 0; i < count; ++i) add_here(i);
  for_each(count, add_there);
  const std::vector<T> sum = y_there.to_host();
  table.add("y += a x", "dof", seconds_on_device(count, add_there), sum, y, n, 3.0 * sizeof(T));

  using dot = kernel::dot_parts<T, T>;
  std::vector<double> part(static_cast<std::size_t>(dot::parts_of(count)));
  const device_buffer<double> part_there(part);
  const dot dot_here{a.data(), b.data(), count, part.data()};
  for (std::int64_t i = 0; i < dot::parts_of(count); ++i) dot_here(i);
  const double seconds =
      seconds_on_device(dot::parts_of(count), dot{a_there.data(), b_there.data(), count, part_there.data()});
  table.add(sizeof(T) == 8 ? "dot product of doubles" : "dot product of floats", "dof", seconds, part_there.to_host(), part,
            n, 2.0 * sizeof(T));
}

/// Complete box of `edge`^3 cells with three materials. The faces of the box are insulated. Number 0 is not a cell.
template <class T>
void compare_conduction(std::int32_t edge, comparison& table) {
  const std::int32_t plane = edge * edge, cells = plane * edge;
  std::vector<kernel::conduction_segment> segments;
  std::vector<material_number> material{0};
  std::vector<std::uint8_t> open{0};
  for (std::int32_t i = 0; i < cells; ++i) {
    const std::int32_t z = i / plane, y = i / edge % edge, x = i % edge, last = edge - 1;
    material.push_back(static_cast<material_number>(1 + i / 7 % 3));
    open.push_back(static_cast<std::uint8_t>((z > 0) | (z < last) << 1 | (y > 0) << 2 | (y < last) << 3 | (x > 0) << 4 |
                                             (x < last) << 5));
    const std::int32_t first = i + 1;
    if (x == 0)
      segments.push_back({first,
                          static_cast<std::uint32_t>(edge),
                          0,
                          {z > 0 ? first - plane : first, z < last ? first + plane : first, y > 0 ? first - edge : first,
                           y < last ? first + edge : first}});
  }
  const auto padded = material.size() + static_cast<std::size_t>(kernel::conduction_padding);
  material.resize(padded);
  open.resize(padded);
  kernel::conduction_stencil<T> k;
  k.segments = segments;
  k.open = open.data();
  k.material = material.data();
  k.resistivity = {T(0), T(1), T(0.25), T(10)};
  k.storage = {T(0), T(0.5), T(2), T(0.125)};
  k.face = {T(2), T(3), T(5)};
  const std::vector<T> x = some_values<T>(static_cast<std::int64_t>(padded));
  std::vector<T> by_host(x.size());
  kernel::for_each_flux(k, x.data(), [&](std::int32_t i, T flux) { by_host[static_cast<std::size_t>(i)] = flux; });

  const device_buffer<kernel::conduction_row> rows(kernel::rows_of(segments));
  // Cell 0 may refer to the first row. Cell 0 has no open neighbours, and its result is not stored.
  std::vector<std::int32_t> row_of_cell = kernel::rows_of_cells(segments, cells + 1);
  row_of_cell[0] = 0;
  const device_buffer<std::int32_t> row_there(row_of_cell);
  const device_buffer<std::uint8_t> open_there(open);
  const device_buffer<material_number> material_there(material);
  const device_buffer<T> resistivity(std::vector<T>(k.resistivity.begin(), k.resistivity.end())),
      storage(std::vector<T>(k.storage.begin(), k.storage.end())), x_there(x), y_there(std::vector<T>(x.size()));
  const double seconds = seconds_on_device(cells + 1, kernel::conduction_at_cell<T>{rows.data(),
                                                                                    row_there.data(),
                                                                                    open_there.data(),
                                                                                    material_there.data(),
                                                                                    resistivity.data(),
                                                                                    storage.data(),
                                                                                    {k.face[0], k.face[1], k.face[2]},
                                                                                    x_there.data(),
                                                                                    y_there.data()});
  table.add("conduction", "cell", seconds, y_there.to_host(), by_host, cells, 2.0 * sizeof(T) + sizeof(material_number) + 1);
}

template <class T>
void compare_all(std::int64_t edge, comparison& table) {
  const std::vector<material_number> labels = sheet(edge);
  const view3<const material_number> image{labels.data(), {edge, edge, edge}};
  const voxel::run_set cells = voxel::active_cells(image), nodes = voxel::corner_nodes(cells);
  compare_stiffness<T>(cells, nodes, voxel::gather(cells, image), table);
  compare_vectors<T>(3 * static_cast<std::int64_t>(nodes.size()), table);
  compare_conduction<T>(static_cast<std::int32_t>(edge), table);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t edge = argc > 1 ? std::atoll(argv[1]) : 96;
  if (edge < 8 || edge > 1000) {
    std::fprintf(stderr, "osteon_bench_device: EDGE: must be in [8, 1000] voxels, not %s\n", argv[1]);
    return 2;
  }
  int devices = 0;
  if (const cudaError_t found = cudaGetDeviceCount(&devices); found != cudaSuccess || devices == 0) {
    std::printf("no GPU: %s\n", found != cudaSuccess ? cudaGetErrorString(found) : "no device");
    return 77;
  }
  try {
    cudaDeviceProp properties;
    check_device(cudaGetDeviceProperties(&properties, 0), "query of the device");
    comparison table;
    compare_all<double>(edge, table);
    compare_all<float>(edge, table);
    return table.finish(properties.name);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "osteon_bench_device: %s\n", fault.what());
    return 5;
  }
}
