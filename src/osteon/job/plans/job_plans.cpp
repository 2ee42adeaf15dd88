#include <osteon/job/plans/job_plans.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/counted.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/virtual_ranks.hpp>
#include <osteon/grid/bricks.hpp>
#include <osteon/io/files/model_file.hpp>
#include <osteon/io/png.hpp>
#include <osteon/job/import/import.hpp>
#include <osteon/job/outputs/draw.hpp>
#include <osteon/job/outputs/io_options.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/plans/planned_job.hpp>
#include <osteon/job/stage.hpp>
#include <string_view>

namespace osteon::job {

using json = nlohmann::ordered_json;

namespace {

enum part_number {
  reading,
  earlier_set_up,
  earlier_load,
  earlier_restart,
  earlier_iteration,
  set_up,
  load,
  restart,
  iteration,
  writing,
  picture,
  part_count
};
constexpr std::array<std::pair<const char*, const char*>, part_count> words{
    {{"reading", "once"},
     {"heat_set_up", "once, of the heat problem"},
     {"heat_load", "once, of the heat problem"},
     {"heat_restart", "at each recomputation of the residual of the heat problem"},
     {"heat_iteration", "in each iteration of the heat problem"},
     {"set_up", "once for each set of supports"},
     {"load", "once for each load case"},
     {"restart", "at each recomputation of the residual"},
     {"iteration", "in each iteration"},
     {"writing", "once"},
     {"picture", "once"}}};

part_number number_of_part(std::string_view name) {
  return static_cast<part_number>(std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.first == name; }) -
                                  words.begin());
}

constexpr const char* as_counted = "number of repetitions: messages.parts in the summary of a run";

// Messages of the part with this name, for each rank.
std::vector<comm::message_ledger> ledgers_of(const std::vector<comm::message_parts>& marked, const std::string& name) {
  std::vector<comm::message_ledger> all;
  for (const comm::message_parts& of_rank : marked) {
    const auto found =
        std::find_if(of_rank.parts.begin(), of_rank.parts.end(), [&](const auto& p) { return p.name == name; });
    all.push_back(found == of_rank.parts.end() ? comm::message_ledger() : *found->sent);
  }
  return all;
}

part_number part_of(numerics::solve_part p) {
  switch (p) {
    case numerics::solve_part::set_up:
      return set_up;
    case numerics::solve_part::load:
      return load;
    case numerics::solve_part::restart:
      return restart;
    case numerics::solve_part::iteration:
      return iteration;
    case numerics::solve_part::earlier_set_up:
      return earlier_set_up;
    case numerics::solve_part::earlier_load:
      return earlier_load;
    case numerics::solve_part::earlier_restart:
      return earlier_restart;
    default:
      return earlier_iteration;
  }
}

grid::box_tree boxes_of(const voxel::model_header& header, const std::vector<material_number>& image, int ranks,
                        bool bricks) {
  if (!bricks) return grid::box_tree::of_planes(header.shape, grid::balance_planes(header.active_per_plane, ranks));
  return grid::balance_bricks(MPI_COMM_SELF, header.shape, {{}, header.shape}, {image.data(), header.shape}, ranks);
}

void check(const spec& job, const physics_entry& row) {
  const auto refuse = [&](const std::string& why) {
    throw plans_unknown(
        fmt::format("the plans of this job require a run: {}; count the messages with osteon run --trace-messages", why));
  };
  if (const std::string why = row.reason_not_counted(job); !why.empty()) refuse(why);
  if (!row.count_messages) refuse(fmt::format("physics = \"{}\" is not supported", row.name));
  if (job.segment.drop_unsupported) refuse("segment.drop_unsupported removes voxels depending on the loads");
}

void check_ranks(const voxel::model_header& header, int ranks, bool bricks) {
  if (bricks && ranks > header.shape.volume()) throw usage_error(grid::too_many_ranks(ranks, header.shape));
  if (!bricks && ranks > header.shape.z) throw usage_error(grid::too_many_ranks(ranks, header.shape.z));
}

}  // namespace

job_plans plans_of_job(const spec& job, int ranks, log_sink& log) {
  check(job, physics_of(job));
  return plans_of_model(job, import_model(job, output_paths(job).model, log).path, ranks, log);
}

job_plans plans_of_model(const spec& job, const std::string& path, int ranks, log_sink& log) {
  check(job, physics_of(job));
  const voxel::model_header header = io::read_model_header(path, log);
  check_ranks(header, ranks, uses_bricks(job, header.shape.z, ranks));
  const box3 whole{{}, header.shape};
  return plans_of_voxels(job, header, io::read_model_planes(MPI_COMM_SELF, path, header, whole, access_of(job)), ranks);
}

