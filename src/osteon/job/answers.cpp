#include <osteon/job/answers.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/physics_result.hpp>
#include <set>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// Component (z, y or x) of the measured quantity of a load. The component is along the direction of the load. If the load
// has no direction, the component is along the load axis.
std::string component_along(const json& load) {
  const std::string along = load.value("direction", load.value("axis", "z"));
  return std::to_string(std::string("zyx").find(along));
}

// Resolves the parts of a key in a summary.
class answer_finder {
 public:
  answer_finder(const json& summary, std::vector<found_answer>& found) : summary_(summary), found_(found) {}

  void find(const answer& a) {
    answer_ = &a;
    follow(summary_, a.key, "", a.title);
  }

 private:
  void follow(const json& at, const std::string& rest, const std::string& key, const std::string& title) {
    if (rest.empty()) {
      const bool is_nested = key.find('.') != std::string::npos;
      if (!at.is_null() || !is_nested) found_.push_back({answer_, key, title, at});
      return;
    }
    const auto dot = rest.find('.');
    std::string part = rest.substr(0, dot);
    const std::string after = dot == std::string::npos ? "" : rest.substr(dot + 1);
    const auto enter = [&](const json& inner, const std::string& name, const std::string& words) {
      follow(inner, after, key.empty() ? name : key + "." + name, words);
    };
    if (part == "*") {
      if (at.is_object())
        for (const auto& [name, inner] : at.items()) enter(inner, name, title + " " + name);
      return;
    }
    if (part == "@" && summary_.contains("load")) part = component_along(summary_.at("load"));
    if (at.is_object()) {
      if (at.contains(part)) enter(at.at(part), part, title);
    } else if (at.is_array()) {
      std::size_t place = at.size();
      std::from_chars(part.data(), part.data() + part.size(), place);
      if (place < at.size()) enter(at[place], part, title);
    }
  }

  const json& summary_;
  std::vector<found_answer>& found_;
  const answer* answer_ = nullptr;
};

json description_of(const answer& a, const std::string& key, const std::string& title) {
  return {{"key", key}, {"title", title}, {"unit", a.unit}, {"meaning", a.meaning}};
}

}  // namespace

std::vector<found_answer> answers_in(const std::vector<answer>& all, const json& summary) {
  std::vector<found_answer> found;
  answer_finder finder(summary, found);
  for (const answer& a : all)
    if ((a.with.empty() || summary.contains(a.with)) && (a.unless.empty() || !summary.contains(a.unless))) finder.find(a);
  return found;
}

json describe_answers(const physics_entry& physics, const json& summary) {
  json list = json::array();
  std::set<std::string> keys;
  // Load cases may have different answers. The union of all answers has the order of the physics entry.
  for (const answer& a : physics.answers) {
    if (!a.in_report) continue;
    const auto add = [&](const json& tree) {
      for (const found_answer& f : answers_in({a}, tree))
        if (keys.insert(f.key).second) list.push_back(description_of(a, f.key, f.title));
    };
    add(summary);
    if (summary.contains("cases"))
      for (const json& one : summary.at("cases")) add(one);
  }
  return list;
}

json describe_all_answers() {
  json all = json::object();
  for (const physics_entry* p : all_physics()) {
    json list = json::array();
    for (const answer& a : p->answers) {
      list.push_back(description_of(a, a.key, a.title));
      list.back().update({{"in_table", a.in_table}, {"in_report", a.in_report}});
    }
    all[p->name] = {{"meaning", p->meaning}, {"answers", std::move(list)}};
  }
  return all;
}

namespace {

// Fields are stored in single precision. The largest number in single precision is 3.4e38.
constexpr double largest_number = 1e30;
// Limit of answers that are strains. The limit is an elongation to a thousand times the original length.
constexpr double largest_strain_of_answer = 1e3;

void check_numbers(const json& value, const std::string& name, double limit, std::vector<std::string>& faults) {
  if (value.is_object() || value.is_array()) {
    for (const auto& [key, part] : value.items()) {
      const bool is_strain = value.is_object() && (key == "effective_strain" || key == "principal_strain_1");
      check_numbers(part,
                    value.is_array() ? fmt::format("{}[{}]", name, key)
                    : name.empty()   ? key
                                     : name + "." + key,
                    is_strain ? largest_strain_of_answer : limit, faults);
    }
  } else if (value.is_number_float() && !(std::abs(value.get<double>()) <= limit)) {
    faults.push_back(fmt::format("{} = {:.4g}", name, value.get<double>()));
  }
}

}  // namespace

json certificate_of_stage(const numerics::solve_certificate& certificate) {
  return {{"dofs", certificate.unknowns},
          {"iterations", certificate.iterations},
          {"restarts", certificate.restarts},
          {"true_relative_residual", certificate.true_relative_residual},
          {"reaction_imbalance", certificate.reaction_imbalance},
          {"energy_identity_error", certificate.energy_identity_error},
          {"converged", certificate.converged}};
}

std::vector<std::string> implausible_answers(const json& answers) {
  std::vector<std::string> faults;
  check_numbers(answers, "", largest_number, faults);
  return faults;
}

void require_plausible(const local_model& part, const physics_result& result) {
  comm::collectively(part.where.comm, [&] {
    json numbers = result.answers;
    numbers["shown"] = {{"low", result.shown_low}, {"high", result.shown_high}};
    numbers["certificate"] = {{"true_relative_residual", result.certificate.true_relative_residual},
                              {"reaction_imbalance", result.certificate.reaction_imbalance},
                              {"energy_identity_error", result.certificate.energy_identity_error}};
    std::vector<std::string> faults = implausible_answers(numbers);
    if (faults.empty()) return;
    constexpr std::size_t most = 4;
    const std::size_t more = faults.size() > most ? faults.size() - most : 0;
    faults.resize(faults.size() - more);
    throw solve_error(
        fmt::format("implausible answers: {}{}; the limits are {:g} for strains and {:g} for other numbers. No results were "
                    "written; check the loads, the moduli and their units",
                    fmt::join(faults, ", "), more > 0 ? fmt::format(" and {} more", more) : "", largest_strain_of_answer,
                    largest_number));
  });
}

}  // namespace osteon::job
