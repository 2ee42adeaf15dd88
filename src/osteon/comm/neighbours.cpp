#include <osteon/comm/neighbours.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <osteon/base/error.hpp>
#include <osteon/base/for_each.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/virtual_ranks.hpp>

namespace osteon::comm {

namespace {

using plan::neighbour_message;

constexpr int channels = 100;

// Copy listed elements. For common sizes of elements, the size is a compile-time constant. Long lists are copied by all
// threads.
template <std::size_t bytes>
void gather_list(const std::vector<std::int32_t>& list, const std::byte* from, std::byte* to) {
  for_each(std::ssize(list), [list = list.data(), from, to](std::int64_t n) {
    std::memcpy(to + static_cast<std::size_t>(n) * bytes, from + static_cast<std::size_t>(list[n]) * bytes, bytes);
  });
}
template <std::size_t bytes>
void scatter_list(const std::vector<std::int32_t>& list, const std::byte* from, std::byte* to) {
  for_each(std::ssize(list), [list = list.data(), from, to](std::int64_t n) {
    std::memcpy(to + static_cast<std::size_t>(list[n]) * bytes, from + static_cast<std::size_t>(n) * bytes, bytes);
  });
}

void gather_list(const std::vector<std::int32_t>& list, std::size_t bytes, const std::byte* from, std::byte* to) {
  switch (bytes) {
    case 4:
      return gather_list<4>(list, from, to);
    case 12:
      return gather_list<12>(list, from, to);
    case 16:
      return gather_list<16>(list, from, to);
    case 24:
      return gather_list<24>(list, from, to);
    default:
      for (const std::int32_t i : list) {
        std::memcpy(to, from + static_cast<std::size_t>(i) * bytes, bytes);
        to += bytes;
      }
  }
}

void scatter_list(const std::vector<std::int32_t>& list, std::size_t bytes, const std::byte* from, std::byte* to) {
  if (bytes == 4) return scatter_list<4>(list, from, to);
  for (const std::int32_t i : list) {
    std::memcpy(to + static_cast<std::size_t>(i) * bytes, from, bytes);
    from += bytes;
  }
}

// Call visit(first byte in the array, number of bytes) for the rows of a box, or for a run.
template <class Visit>
void visit_rows(const neighbour_message& m, std::size_t element_bytes, Visit visit) {
  const auto bytes = [&](std::int64_t elements) { return static_cast<std::size_t>(elements) * element_bytes; };
  if (m.part.empty()) {
    if (m.run.size() > 0) visit(bytes(m.run.begin), bytes(m.run.size()));
    return;
  }
  const index3 shape = m.whole.shape(), first = m.part.begin - m.whole.begin, size = m.part.shape();
  for (std::int64_t z = 0; z < size.z; ++z)
    for (std::int64_t y = 0; y < size.y; ++y)
      visit(bytes(((first.z + z) * shape.y + first.y + y) * shape.x + first.x), bytes(size.x));
}

void pack(const neighbour_message& m, std::size_t element_bytes, const std::byte* from, std::byte* to) {
  if (!m.list.empty()) return gather_list(m.list, element_bytes, from, to);
  visit_rows(m, element_bytes, [&](std::size_t at, std::size_t bytes) {
    std::memcpy(to, from + at, bytes);
    to += bytes;
  });
}

void unpack(const neighbour_message& m, std::size_t element_bytes, const std::byte* from, std::byte* to) {
  if (!m.list.empty()) return scatter_list(m.list, element_bytes, from, to);
  visit_rows(m, element_bytes, [&](std::size_t at, std::size_t bytes) {
    std::memcpy(to + at, from, bytes);
    from += bytes;
  });
}

// MPI datatype for the elements of a message in the array. The elements are a part of a box, or a run.
class in_array {
 public:
  in_array(const neighbour_message& m, std::size_t element_bytes) {
    if (m.part.empty()) {
      element_ = std::make_unique<element_type>(element_bytes);
      offset_ = static_cast<std::size_t>(m.run.begin) * element_bytes;
      count_ = static_cast<int>(m.run.size());
    } else {
      int shape[4], size[4], first[4];
      for (int axis = 0; axis < 3; ++axis) {
        shape[axis] = static_cast<int>(m.whole.shape()[axis]);
        size[axis] = static_cast<int>(m.part.shape()[axis]);
        first[axis] = static_cast<int>(m.part.begin[axis] - m.whole.begin[axis]);
      }
      shape[3] = size[3] = static_cast<int>(element_bytes);
      first[3] = 0;
      MPI_Type_create_subarray(4, shape, size, first, MPI_ORDER_C, MPI_BYTE, &type_);
      MPI_Type_commit(&type_);
    }
  }
  in_array(const in_array&) = delete;
  in_array& operator=(const in_array&) = delete;
  ~in_array() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);  // MPI keeps the type until all pending requests are complete
  }
  MPI_Datatype type() const { return element_ ? element_->get() : type_; }
  std::size_t offset() const { return offset_; }
  int count() const { return count_; }

