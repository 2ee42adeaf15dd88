#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <type_traits>

namespace osteon::job {

namespace {

std::string prefix_of(const std::string& prefix, const key_table& table, std::size_t number) {
  return prefix + table.name + (table.kind == key_table::kinds::list ? fmt::format("[{}].", number + 1) : ".");
}

// Text of alternatives such as `"heat", "flow" or "failure"`.
std::string any_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t n = 0; n < names.size(); ++n) text += (n == 0 ? "" : n + 1 == names.size() ? " or " : ", ") + names[n];
  return text;
}

std::string in_quotes(const std::string& name) { return fmt::format("\"{}\"", name); }

// Reports numbers outside of the limits of their keys, and vectors that do not have three numbers.
class range_checker final : public key_visitor {
 public:
  range_checker(std::string prefix, std::vector<problem>& problems) : prefix_(std::move(prefix)), problems_(problems) {}

  void key(const key_entry& entry, const key_field& value) override {
    std::visit([&](const auto* field) { check(entry, *field); }, value);
  }
  void table(const key_table& table, void* owner) override {
    for (std::size_t n = 0; n < table.count(owner); ++n) {
      range_checker inner(prefix_of(prefix_, table, n), problems_);
      visit_keys(table, table.at(owner, n), inner);
    }
  }

 private:
  bool check(const key_entry& entry, double value) {
    const bool holds = entry.options.range.contains(value);
    if (!holds) problems_.push_back({prefix_ + entry.name, entry.options.range.fault_of(value)});
    return holds;
  }
  bool check(const key_entry& entry, std::int64_t value) { return check(entry, static_cast<double>(value)); }
  bool check(const key_entry&, bool) { return true; }
  bool check(const key_entry&, const std::string&) { return true; }
  bool check(const key_entry&, const choice_field&) { return true; }
  template <class T>
  bool check(const key_entry& entry, const std::optional<T>& value) {
    return !value || check(entry, *value);
  }
  template <class T>
  bool check(const key_entry& entry, const std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>)
      if (entry.options.is_vector && values.size() != 3) {
        problems_.push_back({prefix_ + entry.name, fmt::format("has {} values; give three, [z, y, x]", values.size())});
        return false;
      }
    return std::all_of(values.begin(), values.end(), [&](const T& value) { return check(entry, value); });
  }

  std::string prefix_;
  std::vector<problem>& problems_;
};

// The tests of a job.
struct tests_of_job {
  const physics_entry& physics;
  std::vector<std::string> tests;  ///< empty if unknown; in this case, all tests of the physics apply

  bool are_in(const key_tests& some) const {
    return find_physics(some.physics) == &physics &&
           (tests.empty() || std::any_of(tests.begin(), tests.end(), [&](const std::string& test) {
              return std::find(some.tests.begin(), some.tests.end(), test) != some.tests.end();
            }));
  }
  bool are_in(const key_scope& scope) const {
    return scope.empty() || std::any_of(scope.begin(), scope.end(), [&](const key_tests& some) { return are_in(some); });
  }
};

tests_of_job tests_of(const spec& job) {
  const physics_entry& physics = physics_of(job);
  const std::string test = physics.test(job);
  if (std::none_of(physics.tests.begin(), physics.tests.end(), [&](const load_test& t) { return t.name == test; }))
    return {physics, {}};
  tests_of_job all{physics, {test}};
  if (const std::string first = physics.test_of_first_stage(job); !first.empty()) all.tests.push_back(first);
  return all;
}

// Reports given keys that the tests of the job, or a choice in the same table, do not accept. The class also reports missing
// keys that the choice requires.
class scope_checker final : public key_visitor {
 public:
  /// @param is_present function that returns true if a key is given, even with its default value
  scope_checker(std::string prefix, const spec& job, tests_of_job tests, std::vector<problem>& problems,
                std::function<bool(const std::string& path)> is_present)
      : prefix_(std::move(prefix)),
        job_(job),
        tests_(std::move(tests)),
        problems_(problems),
        is_present_(std::move(is_present)) {}

  void key(const key_entry& entry, const key_field& value) override {
    if (auto* const* choice = std::get_if<choice_field*>(&value))
      choices_[(*choice)->names().data()] = {entry.name, *choice};
    if (auto* const* flag = std::get_if<bool*>(&value)) flags_[entry.name] = **flag || is_implied(prefix_ + entry.name);
    const bool is_given = entry.is_given(value) || is_present_(prefix_ + entry.name);
    if (is_given && !check_scope(entry.name, entry.scope, entry.options.remedy)) return;
    if (is_given) std::visit([&](const auto* field) { check_choices(entry, *field); }, value);
    if (is_given && *entry.options.with && !flags_[entry.options.with])
      fault(entry.name,
            fmt::format("requires {0}{1} = true; set {0}{1} = true, or remove the key", prefix_, entry.options.with));
    for (const key_kinds& kinds : entry.options.kinds)
      if (!check_kinds(entry, kinds, is_given)) return;
  }

