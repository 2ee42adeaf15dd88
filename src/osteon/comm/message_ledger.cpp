#include <osteon/comm/message_ledger.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/plan/exchange/exchange.hpp>
#include <osteon/plan/verify.hpp>
#include <utility>

namespace osteon::comm {

int message_ledger::entry_of(std::string_view plan) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const entry& e) { return e.plan == plan; });
  if (found != entries_.end()) return static_cast<int>(found - entries_.begin());
  entries_.push_back({std::string(plan), {}, {}});
  return static_cast<int>(entries_.size()) - 1;
}

int message_ledger::shape_of(int number, const shape& rounds) {
  auto& known = entries_[static_cast<std::size_t>(number)].shapes;
  const auto found = std::find(known.begin(), known.end(), rounds);
  if (found != known.end()) return static_cast<int>(found - known.begin());
  known.push_back(rounds);
  return static_cast<int>(known.size()) - 1;
}

void message_ledger::ran(int number, int of_shape, double waited_seconds) {
  entry& e = entries_[static_cast<std::size_t>(number)];
  if (e.runs.empty() || e.runs.back().shape != of_shape || e.runs.back().stage != stage_)
    e.runs.push_back({of_shape, stage_});
  ++e.runs.back().runs;
  e.runs.back().waited_seconds += waited_seconds;
  waited_ += waited_seconds;
}

namespace {

class packer {
 public:
  template <class T>
  void put(const T& value) {
    const auto* const from = reinterpret_cast<const char*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  }
  std::vector<char> bytes;
};

class unpacker {
 public:
  explicit unpacker(std::span<const char> bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }
  std::string text(std::size_t length) {
    std::string t(bytes_.data(), length);
    bytes_ = bytes_.subspan(length);
    return t;
  }

 private:
  std::span<const char> bytes_;
};

}  // namespace

std::vector<char> message_ledger::packed() const {
  packer to;
  const auto put_messages = [&](const std::vector<plan::message>& list) {
    to.put(list.size());
    for (const plan::message& m : list) to.put(m.peer), to.put(m.on_arrival), to.put(m.size());
  };
  to.put(waited_);
  to.put(entries_.size());
  for (const entry& e : entries_) {
    to.put(e.plan.size());
    to.bytes.insert(to.bytes.end(), e.plan.begin(), e.plan.end());
    to.put(e.shapes.size());
    for (const shape& s : e.shapes) {
      to.put(s.size());
      for (const plan::round& r : s) put_messages(r.sends), put_messages(r.receives);
    }
    to.put(e.runs.size());
    for (const stretch& r : e.runs) to.put(r);
  }
  return std::move(to.bytes);
}

message_ledger message_ledger::unpacked(std::span<const char> bytes) {
  unpacker from(bytes);
  message_ledger result;
  const auto messages = [&] {
    std::vector<plan::message> list(from.get<std::size_t>());
    for (plan::message& m : list) {
      m.peer = from.get<int>();
      m.on_arrival = from.get<plan::arrival>();
      m.elements.end = from.get<std::int64_t>();
    }
    return list;
  };
  result.waited_ = from.get<double>();
  result.entries_.resize(from.get<std::size_t>());
  for (entry& e : result.entries_) {
    e.plan = from.text(from.get<std::size_t>());
    e.shapes.resize(from.get<std::size_t>());
    for (shape& s : e.shapes) {
      s.resize(from.get<std::size_t>());
      for (plan::round& r : s) {
        r.sends = messages();
        r.receives = messages();
      }
    }
    e.runs.resize(from.get<std::size_t>());
    for (stretch& r : e.runs) r = from.get<stretch>();
  }
  return result;
}

attached_ledger::attached_ledger(MPI_Comm comm) : comm_(comm) { attach(comm_, &attached_); }
attached_ledger::~attached_ledger() { attach(comm_, nullptr); }

message_ledger* ledger_of(MPI_Comm comm) {
  const attachment* const a = attachment_of(comm);
  return a ? a->ledger : nullptr;
}

without_counts::without_counts(MPI_Comm comm) : comm_(comm), ledger_(nullptr) {
  if (attachment* const attached = attachment_of(comm)) ledger_ = std::exchange(attached->ledger, nullptr);
}
without_counts::~without_counts() {
  if (ledger_) attachment_of(comm_)->ledger = ledger_;
}

template <class Shape>
counted_call::counted_call(MPI_Comm comm, std::string_view name, Shape shape) : ledger_(ledger_of(comm)) {
  if (!ledger_) return;
  entry_ = ledger_->entry_of(name);
  shape_ = ledger_->shape_of(entry_, shape());
  begin_ = MPI_Wtime();
}

