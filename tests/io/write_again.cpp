// write_again DIRECTORY [TIMES] writes a model, a result and a checkpoint TIMES times (default: forever). The program is for
// the tests that kill writers (tests/job/test_reliability.py). With TIMES = 0, the program reads the model and the
// checkpoint and compares their values.
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/files/model_file.hpp>

#include "io/sample_points.hpp"

using namespace osteon;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  MPI_Init(&argc, &argv);
  const bool root = comm::rank(MPI_COMM_WORLD) == 0;
  const std::string directory = argv[1], model = directory + "/model.nc", checkpoint = directory + "/points.checkpoint";
  const int times = argc > 2 ? std::atoi(argv[2]) : std::numeric_limits<int>::max();
  const index3 n{60, 61, 47};
  const auto header = sample::header(n);
  const auto where = grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
  sample::points points(where);
  io::access how;
  how.bytes_per_call = std::int64_t{1} << 20;  // with this size, writing a result needs several calls
  bool good = true;
  for (int i = 0; i < times; ++i) {
    const auto voxels = sample::materials({{}, n});
    if (root) io::write_model(model, header, {voxels.data(), n});
    sample::write(directory + "/sample.nc", where, header, how);
    io::write_checkpoint(checkpoint, points.planes(), points.vectors(), {{"time", i}});
    if (root && i == 0) std::puts("written once"), std::fflush(stdout);
  }
  if (times == 0) {
    const auto read = io::read_model_header(MPI_COMM_WORLD, model);
    good = io::read_model_planes(model, read, where) == sample::materials(where.owned);
    sample::points back(where, false);
    io::read_checkpoint(checkpoint, io::read_checkpoint_index(checkpoint), back.planes(), back.vectors());
    good = good && back.doubles == points.doubles && back.floats == points.floats;
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
