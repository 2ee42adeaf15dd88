#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <osteon/bench/bench.hpp>
#include <osteon/bench/io_workload.hpp>
#include <osteon/comm/communicator.hpp>

namespace osteon::io_workload_test {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string without_header(const std::string& text) {
  std::size_t at = 0;
  for (int line = 0; line < 3; ++line) at = text.find('\n', at) + 1;
  return text.substr(at);
}

// Oracle: another program. The text writers of osteon produce the bytes of printf. Each method works on any number of ranks;
// a method that reads different values throws an error.
TEST(IoWorkload, AllWaysWriteTheSame) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  const auto folder = std::filesystem::temp_directory_path() / ("osteon-io-workload-" + std::to_string(ranks));
  if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::create_directories(folder);
  MPI_Barrier(MPI_COMM_WORLD);
  bench::io_workload load(MPI_COMM_WORLD, bench::gyroid(12), folder.string());
  for (const bench::io_method& method : load.methods()) {
    method.run();
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_GT(std::filesystem::file_size(method.file), 0U) << method.name;
  }
  const std::string serial = text_of(folder / "serial.txt");
  EXPECT_EQ(serial, text_of(folder / "parallel.txt"));
  EXPECT_EQ(without_header(serial), without_header(text_of(folder / "printf.txt")));
  EXPECT_EQ(text_of(folder / "raw.bin"), text_of(folder / "synced.bin"));
  EXPECT_EQ(text_of(folder / "model.txt").substr(0, 4), std::to_string(load.facts()["elements"].get<int>()) + "\n");
  MPI_Barrier(MPI_COMM_WORLD);
  if (comm::rank(MPI_COMM_WORLD) == 0) std::filesystem::remove_all(folder);
}

}  // namespace osteon::io_workload_test
