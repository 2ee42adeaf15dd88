#include <osteon/job/outputs/check_answers.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <osteon/comm/collectively.hpp>

namespace osteon::job {

namespace {

using json = nlohmann::ordered_json;

// Fields are in single precision, which ends at 3.4e38; squares of what is larger than this do, too.
constexpr double largest_number = 1e30;
// Of a strain: a thousand times its own length.
constexpr double largest_strain = 1e3;

void look_at(const json& value, const std::string& name, double limit, std::vector<std::string>& faults) {
  if (value.is_object() || value.is_array()) {
    for (const auto& [key, part] : value.items()) {
      const bool is_strain = value.is_object() && key == "effective_strain";
      look_at(part,
              value.is_array() ? fmt::format("{}[{}]", name, key)
              : name.empty()   ? key
                               : name + "." + key,
              is_strain ? largest_strain : limit, faults);
    }
  } else if (value.is_number_float() && !(std::abs(value.get<double>()) <= limit)) {
    faults.push_back(fmt::format("{} = {:.4g}", name, value.get<double>()));
  }
}

}  // namespace

std::vector<std::string> absurdities(const json& answers) {
  std::vector<std::string> faults;
  look_at(answers, "", largest_number, faults);
  return faults;
}

void require_sensible(const local_model& part, const physics_result& result) {
  comm::collectively(part.where.comm, [&] {
    json numbers = result.answers;
    numbers["shown"] = {{"low", result.shown_low}, {"high", result.shown_high}};
    numbers["certificate"] = {{"true_relative_residual", result.certificate.true_relative_residual},
                              {"reaction_imbalance", result.certificate.reaction_imbalance},
                              {"energy_identity_error", result.certificate.energy_identity_error}};
    std::vector<std::string> faults = absurdities(numbers);
    if (faults.empty()) return;
    constexpr std::size_t most = 4;
    const std::size_t more = faults.size() > most ? faults.size() - most : 0;
    faults.resize(faults.size() - more);
    throw solve_error(fmt::format(
        "the answers cannot be right: {}{}; strains may be up to {:g} and all numbers up to {:g}. Nothing was "
        "written; check the loads, the moduli and their units",
        fmt::join(faults, ", "), more > 0 ? fmt::format(" and {} more", more) : "", largest_strain, largest_number));
  });
}

}  // namespace osteon::job