 private:
  std::unique_ptr<element_type> element_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::size_t offset_ = 0;
  int count_ = 1;
};

std::size_t bytes_of(const neighbour_message& m, std::size_t element_bytes) {
  return static_cast<std::size_t>(m.elements()) * element_bytes;
}

// Find the counterpart of a message of a rank to itself. The counterpart has the same channel.
const neighbour_message* own_counterpart(const std::vector<neighbour_message>& among, const neighbour_message& of,
                                         std::size_t* number = nullptr) {
  const auto found = std::find_if(among.begin(), among.end(),
                                  [&](const neighbour_message& m) { return m.peer == of.peer && m.channel == of.channel; });
  if (found == among.end()) return nullptr;
  if (number) *number = static_cast<std::size_t>(found - among.begin());
  return &*found;
}

}  // namespace

struct neighbours::state {
  MPI_Comm comm = MPI_COMM_NULL;
  int tag = 0, rank = 0;
  plan::neighbour_part part;

  // Buffers and requests for one size of elements.
  struct prepared {
    std::size_t element_bytes = 0;
    std::vector<std::byte> out, in;
    std::vector<std::size_t> out_begin, in_begin;
    std::vector<MPI_Request> requests;
    std::unique_ptr<element_type> type;
    int runs = 0;
  };
  std::deque<prepared> sizes;
  prepared* now = nullptr;

  // Ledger entry of the exchanges with one size of elements.
  struct counted_size {
    std::size_t element_bytes = 0;
    message_ledger* ledger = nullptr;
    int entry = 0, shape = 0;
  };
  mutable std::vector<counted_size> counted;

  ~state() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized) return;
    for (prepared& p : sizes)
      for (MPI_Request& r : p.requests)
        if (r != MPI_REQUEST_NULL) MPI_Request_free(&r);
  }

  bool is_between_ranks(const neighbour_message& m) const { return m.peer != rank && m.elements() > 0; }

  prepared& of_size(std::size_t element_bytes) {
    for (prepared& p : sizes)
      if (p.element_bytes == element_bytes) return p;
    prepared& p = sizes.emplace_back();
    p.element_bytes = element_bytes;
    const auto lay_out = [&](const std::vector<neighbour_message>& messages, std::vector<std::size_t>& begin,
                             std::vector<std::byte>& buffer) {
      begin.push_back(0);
      for (const neighbour_message& m : messages) begin.push_back(begin.back() + bytes_of(m, element_bytes));
      buffer.resize(begin.back());
    };
    lay_out(part.sends, p.out_begin, p.out);
    lay_out(part.receives, p.in_begin, p.in);
    return p;
  }

  // Record a run in the ledger, if a ledger is attached. Each size of elements has an entry of its own.
  void record(std::size_t element_bytes, double waited_seconds) const {
    message_ledger* const ledger = ledger_of(comm);
    if (!ledger) return;
    auto at = std::find_if(counted.begin(), counted.end(), [&](const auto& c) { return c.element_bytes == element_bytes; });
    if (at == counted.end()) at = counted.insert(at, {element_bytes});
    if (at->ledger != ledger) {
      at->ledger = ledger;
      at->entry = ledger->entry_of(fmt::format("{}, {} B", part.name, element_bytes));
      at->shape = ledger->shape_of(at->entry, {part.counted(rank, element_bytes)});
    }
    ledger->ran(at->entry, at->shape, waited_seconds);
  }

  // The requests of the first run are not persistent. The second run creates persistent requests.
  void post(prepared& p) {
    if (!p.type) p.type = std::make_unique<element_type>(p.element_bytes);
    const bool persist = p.runs > 0;
    p.requests.clear();
    const auto each = [&](const std::vector<neighbour_message>& messages, const std::vector<std::size_t>& begin,
                          std::byte* buffer, auto way) {
      for (std::size_t i = 0; i < messages.size(); ++i) {
        const neighbour_message& m = messages[i];
        if (!is_between_ranks(m)) continue;
        const auto count = static_cast<int>(m.elements());
        way(buffer + begin[i], count, p.type->get(), m.peer, tag + m.channel, comm, &p.requests.emplace_back());
      }
    };
    each(part.receives, p.in_begin, p.in.data(), persist ? MPI_Recv_init : MPI_Irecv);
    each(part.sends, p.out_begin, p.out.data(), persist ? MPI_Send_init : MPI_Isend);
    if (persist) start_all(p);
  }

  void send_in_place(const std::byte* source, std::size_t element_bytes, std::vector<MPI_Request>& requests) const {
    for (const neighbour_message& m : part.sends)
      if (is_between_ranks(m)) {
        const in_array at(m, element_bytes);
        MPI_Isend(source + at.offset(), at.count(), at.type(), m.peer, tag + m.channel, comm, &requests.emplace_back());
      }
  }

  static void start_all(prepared& p) {
    if (!p.requests.empty()) MPI_Startall(static_cast<int>(p.requests.size()), p.requests.data());
  }

  void start(prepared& p) {
    if (p.runs > 1)
      start_all(p);
    else
      post(p);
    ++p.runs;
  }
};

