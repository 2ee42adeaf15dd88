#include <cstdlib>
#include <osteon/base/error.hpp>
#include <osteon/machine/links/machine_file.hpp>

// Oracle: an accepted machine is unchanged after writing and reading. The reader throws only data_error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace osteon::machine;
  try {
    const description machine = parse_machine({reinterpret_cast<const char*>(data), size}, "machine.json");
    if (parse_machine(to_text(machine), "again") != machine) std::abort();
    for (const auto& seen : {machine.isolated, machine.loaded})
      if (seen)
        for (int b = 1; b < std::min(seen->between.hosts(), 64); ++b)
          if (seen->between.between(0, b) != seen->between.between(b, 0)) std::abort();
    for (const host_tree& tree : machine.hosts.trees())
      for (const level l : {level::l3, level::numa, level::package}) tree.domains(l);
  } catch (const osteon::data_error&) {
  }
  return 0;
}
