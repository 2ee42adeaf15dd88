#include "fuzz/voxfe_round_trip.hpp"

// Oracle: nothing but data_error leaves the reader, and what it reads comes back from canonical text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  osteon::fuzz::round_trip_model(data, size);
  return 0;
}
