// Damages files of osteon by seeded bit flips and truncations. The reader of osteon reads each damaged file:
//   osteon_damaged_files [--count N] [--seed S] [model result checkpoint npy]
// A reader may refuse a file. A reader must not crash, take more than 5 s, or return values that differ from the written
// values. A child process reads the files. If a file ends the child process, the child process is started again after this
// file.
#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <osteon/base/digest.hpp>
#include <osteon/base/error.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/files/model_header_bytes.hpp>
#include <osteon/io/files/verify.hpp>
#include <osteon/io/npy.hpp>
#include <random>

#include "io/sample.hpp"
#include "io/sample_points.hpp"

using namespace osteon;

namespace {

constexpr index3 shape{12, 7, 9};
constexpr unsigned limit_s = 5;

struct reader {
  const char* name;
  bool knows_its_values;  ///< a plain array has no digest, so that its reader cannot detect changed values
  std::function<void(const std::string& path)> make;
  std::function<std::string(const std::string& path)> read;  ///< a digest of all values that were read
};

template <class Bytes>
std::string digest_of(const Bytes& bytes) {
  return sha256_of(std::as_bytes(std::span(bytes)));
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

grid::block alone() { return grid::make_block(MPI_COMM_SELF, shape, sample::header(shape).active_per_plane); }

const reader readers[] = {
    {"model", true,
     [](const std::string& path) {
       const auto voxels = sample::materials({{}, shape});
       io::write_model(path, sample::header(shape), {voxels.data(), shape});
     },
     [](const std::string& path) {
       const auto header = io::read_model_header(MPI_COMM_SELF, path);
       return digest_of(io::pack(header)) +
              digest_of(io::read_model_planes(MPI_COMM_SELF, path, header, {{}, header.shape}));
     }},
    {"result", true, [](const std::string& path) { sample::write(path, alone(), sample::header(shape)); },
     [](const std::string& path) {  // like `osteon verify`
       if (const auto seal = io::read_seal(path); seal != io::seal_state::good)
         throw data_error(io::seal_fault(seal, path, "result"));
       const io::verification found = io::verify_file(path);
       if (!found.faults.empty()) throw data_error(io::to_text(found.faults.front()));
       return fmt::format("{} {} {}", found.variables, found.planes, found.bytes);
     }},
    {"checkpoint", true,
     [](const std::string& path) {
       sample::points own(alone());
       io::write_checkpoint(path, own.planes(), own.vectors(), {{"solve", 3}, {"numbers", {1.5, 2.5}}});
     },
     [](const std::string& path) {
       const auto index = io::read_checkpoint_index(path);
       sample::points own(alone(), false);
       io::read_checkpoint(path, index, own.planes(), own.vectors());
       return digest_of(own.doubles) + digest_of(own.floats) + index.facts.dump();
     }},
    {"npy", false,
     [](const std::string& path) {
       voxel::image image{shape, voxel::scalar::i2, {}};
       image.bytes.resize(static_cast<std::size_t>(shape.volume()) * 2, std::byte{3});
       io::write_npy(path, image);
     },
     [](const std::string& path) {
       const auto image = io::read_npy(path);
       return digest_of(image.bytes) + fmt::format("{} {}", image.shape.volume(), voxel::name_of(image.type));
     }},
};

// Message of a child to its parent. The parent outlives the child.
struct tally {
  int next, refused, same, other;
};

void damage(std::string& bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  if (random() % 4 == 0) return bytes.resize(random() % bytes.size());
  for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips) {
    const std::size_t bit = random() % (8 * bytes.size());
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
  }
}

[[noreturn]] void read_them(const reader& r, const std::string& path, int count, std::uint64_t seed, tally& t) {
  MPI_Init(nullptr, nullptr);
  r.make(path);
  const std::string good = bytes_of(path), values = r.read(path);
  while (t.next < count) {
    std::string bad = good;
    damage(bad, seed + static_cast<std::uint64_t>(t.next++));
    std::ofstream(path, std::ios::binary) << bad;
    alarm(limit_s);
    try {
      ++(r.read(path) == values ? t.same : t.other);
    } catch (const error&) {
      ++t.refused;
    }
    alarm(0);
  }
  MPI_Finalize();
  std::exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  int count = 300;
  std::uint64_t seed = 1;
  std::string chosen;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--count") == 0 && i + 1 < argc)
      count = std::stoi(argv[++i]);
    else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
      seed = std::stoull(argv[++i]);
    else
      chosen += std::string(argv[i]) + " ";
  auto* t = static_cast<tally*>(mmap(nullptr, sizeof(tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int faults = 0;
  for (const reader& r : readers) {
    if (!chosen.empty() && chosen.find(r.name) == std::string::npos) continue;
    const std::string path = fmt::format("/tmp/osteon_{}_damaged.{}", getpid(), r.name);
    *t = {};
    int crashes = 0, hangs = 0;
    while (t->next < count) {
      const int before = t->next;
      std::fflush(stdout);  // flush the output, because otherwise the child prints this output again
      const pid_t child = fork();
      if (child == 0) read_them(r, path, count, seed, *t);
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      const bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
      ++(hung ? hangs : crashes);
      fmt::print("{}: seed {} {}\n", r.name, seed + static_cast<std::uint64_t>(t->next) - 1, hung ? "hung" : "crashed");
      if (t->next == before) return 1;  // not even the undamaged file could be read
    }
    fmt::print("{}: {} files, {} refused, {} read as written, {} read differently{}, {} crashed, {} hung\n", r.name, count,
               t->refused, t->same, t->other, r.knows_its_values ? "" : " (a plain array cannot know)", crashes, hangs);
    faults += crashes + hangs + (r.knows_its_values ? t->other : 0);
    std::filesystem::remove(path);
  }
  return faults == 0 ? 0 : 1;
}
