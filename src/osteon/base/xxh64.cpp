#include <osteon/base/xxh64.hpp>

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace osteon {

void xxh64::release::operator()(XXH64_state_s* state) const { XXH64_freeState(state); }

xxh64::xxh64() : state_(XXH64_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH64_reset(state_.get(), 0);
}

void xxh64::update(std::span<const std::byte> bytes) { XXH64_update(state_.get(), bytes.data(), bytes.size()); }

std::uint64_t xxh64::value() const { return XXH64_digest(state_.get()); }

std::string xxh64::hex() const { return fmt::format("{:016x}", value()); }

std::string xxh64_of(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", XXH64(bytes.data(), bytes.size(), 0));
}

}  // namespace osteon
