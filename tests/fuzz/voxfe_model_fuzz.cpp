#include "fuzz/voxfe_round_trip.hpp"

// Oracle: the reader throws only data_error. Its result is unchanged after writing canonical text and reading this text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  osteon::fuzz::round_trip_model(data, size);
  return 0;
}
