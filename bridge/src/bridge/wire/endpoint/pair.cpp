#include <fmt/format.h>

#include <algorithm>
#include <bridge/wire/endpoint/pair.hpp>
#include <cstring>

namespace osteon::bridge::wire {

void pair_protocol::order(packet_header h, std::span<const std::byte> payload) {
  packet p;
  p.header = h;
  p.own.assign(payload.begin(), payload.end());
  held_bytes_ += p.own.size();
  ordered_.push_back(std::move(p));
}

std::shared_ptr<ticket::state> pair_protocol::send(std::uint64_t id, const envelope& fields,
                                                   std::span<const std::byte> bytes, bool synchronous) {
  const std::size_t first = std::min(bytes.size(), limits_.short_bytes);
  const bool credit = eager_sent_ - eager_back_ + first <= limits_.eager_bytes;
  const std::size_t now = credit ? first : 0;
  const bool whole = now == bytes.size();
  packet_header h;
  h.type = whole && !synchronous ? packet_type::data : packet_type::datasync;
  h.srqid = id;
  h.msglen = bytes.size();
  h.lsrank = fields.lsrank;
  h.tag = fields.tag;
  h.cid = fields.cid;
  h.count = fields.count;
  h.dtype = fields.kind;
  eager_sent_ += now;
  order(h, bytes.first(now));
  if (whole && !synchronous) return nullptr;
  sending s;
  s.rest = bytes;
  s.fields = fields;
  s.total = bytes.size();
  s.offset = now;
  s.state = std::make_shared<ticket::state>();
  return sends_.emplace(id, std::move(s)).first->second.state;
}

std::shared_ptr<ticket::state> pair_protocol::receive(std::uint64_t id, const message& m, std::span<std::byte> buffer) {
  packet_header h;
  h.type = packet_type::syncack;
  h.srqid = m.id;
  h.drqid = id;
  order(h);
  const std::uint64_t missing = m.total - m.bytes.size();
  if (missing == 0) return nullptr;
  receiving r{buffer, missing, std::make_shared<ticket::state>()};
  return receives_.emplace(id, std::move(r)).first->second.state;
}

void pair_protocol::cancel(std::uint64_t id, const std::shared_ptr<ticket::state>& state) {
  cancels_[id] = state;
  packet_header h;
  h.type = packet_type::cancel;
  h.srqid = id;
  order(h);
}

void pair_protocol::answer_cancel(std::uint64_t other_id, bool found) {
  packet_header h;
  h.type = found ? packet_type::cancelyes : packet_type::cancelno;
  h.srqid = other_id;
  order(h);
}

void pair_protocol::give_back(std::uint64_t bytes) {
  given_back_ += bytes;
  if (given_back_ - given_back_reported_ >= std::max<std::uint64_t>(limits_.eager_bytes / 4, 1)) ack_due_ = true;
}

bool pair_protocol::has_departing() const {
  return ack_due_ || probe_due_ || !resend_.empty() ||
         (flight_.size() < limits_.hiwater && (!ordered_.empty() || !bulk_.empty()));
}

departing pair_protocol::depart(packet& p) {
  packet_header& h = p.header;
  const std::span<const std::byte> payload = p.request != 0 ? p.borrowed : std::span<const std::byte>(p.own);
  h.source = self_;
  h.dest = other_;
  h.len = static_cast<std::uint32_t>(payload.size());
  return {h, payload};
}

std::optional<departing> pair_protocol::next() {
  if (ack_due_ || probe_due_) {
    packet_header h;
    h.type = ack_due_ ? packet_type::protoack : packet_type::probe;
    h.source = self_;
    h.dest = other_;
    if (ack_due_) {
      h.srqid = received_;
      h.drqid = given_back_;
      h.msglen = echo_;
      echo_ = since_ack_ = bytes_since_ack_ = 0;
      given_back_reported_ = given_back_;
      ack_due_ = false;
    } else {
      h.msglen = next_seq_ - 1;
      probe_due_ = false;
    }
    return departing{h, {}};
  }
  while (!resend_.empty()) {
    const std::uint64_t seq = resend_.front();
    resend_.pop_front();
    // the packet has been acknowledged in the meantime
    if (flight_.empty() || seq < flight_.front().header.seqnum) continue;
    packet& p = flight_[seq - flight_.front().header.seqnum];
    p.resend = false;
    return depart(p);
  }
  if (flight_.size() >= limits_.hiwater) return std::nullopt;
  if (!ordered_.empty()) {
    flight_.push_back(std::move(ordered_.front()));
    ordered_.pop_front();
  } else if (!bulk_.empty()) {
    const std::uint64_t id = bulk_.front();
    bulk_.pop_front();
    sending& s = sends_.at(id);
    packet p;
    const std::uint64_t n = std::min<std::uint64_t>(s.total - s.offset, limits_.short_bytes);
    p.header.type = packet_type::data;
    p.header.flags = flag_continues;
    p.header.srqid = id;
    p.header.drqid = s.drqid;
    p.header.msglen = s.total;
    p.header.count = static_cast<std::int64_t>(s.offset);
    p.borrowed = s.rest.subspan(s.offset, n);
    p.request = id;
    s.offset += n;
    ++s.on_the_way;
    if (s.offset < s.total) bulk_.push_back(id);
    flight_.push_back(std::move(p));
  } else {
    return std::nullopt;
  }
  flight_.back().header.seqnum = next_seq_++;
  return depart(flight_.back());
}

void pair_protocol::settle(std::uint64_t id, const sink& to) {
  const auto at = sends_.find(id);
  if (at == sends_.end()) return;
  const sending& s = at->second;
  if (!s.accepted || s.offset < s.total || s.on_the_way > 0) return;
  const auto state = s.state;
  sends_.erase(at);
  to.finished(*state);
}

void pair_protocol::acknowledge_up_to(const packet_header& h, const sink& to) {
  eager_back_ = std::max(eager_back_, std::min(h.drqid, eager_sent_));
  while (!flight_.empty() && flight_.front().header.seqnum <= h.srqid) {
    packet& p = flight_.front();
    held_bytes_ -= p.own.size();
    const std::uint64_t request = p.request;
    flight_.pop_front();
    if (request == 0) continue;
    if (const auto s = sends_.find(request); s != sends_.end()) --s->second.on_the_way;
    settle(request, to);
  }
  // This packet is the answer to a probe. Packets that were sent before the probe and have not been received are lost.
  for (packet& p : flight_) {
    if (p.header.seqnum > h.msglen) break;
    if (p.resend) continue;
    p.resend = true;
    resend_.push_back(p.header.seqnum);
  }
}

void pair_protocol::count_arrival(std::uint64_t bytes) {
  ++since_ack_;
  bytes_since_ack_ += bytes;
  if (since_ack_ >= limits_.ackmark || bytes_since_ack_ >= (1 << 20)) ack_due_ = true;
}

std::string pair_protocol::arrived(const packet_header& h, std::span<const std::byte> payload, const sink& to) {
  if (h.type == packet_type::protoack) {
    if (h.srqid >= next_seq_) return fmt::format("acknowledges packet {} of {} sent", h.srqid, next_seq_ - 1);
    acknowledge_up_to(h, to);
    return "";
  }
  if (h.type == packet_type::probe) {
    echo_ = h.msglen;
    ack_due_ = true;
    return "";
  }
  if (h.seqnum == 0) return fmt::format("packet of type {} without a number", static_cast<std::uint32_t>(h.type));
  if (h.seqnum <= received_ || held_.count(h.seqnum) != 0) {  // the packet is a duplicate, and is acknowledged again
    ack_due_ = true;
    return "";
  }
  if (h.seqnum > received_ + limits_.hiwater) {
    return fmt::format("packet {} while {} is expected; at most {} may be in flight", h.seqnum, received_ + 1,
                       limits_.hiwater);
  }
  count_arrival(payload.size());
  if (h.seqnum > received_ + 1) {
    held_packet held{h, {}, false};
    if ((h.flags & flag_continues) != 0) {  // the position of the part is known, and the part is delivered immediately
      if (const std::string bad = apply_rest(h, payload, to); !bad.empty()) return bad;
      held.applied = true;
    } else {
      held.payload.assign(payload.begin(), payload.end());
      held_bytes_ += payload.size();
    }
    held_.emplace(h.seqnum, std::move(held));
    return "";
  }
  received_ = h.seqnum;
  if (const std::string bad = apply(h, payload, to); !bad.empty()) return bad;
  for (auto at = held_.begin(); at != held_.end() && at->first == received_ + 1; at = held_.erase(at)) {
    received_ = at->first;
    if (at->second.applied) continue;
    held_bytes_ -= at->second.payload.size();
    if (const std::string bad = apply(at->second.header, at->second.payload, to); !bad.empty()) return bad;
  }
  return "";
}

std::string pair_protocol::apply_rest(const packet_header& h, std::span<const std::byte> payload, const sink& to) {
  const auto at = receives_.find(h.drqid);
  if (at == receives_.end()) return fmt::format("part of message {}, which is not expected", h.drqid);
  receiving& r = at->second;
  if (payload.size() > r.missing) return fmt::format("{} bytes where {} are missing", payload.size(), r.missing);
  const auto offset = static_cast<std::uint64_t>(h.count);
  if (offset < r.buffer.size() && !payload.empty()) {
    std::memcpy(r.buffer.data() + offset, payload.data(), std::min<std::uint64_t>(payload.size(), r.buffer.size() - offset));
  }
  r.missing -= payload.size();
  if (r.missing == 0) {
    const auto state = r.state;
    receives_.erase(at);
    ack_due_ = true;  // the sender is waiting for the acknowledgement
    to.finished(*state);
  }
  return "";
}

std::string pair_protocol::apply(const packet_header& h, std::span<const std::byte> payload, const sink& to) {
  switch (h.type) {
    case packet_type::data:
    case packet_type::datasync: {
      if ((h.flags & flag_continues) != 0) return apply_rest(h, payload, to);
      message m;
      m.source = other_;
      m.fields = {h.cid, h.tag, h.lsrank, h.dtype, h.count};
      m.total = h.msglen;
      m.id = h.srqid;
      m.wants_reply = h.type == packet_type::datasync;
      if (!m.wants_reply && payload.size() != h.msglen) return "an incomplete short message";
      m.bytes.assign(payload.begin(), payload.end());
      to.deliver(std::move(m));
      return "";
    }
    case packet_type::syncack: {
      const auto at = sends_.find(h.srqid);
      if (at == sends_.end() || at->second.accepted) return fmt::format("accepts message {}, which is not offered", h.srqid);
      at->second.accepted = true;
      at->second.drqid = h.drqid;
      if (at->second.offset < at->second.total) bulk_.push_back(h.srqid);
      settle(h.srqid, to);
      return "";
    }
    case packet_type::cancel: {
      message m;
      m.type = message::what_kind::cancel_requested;
      m.source = other_;
      m.id = h.srqid;
      to.deliver(std::move(m));
      return "";
    }
    case packet_type::cancelyes:
    case packet_type::cancelno: {
      const auto at = cancels_.find(h.srqid);
      if (at == cancels_.end()) return fmt::format("answers about message {}, which is not being cancelled", h.srqid);
      const auto state = at->second;
      cancels_.erase(at);
      const bool yes = h.type == packet_type::cancelyes;
      if (yes) sends_.erase(h.srqid);
      to.cancel_answered(*state, yes);
      return "";
    }
    case packet_type::fini:
      other_finished_ = true;
      ack_due_ = true;
      return "";
    default:
      return fmt::format("a numbered packet of type {:#x}", static_cast<std::uint32_t>(h.type));
  }
}

bool pair_protocol::over() const {
  return other_finished_ && ordered_.empty() && bulk_.empty() &&
         std::all_of(flight_.begin(), flight_.end(), [](const packet& p) { return p.header.type == packet_type::fini; });
}

}  // namespace osteon::bridge::wire
