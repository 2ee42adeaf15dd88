#pragma once
/// @file
/// Message tracer: counts the messages of a rank by plan.
///
/// A ledger is attached to a communicator and its later duplicates; functions therefore need no ledger parameter. Without a
/// ledger, messages are not counted. `comm::neighbours` records neighbour exchanges, the compositor records its messages,
/// and solvers record the collectives of their iterations.
#include <mpi.h>

#include <cstdint>
#include <deque>
#include <map>
#include <osteon/base/error.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/plan/plan.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::comm {

/// Messages of one rank, recorded per run of a plan.
class message_ledger {
 public:
  /// One run of a plan on this rank: rounds with message sizes.
  using shape = std::vector<plan::round>;
  struct stretch {
    int shape, stage;
    std::int64_t runs = 0;
    double waited_seconds = 0;
  };
  struct entry {
    std::string plan;
    std::vector<shape> shapes;
    std::vector<stretch> runs;  ///< all runs in order
  };

  /// Index of an entry, and index of a shape in an entry. Missing entries and shapes are appended.
  int entry_of(std::string_view plan);
  int shape_of(int entry, const shape& rounds);
  void ran(int entry, int shape, double waited_seconds);
  /// Assign subsequent runs to a stage, numbered from 1. Before the first call the stage is 0.
  void begin_stage(int stage) { stage_ = stage; }

  const std::vector<entry>& entries() const { return entries_; }
  /// Number of executions of each part of the run (sent_part). The number is equal on all ranks and therefore not packed.
  const std::map<std::string, std::int64_t>& parts() const { return parts_; }
  void count_part(const std::string& part) { ++parts_[part]; }
  [[deprecated("count_part")]] void happened(const std::string& part) { count_part(part); }
  /// Waiting time of all plans.
  double waited_seconds() const { return waited_; }

  /// Serialisation to bytes, and back.
  std::vector<char> packed() const;
  static message_ledger unpacked(std::span<const char> bytes);

 private:
  std::vector<entry> entries_;
  std::map<std::string, std::int64_t> parts_;
  double waited_ = 0;
  int stage_ = 0;
};

/// Attaches a ledger to `comm` and its later duplicates for its lifetime. @collective local
class attached_ledger {
 public:
  explicit attached_ledger(MPI_Comm comm);
  ~attached_ledger();
  attached_ledger(const attached_ledger&) = delete;
  attached_ledger& operator=(const attached_ledger&) = delete;
  message_ledger& get() { return ledger_; }

 private:
  MPI_Comm comm_;
  message_ledger ledger_;
  attachment attached_{&ledger_, {}, nullptr};
};

/// Detaches the ledger of `comm` for the lifetime of this object, for messages whose sizes depend on values.
/// @collective local
class without_counts {
 public:
  explicit without_counts(MPI_Comm comm);
  ~without_counts();
  without_counts(const without_counts&) = delete;
  without_counts& operator=(const without_counts&) = delete;

 private:
  MPI_Comm comm_;  // borrowed
  message_ledger* ledger_;
};
/// Ledger attached to `comm`, or null. @collective local
message_ledger* ledger_of(MPI_Comm comm);

/// Name of a plan in a ledger.
std::string counted_name(const plan::plan& plan, std::size_t element_bytes);
/// Count one run of a plan without communication, for virtual ranks. @collective local
void count_messages(MPI_Comm comm, const plan::plan& plan, std::size_t element_bytes);

/// Counts one call of an MPI collective if a ledger is attached to the communicator. The time of the call is the lifetime of
/// this object. The messages of MPI are unknown; instead, the messages of an equivalent plan are counted.
class counted_call {
 public:
  /// Reduce `bytes` bytes to all ranks: plan::all_reduce.
  static counted_call all_reduce(MPI_Comm comm, std::int64_t bytes);
  /// Gather to or scatter from rank 0 in one message per rank. @param counts counts of all ranks; used on rank 0 only
  static counted_call gather(MPI_Comm comm, std::string_view name, std::span<const int> counts, int own, int value_bytes);
  static counted_call scatter(MPI_Comm comm, std::string_view name, std::span<const int> counts, int own, int value_bytes);
  /// Send one message to each rank for which this rank has values. @param to, from number of values by rank
  static counted_call all_to_all(MPI_Comm comm, std::string_view name, std::span<const int> to, std::span<const int> from,
                                 int value_bytes);
  ~counted_call();
  counted_call(const counted_call&) = delete;
  counted_call& operator=(const counted_call&) = delete;

 private:
  template <class Shape>
  counted_call(MPI_Comm comm, std::string_view name, Shape shape);
  message_ledger* ledger_ = nullptr;
  int entry_ = 0, shape_ = 0;
  double begin_ = 0;
};

/// Messages of a virtual rank by part of the run, in the order of first completion.
struct message_parts {
  struct part {
    std::string name;
    const message_ledger* sent;
  };
  std::vector<part> parts;
  std::deque<message_ledger> ledgers;  ///< all ledgers that have been used; all remain, because exchanges identify a ledger
                                       ///< by its address
};

/// A part of a solve, such as an iteration or the recomputation of a residual. The messages of a part are equal in every
/// execution; the number of executions depends on the data. A part starts and ends with the lifetime of this object.
///
/// A run counts the executions of a part; a virtual rank counts the messages of one execution. For each part of a run,
/// messages are multiplied by executions; the sum over all parts yields the messages of the run. The object has no effect
/// without a ledger.
class sent_part {
 public:
  /// @collective on comm
  sent_part(MPI_Comm comm, std::string name);
  ~sent_part();
  sent_part(const sent_part&) = delete;
  sent_part& operator=(const sent_part&) = delete;
  /// Reclassify the part, for example an iteration that ends early.
  void becomes(std::string name) { name_ = std::move(name); }

 private:
  attachment* attached_ = nullptr;
  message_ledger *before_ = nullptr, *own_ = nullptr;
  std::string name_;
};

/// Messages of all ranks by one plan.
struct plan_traffic {
  std::string plan;
  std::int64_t runs = 0;
  std::int64_t messages = 0, bytes = 0;  ///< sums over all runs and ranks
  std::int64_t most_bytes_of_a_rank = 0;
  double most_waited_seconds = 0, waited_seconds = 0;  ///< maximum over ranks; sum over ranks
  plan::plan what;                                     ///< the distinct runs of the plan, one after another
  std::vector<problem> problems;                       ///< faults by plan::verify
};

constexpr int all_stages = -1;
/// Sum ledgers over ranks by plan, and verify the plans. @param by_rank ledger of each rank @param stage only this stage is
/// counted
std::vector<plan_traffic> traffic_of(std::span<const message_ledger> by_rank, int stage = all_stages);
/// Gather the ledgers of all ranks on rank 0; the result is empty on other ranks. @collective on comm
std::vector<message_ledger> gathered(MPI_Comm comm, const message_ledger& own);

}  // namespace osteon::comm
