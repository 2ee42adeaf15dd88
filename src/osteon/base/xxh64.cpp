#include <osteon/base/xxh64.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace osteon {
namespace {

template <class T>
T load(const std::byte* at) {
  static_assert(std::endian::native == std::endian::little);
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

void xxh64::take_stripes(const std::byte* at, std::size_t stripes) {
  auto [a, b, c, d] = lane_;
  const auto round = [](std::uint64_t lane, std::uint64_t input) { return std::rotl(lane + input * p2, 31) * p1; };
  for (const std::byte* end = at + 32 * stripes; at != end; at += 32) {
    a = round(a, load<std::uint64_t>(at));
    b = round(b, load<std::uint64_t>(at + 8));
    c = round(c, load<std::uint64_t>(at + 16));
    d = round(d, load<std::uint64_t>(at + 24));
  }
  lane_ = {a, b, c, d};
}

void xxh64::update(std::span<const std::byte> bytes) {
  length_ += bytes.size();
  if (in_rest_ > 0) {
    const std::size_t more = std::min(rest_.size() - in_rest_, bytes.size());
    std::copy_n(bytes.begin(), more, rest_.begin() + static_cast<std::ptrdiff_t>(in_rest_));
    in_rest_ += more;
    bytes = bytes.subspan(more);
    if (in_rest_ < rest_.size()) return;
    take_stripes(rest_.data(), 1);
  }
  take_stripes(bytes.data(), bytes.size() / 32);
  const auto rest = bytes.last(bytes.size() % 32);
  std::copy(rest.begin(), rest.end(), rest_.begin());
  in_rest_ = rest.size();
}

std::uint64_t xxh64::value() const {
  std::uint64_t h = p5;
  if (length_ >= 32) {
    h = std::rotl(lane_[0], 1) + std::rotl(lane_[1], 7) + std::rotl(lane_[2], 12) + std::rotl(lane_[3], 18);
    for (const std::uint64_t lane : lane_) h = (h ^ (std::rotl(lane * p2, 31) * p1)) * p1 + p4;
  }
  h += length_;
  const std::byte* at = rest_.data();
  std::size_t left = in_rest_;
  for (; left >= 8; left -= 8, at += 8) h = std::rotl(h ^ (std::rotl(load<std::uint64_t>(at) * p2, 31) * p1), 27) * p1 + p4;
  for (; left >= 4; left -= 4, at += 4) h = std::rotl(h ^ (load<std::uint32_t>(at) * p1), 23) * p2 + p3;
  for (; left > 0; --left, ++at) h = std::rotl(h ^ (static_cast<std::uint64_t>(*at) * p5), 11) * p1;
  h = (h ^ (h >> 33)) * p2;
  h = (h ^ (h >> 29)) * p3;
  return h ^ (h >> 32);
}

std::string xxh64::hex() const { return fmt::format("{:016x}", value()); }

std::string xxh64_of(std::span<const std::byte> bytes) {
  xxh64 digest;
  digest.update(bytes);
  return digest.hex();
}

}  // namespace osteon
