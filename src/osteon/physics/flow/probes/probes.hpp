#pragma once
/// @file
/// The probes of a flow job. During the solution, the probes record values. The probes then write a table of the values.
#include <functional>
#include <osteon/job/physics_result.hpp>
#include <osteon/numerics/checkpointer.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/flow/probes/probe_places.hpp>
#include <osteon/physics/flow/probes/probe_records.hpp>
#include <osteon/physics/flow/solver/openings/flow_watch.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <span>

namespace osteon::physics {

/// Each value is a sum over the ranks that own contributing voxels. One reduction is needed to record all probes. The
/// reduction is counted as the part "probes" of a job.
class probes {
 public:
  /// The object borrows the job and the part. @param fluid fluid voxels, a subset of part.cells @throws errors of
  /// place_probes @collective on part.where.comm
  probes(const spec& job, const local_model& part, const voxel::run_set& fluid, bool has_temperature);
  probes(const probes&) = delete;
  probes& operator=(const probes&) = delete;

  /// Return the callback for through_options::watch. The callback receives fields of the solver.
  const flow_watch& watch() const { return watch_; }
  /// Set the temperature of a recorded flow. The flow is the last record or a given record.
  /// @param temperature_K temperature of each active cell; empty: unknown, as during the count of messages
  /// @collective
  void take_temperature(std::span<const double> temperature_K) { take_temperature(records_.size() - 1, temperature_K); }
  void take_temperature(std::size_t record, std::span<const double> temperature_K);

  /// Set the source of the temperature for subsequent records. The source returns the temperature of each active cell at the
  /// end of a step.
  /// @param temperature_K source that all ranks call; the captures of the function must remain valid
  void watch_temperature(std::function<std::vector<double>()> temperature_K) { temperature_K_ = std::move(temperature_K); }

  /// Add `probes` to the answers, and write probes.csv. @throws machine_error @collective
  void finish(physics_result& result, log_sink& log) const;

  /// Data for a checkpoint. @throws data_error if the checkpoint has other probes
  std::vector<double> saved() const { return numbers_of(records_); }
  void restore(const std::vector<double>& numbers);

 private:
  void take(const flow_moment& moment, std::span<const std::array<double, 4>> values);
  bool is_due(const probe_spec& p, const flow_moment& moment) const;

  const spec& job_;
  const local_model& part_;
  bool has_temperature_;
  probe_places places_;
  flow_watch watch_;
  std::vector<std::vector<std::size_t>> watched_;  // index in watch_.cells for each place and each fluid part of the place
  std::vector<probe_record> records_;
  std::function<std::vector<double>()> temperature_K_;  // source of the temperature of a transient flow
};

/// Stores the records of the probes in the checkpoint of the flow. A resumed job therefore writes the same table.
class probe_checkpointer final : public numerics::checkpointer {
 public:
  /// The object borrows the arguments.
  probe_checkpointer(numerics::checkpointer& checkpoints, probes& of) : checkpoints_(checkpoints), probes_(of) {}
  found begin() override { return checkpoints_.begin(); }
  void restore(numerics::solver_state& state) override;
  bool is_due(std::int64_t done) override { return checkpoints_.is_due(done); }
  void pass() override { checkpoints_.pass(); }
  void save(const numerics::solver_state& state) override { checkpoints_.save(with_records(state)); }
  void finish(const numerics::solver_state& state) override { checkpoints_.finish(with_records(state)); }

 private:
  numerics::solver_state with_records(const numerics::solver_state& state) const;
  numerics::checkpointer& checkpoints_;
  probes& probes_;
};

}  // namespace osteon::physics
