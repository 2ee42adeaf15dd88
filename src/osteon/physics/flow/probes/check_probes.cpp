#include <osteon/base/fault_list.hpp>
#include <osteon/physics/flow/probes/check_probes.hpp>
#include <osteon/physics/flow/probes/probe_keys.hpp>
#include <osteon/physics/shared/condition_keys.hpp>
#include <osteon/physics/shared/names_of_job.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace osteon::physics {

namespace {

constexpr std::size_t most_places = 10'000;

bool is_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

class probe_checker {
 public:
  probe_checker(const spec& job, std::vector<problem>& problems) : job_(job), problems_(problems) {}

  void check(std::size_t n, bool has_temperature) {
    const fault_list expect(problems_, fmt::format("probe[{}].", n + 1));
    const probe_spec& p = job_.groups.of<probe_keys>().probes[n];
    expect(!p.name.empty(), "name", "missing; the column names of probes.csv begin with the probe name");
    expect(p.name.empty() || is_name(p.name), "name", "'{}' must consist of letters, digits and _", p.name);
    const auto [entry, is_new] = owner_.try_emplace(p.name, n);
    expect(is_new || p.name.empty(), "name", "'{}' is already used by probe[{}]; names must be unique", p.name,
           entry->second + 1);
    check_place(p, expect);
    expect(p.every == 0 || job_.groups.of<condition_keys>().transient, "every",
           "requires [transient]; add the table or remove this key");
    if (!p.fields) return;
    expect(!p.fields->empty(), "fields", "must not be empty; remove the key or the probe");
    expect(has_temperature || std::find(p.fields->begin(), p.fields->end(), "temperature") == p.fields->end(), "fields",
           "'temperature' requires flow.heat = true");
  }

 private:
  static void check_place(const probe_spec& p, const fault_list& expect) {
    const bool is_line = p.from_mm || p.to_mm, is_box = p.low_mm || p.high_mm, is_ball = p.centre_mm || p.radius_mm;
    const int kinds = (p.at_mm ? 1 : 0) + (is_line ? 1 : 0) + (is_box ? 1 : 0) + (is_ball ? 1 : 0);
    if (!expect(
            kinds == 1, "at_mm",
            "{}; a probe is one point (at_mm), line (from_mm, to_mm), box (low_mm, high_mm) or ball (centre_mm, radius_mm)",
            kinds == 0 ? "missing" : "given together with another place"))
      return;
    expect(!is_line || (p.from_mm && p.to_mm), p.from_mm ? "to_mm" : "from_mm",
           "missing; a line requires from_mm and to_mm");
    expect(!is_box || (p.low_mm && p.high_mm), p.low_mm ? "high_mm" : "low_mm",
           "missing; a box requires low_mm and high_mm");
    expect(!is_ball || (p.centre_mm && p.radius_mm), p.centre_mm ? "radius_mm" : "centre_mm",
           "missing; a ball requires centre_mm and radius_mm");
    if (p.low_mm && p.high_mm && p.low_mm->size() == 3 && p.high_mm->size() == 3)
      for (std::size_t a = 0; a < 3; ++a)
        expect((*p.low_mm)[a] <= (*p.high_mm)[a], "high_mm", "{} mm along {}; must not be below low_mm ({} mm)",
               (*p.high_mm)[a], "zyx"[a], (*p.low_mm)[a]);
  }

  const spec& job_;
  std::vector<problem>& problems_;
  std::map<std::string, std::size_t> owner_;
};

}  // namespace

void check_probes(const spec& job, bool has_temperature, std::vector<problem>& problems) {
  probe_checker checker(job, problems);
  std::size_t places = 0;
  for (std::size_t n = 0; n < job.groups.of<probe_keys>().probes.size(); ++n) {
    checker.check(n, has_temperature);
    places += job.groups.of<probe_keys>().probes[n].from_mm
                  ? static_cast<std::size_t>(std::max<std::int64_t>(1, job.groups.of<probe_keys>().probes[n].points))
                  : 1;
  }
  if (places > most_places)
    problems.push_back(
        {"probe",
         fmt::format(
             "{} points and means exceed the limit of {}; reduce the points, or write whole fields by transient.write_steps",
             places, most_places)});
}

}  // namespace osteon::physics
