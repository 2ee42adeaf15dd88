#pragma once
/// @file
/// The numbers that a job is run for: what they are called, in which unit, what they mean. The table on the terminal, the
/// report and docs/reference/answers.md are made from them. Answers that cannot be right are not written.
#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/numerics/certificate.hpp>
#include <string>
#include <vector>

namespace osteon::job {

struct local_model;
struct physics_entry;
struct physics_result;

/// An answer of a physics, in summary.json or in one of its `cases`.
struct answer {
  /// Where it stands: keys joined by dots. A whole number is a place in a list, `*` each member of an object, whose name
  /// ends the title, and `@` the component of a list z, y, x along the load.
  std::string key{};
  std::string title{};    ///< as in the middle of a sentence
  std::string unit{};     ///< e.g. `N mm2`; empty: none
  std::string meaning{};  ///< a sentence
  bool in_table = true, in_report = true;
  bool is_silent_at_0 = false;   ///< the table leaves a zero out
  std::string with{}, unless{};  ///< there is this answer only if that key is there, or is not
};

/// The same answer, shown elsewhere or under a condition: `report_only({"flux_W", "heat flow", "W", "Through both
/// faces."})`.
inline answer report_only(answer a) { return a.in_table = false, a; }
inline answer table_only(answer a) { return a.in_report = false, a; }
inline answer neither_shown(answer a) { return a.in_table = a.in_report = false, a; }
inline answer silent_at_0(answer a) { return a.is_silent_at_0 = true, a; }
inline answer only_with(const char* key, answer a) { return a.with = key, a; }
inline answer unless(const char* key, answer a) { return a.unless = key, a; }

/// An answer that a job has.
struct found_answer {
  const answer* what;
  std::string key, title;  ///< of this one, without `*` and `@`
  nlohmann::ordered_json value;
};

/// The answers that a summary, or one of its cases, has, in the order of the table.
/// A value that is null counts if it stands at the top: JSON has no infinity.
std::vector<found_answer> answers_in(const std::vector<answer>& all, const nlohmann::ordered_json& summary);

/// Key, title, unit and meaning of the answers that a summary or its cases have, for readers of the file: the report.
nlohmann::ordered_json describe_answers(const physics_entry& what, const nlohmann::ordered_json& summary);

/// The same of all physics, whatever a job has.
nlohmann::ordered_json describe_all_answers();

/// The certificate of a stage whose answer the next one takes (flow_certificate, heat_certificate ...).
nlohmann::ordered_json certificate_of_stage(const numerics::solve_certificate& certificate);

/// Refuse a result with a number that is not finite, is beyond what fields in single precision hold, or means a deformation
/// that no solid has. Whether the solver converged does not matter.
/// @throws solve_error that names the numbers @collective on part.where.comm
void require_sensible(const local_model& part, const physics_result& result);

/// What is wrong with the answers, e.g. "sed_MPa.max = inf"; empty: nothing.
std::vector<std::string> absurdities(const nlohmann::ordered_json& answers);

/// Return true if a length in mm is printed in micrometres: pores, throats and thin struts.
inline bool is_in_micrometres(double length_mm) { return length_mm != 0 && std::abs(length_mm) < 0.1; }
constexpr const char* micrometres = "\u00b5m";

}  // namespace osteon::job
