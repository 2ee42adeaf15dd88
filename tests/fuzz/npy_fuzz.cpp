#include <cstdlib>
#include <osteon/base/error.hpp>
#include <osteon/io/npy.hpp>

#include "fuzz/bytes_as_file.hpp"

// Oracle: the size of an array is the number of bytes given by its shape. The reader throws only data_error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const osteon::fuzz::bytes_as_file file(data, size);
  try {
    const auto array = osteon::io::read_npy(file.path());
    if (array.bytes.size() != static_cast<std::size_t>(array.shape.volume()) * osteon::voxel::size_of(array.type))
      std::abort();
  } catch (const osteon::data_error&) {
  }
  return 0;
}
