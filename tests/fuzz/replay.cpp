// Runs a fuzz target on the files of a folder, and on seeded mutations of these files. The program is for compilers without
// libFuzzer:
//   replay_NAME CORPUS [MUTATIONS OF EACH]
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr unsigned limit_s = 5;

void run(const std::string& bytes) {
  alarm(limit_s);  // the signal ends the program
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string mutated(std::string bytes, std::mt19937& random) {
  for (unsigned edits = 1 + random() % 4; edits > 0 && !bytes.empty(); --edits) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        bytes.insert(at, bytes.substr(at / 2, random() % 16));
        break;
      default:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const int mutations = argc > 2 ? std::atoi(argv[2]) : 400;
  std::vector<std::filesystem::path> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) seeds.push_back(entry.path());
  std::sort(seeds.begin(), seeds.end());
  for (const auto& seed : seeds) {
    std::ifstream file(seed, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    run(bytes);
    std::mt19937 random(7);
    for (int i = 0; i < mutations; ++i) run(mutated(bytes, random));
    std::printf("%s and %d mutations of it\n", seed.filename().c_str(), mutations);
    std::fflush(stdout);  // flush the output, because the next input may end the program
  }
  return seeds.empty() ? 1 : 0;
}
