#pragma once
/// @file
/// The start-up protocol between a process and the server, after IMPI 0.0. The file contains commands, labels and collation.
/// All functions are pure.
///
///     process                          server
///     AUTH mask, nonce          -->
///                               <--    {2, len} nonce               (authentication by challenge)
///     AUTH proof                -->
///                               <--    AUTH proof
///     IMPI cluster, rank, size  -->
///     COLL label, value ...     -->
///     DONE                      -->
///                               <--    IMPI clusters                (after all have registered)
///                               <--    COLL label, mask, values ...
///                               <--    DONE
///     PING, ABRT, FINI          <->    PING, FAIL, FINI
#include <bridge/wire/link.hpp>
#include <bridge/wire/packet.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace osteon::bridge::wire {

enum class command : std::int32_t {
  challenge = 2,  ///< as in IMPI, the authentication method replaces the command
  auth = 0x41555448,
  impi = 0x494d5049,
  coll = 0x434f4c4c,
  done = 0x444f4e45,
  fini = 0x46494e49,
  fail = 0x4641494c,    ///< from the server: the job has failed; text
  abort = 0x41425254,   ///< from a process: end the job; text
  ping = 0x50494e47,    ///< keep-alive; the server answers
  rejoin = 0x524a4f4e,  ///< from a process with a broken connection: job id, world rank
  watch = 0x57544348,   ///< from a relay: request for the world and for the end of the job
};

enum class label : std::int32_t {
  c_version = 0x1000,
  c_nprocs = 0x1200,
  c_datalen = 0x1300,
  h_port = 0x2100,
  h_ackmark = 0x2300,
  h_hiwater = 0x2400,
  p_pid = 0x3100,
  x_wire = 0x8000,            ///< version of this wire protocol
  x_capabilities = 0x8001,    ///< bits of capability
  x_host = 0x8010,            ///< text
  x_address = 0x8011,         ///< text: address of the process for other processes
  x_facts = 0x8012,           ///< text of the layer above
  x_representation = 0x8013,  ///< text: byte order and sizes of types
  x_eager = 0x8014,           ///< maximum number of bytes of unmatched messages for each source
  x_job = 0x8020,             ///< from the server: job id
  x_names = 0x8021,           ///< from the server: texts with the names of the clusters
  x_relays = 0x8022,          ///< from the server: texts with the relay of each cluster, or ""
};

constexpr std::uint32_t wire_version = 1;
enum capability : std::uint32_t {
  can_zstd = 1,  ///< the process accepts compressed packets
  /// the user has set the address of the process; otherwise, the address is that of the connection to the server
  address_given = 2,
  polls = 4,  ///< the process may be silent while the application computes
};

/// Message from a process to the server.
struct registration {
  std::int32_t cluster = 0, local_rank = 0, local_size = 1;
  std::uint32_t major = 0, minor = 0;  ///< version of IMPI on which the protocol is based
  std::uint32_t wire = wire_version;
  std::uint32_t capabilities = 0;
  std::int32_t short_bytes = 0, port = 0, ackmark = 1, hiwater = 1;
  std::int64_t pid = 0, eager_bytes = 0;
  std::string host, address, facts, representation;
};

/// Message from the server to all processes.
struct collation {
  job_id job{};
  std::vector<std::string> names;       ///< name of each cluster
  std::vector<std::string> relays;      ///< relay of each cluster
  std::vector<registration> processes;  ///< process of each world rank
};

struct frame {
  command kind{};
  std::string data;
};
struct frame_view {
  command kind{};
  std::string_view data;
  std::size_t consumed = 0;
};
using parsed_frame = std::variant<need_more, malformed, frame_view>;

constexpr std::size_t max_frame = 64 << 20;

/// The first command in `input`. @param limit largest payload
parsed_frame parse_frame(std::string_view input, std::size_t limit);
std::string encode(const frame& f);

/// The commands IMPI, COLL, ... and DONE of a process.
std::string encode(const registration& r);
/// Parse a command IMPI, COLL or DONE. @return fault of the command; empty for a valid command
std::string absorb(registration& r, command kind, std::string_view data);

std::string encode(const collation& c);
std::string absorb(collation& c, command kind, std::string_view data);

/// Both proofs of authentication.
std::string proof(const std::string& key, const char* role, const std::string& server_nonce,
                  const std::string& client_nonce);

/// Byte order and sizes of int, long, pointer and long double on this machine.
std::string representation_here();

}  // namespace osteon::bridge::wire
