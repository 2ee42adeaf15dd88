#pragma once
/// @file
/// The protocol between two processes. The protocol defines order, acknowledgement, flow control, and short and long
/// messages. The protocol is independent of sockets and clocks. Its input and its output are packets. Every rule can
/// therefore be tested without a network.
///
/// Two limits bound memory. At most `hiwater` packets are in flight. The receiver sends an acknowledgement after every
/// `ackmark` packets. The receiver stores at most `eager_bytes` bytes of unmatched messages. If a message exceeds this
/// limit, only its header is sent before the match. Every message is therefore accepted.
#include <bridge/wire/link.hpp>
#include <bridge/wire/packet.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace osteon::bridge::wire {

struct pair_limits {
  std::size_t short_bytes = 64 << 10;
  std::size_t eager_bytes = 4 << 20;
  std::uint64_t ackmark = 64;
  std::uint64_t hiwater = 8192;
};

/// A packet to be sent on a stream. The payload remains valid until the next call of the pair.
struct departing {
  packet_header header;  ///< header without the job; len is the length of the uncompressed payload
  std::span<const std::byte> payload;
};

class pair_protocol {
 public:
  /// Events that packets cause.
  struct sink {
    std::function<void(message&&)> deliver;
    std::function<void(ticket::state&)> finished;
    std::function<void(ticket::state&, bool given_back)> cancel_answered;
  };

  pair_protocol(int self, int other, pair_limits limits) : self_(self), other_(other), limits_(limits) {}

  // Functions for the application.

  /// @param id number that is unique among the requests of this process @return null if the send is already complete
  std::shared_ptr<ticket::state> send(std::uint64_t id, const envelope& fields, std::span<const std::byte> bytes,
                                      bool synchronous);
  /// Receive the rest of a message into `buffer`. The caller has already copied the first part.
  std::shared_ptr<ticket::state> receive(std::uint64_t id, const message& m, std::span<std::byte> buffer);
  void cancel(std::uint64_t id, const std::shared_ptr<ticket::state>& state);
  void answer_cancel(std::uint64_t other_id, bool found);
  void finish() { order({.type = packet_type::fini}); }
  /// Report eager bytes that have been matched or dropped in this process.
  void give_back(std::uint64_t bytes);

  // Functions for the streams.

  bool has_departing() const;
  std::optional<departing> next();
  /// @return fault of the packet; empty for a valid packet
  std::string arrived(const packet_header& h, std::span<const std::byte> payload, const sink& to);
  /// Request the numbers of the packets that have arrived. Call this function after a new connection, or after a missing
  /// acknowledgement.
  void probe() { probe_due_ = true; }
  /// Acknowledge all unacknowledged packets.
  void acknowledge() { ack_due_ = ack_due_ || since_ack_ > 0 || given_back_ != given_back_reported_; }

  bool awaits_acknowledgement() const { return !flight_.empty(); }
  bool owes_acknowledgement() const { return since_ack_ > 0 || given_back_ != given_back_reported_; }
  std::uint64_t acknowledged() const { return flight_.empty() ? next_seq_ - 1 : flight_.front().header.seqnum - 1; }
  /// True if all sent packets have arrived.
  bool settled() const { return flight_.empty() && ordered_.empty() && bulk_.empty(); }
  bool other_finished() const { return other_finished_; }
  /// True if both sides have closed the pair.
  bool over() const;
  /// Number of bytes that are stored for sending again and for reordering.
  std::size_t bytes_held() const { return held_bytes_; }

 private:
  struct sending {
    std::span<const std::byte> rest;
    envelope fields;
    std::uint64_t total = 0, offset = 0, drqid = 0;
    std::uint64_t on_the_way = 0;  ///< number of unacknowledged packets of the rest
    bool accepted = false;
    std::shared_ptr<ticket::state> state;
  };
  struct receiving {
    std::span<std::byte> buffer;
    std::uint64_t missing = 0;
    std::shared_ptr<ticket::state> state;
  };
  struct packet {
    packet_header header;
    std::vector<std::byte> own;
    std::span<const std::byte> borrowed;
    std::uint64_t request = 0;  ///< request of a long message, if the packet is a part of its rest; 0: no such request
    bool resend = false;
  };
  struct held_packet {
    packet_header header;
    std::vector<std::byte> payload;
    bool applied = false;
  };

  void order(packet_header h, std::span<const std::byte> payload = {});
  departing depart(packet& p);
  void acknowledge_up_to(const packet_header& h, const sink& to);
  std::string apply(const packet_header& h, std::span<const std::byte> payload, const sink& to);
  std::string apply_rest(const packet_header& h, std::span<const std::byte> payload, const sink& to);
  void settle(std::uint64_t id, const sink& to);
  void count_arrival(std::uint64_t bytes);

  int self_, other_;
  pair_limits limits_;
  // members for sending
  std::uint64_t next_seq_ = 1;
  std::deque<packet> ordered_;        ///< packets without a number, in the order of the application's calls
  std::deque<std::uint64_t> bulk_;    ///< requests of long messages whose rest may be sent
  std::deque<packet> flight_;         ///< packets with a number that have not been acknowledged
  std::deque<std::uint64_t> resend_;  ///< numbers of packets that must be sent again
  std::unordered_map<std::uint64_t, sending> sends_;
  std::unordered_map<std::uint64_t, std::shared_ptr<ticket::state>> cancels_;
  std::uint64_t eager_sent_ = 0, eager_back_ = 0;
  bool probe_due_ = false;
  // members for receiving
  std::uint64_t received_ = 0;  ///< highest number up to which all packets have been received
  std::map<std::uint64_t, held_packet> held_;
  std::unordered_map<std::uint64_t, receiving> receives_;
  std::uint64_t since_ack_ = 0, bytes_since_ack_ = 0;
  std::uint64_t given_back_ = 0, given_back_reported_ = 0;
  std::uint64_t echo_ = 0;
  bool ack_due_ = false;
  bool other_finished_ = false;
  std::size_t held_bytes_ = 0;
};

}  // namespace osteon::bridge::wire
