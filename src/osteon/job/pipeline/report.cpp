#include <fmt/format.h>

#include <osteon/base/json_text.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/job/pipeline/job_state.hpp>
#include <osteon/job/pipeline/measured_messages.hpp>
#include <osteon/job/pipeline/result_documents.hpp>

namespace osteon::job {

namespace {

void require_finished(const job_state& s) {
  const std::string kept =
      s.has_files() ? fmt::format("; the unfinished results in {} are marked 'not converged'", s.paths.directory) : "";
  if (!s.result.ended.empty()) throw solve_error(s.result.ended + kept);
  if (const numerics::solve_certificate* missed = s.result.missed())
    throw solve_error(fmt::format(
        "the solver stopped after {} iterations at {}, above the tolerance {:.1e}{}; raise solve.max_iterations",
        missed->iterations,
        s.result.stopped_at.empty() ? fmt::format("a relative residual of {:.2e}", missed->residual_history.back())
                                    : s.result.stopped_at,
        tolerance_of(s.job), kept));
}

void report_end(job_state& s) {
  s.clock.end();
  if (!s.has_files()) {
    require_finished(s);
    summarise(s);
    const std::string text = comm::broadcast(s.comm, s.is_first() && comm::size(s.comm) > 1 ? json_to_text(s.summary) : "");
    return comm::collectively(s.comm, [&] {
      if (!s.is_first()) s.summary = valid_json_from_text<nlohmann::ordered_json>(text);
    });
  }
  if (s.counting) add_messages(s.comm, s.counting->get(), s.result.certificate.restarts, s.summary);
  // The stages for a picture, lines or a film may have added warnings.
  if (s.counting || s.job.picture.enabled) comm::collectively(s.comm, [&] { write_summary(s); });
  require_finished(s);
  s.poll("ending the job; results and picture are written");
  s.checkpoints->remove();
}

constexpr stage_cost costs_of_report[] = {{"report", &stage_costs::report}};

}  // namespace

const stage report_stage{"report", [](const spec&, sinks) { return true; }, report_end, costs_of_report};

}  // namespace osteon::job
