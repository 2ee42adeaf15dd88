#include <osteon/job/spec/set_keys.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <common/toml_limits.hpp>
#include <string_view>

namespace osteon::job {

namespace {

// One change, on its way down the table.
class key_setter {
 public:
  key_setter(toml::table& table, const std::string& change, std::vector<problem>& problems)
      : at_(&table), change_(change), problems_(problems) {}

  void run() {
    const auto equals = change_.find('=');
    if (equals == 0 || equals == std::string::npos) return fault("must have the form KEY=VALUE, e.g. segment.keep=all");
    const std::string_view key = std::string_view(change_).substr(0, equals);
    // Tables in tables are left one inside the other, by as many levels of the stack.
    if (const auto parts = std::count(key.begin(), key.end(), '.') + 1; parts > deepest_key)
      return problems_.push_back({"--set", fmt::format("a key has {} parts; at most {} are read", parts, deepest_key)});
    const auto value = value_of(change_.substr(equals + 1));
    if (!value) return;
    std::size_t begin = 0;
    for (auto dot = key.find('.'); dot != std::string_view::npos; begin = dot + 1, dot = key.find('.', begin))
      if (!enter(key.substr(begin, dot - begin))) return;
    const std::string_view last = key.substr(begin);
    if (last.empty() || last.find('[') != std::string_view::npos)
      return fault("must end in the name of a key, e.g. material[1].poisson_ratio=0.3");
    value->get("value")->visit([&](const auto& node) { at_->insert_or_assign(last, node); });
  }

 private:
  void fault(const std::string& text) { problems_.push_back({"--set", fmt::format("'{}' {}", change_, text)}); }

  // A table with the value under "value".
  std::optional<toml::table> value_of(const std::string& text) {
    const std::string line = "value = " + text;
    if (const auto beyond = beyond_toml_limits(line, "--set")) {
      problems_.push_back(*beyond);
      return std::nullopt;
    }
    std::string why;
    if (text.find('\n') == std::string::npos) try {
        return toml::parse(line, std::string_view("--set"));
      } catch (const toml::parse_error& e) {
        why = e.description();
      }
    const bool is_word = !text.empty() && text.find_first_of("\n\"'[]{}#") == std::string::npos;
    if (is_word) return toml::table{{"value", text}};
    fault(fmt::format("has no value of TOML{}", why.empty() ? "" : ": " + why));
    return std::nullopt;
  }

  // Into `name`, or into the item of `name[2]`.
  bool enter(std::string_view part) {
    const auto bracket = part.find('[');
    const std::string name(part.substr(0, bracket));
    if (name.empty()) {
      fault("has an empty name in its key");
      return false;
    }
    if (bracket == std::string_view::npos) {
      if (!at_->contains(name)) at_->insert(name, toml::table{});
      return go_to(at_->get(name), name, "; name one of a list, e.g. material[1].poisson_ratio");
    }
    std::size_t number = 0;
    const std::string_view digits = part.substr(bracket + 1);
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const toml::array* list = at_->get_as<toml::array>(name);
    const std::size_t there = list ? list->size() : 0;
    if (failed != std::errc() || std::string_view(end, digits.data() + digits.size()) != "]" || number < 1 ||
        number > there) {
      fault(fmt::format("names '{}', but the job has {} of [[{}]]", part, there, name));
      return false;
    }
    return go_to(at_->get_as<toml::array>(name)->get(number - 1), std::string(part), "");
  }

  bool go_to(toml::node* node, const std::string& name, const char* advice) {
    at_ = node->as_table();
    if (!at_) fault(fmt::format("takes '{}' for a table, which it is not{}", name, advice));
    return at_ != nullptr;
  }

  toml::table* at_;
  const std::string& change_;
  std::vector<problem>& problems_;
};

}  // namespace

void set_keys(toml::table& table, std::span<const std::string> changes, std::vector<problem>& problems) {
  for (const std::string& change : changes) key_setter(table, change, problems).run();
}

}  // namespace osteon::job
