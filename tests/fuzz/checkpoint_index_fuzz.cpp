#include <cstdlib>
#include <osteon/base/error.hpp>
#include <osteon/io/files/checkpoint_index.hpp>
#include <string_view>

#include "fuzz/bytes_as_file.hpp"

// The input is used as a whole file, and also as an index alone. In a whole file, the digest would prevent most inputs from
// reaching the parser. Oracle: an accepted index is unchanged after writing and reading. The reader throws only data_error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace osteon;
  const fuzz::bytes_as_file file(data, size);
  try {
    io::read_checkpoint_index(file.path());
  } catch (const data_error&) {
  }
  for (const std::int64_t payload : {0, 24, 144}) try {
      const auto index = io::parse_checkpoint_index("input", {reinterpret_cast<const char*>(data), size}, payload);
      const std::string sealed = io::seal_checkpoint(index);
      const std::string again = sealed.substr(0, sealed.rfind("\nosteon-checkpoint"));
      if (io::parse_checkpoint_index("again", again, payload).per_plane != index.per_plane) std::abort();
    } catch (const data_error&) {
    }
  return 0;
}
