#pragma once
/// @file
/// Message tracer: counts the messages of a rank by plan.
///
/// A ledger is attached to a communicator and to later duplicates of the communicator. Functions therefore need no ledger
/// parameter. Without an attached ledger, messages are not counted. `comm::neighbours` records neighbour exchanges, the
/// compositor records its messages, and solvers record the collectives of their iterations.
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
    std::vector<stretch> runs;  ///< all runs in chronological order
  };

  /// Index of the entry of a plan, and index of a shape in an entry. If an entry or a shape does not exist, the function
  /// appends the entry or the shape.
  int entry_of(std::string_view plan);
  int shape_of(int entry, const shape& rounds);
  void ran(int entry, int shape, double waited_seconds);
  /// Assign subsequent runs to a stage, numbered from 1. Before the first call, the stage is 0.
  void begin_stage(int stage) { stage_ = stage; }

  const std::vector<entry>& entries() const { return entries_; }
  /// Number of executions of each part of the run (class sent_part). The numbers are equal on all ranks. `packed` therefore
  /// does not contain the numbers.
  const std::map<std::string, std::int64_t>& parts() const { return parts_; }
  void count_part(const std::string& part) { ++parts_[part]; }
  [[deprecated("count_part")]] void happened(const std::string& part) { count_part(part); }
  /// Waiting time in seconds of all plans.
  double waited_seconds() const { return waited_; }

  /// Serialisation to bytes, and deserialisation.
  std::vector<char> packed() const;
  static message_ledger unpacked(std::span<const char> bytes);

 private:
  std::vector<entry> entries_;
  std::map<std::string, std::int64_t> parts_;
  double waited_ = 0;
  int stage_ = 0;
};

/// Attaches a ledger to `comm` and to later duplicates of `comm`. The destructor detaches the ledger. @collective local
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

/// Detaches the ledger of `comm` for the lifetime of this object. Use this class for messages that have sizes depending on
/// values.
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

/// Counts one call of an MPI collective if a ledger is attached to the communicator. The lifetime of this object is the
/// measured time of the call. The messages of an MPI collective are unknown. The ledger therefore counts the messages of an
/// equivalent plan.
class counted_call {
 public:
  /// Reduction of `bytes` bytes to all ranks. The equivalent plan is plan::all_reduce.
  static counted_call all_reduce(MPI_Comm comm, std::int64_t bytes);
  /// Gather to rank 0, or scatter from rank 0, with one message per rank. @param counts counts of all ranks; used on rank 0
  /// only
  static counted_call gather(MPI_Comm comm, std::string_view name, std::span<const int> counts, int own, int value_bytes);
  static counted_call scatter(MPI_Comm comm, std::string_view name, std::span<const int> counts, int own, int value_bytes);
  /// Send one message to each rank for which this rank has values. @param to, from number of values for each rank
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

/// Messages of a virtual rank by part of the run. Parts have the order of their first completion.
struct message_parts {
  struct part {
    std::string name;
    const message_ledger* sent;
  };
  std::vector<part> parts;
  /// all used ledgers; no ledger is deleted, because exchanges identify a ledger by its address
  std::deque<message_ledger> ledgers;
};

/// A part of a solve, such as an iteration or the recomputation of a residual. The messages of a part are equal in every
/// execution. The number of executions depends on the data. The part starts with the construction of this object and ends
/// with its destruction.
///
/// A run on MPI counts the executions of a part. A virtual rank counts the messages of one execution. The messages of a run
/// are the sum over all parts of messages per execution times executions. Without a ledger, the object has no effect.
class sent_part {
 public:
  /// @collective on comm
  sent_part(MPI_Comm comm, std::string name);
  ~sent_part();
  sent_part(const sent_part&) = delete;
  sent_part& operator=(const sent_part&) = delete;
  /// Change the name of the part, for example for an iteration that ends early.
  void becomes(std::string name) { name_ = std::move(name); }

 private:
  attachment* attached_ = nullptr;
  message_ledger *before_ = nullptr, *own_ = nullptr;
  std::string name_;
};

/// Messages of one plan, summed over all ranks.
struct plan_traffic {
  std::string plan;
  std::int64_t runs = 0;
  std::int64_t messages = 0, bytes = 0;  ///< sums over all runs and ranks
  std::int64_t most_bytes_of_a_rank = 0;
  double most_waited_seconds = 0, waited_seconds = 0;  ///< waiting time: maximum over ranks, and sum over ranks
  plan::plan what;                                     ///< the distinct runs of the plan in succession
  std::vector<problem> problems;                       ///< faults by plan::verify
};

constexpr int all_stages = -1;
/// Sum ledgers over ranks for each plan, and verify the plans. @param by_rank ledger of each rank @param stage only messages
/// of this stage are counted
std::vector<plan_traffic> traffic_of(std::span<const message_ledger> by_rank, int stage = all_stages);
/// Gather the ledgers of all ranks on rank 0. The result is empty on other ranks. @collective on comm
std::vector<message_ledger> gathered(MPI_Comm comm, const message_ledger& own);

}  // namespace osteon::comm
