#include <CLI/CLI.hpp>
#include <app/command_line.hpp>
#include <optional>
#include <vector>

namespace osteon::app {

option option::required() { return option(of_->required()); }
option option::show_default() { return option(of_->capture_default_str()); }
// The check of CLI11 would print its upper limit with 309 digits.
option option::positive() {
  return option(of_->check(
      [](const std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value > 0;
        return good ? std::string() : "'" + text + "' is not a positive number";
      },
      "POSITIVE"));
}
option option::non_negative() { return option(of_->check(CLI::NonNegativeNumber)); }
option option::number() { return option(of_->check(CLI::Number)); }
option option::between(int low, int high) { return option(of_->check(CLI::Range(low, high))); }
option option::between(std::int64_t low, std::int64_t high) { return option(of_->check(CLI::Range(low, high))); }
option option::between(double low, double high) { return option(of_->check(CLI::Range(low, high))); }
option option::one_of(std::initializer_list<std::string> values) {
  return option(of_->check(CLI::IsMember(std::vector(values))));
}
option option::one_of(std::initializer_list<int> values) { return option(of_->check(CLI::IsMember(std::vector(values)))); }
option option::expected(int values) { return option(of_->expected(values)); }
option option::expected(int least, int most) { return option(of_->expected(least, most)); }
option option::delimiter(char between) { return option(of_->delimiter(between)); }
option option::repeatable(int values_of_an_entry) {
  return option(
      of_->expected(values_of_an_entry)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
}
option option::needs(option other) { return option(of_->needs(other.of_)); }

template <class Value>
option command::add_option(const std::string& names, Value& target, const std::string& description) {
  return option(of_->add_option(names, target, description));
}

// Instantiate the templates for all types of option targets.
#define OSTEON_OPTION_OF(...) template option command::add_option(const std::string&, __VA_ARGS__&, const std::string&)
OSTEON_OPTION_OF(std::string);
OSTEON_OPTION_OF(int);
OSTEON_OPTION_OF(unsigned);
OSTEON_OPTION_OF(std::int64_t);
OSTEON_OPTION_OF(std::uint64_t);
OSTEON_OPTION_OF(double);
OSTEON_OPTION_OF(std::optional<int>);
OSTEON_OPTION_OF(std::optional<double>);
OSTEON_OPTION_OF(std::optional<std::string>);
OSTEON_OPTION_OF(std::vector<std::string>);
OSTEON_OPTION_OF(std::vector<int>);
OSTEON_OPTION_OF(std::vector<std::int64_t>);
OSTEON_OPTION_OF(std::vector<double>);
#undef OSTEON_OPTION_OF

option command::add_flag(const std::string& names, bool& target, const std::string& description) {
  return option(of_->add_flag(names, target, description));
}

void command::set_heading(const std::string& heading, std::initializer_list<const char*> options) {
  for (const char* name : options) of_->get_option(name)->group(heading);
}

void command::footer(const std::string& text) { of_->footer(text); }
void command::accept_all_words() { of_->prefix_command(); }

void command::allow_one_below() { of_->require_subcommand(0, 1); }

}  // namespace osteon::app