counted_call::~counted_call() {
  if (ledger_) ledger_->ran(entry_, shape_, MPI_Wtime() - begin_);
}

counted_call counted_call::all_reduce(MPI_Comm comm, std::int64_t bytes) {
  return counted_call{comm, fmt::format("reductions, {} B", bytes),
                      [&] { return plan::all_reduce(size(comm), bytes).part(rank(comm)).rounds; }};
}

namespace {

message_ledger::shape to_or_from_root(MPI_Comm comm, std::span<const int> counts, int own, int value_bytes, bool to_root) {
  message_ledger::shape s;
  plan::round& round = s.emplace_back();
  const auto bytes = [&](int count) { return static_cast<std::int64_t>(count) * value_bytes; };
  if (rank(comm) != 0) {
    if (own > 0) (to_root ? round.sends : round.receives).push_back({0, {0, bytes(own)}});
    return s;
  }
  for (std::size_t r = 1; r < counts.size(); ++r)
    if (counts[r] > 0) (to_root ? round.receives : round.sends).push_back({static_cast<int>(r), {0, bytes(counts[r])}});
  return s;
}

}  // namespace

counted_call counted_call::gather(MPI_Comm comm, std::string_view name, std::span<const int> counts, int own,
                                  int value_bytes) {
  return counted_call{comm, name, [&] { return to_or_from_root(comm, counts, own, value_bytes, true); }};
}

counted_call counted_call::scatter(MPI_Comm comm, std::string_view name, std::span<const int> counts, int own,
                                   int value_bytes) {
  return counted_call{comm, name, [&] { return to_or_from_root(comm, counts, own, value_bytes, false); }};
}

counted_call counted_call::all_to_all(MPI_Comm comm, std::string_view name, std::span<const int> to,
                                      std::span<const int> from, int value_bytes) {
  return counted_call{comm, name, [&] {
                        message_ledger::shape s;
                        plan::round& round = s.emplace_back();
                        const auto list = [&](std::span<const int> counts, std::vector<plan::message>& messages) {
                          for (std::size_t r = 0; r < counts.size(); ++r)
                            if (counts[r] > 0 && static_cast<int>(r) != rank(comm))
                              messages.push_back({static_cast<int>(r), {0, std::int64_t{counts[r]} * value_bytes}});
                        };
                        list(to, round.sends);
                        list(from, round.receives);
                        return s;
                      }};
}

sent_part::sent_part(MPI_Comm comm, std::string name) : name_(std::move(name)) {
  attachment* const a = attachment_of(comm);
  if (!a || !a->ledger) return;
  attached_ = a;
  before_ = a->ledger;
  if (a->parts) a->ledger = own_ = &a->parts->ledgers.emplace_back();
}

sent_part::~sent_part() {
  if (!attached_) return;
  if (!own_) {
    before_->count_part(name_);
    return;
  }
  attached_->ledger = before_;
  auto& known = attached_->parts->parts;
  if (std::none_of(known.begin(), known.end(), [&](const auto& p) { return p.name == name_; }))
    known.push_back({name_, own_});
}

namespace {

// Consecutive equal runs of one plan on all ranks.
struct equal_runs {
  std::vector<int> shape;  // index of the shape for each rank; -1: the rank has not participated
  std::int64_t runs = 0;
};

template <class Asked>
std::vector<equal_runs> aligned(const std::vector<const message_ledger::entry*>& by_rank, Asked is_asked) {
  std::vector<std::size_t> at(by_rank.size());
  std::vector<std::int64_t> left(by_rank.size());
  const auto refill = [&](std::size_t r) {
    while (left[r] == 0 && by_rank[r] && at[r] < by_rank[r]->runs.size())
      if (const auto& stretch = by_rank[r]->runs[at[r]++]; is_asked(stretch)) left[r] = stretch.runs;
  };
  std::vector<equal_runs> all;
  for (;;) {
    equal_runs now;
    for (std::size_t r = 0; r < by_rank.size(); ++r) {
      refill(r);
      now.shape.push_back(left[r] > 0 ? by_rank[r]->runs[at[r] - 1].shape : -1);
      if (left[r] > 0 && (now.runs == 0 || left[r] < now.runs)) now.runs = left[r];
    }
    if (now.runs == 0) return all;
    for (std::int64_t& n : left) n = n > 0 ? n - now.runs : 0;
    all.push_back(std::move(now));
  }
}

plan::plan plan_of_runs(const std::string& name, const std::vector<const message_ledger::entry*>& by_rank,
                        const std::vector<equal_runs>& runs) {
  // Each distinct run is listed once.
  std::vector<std::vector<int>> different;
  for (const equal_runs& r : runs)
    if (std::find(different.begin(), different.end(), r.shape) == different.end()) different.push_back(r.shape);
  std::vector<plan::rank_plan> parts(by_rank.size());
  for (const auto& shapes : different) {
    const std::size_t begin = parts.empty() ? 0 : parts.front().rounds.size();
    std::size_t end = begin;
    for (std::size_t r = 0; r < parts.size(); ++r) {
      if (shapes[r] < 0) continue;
      const auto& ran = by_rank[r]->shapes[static_cast<std::size_t>(shapes[r])];
      parts[r].rounds.insert(parts[r].rounds.end(), ran.begin(), ran.end());
      end = std::max(end, parts[r].rounds.size());
    }
    for (plan::rank_plan& p : parts) p.rounds.resize(end);
  }
  plan::plan result = plan::plan_of(name, 0, std::move(parts));
  result.moves = plan::cargo::bytes;
  return result;
}

}  // namespace

