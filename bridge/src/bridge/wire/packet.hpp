#pragma once
/// @file
/// The packet of the wire: the 128-byte header of IMPI 0.0 in network byte order, and its payload. Pure functions.
///
/// Differences from IMPI (bridge/docs/wire.md): `src` and `dest` contain the id of the job as host id, and the world rank as
/// pid. `reserved` contains flags. Types from 0x8000 on are extensions.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace osteon::bridge::wire {

enum class packet_type : std::uint32_t {
  data = 0,
  datasync = 1,
  protoack = 2,
  syncack = 3,
  cancel = 4,
  cancelyes = 5,
  cancelno = 6,
  fini = 7,
  hello = 0x8000,      ///< first packet of a connection; payload: see greeting
  heartbeat = 0x8001,  ///< keep-alive between the two ends of a connection
  probe = 0x8002,      ///< requests a protoack
  failure = 0x8003,    ///< the job has failed; payload: reason
};

using job_id = std::array<std::byte, 16>;

/// The header of IMPI, field by field. packet_type lists the fields used by each type.
struct packet_header {
  packet_type type = packet_type::data;
  std::uint32_t len = 0;  ///< bytes of payload that follow
  job_id job{};
  std::int64_t source = 0, dest = 0;  ///< world ranks; relays are negative
  std::uint64_t srqid = 0;            ///< request of the sender; protoack: packets received without a gap
  std::uint64_t drqid = 0;            ///< request of the receiver; protoack: eager bytes returned
  std::uint64_t msglen = 0;  ///< bytes of the complete message; protoack, probe: highest packet sent before the probe
  std::int32_t lsrank = 0, tag = 0;
  std::uint64_t cid = 0;
  std::uint64_t seqnum = 0;  ///< sequence number, from 1 per pair of processes; 0: unnumbered
  std::int64_t count = 0;    ///< data that continues a message: offset of its bytes
  std::uint64_t dtype = 0;
  std::uint32_t flags = 0;         ///< see packet_flag
  std::uint32_t inflated_len = 0;  ///< bytes of payload before compression
};

enum packet_flag : std::uint32_t {
  flag_zstd = 1,      ///< the payload is compressed
  flag_continues = 2  ///< data: a later part of message `drqid`
};

constexpr std::size_t header_bytes = 128;

/// Largest payload that a receiver accepts, independent of the settings of the other side.
constexpr std::size_t max_payload = 4 << 20;

void encode(const packet_header& h, std::span<std::byte, header_bytes> out);

struct need_more {};
struct malformed {
  std::string reason;
};
struct packet_view {
  packet_header header;
  std::span<const std::byte> payload;
  std::size_t consumed = 0;  ///< bytes of input of this packet
};
using parsed = std::variant<need_more, malformed, packet_view>;

/// Parse the first packet of `input`, without reading beyond it.
/// @param job required id
/// @param world number of ranks; source and dest must be below it
parsed parse(std::span<const std::byte> input, const job_id& job, std::int64_t world);

/// Big-endian numbers, as in all headers of the wire.
template <class T>
void put(std::byte* out, T value) {
  auto v = static_cast<std::make_unsigned_t<T>>(value);
  for (std::size_t i = sizeof(T); i-- > 0; v = static_cast<decltype(v)>(v >> (sizeof(T) > 1 ? 8 : 0))) {
    out[i] = static_cast<std::byte>(v & 0xff);
  }
}
template <class T>
T get(const std::byte* in) {
  std::make_unsigned_t<T> v = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    v = static_cast<decltype(v)>((v << (sizeof(T) > 1 ? 8 : 0)) | static_cast<std::uint8_t>(in[i]));
  }
  return static_cast<T>(v);
}

}  // namespace osteon::bridge::wire
