#pragma once
/// @file
/// Gather of lists of some ranks on one rank. Only these ranks exchange messages.
#include <mpi.h>

#include <cstdint>
#include <osteon/base/at.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/neighbours.hpp>
#include <string>
#include <utility>
#include <vector>

namespace osteon::numerics {

/// Consecutive ranks that receive the lists of this rank, and consecutive ranks with lists for this rank. A rank may send
/// and receive.
struct gathering_ranks {
  plan::span to, from;
};

/// @param own list of this rank, of trivially copyable T @return the lists of ranks from.begin ... from.end - 1
/// @collective on the sending and receiving ranks
template <class T>
std::vector<std::vector<T>> gathered_lists(MPI_Comm comm, const std::string& name, const gathering_ranks& ranks,
                                           const std::vector<T>& own) {
  constexpr int setup_tag = 600;
  const auto exchange = [&](const auto& values, const auto& size_of, const std::string& plan, auto&& take) {
    plan::neighbour_part part{plan, {}, {}, plan::arrival::keep};
    for (auto r = ranks.to.begin; r < ranks.to.end; ++r)
      part.sends.push_back({.peer = static_cast<int>(r), .run = {0, std::ssize(values)}});
    for (auto r = ranks.from.begin; r < ranks.from.end; ++r)
      part.receives.push_back({.peer = static_cast<int>(r), .run = {0, size_of(at(r - ranks.from.begin))}});
    comm::neighbours once(comm, setup_tag, std::move(part));
    once.begin(values.data(), sizeof values[0]);
    once.wait();
    for (std::size_t n = 0; n < once.part().receives.size(); ++n) take(once, n);
  };
  std::vector<std::int64_t> sizes;
  exchange(
      std::vector<std::int64_t>{std::ssize(own)}, [](std::size_t) { return std::int64_t{1}; }, name + ": sizes",
      [&](const comm::neighbours& from, std::size_t n) { sizes.push_back(from.received_as<std::int64_t>(n)[0]); });
  std::vector<std::vector<T>> lists;
  exchange(
      own, [&](std::size_t n) { return sizes[n]; }, name,
      [&](const comm::neighbours& from, std::size_t n) {
        const auto list = from.received_as<T>(n);
        lists.emplace_back(list.begin(), list.end());
      });
  return lists;
}

/// During the lifetime of this object, messages on a communicator are not counted. The object is used for messages with
/// sizes that depend on values.
class without_counts {
 public:
  explicit without_counts(MPI_Comm comm) : attached_(comm::attachment_of(comm)) {
    if (attached_) ledger_ = std::exchange(attached_->ledger, nullptr);
  }
  ~without_counts() {
    if (attached_) attached_->ledger = ledger_;
  }
  without_counts(const without_counts&) = delete;
  without_counts& operator=(const without_counts&) = delete;

 private:
  comm::attachment* attached_;
  comm::message_ledger* ledger_ = nullptr;
};

}  // namespace osteon::numerics
