#include <osteon/plan/verify_exchange.hpp>

#include <osteon/plan/verify.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace osteon::plan {

namespace {

class exchange_verifier {
 public:
  exchange_verifier(const exchange& what, const parcel_wanted& wanted)
      : what_(what), wanted_(wanted), ranks_(static_cast<std::size_t>(what.ranks)), inbox_(ranks_) {
    if (what.on_arrival != arrival::parcels) return;
    holder_.resize(ranks_ * ranks_);
    for (std::size_t i = 0; i < holder_.size(); ++i) holder_[i] = static_cast<int>(i / ranks_);
  }

  std::vector<problem> run() {
    for (std::int64_t r = 0; r < what_.rounds && problems_.size() < most_problems; ++r) execute(r);
    if (problems_.size() < most_problems) check_delivery();
    if (problems_.size() > most_problems) problems_.resize(most_problems);
    return std::move(problems_);
  }

 private:
  struct under_way {
    int from;
    message sent;
    bool taken = false;
  };

  template <class... Args>
  void fault(std::int64_t round, int rank, fmt::format_string<Args...> text, Args&&... args) {
    problems_.push_back({fmt::format("round {}, rank {}", round, rank), fmt::format(text, std::forward<Args>(args)...)});
  }

  bool well_formed(std::int64_t r, int rank, const message& m) {
    if (m.peer < 0 || m.peer >= what_.ranks || m.peer == rank) {
      fault(r, rank, "a message with rank {}: the peer must be another one of the {} ranks", m.peer, what_.ranks);
      return false;
    }
    if (m.bytes < 0) {
      fault(r, rank, "a message of {} bytes to or from rank {}", m.bytes, m.peer);
      return false;
    }
    return true;
  }

  int* holder_of(parcel p) {
    const auto valid = [&](int rank) { return rank >= 0 && rank < what_.ranks; };
    if (!valid(p.from) || !valid(p.to)) return nullptr;
    return &holder_[static_cast<std::size_t>(p.from) * ranks_ + static_cast<std::size_t>(p.to)];
  }

  template <class F>
  void for_each_parcel(int from, const message& m, F body) {
    if (m.parcels.empty()) return body(parcel{from, m.peer});
    for (const parcel p : m.parcels) body(p);
  }

  void execute(std::int64_t r) {
    for (auto& box : inbox_) box.clear();
    std::vector<exchange_round> now(ranks_);
    for (int rank = 0; rank < what_.ranks; ++rank) {
      now[static_cast<std::size_t>(rank)] = what_.of(rank, r);
      for (const message& m : now[static_cast<std::size_t>(rank)].sends) {
        if (!well_formed(r, rank, m)) continue;
        inbox_[static_cast<std::size_t>(m.peer)].push_back({rank, m});
        if (!holder_.empty())
          for_each_parcel(rank, m, [&](parcel p) {
            const int* holder = holder_of(p);
            if (holder == nullptr || *holder != rank)
              fault(r, rank, "sends the parcel from {} to {}, which it does not hold", p.from, p.to);
          });
      }
    }
    for (int rank = 0; rank < what_.ranks; ++rank)
      for (const message& m : now[static_cast<std::size_t>(rank)].receives)
        if (well_formed(r, rank, m)) receive(r, rank, m);
    for (int rank = 0; rank < what_.ranks; ++rank)
      for (const under_way& m : inbox_[static_cast<std::size_t>(rank)])
        if (!m.taken) fault(r, m.from, "sends {} bytes to rank {}, which does not receive them", m.sent.bytes, rank);
  }

  void receive(std::int64_t r, int rank, const message& expected) {
    auto& box = inbox_[static_cast<std::size_t>(rank)];
    const auto found =
        std::find_if(box.begin(), box.end(), [&](const under_way& m) { return !m.taken && m.from == expected.peer; });
    if (found == box.end())
      return fault(r, rank, "waits for rank {}, which does not send to it in this round", expected.peer);
    found->taken = true;
    if (found->sent.bytes != expected.bytes || found->sent.parcels != expected.parcels)
      return fault(r, rank, "expects {} bytes and {} parcels from rank {}, which sends {} and {}", expected.bytes,
                   expected.parcels.size(), expected.peer, found->sent.bytes, found->sent.parcels.size());
    if (holder_.empty()) return;
    for_each_parcel(found->from, found->sent, [&](parcel p) {
      int* holder = holder_of(p);
      if (holder == nullptr) return;  // said at its sender
      if (*holder == p.to) fault(r, rank, "gets the parcel from {} to {}, which was in its place", p.from, p.to);
      *holder = rank;
    });
  }

  void check_delivery() {
    for (std::size_t i = 0; i < holder_.size() && problems_.size() < most_problems; ++i) {
      const int from = static_cast<int>(i / ranks_), to = static_cast<int>(i % ranks_);
      if (from == to) continue;
      const bool wanted = !wanted_ || wanted_(from, to);
      if (holder_[i] != (wanted ? to : from))
        problems_.push_back({"the end", fmt::format("the parcel from {} to {} is at rank {}", from, to, holder_[i])});
    }
  }

  const exchange& what_;
  const parcel_wanted& wanted_;
  std::size_t ranks_;
  std::vector<std::vector<under_way>> inbox_;
  std::vector<int> holder_;  // of the parcel from i / ranks to i % ranks
  std::vector<problem> problems_;
};

}  // namespace

std::vector<problem> verify_exchange(const exchange& what, const parcel_wanted& wanted) {
  return exchange_verifier(what, wanted).run();
}

}  // namespace osteon::plan
