#include <fmt/format.h>

#include <bridge/wire/packet.hpp>
#include <cstring>

namespace osteon::bridge::wire {
namespace {

bool known(std::uint32_t type) { return type <= 7 || (type >= 0x8000 && type <= 0x8003); }

}  // namespace

void encode(const packet_header& h, std::span<std::byte, header_bytes> out) {
  std::byte* o = out.data();
  put(o + 0, static_cast<std::uint32_t>(h.type));
  put(o + 4, h.len);
  std::memcpy(o + 8, h.job.data(), 16);
  put(o + 24, h.source);
  std::memcpy(o + 32, h.job.data(), 16);
  put(o + 48, h.dest);
  put(o + 56, h.srqid);
  put(o + 64, h.drqid);
  put(o + 72, h.msglen);
  put(o + 80, h.lsrank);
  put(o + 84, h.tag);
  put(o + 88, h.cid);
  put(o + 96, h.seqnum);
  put(o + 104, h.count);
  put(o + 112, h.dtype);
  put(o + 120, h.flags);
  put(o + 124, h.inflated_len);
}

parsed parse(std::span<const std::byte> input, const job_id& job, std::int64_t world) {
  if (input.size() < header_bytes) return need_more{};
  const std::byte* in = input.data();
  packet_view v;
  packet_header& h = v.header;
  const auto type = get<std::uint32_t>(in);
  if (!known(type)) return malformed{fmt::format("packet of unknown type {:#x}", type)};
  h.type = static_cast<packet_type>(type);
  h.len = get<std::uint32_t>(in + 4);
  if (h.len > max_payload) return malformed{fmt::format("packet of {} bytes; at most {} are allowed", h.len, max_payload)};
  if (std::memcmp(in + 8, job.data(), 16) != 0 || std::memcmp(in + 32, job.data(), 16) != 0) {
    return malformed{"packet of another job"};
  }
  h.job = job;
  h.source = get<std::int64_t>(in + 24);
  h.dest = get<std::int64_t>(in + 48);
  if (h.source >= world || h.dest >= world) {
    return malformed{fmt::format("packet from rank {} to rank {} in a world of {}", h.source, h.dest, world)};
  }
  h.srqid = get<std::uint64_t>(in + 56);
  h.drqid = get<std::uint64_t>(in + 64);
  h.msglen = get<std::uint64_t>(in + 72);
  h.lsrank = get<std::int32_t>(in + 80);
  h.tag = get<std::int32_t>(in + 84);
  h.cid = get<std::uint64_t>(in + 88);
  h.seqnum = get<std::uint64_t>(in + 96);
  h.count = get<std::int64_t>(in + 104);
  h.dtype = get<std::uint64_t>(in + 112);
  h.flags = get<std::uint32_t>(in + 120);
  h.inflated_len = get<std::uint32_t>(in + 124);
  const bool packed = (h.flags & flag_zstd) != 0;
  if ((h.flags & ~std::uint32_t{flag_zstd | flag_continues}) != 0 || h.inflated_len > max_payload ||
      (packed ? h.inflated_len < h.len : h.inflated_len != 0)) {
    return malformed{fmt::format("packet with flags {:#x} and {} of {} bytes", h.flags, h.inflated_len, h.len)};
  }
  const std::uint64_t carried = packed ? h.inflated_len : h.len;
  const bool carries_message = h.type == packet_type::data || h.type == packet_type::datasync;
  if (carries_message && carried > h.msglen) {
    return malformed{fmt::format("packet with {} bytes of a message of {}", carried, h.msglen)};
  }
  if ((h.flags & flag_continues) != 0 &&
      (h.type != packet_type::data || h.count < 0 || static_cast<std::uint64_t>(h.count) > h.msglen - carried)) {
    return malformed{fmt::format("packet with {} bytes at {} of a message of {}", carried, h.count, h.msglen)};
  }
  if (!carries_message && h.type != packet_type::hello && h.type != packet_type::failure && h.len != 0) {
    return malformed{fmt::format("packet of type {:#x} with {} bytes, which has none", type, h.len)};
  }
  if (input.size() - header_bytes < h.len) return need_more{};
  v.payload = input.subspan(header_bytes, h.len);
  v.consumed = header_bytes + h.len;
  return v;
}

}  // namespace osteon::bridge::wire