neighbours::neighbours() = default;
neighbours::~neighbours() = default;
neighbours::neighbours(neighbours&&) noexcept = default;
neighbours& neighbours::operator=(neighbours&&) noexcept = default;

neighbours::neighbours(MPI_Comm comm, int tag, plan::neighbour_part part) : state_(std::make_unique<state>()) {
  state_->comm = comm;
  state_->tag = tag;
  state_->rank = comm::rank(comm);
  state_->part = std::move(part);
}

const plan::neighbour_part& neighbours::part() const { return state_->part; }

void neighbours::begin(const void* from, std::size_t element_bytes) {
  state& s = *state_;
  state::prepared& p = s.of_size(element_bytes);
  s.now = &p;
  const attachment* const a = attachment_of(s.comm);
  const auto pack_one = [&](std::size_t i) {
    const neighbour_message& m = s.part.sends[i];
    std::size_t number = 0;
    const bool stays = m.peer == s.rank && m.elements() > 0 && own_counterpart(s.part.receives, m, &number);
    std::byte* const to = stays ? p.in.data() + p.in_begin[number] : p.out.data() + p.out_begin[i];
    pack(m, element_bytes, static_cast<const std::byte*>(from), to);
  };
  // If single lists are too short for a thread team, but all lists together are long enough, each thread packs one message.
  std::size_t longest = 0;
  for (std::size_t i = 0; i < s.part.sends.size(); ++i) longest = std::max(longest, p.out_begin[i + 1] - p.out_begin[i]);
  const std::size_t team = static_cast<std::size_t>(shortest_parallel_loop) * element_bytes;
  if (p.out_begin.back() < team || longest > 4 * team)
    for (std::size_t i = 0; i < s.part.sends.size(); ++i) pack_one(i);
  else
    for_each_block(std::ssize(s.part.sends), 1,
                   [&](std::int64_t i, std::int64_t) { pack_one(static_cast<std::size_t>(i)); });
  if (a && a->place.world)
    for (std::size_t i = 0; i < s.part.sends.size(); ++i)
      if (const neighbour_message& m = s.part.sends[i]; s.is_between_ranks(m))
        virtual_send(a->place, m.peer, s.tag + m.channel, {p.out.data() + p.out_begin[i], bytes_of(m, element_bytes)});
  if (!(a && a->place.world)) s.start(p);
}

