#pragma once
/// @file
/// Times of the stages of a job.
#include <mpi.h>

#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::job {

/// Logs the name of each stage. The clock records the duration of the stage and the CPU time of all ranks. Every call is
/// collective.
class stage_clock {
 public:
  /// The object borrows the log.
  stage_clock(MPI_Comm comm, log_sink& log) : comm_(comm), log_(log) {}
  void begin(const char* name) {
    end();
    name_ = name;
    log_.stage(name);
    watch_.restart();
    cpu_at_begin_ = cpu_seconds();
    if (comm::message_ledger* const counted = comm::ledger_of(comm_)) {
      counted->begin_stage(static_cast<int>(stages_.size()) + 1);
      waited_at_begin_ = counted->waited_seconds();
    }
  }
  void end() {
    if (!name_) return;
    const double cpu = comm::sum_over_ranks(comm_, cpu_seconds() - cpu_at_begin_);
    stages_.push_back({{"name", name_}, {"seconds", watch_.seconds()}, {"cpu_seconds", cpu}});
    if (const comm::message_ledger* counted = comm::ledger_of(comm_))
      stages_.back()["waiting_seconds"] =
          comm::sum_over_ranks(comm_, counted->waited_seconds() - waited_at_begin_) / comm::size(comm_);
    name_ = nullptr;
  }
  /// Name, seconds and cpu_seconds of each completed stage.
  const nlohmann::ordered_json& stages() const { return stages_; }

 private:
  MPI_Comm comm_;
  log_sink& log_;
  const char* name_ = nullptr;
  stopwatch watch_;
  double cpu_at_begin_ = 0, waited_at_begin_ = 0;
  nlohmann::ordered_json stages_ = nlohmann::ordered_json::array();
};

}  // namespace osteon::job
