#include <bridge/inter_cluster/carrier.hpp>

#include <algorithm>
#include <bridge/front/front.hpp>
#include <chrono>
#include <cstring>

namespace osteon::bridge {

struct carrier::header {
  enum kind { plain, synchronous, answer, stop };
  std::uint64_t cid = 0;
  std::int32_t tag = 0, lsrank = 0;
  std::uint64_t total = 0;
  std::uint32_t id = 0;
  std::int32_t kind = plain;
};

namespace {

constexpr int first_tag = 0, rest_tag = 1;

std::uint64_t name_of(int source, std::uint64_t id) { return static_cast<std::uint64_t>(source) << 32 | id; }

}  // namespace

carrier::carrier(std::size_t short_bytes, bool threads, int first_rank)
    : short_bytes_(short_bytes), first_rank_(first_rank) {
  static_assert(sizeof(header) == 32);
  vendor().Comm_dup(MPI_COMM_WORLD, &comm_);
  if (threads) thread_ = std::thread([this] { serve(); });
}

carrier::~carrier() {
  if (thread_.joinable()) {
    int self = 0;
    vendor().Comm_rank(comm_, &self);
    send_control(first_rank_ + self, header::stop, 0);
    thread_.join();
  }
  for (auto& [request, memory] : controls_) vendor().Wait(&request, MPI_STATUS_IGNORE);
  vendor().Comm_free(&comm_);
}

std::unique_ptr<carried> carrier::send(int dest, const wire::envelope& fields, std::span<const std::byte> bytes,
                                       bool synchronous) {
  auto c = std::make_unique<carried>();
  const header h{fields.cid,   fields.tag, fields.lsrank,
                 bytes.size(), next_id_++, synchronous ? header::synchronous : header::plain};
  const std::size_t first = std::min(bytes.size(), short_bytes_);
  c->first.resize(sizeof h + first);
  std::memcpy(c->first.data(), &h, sizeof h);
  std::copy_n(bytes.begin(), first, c->first.begin() + sizeof h);
  const int to = dest - first_rank_;
  // Start both parts at the same time. If a sender waited for the first part before starting the second part, the sender
  // could block itself.
  vendor().Isend_c(c->first.data(), static_cast<MPI_Count>(c->first.size()), MPI_BYTE, to, first_tag, comm_, c->requests);
  if (first < bytes.size())
    vendor().Isend_c(bytes.data() + first, static_cast<MPI_Count>(bytes.size() - first), MPI_BYTE, to, rest_tag, comm_,
                     c->requests + 1);
  if (synchronous) unanswered_.insert(c->asks.emplace(h.id));
  return c;
}

bool carrier::is_over(carried& c) {
  int done = 0;
  vendor().Testall(2, c.requests, &done, MPI_STATUSES_IGNORE);
  if (!done || (c.asks && unanswered_.contains(*c.asks))) return false;
  std::copy_n(c.spare.begin(), std::min(c.room.size(), c.spare.size()), c.room.begin());
  c.spare.clear();
  return true;
}

void carrier::send_control(int dest, int kind, std::uint32_t id) {
  auto h = std::make_unique<header>();
  h->id = id;
  h->kind = kind;
  MPI_Request r = MPI_REQUEST_NULL;
  vendor().Isend(h.get(), sizeof *h, MPI_BYTE, dest - first_rank_, first_tag, comm_, &r);
  controls_.emplace_back(r, std::move(h));
  while (!controls_.empty()) {
    int done = 0;
    vendor().Test(&controls_.front().first, &done, MPI_STATUS_IGNORE);
    if (!done) break;
    controls_.pop_front();
  }
}

void carrier::serve() {
  for (;;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status{};
    int count = 0;
    vendor().Mprobe(MPI_ANY_SOURCE, first_tag, comm_, &message, &status);
    vendor().Get_count(&status, MPI_BYTE, &count);
    first_part part{status.MPI_SOURCE, std::vector<std::byte>(static_cast<std::size_t>(count))};
    vendor().Mrecv(part.bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    header h;
    std::memcpy(&h, part.bytes.data(), sizeof h);
    if (h.kind == header::stop) return;
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(part));
    arrived_.notify_one();
  }
}

std::optional<carrier::first_part> carrier::next() {
  if (thread_.joinable()) {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) return {};
    first_part part = std::move(queue_.front());
    queue_.pop_front();
    return part;
  }
  int found = 0, count = 0;
  MPI_Status status{};
  vendor().Iprobe(MPI_ANY_SOURCE, first_tag, comm_, &found, &status);
  if (!found) return {};
  vendor().Get_count(&status, MPI_BYTE, &count);
  first_part part{status.MPI_SOURCE, std::vector<std::byte>(static_cast<std::size_t>(count))};
  vendor().Recv(part.bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, first_tag, comm_, MPI_STATUS_IGNORE);
  return part;
}

std::optional<wire::message> carrier::take() {
  while (auto part = next()) {
    header h;
    std::memcpy(&h, part->bytes.data(), sizeof h);
    if (h.kind == header::answer) {
      unanswered_.erase(h.id);
      continue;
    }
    wire::message m;
    m.source = first_rank_ + part->source;
    m.fields = {.cid = h.cid, .tag = h.tag, .lsrank = h.lsrank, .kind = 0, .count = 0};
    m.total = h.total;
    m.id = h.id;
    m.wants_reply = h.kind == header::synchronous;
    m.bytes.assign(part->bytes.begin() + sizeof h, part->bytes.end());
    return m;
  }
  return {};
}

void carrier::keep(wire::message& m) {
  const std::size_t here = m.bytes.size();
  if (here == m.total) return;
  m.bytes.resize(m.total);
  auto c = std::make_unique<carried>();
  vendor().Irecv_c(m.bytes.data() + here, static_cast<MPI_Count>(m.total - here), MPI_BYTE, m.source - first_rank_, rest_tag,
                   comm_, c->requests);
  fetched_[name_of(m.source, m.id)] = std::move(c);
}

std::unique_ptr<carried> carrier::accept(wire::message& m, std::span<std::byte> room) {
  if (m.wants_reply) send_control(m.source, header::answer, static_cast<std::uint32_t>(m.id));
  if (const auto kept = fetched_.find(name_of(m.source, m.id)); kept != fetched_.end()) {
    std::unique_ptr<carried> c = std::move(kept->second);
    fetched_.erase(kept);
    c->spare = std::move(m.bytes);
    c->room = room;
    return c;
  }
  auto c = std::make_unique<carried>();
  const std::size_t here = m.bytes.size(), rest = m.total - here;
  std::copy_n(m.bytes.begin(), std::min(here, room.size()), room.begin());
  if (rest > 0) {
    std::byte* to = room.data() + here;
    if (room.size() < m.total) {
      c->spare.resize(rest);
      c->room = room.subspan(std::min(here, room.size()));
      to = c->spare.data();
    }
    vendor().Irecv_c(to, static_cast<MPI_Count>(rest), MPI_BYTE, m.source - first_rank_, rest_tag, comm_, c->requests);
  }
  return c;
}

void carrier::wait() {
  if (!thread_.joinable()) return;
  std::unique_lock lock(mutex_);
  if (queue_.empty()) arrived_.wait_for(lock, std::chrono::microseconds(100));
}

}  // namespace osteon::bridge