void neighbours::wait() {
  state& s = *state_;
  state::prepared& p = *s.now;
  const attachment* const a = attachment_of(s.comm);
  const double begin = MPI_Wtime();
  if (a && a->place.world) {
    for (std::size_t i = 0; i < s.part.receives.size(); ++i) {
      const neighbour_message& m = s.part.receives[i];
      if (!s.is_between_ranks(m)) continue;
      const auto bytes = virtual_receive(a->place, m.peer, s.tag + m.channel);
      if (bytes.size() != bytes_of(m, p.element_bytes))
        throw machine_error(fmt::format("'{}': rank {} expects {} bytes from rank {} but received {}", s.part.name, s.rank,
                                        bytes_of(m, p.element_bytes), m.peer, bytes.size()));
      std::copy(bytes.begin(), bytes.end(), p.in.begin() + static_cast<std::ptrdiff_t>(p.in_begin[i]));
    }
  } else {
    MPI_Waitall(static_cast<int>(p.requests.size()), p.requests.data(), MPI_STATUSES_IGNORE);
  }
  s.record(p.element_bytes, MPI_Wtime() - begin);
}

void neighbours::count_messages(std::size_t element_bytes) const { state_->record(element_bytes, 0); }

void neighbours::end(void* to) {
  wait();
  const state& s = *state_;
  for (std::size_t i = 0; i < s.part.receives.size(); ++i)
    unpack(s.part.receives[i], s.now->element_bytes, s.now->in.data() + s.now->in_begin[i], static_cast<std::byte*>(to));
}

std::span<const std::byte> neighbours::received(std::size_t message) const {
  const state::prepared& p = *state_->now;
  return std::span(p.in).subspan(p.in_begin[message], p.in_begin[message + 1] - p.in_begin[message]);
}

void neighbours::move(const void* from, void* to, std::size_t element_bytes) {
  state& s = *state_;
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(to);
  std::vector<MPI_Request> requests;
  for (const neighbour_message& m : s.part.receives)
    if (s.is_between_ranks(m)) {
      const in_array at(m, element_bytes);
      MPI_Irecv(target + at.offset(), at.count(), at.type(), m.peer, s.tag + m.channel, s.comm, &requests.emplace_back());
    }
  s.send_in_place(source, element_bytes, requests);
  for (const neighbour_message& m : s.part.sends) {
    const neighbour_message* const own = m.peer == s.rank ? own_counterpart(s.part.receives, m) : nullptr;
    if (!own) continue;
    std::vector<std::pair<std::size_t, std::size_t>> rows;
    visit_rows(*own, element_bytes, [&](std::size_t at, std::size_t bytes) { rows.emplace_back(at, bytes); });
    auto row = rows.begin();
    visit_rows(m, element_bytes,
               [&](std::size_t at, std::size_t bytes) { std::memcpy(target + (row++)->first, source + at, bytes); });
  }
  const double begin = MPI_Wtime();
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  s.record(element_bytes, MPI_Wtime() - begin);
}

void neighbours::receive_one_by_one(const void* from, std::size_t element_bytes, const taker& take) {
  state& s = *state_;
  const auto* const source = static_cast<const std::byte*>(from);
  std::vector<MPI_Request> requests;
  s.send_in_place(source, element_bytes, requests);
  double waited = 0;
  std::vector<std::byte> bytes;
  const element_type type(element_bytes);
  // Sequential completion causes no deadlock, because all sends have been started.
  for (std::size_t i = 0; i < s.part.receives.size(); ++i) {
    const neighbour_message& m = s.part.receives[i];
    if (bytes.size() < bytes_of(m, element_bytes)) bytes.resize(bytes_of(m, element_bytes));
    const neighbour_message* const own = m.peer == s.rank ? own_counterpart(s.part.sends, m) : nullptr;
    if (own) pack(*own, element_bytes, source, bytes.data());
    const double begin = MPI_Wtime();
    if (s.is_between_ranks(m))
      MPI_Recv(bytes.data(), static_cast<int>(m.elements()), type.get(), m.peer, s.tag + m.channel, s.comm,
               MPI_STATUS_IGNORE);
    waited += MPI_Wtime() - begin;
    take(i, {bytes.data(), bytes_of(m, element_bytes)});
  }
  const double begin = MPI_Wtime();
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  s.record(element_bytes, waited + MPI_Wtime() - begin);
}

}  // namespace osteon::comm
