#pragma once
/// @file
/// Message tracer: counts of the messages of a rank by plan.
///
/// A ledger is attached to a communicator and to its later duplicates, so that functions need not pass it on. Without a
/// ledger, messages are not counted. `comm::neighbours` records neighbour exchanges, the compositor records compositing, and
/// callers record the collectives of the iteration.
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
  /// Record one run of a plan on this rank: its rounds with message sizes.
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

  /// Index of an entry and of a shape in it; new ones are appended.
  int entry_of(std::string_view plan);
  int shape_of(int entry, const shape& what);
  void ran(int entry, int shape, double waited_seconds);
  /// Assign subsequent runs to the stage of this number, from 1. Before the first call the stage is 0.
  void begin_stage(int stage) { stage_ = stage; }

  const std::vector<entry>& entries() const { return entries_; }
  /// Number of executions of each part of the run (sent_part). Not packed: it is equal on all ranks.
  const std::map<std::string, std::int64_t>& parts() const { return parts_; }
  void happened(const std::string& part) { ++parts_[part]; }
  /// Total over all plans.
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
class hung_ledger {
 public:
  explicit hung_ledger(MPI_Comm comm);
  ~hung_ledger();
  hung_ledger(const hung_ledger&) = delete;
  hung_ledger& operator=(const hung_ledger&) = delete;
  message_ledger& get() { return ledger_; }

 private:
  MPI_Comm comm_;
  message_ledger ledger_;
  attachment attached_{&ledger_, {}, nullptr};
};
/// Ledger attached to `comm`, or null. @collective local
message_ledger* ledger_of(MPI_Comm comm);

/// Name under which a plan is counted.
std::string counted_name(const plan::plan& what, std::size_t element_bytes);
/// Count one run of a plan without communication, for virtual ranks. @collective local
void rehearse(MPI_Comm comm, const plan::plan& what, std::size_t element_bytes);

/// Counts one call of an MPI collective and its time (lifetime of this object) if a ledger is attached to the communicator.
/// The messages of MPI are unknown; an equivalent plan is counted.
class counted_call {
 public:
  /// Reduce `bytes` bytes to all ranks: plan::all_reduce.
  static counted_call all_reduce(MPI_Comm comm, std::int64_t bytes);
  /// Gather to or scatter from rank 0 in one message per rank. @param counts counts of all ranks; read on rank 0
  static counted_call gather(MPI_Comm comm, std::string_view name, std::span<const int> counts, int own, int value_bytes);
  static counted_call scatter(MPI_Comm comm, std::string_view name, std::span<const int> counts, int own, int value_bytes);
  /// One message to each rank for which there are values. @param to, from values by rank
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

/// Parts of the messages of a virtual rank, in the order of their first completion.
struct rehearsed_parts {
  struct part {
    std::string name;
    const message_ledger* sent;
  };
  std::vector<part> parts;
  std::deque<message_ledger> ledgers;  ///< all ledgers ever used: exchanges store entry numbers by the address of a ledger
};

/// Part of a solve with the same messages in every execution and a data-dependent number of executions, such as an iteration
/// or the recomputation of a residual. It extends over the lifetime of this object.
///
/// A run counts the executions of a part; a virtual rank counts its messages once. The messages of a run are the sum over
/// parts times executions. No effect without a ledger.
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
  plan::plan what;                                     ///< its different runs in sequence
  std::vector<problem> problems;                       ///< faults by plan::verify
};

constexpr int all_stages = -1;
/// Sum over ranks and verify. @param by_rank ledger of each rank @param stage restriction to this stage
std::vector<plan_traffic> traffic_of(std::span<const message_ledger> by_rank, int stage = all_stages);
/// Gather the ledgers of all ranks on rank 0; empty on other ranks. @collective on comm
std::vector<message_ledger> gathered(MPI_Comm comm, const message_ledger& own);

}  // namespace osteon::comm
