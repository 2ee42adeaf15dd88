#define XXH_INLINE_ALL  // with this macro, XXH3 is compiled for the vector units of this machine; the installed library is
                        // compiled for a baseline processor
#include <osteon/base/xxh3.hpp>

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace osteon {

struct xxh3::state {
  XXH3_state_t inner;
};

void xxh3::release::operator()(state* s) const { delete s; }

xxh3::xxh3() : state_(new state) { XXH3_64bits_reset(&state_->inner); }

void xxh3::update(std::span<const std::byte> bytes) { XXH3_64bits_update(&state_->inner, bytes.data(), bytes.size()); }

std::string xxh3::hex() const { return fmt::format("{:016x}", XXH3_64bits_digest(&state_->inner)); }

std::string xxh3_of(std::span<const std::byte> bytes) {
  return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

}  // namespace osteon
