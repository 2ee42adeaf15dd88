// write_sample DIRECTORY [PLANES]: writes sample.vtkhdf and sample.xdmf for the tests of other readers (tests/python).
#include <cstdlib>
#include <osteon/comm/communicator.hpp>

#include "io/sample.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1) {
    const std::string directory = argv[1];
    const osteon::index3 n{argc > 2 ? std::atoll(argv[2]) : 13, 120, 110};
    const auto header = osteon::sample::header(n);
    const auto where = osteon::grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
    osteon::sample::write(directory + "/sample.vtkhdf", where, header, std::int64_t{256} << 20);
    if (osteon::comm::rank(MPI_COMM_WORLD) == 0)
      osteon::io::write_xdmf(directory + "/sample.xdmf", "sample.vtkhdf", header, osteon::sample::fields);
  }
  MPI_Finalize();
  return argc > 1 ? 0 : 2;
}
