#include <cstdlib>
#include <osteon/base/error.hpp>
#include <osteon/io/files/model_header_bytes.hpp>

// Oracle: a header that can be unpacked is packed to the same bytes. The reader throws only data_error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> bytes(data, data + size);
  try {
    if (osteon::io::pack(osteon::io::unpack(bytes)) != bytes) std::abort();
  } catch (const osteon::data_error&) {
  }
  return 0;
}