std::vector<plan_traffic> traffic_of(std::span<const message_ledger> by_rank, int stage) {
  const auto is_asked = [&](const message_ledger::stretch& s) { return stage == all_stages || s.stage == stage; };
  std::vector<std::string> names;
  for (const message_ledger& l : by_rank)
    for (const auto& e : l.entries())
      if (std::any_of(e.runs.begin(), e.runs.end(), is_asked) &&
          std::find(names.begin(), names.end(), e.plan) == names.end())
        names.push_back(e.plan);
  std::vector<plan_traffic> all;
  for (const std::string& name : names) {
    plan_traffic t;
    t.plan = name;
    std::vector<const message_ledger::entry*> entries;
    for (const message_ledger& l : by_rank) {
      const auto found = std::find_if(l.entries().begin(), l.entries().end(), [&](const auto& e) { return e.plan == name; });
      entries.push_back(found == l.entries().end() ? nullptr : &*found);
      if (!entries.back()) continue;
      std::int64_t sent = 0, runs = 0;
      double waited = 0;
      for (const auto& stretch : entries.back()->runs) {
        if (!is_asked(stretch)) continue;
        runs += stretch.runs;
        waited += stretch.waited_seconds;
        for (const auto& round : entries.back()->shapes[static_cast<std::size_t>(stretch.shape)])
          for (const auto& m : round.sends) {
            t.messages += stretch.runs;
            sent += stretch.runs * m.size();
          }
      }
      t.runs = std::max(t.runs, runs);
      t.bytes += sent;
      t.most_bytes_of_a_rank = std::max(t.most_bytes_of_a_rank, sent);
      t.waited_seconds += waited;
      t.most_waited_seconds = std::max(t.most_waited_seconds, waited);
    }
    t.what = plan_of_runs(name, entries, aligned(entries, is_asked));
    t.problems = plan::verify(t.what);
    all.push_back(std::move(t));
  }
  return all;
}

std::vector<message_ledger> gathered(MPI_Comm comm, const message_ledger& own) {
  const auto all = gather_on_first(comm, own.packed());
  std::vector<message_ledger> ledgers;
  std::span<const char> rest(all.values);
  for (const int bytes : all.counts) {
    ledgers.push_back(message_ledger::unpacked(rest.first(static_cast<std::size_t>(bytes))));
    rest = rest.subspan(static_cast<std::size_t>(bytes));
  }
  return ledgers;
}

namespace {

// The sizes of messages in bytes replace the elements of messages, because a ledger stores sizes.
message_ledger::shape counted_rounds(std::vector<plan::round> rounds, std::size_t element_bytes) {
  for (plan::round& r : rounds)
    for (auto* const messages : {&r.sends, &r.receives})
      for (plan::message& m : *messages) m.elements = {0, m.size() * static_cast<std::int64_t>(element_bytes)};
  return rounds;
}

}  // namespace

std::string counted_name(const plan::plan& plan, std::size_t element_bytes) {
  return fmt::format("{}, {} B", plan.name, element_bytes);
}

void count_messages(MPI_Comm comm, const plan::plan& plan, std::size_t element_bytes) {
  message_ledger* const ledger = ledger_of(comm);
  if (!ledger) return;
  const message_ledger::shape shape = counted_rounds(plan.part(comm::rank(comm)).rounds, element_bytes);
  const int entry = ledger->entry_of(counted_name(plan, element_bytes));
  ledger->ran(entry, ledger->shape_of(entry, shape), 0);
}

}  // namespace osteon::comm
