#pragma once
/// @file
/// Counts of what a rank sends, by plan: the message tracer.
///
/// A ledger hangs on a communicator and on those that are duplicated from it afterwards, so no function has to hand it on,
/// and nobody counts where none hangs. Everything that goes between neighbours is entered by `comm::neighbours`, compositing
/// by who carries it out, collectives of the iteration by those who call them.
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

/// What one rank sends and receives, run after run.
class message_ledger {
 public:
  /// One run of a plan on this rank: its rounds, of messages of so many bytes.
  using shape = std::vector<plan::round>;
  struct stretch {
    int shape, stage;
    std::int64_t runs = 0;
    double waited_seconds = 0;
  };
  struct entry {
    std::string plan;
    std::vector<shape> shapes;
    std::vector<stretch> runs;  ///< all of them, in their order
  };

  /// The number of an entry, and of a shape in it; those that are not known yet are added.
  int entry_of(std::string_view plan);
  int shape_of(int entry, const shape& what);
  void ran(int entry, int shape, double waited_seconds);
  /// What runs from now on belongs to a stage of this number, from 1. Before the first call it is 0.
  void begin_stage(int stage) { stage_ = stage; }

  const std::vector<entry>& entries() const { return entries_; }
  /// How often each part of the run happened (sent_part). Not packed: it is the same on all ranks.
  const std::map<std::string, std::int64_t>& parts() const { return parts_; }
  void happened(const std::string& part) { ++parts_[part]; }
  /// Of all plans together.
  double waited_seconds() const { return waited_; }

  /// As bytes, and back.
  std::vector<char> packed() const;
  static message_ledger unpacked(std::span<const char> bytes);

 private:
  std::vector<entry> entries_;
  std::map<std::string, std::int64_t> parts_;
  double waited_ = 0;
  int stage_ = 0;
};

/// A ledger that hangs on `comm`, and on what is duplicated from it, until it goes. @collective local
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
/// The ledger that hangs on `comm`; none if nobody counts. @collective local
message_ledger* ledger_of(MPI_Comm comm);

/// Under which a plan is counted.
std::string counted_name(const plan::plan& what, std::size_t element_bytes);
/// Count one run of a plan without sending anything: of virtual ranks. @collective local
void rehearse(MPI_Comm comm, const plan::plan& what, std::size_t element_bytes);

/// Counts one call of an MPI collective, and the time until this goes, if a ledger hangs on the communicator. MPI sends as
/// it likes; what is counted is a plan that does the same.
class counted_call {
 public:
  /// Reduce `bytes` bytes to all ranks: plan::all_reduce.
  static counted_call all_reduce(MPI_Comm comm, std::int64_t bytes);
  /// Bring each rank's values to rank 0 in one message each, or from there. @param counts of all ranks; read on rank 0
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

/// The parts of what a virtual rank sends, in the order of their first ends.
struct rehearsed_parts {
  struct part {
    std::string name;
    const message_ledger* sent;
  };
  std::vector<part> parts;
  std::deque<message_ledger> ledgers;  ///< all that were begun: exchanges keep numbers of entries by the ledger's address
};

/// A part of a solve that happens as often as values tell, and sends the same each time: an iteration, a residual computed
/// anew. From here to its end it is told apart from what is around it.
///
/// A run counts how often a part happens; a virtual rank counts what it sends, once. So the messages of a run are those of
/// its parts, each as often as it happened, and no one has to say them twice. Where no ledger hangs it is nothing.
class sent_part {
 public:
  /// @collective on comm
  sent_part(MPI_Comm comm, std::string name);
  ~sent_part();
  sent_part(const sent_part&) = delete;
  sent_part& operator=(const sent_part&) = delete;
  /// It is found to be another part: an iteration that ends early, for example.
  void becomes(std::string name) { name_ = std::move(name); }

 private:
  attachment* attached_ = nullptr;
  message_ledger *before_ = nullptr, *own_ = nullptr;
  std::string name_;
};

/// What all ranks sent by one plan.
struct plan_traffic {
  std::string plan;
  std::int64_t runs = 0;
  std::int64_t messages = 0, bytes = 0;  ///< of all runs and ranks
  std::int64_t most_bytes_of_a_rank = 0;
  double most_waited_seconds = 0, waited_seconds = 0;  ///< by the rank that waited longest; all ranks
  plan::plan what;                                     ///< its different runs, one after the other
  std::vector<problem> problems;                       ///< that plan::verify finds in them
};

constexpr int all_stages = -1;
/// Add up and verify. @param by_rank a ledger of each rank @param stage only what ran in this one
std::vector<plan_traffic> traffic_of(std::span<const message_ledger> by_rank, int stage = all_stages);
/// The ledgers of all ranks on rank 0; none elsewhere. @collective on comm
std::vector<message_ledger> gathered(MPI_Comm comm, const message_ledger& own);

}  // namespace osteon::comm
