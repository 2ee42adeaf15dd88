#include <fmt/format.h>

#include <osteon/comm/collectively.hpp>
#include <osteon/job/outputs/cut_picture.hpp>
#include <osteon/job/outputs/draw.hpp>
#include <osteon/job/pipeline/job_state.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/plans/planned_job.hpp>

namespace osteon::job {

namespace {

void draw_pictures(job_state& s) {
  physics_result& result = s.result;
  if (!(result.shown_low < result.shown_high))
    return s.log.warn(fmt::format("no picture: the field '{}' is nearly uniform", result.shown_name));
  s.clock.begin("drawing the picture");
  io::field_list fields{{}, {}, s.job.name + ": " + s.job.physics, {}};
  for (const result_field& field : result.fields) fields.fields.push_back(field.info);
  result.fields.clear();  // this call frees memory for the dense arrays of a picture
  result.write_more = nullptr;
  s.poll("drawing the picture; the results are written");
  const nlohmann::ordered_json lines = draw_picture(s.paths.picture, s.job, s.part, result, s.log);
  const bool has_cut = result.lines_of && draw_cut_of(s.job, s.paths, s.part, result.lines_of, fields, s.log);
  s.clock.end();
  comm::collectively(s.comm, [&] {
    s.summary["files"]["picture"] = s.paths.picture;
    if (!lines.is_null()) s.summary["streamlines"] = lines;
    if (has_cut) s.summary["files"]["cut"] = s.paths.cut;
    s.summary["stages"] = s.clock.stages();
    write_summary(s);
  });
}

constexpr const char* parts_of_picture[] = {"picture"};
constexpr stage_cost costs_of_picture[] = {{"picture", &stage_costs::picture, stage_cost::unit::pixels, parts_of_picture}};

}  // namespace

const stage picture_stage{"picture", [](const spec& job, sinks to) { return to == sinks::files && job.picture.enabled; },
                          draw_pictures, costs_of_picture,
                          [](planned_job& p) {
                            if (p.drawn) p.drawn->count_messages(p.part.where);
                          }};

}  // namespace osteon::job
