// write_sample DIRECTORY [planes=13] [mode=auto] [ranks_per_writer=0] [compression=deflate] [digits=0] [alignment=0]
// Writes sample.vtkhdf and sample.xdmf for the tests of other readers (tests/python).
#include <cstdio>
#include <cstdlib>
#include <map>
#include <osteon/comm/communicator.hpp>

#include "io/sample.hpp"

using namespace osteon;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::map<std::string, std::string> given{{"planes", "13"}, {"mode", "auto"},   {"ranks_per_writer", "0"},
                                           {"digits", "0"},  {"alignment", "0"}, {"compression", "deflate"}};
  for (int i = 2; i < argc; ++i) {
    const std::string text = argv[i];
    given[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  int code = argc > 1 ? 0 : 2;
  if (argc > 1) try {
      const std::string directory = argv[1];
      io::access how;
      how.mode = io::access_mode_of(given["mode"]);
      how.ranks_per_writer = std::stoi(given["ranks_per_writer"]);
      how.alignment_bytes = std::stoll(given["alignment"]);
      io::storage stored;
      stored.method = io::compression_of(given["compression"]);
      stored.significant_digits = std::stoi(given["digits"]);
      const index3 n{std::stoll(given["planes"]), 120, 110};
      const auto header = sample::header(n);
      const auto where = grid::make_block(MPI_COMM_WORLD, n, header.active_per_plane);
      sample::write(directory + "/sample.vtkhdf", where, header, how, true, stored);
      if (comm::rank(MPI_COMM_WORLD) == 0)
        io::write_xdmf(directory + "/sample.xdmf", "sample.vtkhdf", header, sample::fields);
    } catch (const error& e) {
      if (comm::rank(MPI_COMM_WORLD) == 0) std::fprintf(stderr, "%s\n", e.what());
      code = exit_code(e.kind());
    }
  MPI_Finalize();
  return code;
}