job_plans plans_of_voxels(const spec& job, const voxel::model_header& header, const std::vector<material_number>& image,
                          int ranks, const thinned_image& thinned) {
  const physics_entry& row = physics_of(job);
  check(job, row);
  const bool is_thinned = thinned.planes > header.shape.z;
  const bool deals_out_bricks =
      uses_bricks(job, is_thinned ? thinned.planes : header.shape.z, ranks) || (is_thinned && ranks > header.shape.z);
  check_ranks(header, ranks, deals_out_bricks);
  const grid::box_tree boxes = boxes_of(header, image, ranks, deals_out_bricks);
  job_plans result{job.name, job.physics, ranks, !boxes.is_planes(), {}, false, {}};  // with few ranks, bricks may be planes
  std::optional<render::picture_plan> drawn;
  if (job.picture.enabled) {
    const render::scene scene = scene_of_picture(job, header, false);
    drawn.emplace(boxes, scene, io::png_rows(scene.height, ranks));
    if (!drawn->assumed().empty()) result.assumed.push_back(drawn->assumed());
    if (job.picture.streamlines.value_or(row.picture.draws_lines ? 1 : 0) > 0)
      result.assumed.emplace_back(
          "messages of streamlines are not included: neighbours exchange the ends of lines, and the picture is composited "
          "a second time for the edges of lines");
  }

  std::vector<std::vector<comm::message_ledger>> ledgers(part_count);
  for (auto& of_part : ledgers) of_part.resize(static_cast<std::size_t>(ranks));
  std::vector<comm::message_parts> marked(static_cast<std::size_t>(ranks));
  comm::run_virtual_ranks(ranks, [&](MPI_Comm comm) {
    const auto begin = [&](part_number p) {
      comm::attachment_of(comm)->ledger = &ledgers[p][static_cast<std::size_t>(comm::rank(comm))];
    };
    comm::attachment_of(comm)->parts = &marked[static_cast<std::size_t>(comm::rank(comm))];
    planned_job planned{comm,
                        job,
                        header,
                        image,
                        boxes,
                        deals_out_bricks,
                        drawn ? &*drawn : nullptr,
                        {.begins = [&](numerics::solve_part p) { begin(part_of(p)); },
                         .missing_levels = thinned.missing_levels,
                         .levels = static_cast<int>(thinned.nodes_of_levels.size())}};
    for (const stage* s : all_stages()) {
      if (!s->plan) continue;
      begin(number_of_part(s->costs.front().parts.front()));
      s->plan(planned);
    }
  });
  for (std::size_t p = 0; p < part_count; ++p) {
    // Parts that the solver has marked replace parts that would otherwise be empty.
    if (p == load && !marked.front().parts.empty()) {
      for (const auto& one : marked.front().parts)
        result.parts.push_back({one.name, as_counted, comm::traffic_of(ledgers_of(marked, one.name))});
      result.are_marked = true;
      p = iteration;
      continue;
    }
    job_part part{words[p].first, words[p].second, comm::traffic_of(ledgers[p])};
    const bool is_earlier = p >= earlier_set_up && p <= earlier_iteration;  // only a few jobs have a preceding problem
    if (!is_earlier || !part.plans.empty()) result.parts.push_back(std::move(part));
  }
  return result;
}

bool job_plans::is_sound() const {
  return std::all_of(parts.begin(), parts.end(), [](const job_part& part) {
    return std::all_of(part.plans.begin(), part.plans.end(), [](const auto& p) { return p.problems.empty(); });
  });
}

namespace {

json describe_one(const comm::plan_traffic& p) {
  json entry = {{"plan", p.plan},
                {"runs", p.runs},
                {"messages", p.messages},
                {"bytes", p.bytes},
                {"most_bytes_of_a_rank", p.most_bytes_of_a_rank},
                {"verified", p.problems.empty()},
                {"problems", json::array()}};
  for (const problem& fault : p.problems) entry["problems"].push_back({{"where", fault.where}, {"text", fault.text}});
  return entry;
}

}  // namespace

json job_plans::to_json() const {
  json all = {{"schema", "osteon.plan.job/1"},
              {"job", job},
              {"physics", physics},
              {"ranks", ranks},
              {"decomposition", bricks ? "bricks" : "planes"},
              {"assumed", assumed},
              {"parts", json::array()}};
  for (const job_part& part : parts) {
    json plans = json::array();
    for (const auto& p : part.plans) plans.push_back(describe_one(p));
    all["parts"].push_back({{"part", part.name}, {"how_often", part.how_often}, {"plans", plans}});
  }
  return all;
}

std::string job_plans::to_text() const {
  std::string text = fmt::format("{}: {} on {} in {}\n", job, physics, counted(ranks, "rank"), bricks ? "bricks" : "planes");
  std::size_t width = 4;
  for (const job_part& part : parts)
    for (const auto& p : part.plans) width = std::max(width, p.plan.size());
  for (const job_part& part : parts) {
    if (part.plans.empty()) continue;
    text += fmt::format("\n{}, {}\n  {:{}}  {:>6} {:>9} {:>12} {:>14}  verified\n", part.name, part.how_often, "plan", width,
                        "runs", "messages", "KiB", "KiB of a rank");
    for (const auto& p : part.plans)
      text += fmt::format("  {:{}}  {:>6} {:>9} {:>12.1f} {:>14.1f}  {}\n", p.plan, width, p.runs, p.messages,
                          static_cast<double>(p.bytes) / 1024, static_cast<double>(p.most_bytes_of_a_rank) / 1024,
                          p.problems.empty() ? "yes" : "NO: " + p.problems[0].where + ": " + p.problems[0].text);
  }
  for (const std::string& sentence : assumed) text += "\n" + sentence + "\n";
  return text;
}

json describe(const std::vector<comm::plan_traffic>& counted) {
  json all = json::array();
  for (const auto& p : counted) {
    json entry = describe_one(p);
    entry["waited_seconds"] = p.waited_seconds;
    entry["most_waited_seconds"] = p.most_waited_seconds;
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace osteon::job
