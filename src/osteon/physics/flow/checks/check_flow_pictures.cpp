#include <osteon/physics/flow/checks/flow_checks.hpp>

#include <fmt/format.h>

#include <osteon/physics/flow/keys/flow_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

namespace osteon::physics {

namespace {

constexpr std::int64_t most_pathlines = 10'000;

bool is_field_of_flow(const std::string& field) {
  return field == "speed" || field == "temperature" || field == "residence_time";
}

}  // namespace

void check_flow_pictures(const spec& job, std::vector<problem>& problems) {
  const auto expect = [&](bool holds, const std::string& where, const std::string& text) {
    if (!holds) problems.push_back({where, text});
  };
  const flow_keys& f = job.groups.of<flow_keys>();
  const picture_spec& p = job.picture;
  if (p.field) {
    expect(is_field_of_flow(*p.field), "picture.field",
           fmt::format("'{}' is of elasticity; a flow shows 'speed', 'temperature' or 'residence_time'", *p.field));
    expect(*p.field != "temperature" || f.heat, "picture.field", "'temperature' needs flow.heat = true");
    expect(*p.field != "residence_time" || f.residence_time, "picture.field",
           "'residence_time' needs flow.residence_time = true");
  }
  expect(p.pathlines >= 0 && p.pathlines <= most_pathlines, "picture.pathlines",
         fmt::format("{} must be in [0, {}] particles", p.pathlines, most_pathlines));
  expect(p.pathlines <= 0 || job.groups.of<condition_keys>().transient, "picture.pathlines",
         "given, but the flow is steady: particles follow its streamlines (picture.streamlines); remove it, or add "
         "[transient]");
  expect(p.pathlines <= 0 || p.streamlines.value_or(0) == 0, "picture.streamlines",
         "given together with picture.pathlines; a picture has lines of one kind, remove one");
  expect(!p.shows || (job.groups.of<condition_keys>().transient && p.every > 0), "picture.shows",
         "is of the frames of a flow in time; give [transient] and picture.every, or remove it");
  expect(p.shows != "pathlines" || p.pathlines > 0, "picture.shows",
         "'pathlines' needs particles; give their number by picture.pathlines");
}

void refuse_flow_pictures(const spec& job, std::vector<problem>& problems) {
  const picture_spec& p = job.picture;
  if (is_field_of_flow(p.field.value_or("")))
    problems.push_back({"picture.field", fmt::format("'{}' belongs to physics = \"flow\"", *p.field)});
  if (p.pathlines != 0)
    problems.push_back({"picture.pathlines", "belongs to physics = \"flow\" with [transient]; remove it"});
  if (p.shows) problems.push_back({"picture.shows", "belongs to physics = \"flow\" with [transient]; remove it"});
}

}  // namespace osteon::physics