  void table(const key_table& table, void* owner) override {
    const std::size_t count = table.count(owner);
    const bool is_given = table.is_given ? table.is_given(owner) : table.kind == key_table::kinds::one ? false : count > 0;
    if (is_given && !check_scope(table.name, table.scope)) return;
    for (std::size_t n = 0; n < count; ++n) {
      void* element = table.at(owner, n);
      tests_of_job tests = tests_;
      if (table.test) tests.tests = {table.test(job_, element)};
      scope_checker inner(prefix_of(prefix_, table, n), job_, std::move(tests), problems_, is_present_);
      visit_keys(table, element, inner);
    }
  }

 private:
  void fault(const std::string& name, const std::string& text) { problems_.push_back({prefix_ + name, text}); }

  bool check_scope(const std::string& name, const key_scope& scope, const std::string& remedy = {}) {
    if (tests_.are_in(scope)) return true;
    std::vector<std::string> own, all;
    for (const key_tests& some : scope) {
      if (!some.is_read) continue;
      const std::string physics = in_quotes(some.physics) + some.remark;
      if (std::find(all.begin(), all.end(), physics) == all.end()) all.push_back(physics);
      if (find_physics(some.physics) == &tests_.physics && some.remark.empty())
        for (const std::string& test : some.tests) own.push_back(in_quotes(test));
    }
    fault(name, own.empty() ? fmt::format("belongs to physics = {}; remove the key or change the physics", any_of(all))
                            : fmt::format("belongs to test = {}, not to \"{}\"; {}", any_of(own), tests_.tests.front(),
                                          remedy.empty() ? "remove the key or change the test" : remedy));
    return false;
  }

  bool is_implied(const std::string& path) const {
    const auto& implied = tests_.physics.implied;
    return std::find(implied.begin(), implied.end(), path) != implied.end();
  }

  // The permitted values of some keys depend on the physics.
  void check_choices(const key_entry& entry, const std::string& value) {
    if (!entry.options.own_choices) return;
    std::vector<std::string> own = entry.options.own_choices(job_);
    if (own.empty() || std::find(own.begin(), own.end(), value) != own.end()) return;
    for (std::string& name : own) name = fmt::format("'{}'", name);
    fault(entry.name,
          fmt::format("'{}' is not available for physics = \"{}\"; use {}", value, tests_.physics.name, any_of(own)));
  }
  void check_choices(const key_entry& entry, const std::optional<std::string>& value) { check_choices(entry, *value); }
  template <class T>
  void check_choices(const key_entry&, const T&) {}

  bool check_kinds(const key_entry& entry, const key_kinds& kinds, bool is_given) {
    const auto found = choices_.find(kinds.names.data());
    if (found == choices_.end() || !found->second.second->has_value()) return true;
    const auto& [name, choice] = found->second;
    const std::uint64_t bit = std::uint64_t{1} << choice->index();
    if (is_given && (kinds.accepted & bit) == 0) {
      std::vector<std::string> accepted;
      for (std::size_t n = 0; n < kinds.names.size(); ++n)
        if ((kinds.accepted >> n & 1U) != 0) accepted.push_back(in_quotes(kinds.names[n]));
      fault(entry.name, fmt::format("belongs to {} = {}, not to \"{}\"; {}", name, any_of(accepted), choice->name(),
                                    *entry.options.remedy ? entry.options.remedy : "remove the key"));
      return false;
    }
    if (!is_given && (kinds.in_need_of & bit) != 0) {
      const std::string limits = entry.options.range.limits();
      fault(entry.name, fmt::format("missing; required by {} = \"{}\"{}", name, choice->name(),
                                    limits.empty() ? "" : " (" + limits + ")"));
      return false;
    }
    return true;
  }

  std::string prefix_;
  const spec& job_;
  tests_of_job tests_;
  std::vector<problem>& problems_;
  std::function<bool(const std::string& path)> is_present_;
  std::map<const char* const*, std::pair<std::string, const choice_field*>> choices_;  // choices of the table by name
  std::map<std::string, bool> flags_;
};

}  // namespace

bool accepts_key(const spec& job, const std::string& path) {
  const key_scope* scope = job_keys().find_scope(path);
  return scope && tests_of(job).are_in(*scope);
}

void check_keys(const spec& job, std::vector<problem>& problems) {
  spec copy = job;  // the visitor creates missing groups of keys
  scope_checker scopes("", job, tests_of(job), problems, [](const std::string&) { return false; });
  visit_keys(job_keys(), &copy, scopes);
  range_checker ranges("", problems);
  visit_keys(job_keys(), &copy, ranges);
}

std::vector<problem> unused_defaults(const spec& job, const std::function<bool(const std::string& path)>& is_present) {
  std::vector<problem> faults, found;
  check_keys(job, faults);
  spec copy = job;
  scope_checker scopes("", job, tests_of(job), found, is_present);
  visit_keys(job_keys(), &copy, scopes);
  std::erase_if(found, [&](const problem& p) {
    return std::any_of(faults.begin(), faults.end(), [&](const problem& fault) { return fault.where == p.where; });
  });
  return found;
}

}  // namespace osteon::job
