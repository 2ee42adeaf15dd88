#include <osteon/comm/collectively.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/pipeline/frames.hpp>
#include <osteon/job/pipeline/job_state.hpp>
#include <osteon/job/plans/planned_job.hpp>
#include <osteon/numerics/checkpointer.hpp>

namespace osteon::job {

namespace {

// Stops a solve between iterations on request. This class stores no states.
class stop_watcher final : public numerics::checkpointer {
 public:
  stop_watcher(MPI_Comm comm, const stop_query& is_to_stop) : comm_(comm), is_to_stop_(is_to_stop) {}
  found begin() override { return found::nothing; }
  void restore(numerics::solver_state&) override {}
  bool is_due(std::int64_t) override {
    pass();
    return false;
  }
  void pass() override {
    int stops = is_to_stop_ && is_to_stop_() ? 1 : 0;
    comm::all_reduce(comm_, &stops, 1, MPI_MAX);
    if (stops != 0) throw interrupted_error("stopped on request while solving; no results were stored");
  }
  void save(const numerics::solver_state&) override {}
  void finish(const numerics::solver_state&) override {}

 private:
  MPI_Comm comm_;
  const stop_query& is_to_stop_;
};

physics_result run(job_state& s, numerics::checkpointer& checkpoints) {
  const numerics::options options{tolerance_of(s.job), static_cast<int>(s.job.solve.max_iterations), &checkpoints};
  return s.physics.run(s.job, s.part, options, s.log);
}

void solve_with_checkpoints(job_state& s) {
  s.checkpoints.emplace(s.job, s.part, s.options, s.log);
  s.poll("setting up the solver");
  comm::collectively(s.comm, [&] {
    const bool is_resumed = s.options.resume && has_checkpoint(checkpoint_directory(s.job));
    if (s.is_first() && !is_resumed && !s.options.replace) s.earlier = earlier_results(s.job, s.log);
  });
  frame_checkpointer frames(s.job, s.part, *s.checkpoints, s.options.resume, s.log);
  s.result = s.keeping_checkpoint([&] { return run(s, frames); });
}

void solve_model(job_state& s) {
  s.clock.begin("solving");
  if (s.has_files()) {
    solve_with_checkpoints(s);
  } else {
    stop_watcher watcher(s.comm, s.options.is_to_stop);
    watcher.pass();
    s.result = run(s, watcher);
  }
  require_plausible(s.part, s.result);
  if (s.result.written) s.log.note(s.files.note("wrote", s.result.written->path, s.result.written->report));
}

constexpr const char* parts_of_set_up[] = {"set_up", "heat_set_up"};
constexpr stage_cost costs_of_solve[] = {
    {"set up", &stage_costs::set_up, stage_cost::unit::unknowns, parts_of_set_up, stage_cost::turns::one, true},
    {"load", &stage_costs::load, stage_cost::unit::unknowns, {}, stage_cost::turns::loads, true},
    {"iterations", &stage_costs::iteration, stage_cost::unit::unknowns, {}, stage_cost::turns::iterations, true}};

}  // namespace

const stage solve_stage{"solve", [](const spec&, sinks) { return true; }, solve_model, costs_of_solve,
                        [](planned_job& p) { p.fields = physics_of(p.job).count_messages(p.job, p.part, p.count); }};

}  // namespace osteon::job
