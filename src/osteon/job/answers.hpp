#pragma once
/// @file
/// Answers of a job, with name, unit and meaning. The table on the terminal, the report and docs/reference/answers.md are
/// generated from the answers. Implausible answers are not written.
#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/numerics/certificate.hpp>
#include <string>
#include <vector>

namespace osteon::job {

struct local_model;
struct physics_entry;
struct physics_result;

/// An answer of a physics in summary.json or in one of the `cases` of summary.json.
struct answer {
  /// Path of the answer: keys that are joined by dots. A whole number is an index of a list. `*` matches each member of an
  /// object. The title then ends with the name of the member. `@` matches the component along the load in a list of
  /// components z, y, x.
  std::string key{};
  std::string title{};    ///< title in the form for the middle of a sentence
  std::string unit{};     ///< e.g. for example `N mm2`; empty: no unit
  std::string meaning{};  ///< meaning as a sentence
  bool in_table = true, in_report = true;
  bool is_silent_at_0 = false;   ///< true if the table omits the answer when its value is 0
  std::string with{}, unless{};  ///< the answer requires that the key `with` is present and that the key `unless` is absent
};

/// Return an answer that only the report contains: `report_only({"flux_W", "heat flow", "W", "Through both faces."})`.
inline answer report_only(answer a) { return a.in_table = false, a; }
inline answer table_only(answer a) { return a.in_report = false, a; }
inline answer neither_shown(answer a) { return a.in_table = a.in_report = false, a; }
inline answer silent_at_0(answer a) { return a.is_silent_at_0 = true, a; }
inline answer only_with(const char* key, answer a) { return a.with = key, a; }
inline answer unless(const char* key, answer a) { return a.unless = key, a; }

/// An answer that a summary contains.
struct found_answer {
  const answer* definition;
  std::string key, title;  ///< key and title of the answer; `*` and `@` are replaced
  nlohmann::ordered_json value;
};

/// Return the answers that a summary or one of its cases contains, in the order of the table. At the top level, an answer
/// with a null value is also included, because JSON has no infinity.
std::vector<found_answer> answers_in(const std::vector<answer>& all, const nlohmann::ordered_json& summary);

/// Return key, title, unit and meaning of the answers that a summary or its cases contain. The report displays these texts.
nlohmann::ordered_json describe_answers(const physics_entry& physics, const nlohmann::ordered_json& summary);

/// Return key, title, unit and meaning of the answers of all physics.
nlohmann::ordered_json describe_all_answers();

/// The certificate of a stage that computes an input of the next stage, such as flow_certificate or heat_certificate.
nlohmann::ordered_json certificate_of_stage(const numerics::solve_certificate& certificate);

/// Reject an implausible result. Such a result has a number that is not finite, that exceeds the range of single-precision
/// fields, or that implies an impossible deformation of a solid. The function does not check the convergence of the solver.
/// @throws solve_error that lists the implausible numbers @collective on part.where.comm
void require_plausible(const local_model& part, const physics_result& result);

/// Return the implausible answers, for example "sed_MPa.max = inf". If all answers are plausible, the list is empty.
std::vector<std::string> implausible_answers(const nlohmann::ordered_json& answers);

/// Return true if a length in mm is printed in micrometres. The lengths of pores, throats and thin struts are printed in
/// micrometres.
inline bool is_in_micrometres(double length_mm) { return length_mm != 0 && std::abs(length_mm) < 0.1; }
constexpr const char* micrometres = "\u00b5m";

}  // namespace osteon::job
