#pragma once
/// @file
/// The packet of the wire. A packet consists of the 128-byte header of IMPI 0.0 in network byte order, and of a payload. All
/// functions are pure.
///
/// There are the following differences from IMPI (bridge/docs/wire.md). `src` and `dest` contain the id of the job as host
/// id, and the world rank as pid. `reserved` contains flags. Types from 0x8000 on are extensions.
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
  hello = 0x8000,      ///< first packet of a connection; the payload is a greeting
  heartbeat = 0x8001,  ///< keep-alive packet between the two ends of a connection
  probe = 0x8002,      ///< request for a protoack
  failure = 0x8003,    ///< the job has failed; the payload is the reason
};

using job_id = std::array<std::byte, 16>;

/// The header of IMPI, field by field. For each type of packet, packet_type lists the used fields.
struct packet_header {
  packet_type type = packet_type::data;
  std::uint32_t len = 0;  ///< number of bytes of the payload
  job_id job{};
  std::int64_t source = 0, dest = 0;  ///< world ranks; relays have negative numbers
  /// request of the sender; for protoack: number of packets that have been received without a gap
  std::uint64_t srqid = 0;
  std::uint64_t drqid = 0;  ///< request of the receiver; for protoack: number of returned eager bytes
  /// number of bytes of the complete message; for protoack and probe: highest packet that was sent before the probe
  std::uint64_t msglen = 0;
  std::int32_t lsrank = 0, tag = 0;
  std::uint64_t cid = 0;
  std::uint64_t seqnum = 0;  ///< sequence number, from 1 for each pair of processes; 0: no number
  std::int64_t count = 0;    ///< for data that continue a message: offset of the bytes
  std::uint64_t dtype = 0;
  std::uint32_t flags = 0;         ///< bits of packet_flag
  std::uint32_t inflated_len = 0;  ///< number of bytes of the payload before compression
};

enum packet_flag : std::uint32_t {
  flag_zstd = 1,      ///< the payload is compressed
  flag_continues = 2  ///< for data: the packet is a later part of message `drqid`
};

constexpr std::size_t header_bytes = 128;

/// Largest payload that a receiver accepts. This limit is independent of the settings of the other side.
constexpr std::size_t max_payload = 4 << 20;

void encode(const packet_header& h, std::span<std::byte, header_bytes> out);

struct need_more {};
struct malformed {
  std::string reason;
};
struct packet_view {
  packet_header header;
  std::span<const std::byte> payload;
  std::size_t consumed = 0;  ///< number of input bytes in this packet
};
using parsed = std::variant<need_more, malformed, packet_view>;

/// Parse the first packet of `input`. The function does not read beyond this packet.
/// @param job required id of the job
/// @param world number of ranks; source and dest must be smaller
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
