#include <osteon/comm/collectively.hpp>
#include <osteon/job/outputs/film.hpp>
#include <osteon/job/pipeline/job_state.hpp>
#include <osteon/job/pipeline/result_documents.hpp>

namespace osteon::job {

namespace {

void make_film(job_state& s) {
  s.clock.begin("making the film");
  const nlohmann::ordered_json film = make_film_of(s.comm, s.job, s.log);
  s.clock.end();
  comm::collectively(s.comm, [&] {
    if (!film.is_null()) s.summary["files"].update(film);
    s.summary["stages"] = s.clock.stages();
    write_summary(s);
  });
}

}  // namespace

const stage film_stage{"film", [](const spec& job, sinks to) { return to == sinks::files && job.picture.film; }, make_film};

}  // namespace osteon::job
