#include <osteon/physics/flow/probes/probes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <osteon/base/at.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/outputs/history.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

constexpr const char* records_saved_as = "probes";

}  // namespace

probes::probes(const spec& job, const local_model& part, const voxel::run_set& fluid, bool has_temperature)
    : job_(job), part_(part), has_temperature_(has_temperature), places_(place_probes(job, part, fluid, has_temperature)) {
  comm::collectively(part.where.comm, [&] {
    for (const probe_place& place : places_.places)
      for (const probe_place::part& p : place.parts)
        if (p.fluid >= 0) watch_.cells.push_back(p.fluid);
    std::sort(watch_.cells.begin(), watch_.cells.end());
    watch_.cells.erase(std::unique(watch_.cells.begin(), watch_.cells.end()), watch_.cells.end());
    for (const probe_place& place : places_.places) {
      auto& own = watched_.emplace_back();
      for (const probe_place::part& p : place.parts)
        own.push_back(at(std::lower_bound(watch_.cells.begin(), watch_.cells.end(), p.fluid) - watch_.cells.begin()));
    }
  });
  watch_.wants = [this](const flow_moment& moment) {
    return std::any_of(job_.groups.of<probe_keys>().probes.begin(), job_.groups.of<probe_keys>().probes.end(),
                       [&](const probe_spec& p) { return is_due(p, moment); });
  };
  watch_.take = [this](const flow_moment& moment, std::span<const std::array<double, 4>> values) { take(moment, values); };
}

bool probes::is_due(const probe_spec& p, const flow_moment& moment) const {
  return p.every > 0 ? moment.steps % p.every == 0 || moment.is_last : moment.is_record;
}

void probes::take(const flow_moment& moment, std::span<const std::array<double, 4>> values) {
  const MPI_Comm comm = part_.where.comm;
  const comm::sent_part sends(comm, "probes");
  probe_record& r = records_.emplace_back();
  r.multiple = moment.multiple;
  r.time_s = moment.time_s;
  r.steps = moment.steps;
  for (const probe_spec& p : job_.groups.of<probe_keys>().probes) r.is_due.push_back(is_due(p, moment) ? 1 : 0);
  // Velocity, speed, pressure, and the weights of places that have a pressure.
  constexpr std::size_t width = 6;
  std::vector<double> sums(width * places_.places.size());
  for (std::size_t n = 0; n < places_.places.size(); ++n) {
    double* const sum = sums.data() + width * n;
    const std::vector<probe_place::part>& parts = places_.places[n].parts;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].fluid < 0) continue;  // in solid voxels, the velocity is zero
      const std::array<double, 4>& v = values[watched_[n][k]];
      const double w = parts[k].weight;
      for (std::size_t c = 0; c < 3; ++c) sum[c] += w * v[c];
      sum[3] += w * std::hypot(v[0], v[1], v[2]);
      if (!std::isfinite(v[3])) continue;
      sum[4] += w * v[3];
      sum[5] += w;
    }
  }
  comm::counted_all_reduce(comm, sums.data(), sums.size(), MPI_SUM);
  for (std::size_t probe = 0; probe < job_.groups.of<probe_keys>().probes.size(); ++probe)
    for (std::size_t n = places_.first[probe]; n < places_.first[probe + 1]; ++n) {
      const double* const sum = sums.data() + width * n;
      const bool is_point = !is_mean(job_.groups.of<probe_keys>().probes[probe]);
      r.values.push_back({{sum[0], sum[1], sum[2]},
                          is_point ? std::hypot(sum[0], sum[1], sum[2]) : sum[3],
                          sum[5] > 0 ? sum[4] / sum[5] : NAN,
                          NAN});
    }
  if (temperature_K_) take_temperature(temperature_K_());
}

void probes::take_temperature(std::size_t record, std::span<const double> temperature_K) {
  const MPI_Comm comm = part_.where.comm;
  const comm::sent_part sends(comm, "probes_of_temperature");
  std::vector<double> sums(2 * places_.places.size());
  for (std::size_t n = 0; n < places_.places.size(); ++n)
    for (const probe_place::part& p : places_.places[n].parts) {
      const double t = p.active >= 0 && !temperature_K.empty() ? temperature_K[at(p.active)] : NAN;
      if (!std::isfinite(t)) continue;
      sums[2 * n] += p.weight * t;
      sums[2 * n + 1] += p.weight;
    }
  comm::counted_all_reduce(comm, sums.data(), sums.size(), MPI_SUM);
  for (std::size_t n = 0; n < places_.places.size(); ++n)
    records_.at(record).values[n].temperature_K = sums[2 * n + 1] > 0 ? sums[2 * n] / sums[2 * n + 1] : NAN;
}

void probes::finish(physics_result& result, log_sink& log) const {
  if (records_.empty()) return;
  const std::filesystem::path folder(job_.output_directory), path = folder / "probes.csv";
  comm::collectively(part_.where.comm, [&] {
    if (comm::rank(part_.where.comm) != 0) return;
    std::filesystem::create_directories(folder);
    write_file(path.string(), history_table(table_of(job_, has_temperature_, places_.first, records_)));
  });
  result.answers["probes"] = summary_of(job_, has_temperature_, places_.first, places_.voxels, records_);
  log.note(fmt::format("{}: {} record{} of {} probe{}", path.string(), records_.size(), records_.size() == 1 ? "" : "s",
                       job_.groups.of<probe_keys>().probes.size(),
                       job_.groups.of<probe_keys>().probes.size() == 1 ? "" : "s"));
  for (std::size_t n = 0; n < job_.groups.of<probe_keys>().probes.size(); ++n) {
    const auto first = records_.back().values.begin() + static_cast<std::ptrdiff_t>(places_.first[n]);
    const auto end = records_.back().values.begin() + static_cast<std::ptrdiff_t>(places_.first[n + 1]);
    if (records_field(job_.groups.of<probe_keys>().probes[n], "pressure", has_temperature_) &&
        std::all_of(first, end, [](const probe_value& v) { return !std::isfinite(v.pressure_Pa); }))
      log.warn(fmt::format(
          "probe '{}' is in pores without a path to a second opening: the fluid is at rest, and its pressure is undefined",
          job_.groups.of<probe_keys>().probes[n].name));
  }
}

void probes::restore(const std::vector<double>& numbers) {
  const std::size_t width = 3 + job_.groups.of<probe_keys>().probes.size() + 6 * places_.places.size();
  if (numbers.size() % width != 0)
    throw data_error("the checkpoint contains records of other probes; restore [[probe]] or start without --resume");
  records_ = records_from(numbers, job_.groups.of<probe_keys>().probes.size(), places_.places.size());
}

numerics::solver_state probe_checkpointer::with_records(const numerics::solver_state& state) const {
  numerics::solver_state more = state;
  more.numbers[records_saved_as] = probes_.saved();
  return more;
}

void probe_checkpointer::restore(numerics::solver_state& state) {
  checkpoints_.restore(state);
  const auto saved = state.numbers.find(records_saved_as);
  if (saved == state.numbers.end()) return;  // the earlier run had no records; records are written from now on
  probes_.restore(saved->second);
  state.numbers.erase(saved);
}

}  // namespace osteon::physics
