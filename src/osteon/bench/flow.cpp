#include <algorithm>
#include <fstream>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/bench/flow.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/npy.hpp>
#include <osteon/kernel/machine_limits.hpp>
#include <osteon/physics/flow/solver/stokes/flow_cells.hpp>

namespace osteon::bench {

namespace {

// Value in bytes from a line of /proc/self/status. If the line is missing, the result is 0.
double resident(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.compare(0, name.size() + 1, name + ":") == 0) return 1024 * std::stod(line.substr(name.size() + 1));
  return 0;
}

// Reset the peak of the resident memory.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

// Memory bandwidth in bytes/s of a = b + 3 c on arrays that are larger than all caches.
double triad() {
  kernel::triad limit(1 << 26);
  double best = 1e30;
  std::int64_t bytes = 0;
  for (int turn = 0; turn < 5; ++turn) {
    const double start = cpu_seconds();
    bytes = limit.run();
    best = std::min(best, cpu_seconds() - start);
  }
  return static_cast<double>(bytes) / best;
}

// CPU time in s of y = K x.
double product_seconds(const physics::flow_cells& cells) {
  const auto k = cells.stencil<float>();
  const std::int64_t stride = cells.stride();
  std::vector<float> x(at(4 * stride)), y(x.size());
  for (std::size_t c = 0; c < 4; ++c)
    for (std::int32_t i = 0; i < cells.grid.owned; ++i)
      if (c == 3 || cells.has_face(c, i)) x[c * at(stride) + at(i)] = static_cast<float>(i % 97) / 97;
  double best = 1e30;
  for (int turn = 0; turn < 10; ++turn) {
    const double start = cpu_seconds();
    for_each_stokes(k, x.data(), {}, [out = y.data(), stride]<class V>(int c, std::int32_t i, V value) {
      kernel::put(out + c * stride + i, value);
    });
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

double sum_of_ranks(MPI_Comm comm, double value) {
  comm::all_reduce(comm, &value, 1, MPI_SUM);
  return value;
}

physics::flow_problem read_problem(MPI_Comm comm, const std::string& file, const flow_options& options) {
  physics::flow_problem problem;
  comm::collectively(comm, [&] {
    const voxel::image image = io::read_npy(file);
    if (image.type != voxel::scalar::u1) throw data_error(file + ": type must be uint8; save a mask in which 0 is fluid");
    const index3 shape = image.shape;
    const std::int64_t plane = shape.y * shape.x;
    std::vector<material_number> fluid(image.bytes.size());
    std::vector<std::int64_t> active(at(shape.z));
    for (std::size_t i = 0; i < fluid.size(); ++i) {
      fluid[i] = image.bytes[i] == std::byte{0} ? 1 : 0;
      active[i / at(plane)] += fluid[i];
    }
    problem.where = grid::make_block(comm, shape, active);
    const box3 own = problem.where.owned;
    problem.cells = voxel::active_cells(view3<const material_number>(fluid.data() + own.begin.z * plane, own.shape()));
  });
  problem.spacing_mm = {1, 1, 1};
  problem.directions = options.directions;
  problem.surroundings = options.surroundings;
  return problem;
}

}  // namespace

nlohmann::ordered_json measure_flow(MPI_Comm comm, const flow_options& options) {
  if (options.images.empty()) throw usage_error("missing images; pass npy files of type uint8 (0 is fluid)");
  nlohmann::ordered_json out{{"schema", "osteon.bench/1"}, {"ranks", comm::size(comm)}, {"rows", nlohmann::json::array()}};
  const double bandwidth = triad();
  out["triad_GB_per_s"] = bandwidth / 1e9;
  for (const std::string& file : options.images) {
    const physics::flow_problem problem = read_problem(comm, file, options);
    double cpu = 1e30, solving = 1e30;
    double bytes = 0;
    physics::flow_solution answer;
    for (int turn = 0; turn < options.repetitions; ++turn) {
      answer = {};
      forget_peak();
      const double before = resident("VmRSS"), start = cpu_seconds();
      physics::flow_options solver = options.solver;
      solver.fields = options.fields;
      answer = physics::solve_permeability(problem, solver, null_log());
      const double taken = sum_of_ranks(comm, cpu_seconds() - start);
      cpu = std::min(cpu, taken);
      // Wall times depend on other programs that run on this machine. The CPU time is divided between set-up and iterations
      // in proportion to their wall times.
      double iterating = 0;
      for (const physics::flow_direction& d : answer.directions) iterating += d.certificate.solve_seconds;
      solving = std::min(solving, taken * iterating / (iterating + answer.setup_seconds));
      if (turn == 0) bytes = resident("VmHWM") - before;
    }
    nlohmann::ordered_json row{{"image", file},
                               {"shape", {problem.where.domain.z, problem.where.domain.y, problem.where.domain.x}},
                               {"fluid_voxels", answer.counts.fluid},
                               {"flowing_voxels", answer.counts.flowing},
                               {"cpu_seconds", cpu},
                               {"setup_seconds", answer.setup_seconds}};
    int iterations = 0;
    for (const physics::flow_direction& d : answer.directions) {
      iterations += d.certificate.iterations;
      row["directions"].push_back({{"along", std::string(1, "zyx"[static_cast<int>(d.along)])},
                                   {"permeability_voxel2", d.permeability_mm2},
                                   {"low", d.low_mm2},
                                   {"high", d.high_mm2},
                                   {"from_flux", d.from_flux_mm2},
                                   {"from_dissipation", d.from_dissipation_mm2},
                                   {"iterations", d.certificate.iterations},
                                   {"converged", d.certificate.converged},
                                   {"residual", d.certificate.true_relative_residual}});
    }
    const auto flowing = static_cast<double>(std::max<std::int64_t>(answer.counts.flowing, 1));
    row["iterations"] = iterations;
    row["ns_per_voxel_and_iteration"] = 1e9 * solving / flowing / std::max(iterations, 1);
    row["bytes_per_voxel"] = bytes / static_cast<double>(std::max(problem.cells.size(), 1));
    const auto cells = physics::make_flow_cells(problem, std::vector<bool>(problem.cells.runs().size(), true),
                                                static_cast<int>(problem.directions[0]));
    const double product = product_seconds(cells);
    // The product reads four values, one byte for each friction, and the bits of the neighbours. The product writes four
    // values.
    const double traffic = 36.0 * cells.grid.owned;
    row["product_ns_per_voxel"] = 1e9 * product / std::max(cells.grid.owned, 1);
    row["product_share_of_triad"] = traffic / product / bandwidth;
    out["rows"].push_back(row);
  }
  return out;
}

}  // namespace osteon::bench
