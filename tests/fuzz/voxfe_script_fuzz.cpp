#include "fuzz/voxfe_round_trip.hpp"

// Oracle: the parsers reproduce canonical text unchanged.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  osteon::fuzz::round_trip_texts({reinterpret_cast<const char*>(data), size});
  return 0;
}
