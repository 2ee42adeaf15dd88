#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <common/printable.hpp>
#include <common/toml_limits.hpp>
#include <concepts>
#include <filesystem>
#include <fstream>
#include <map>
#include <osteon/base/error.hpp>
#include <osteon/job/spec/keys.hpp>
#include <osteon/job/spec/synonyms.hpp>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

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
        why = printable(e.description());
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

// Replace or add keys of a job file that is parsed. The reader then checks them as those of the file; they have no line.
// @param changes `KEY=VALUE` each: the key dotted, as messages show it (`material[1].poisson_ratio`), the value as TOML
// writes it; a word that is no value of TOML is a text
// @param problems receives changes that cannot be made
void set_keys(toml::table& table, std::span<const std::string> changes, std::vector<problem>& problems) {
  for (const std::string& change : changes) key_setter(table, change, problems).run();
}

std::string spelled_now(const std::string& was, const std::string& is) {
  return fmt::format("'{}' is spelled '{}' now", was, is);
}

// Of a key in the file, or of one that the command line sets, which has no line.
std::string place_of_key(const std::string& file, std::uint32_t line, const std::string& key) {
  return line == 0 ? fmt::format("--set: {}", key) : fmt::format("{}:{}: {}", file, line, key);
}

// Fills a spec from a TOML table. Every key that `describe` names is known; what is left over is a fault.
class reader {
 public:
  reader(const toml::table& table, std::string prefix, const std::string& file, std::vector<problem>& problems,
         std::map<std::string, std::uint32_t>& lines, std::vector<problem>& older_spellings)
      : table_(table),
        prefix_(std::move(prefix)),
        file_(file),
        problems_(problems),
        lines_(lines),
        older_spellings_(older_spellings) {}

  template <class T>
  void operator()(const char* key, T& field, const char*, std::vector<std::string> choices = {}) {
    known_.push_back(key);
    const toml::node* node = find_value(key);
    if (!node) return;
    lines_[prefix_ + key] = node->source().begin.line;
    read(*node, key, field, choices);
  }

  template <class F>
  void table(const char* name, const char*, F describe_table) {
    known_.push_back(name);
    if (const toml::table* inner = find_table(name)) walk(*inner, fmt::format("{}{}.", prefix_, name), describe_table);
  }

  template <class T, class F>
  void optional_table(const char* name, std::optional<T>& field, const char*, F describe_table) {
    known_.push_back(name);
    if (const toml::table* inner = find_table(name)) {
      field.emplace();
      walk(*inner, fmt::format("{}{}.", prefix_, name), [&](reader& r) { describe_table(r, *field); });
    }
  }

  template <class T, class F>
  void list(const char* name, std::vector<T>& field, const char*, F describe_item) {
    known_.push_back(name);
    const toml::node* node = table_.get(name);
    if (!node) return;
    const toml::array* array = node->as_array();
    if (!array || !array->is_homogeneous(toml::node_type::table)) {
      fault(*node, name, fmt::format("expected a list of tables; write [[{}{}]] for each", prefix_, name));
      return;
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
      field.emplace_back();
      const std::string prefix = fmt::format("{}{}[{}].", prefix_, name, i + 1);
      lines_[prefix] = (*array)[i].source().begin.line;
      walk(*(*array)[i].as_table(), prefix, [&](reader& r) { describe_item(r, field.back()); });
    }
  }

  // Report the keys that nobody asked for.
  void finish() {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::find(known_.begin(), known_.end(), name) == known_.end() &&
          std::find(older_.begin(), older_.end(), name) == older_.end())
        problems_.push_back({place_of_key(file_, key.source().begin.line, prefix_ + name),
                             "unknown key" + advice_on_key(table_name(), name, known_)});
    }
  }

 private:
  // "case.support" of "case[1].support[2].".
  std::string table_name() const {
    std::string name;
    bool in_brackets = false;
    for (const char c : prefix_) {
      if (c == '[' || c == ']')
        in_brackets = c == '[';
      else if (!in_brackets)
        name += c;
    }
    return name.empty() ? name : name.substr(0, name.size() - 1);
  }

  template <class F>
  void walk(const toml::table& inner, const std::string& prefix, F describe_table) {
    reader r(inner, prefix, file_, problems_, lines_, older_spellings_);
    describe_table(r);
    r.finish();
  }

  // The value of a key, which the file may have by an older name.
  const toml::node* find_value(const char* key) {
    const toml::node* node = table_.get(key);
    std::string given = key;
    for (const std::string& older : older_keys(table_name(), key)) {
      const toml::node* value = table_.get(older);
      if (!value) continue;
      older_.push_back(older);
      older_spellings_.push_back({prefix_ + older, spelled_now(older, key)});
      if (node) fault(*value, older, fmt::format("given together with {}, which is the same; keep {}", given, key));
      if (!node) node = value, given = older;
    }
    return node;
  }

  const toml::table* find_table(const char* name) {
    const toml::node* node = table_.get(name);
    if (node && !node->as_table()) fault(*node, name, fmt::format("expected a table; write [{}{}]", prefix_, name));
    return node ? node->as_table() : nullptr;
  }

  void fault(const toml::node& node, const std::string& key, const std::string& text) {
    problems_.push_back({place_of_key(file_, node.source().begin.line, prefix_ + key), text});
  }

  static std::string shown(const toml::node& node) {
    std::ostringstream text;
    node.visit([&](const auto& value) { text << value; });
    return text.str();
  }

  void read(const toml::node& node, const char* key, std::string& field, const std::vector<std::string>& choices) {
    auto value = node.value_exact<std::string>();
    if (!value) return fault(node, key, fmt::format("expected a text in quotes, found {}", shown(node)));
    if (const std::string present = present_value(key, *value); present != *value) {
      older_spellings_.push_back({prefix_ + key, spelled_now(*value, present)});
      value = present;
    }
    if (!choices.empty() && std::find(choices.begin(), choices.end(), *value) == choices.end())
      return fault(
          node, key,
          fmt::format("'{}' is none of {}{}", *value, fmt::join(choices, ", "), advice_on_value(key, *value, choices)));
    field = *value;
  }
  void read(const toml::node& node, const char* key, bool& field, const std::vector<std::string>&) {
    if (const auto value = node.value_exact<bool>())
      field = *value;
    else
      fault(node, key, fmt::format("expected true or false, found {}", shown(node)));
  }
  void read(const toml::node& node, const char* key, double& field, const std::vector<std::string>&) {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (value && std::isfinite(*value))
      field = *value;
    else
      fault(node, key, fmt::format("expected a finite number, found {}", shown(node)));
  }
  void read(const toml::node& node, const char* key, std::int64_t& field, const std::vector<std::string>&) {
    if (const auto value = node.value_exact<std::int64_t>())
      field = *value;
    else
      fault(node, key, fmt::format("expected a whole number, found {}", shown(node)));
  }
  void read(const toml::node& node, const char* key, std::optional<double>& field, const std::vector<std::string>& choices) {
    // The one number that may also be given by a method's name.
    if (std::string_view(key) == "threshold" && node.value_exact<std::string>() == "otsu") return;
    if (std::string_view(key) == "threshold" && node.is_string())
      return fault(node, key, fmt::format("expected a grey value or \"otsu\", found {}", shown(node)));
    read(node, key, field.emplace(), choices);
  }
  template <class T>
  void read(const toml::node& node, const char* key, std::optional<T>& field, const std::vector<std::string>& choices) {
    read(node, key, field.emplace(), choices);
  }
  void read(const toml::node& node, const char* key, std::vector<double>& field, const std::vector<std::string>& choices) {
    if (node.is_number() && std::string_view(key) == "spacing_mm") {  // a cube's three equal edges
      double value = 0;
      read(node, key, value, choices);
      field.assign(3, value);
      return;
    }
    read_array(node, key, field, choices);
  }
  void read(const toml::node& node, const char* key, std::vector<std::vector<double>>& field,
            const std::vector<std::string>&) {
    read_array(node, key, field);
  }
  template <class T>
  void read(const toml::node& node, const char* key, std::vector<T>& field, const std::vector<std::string>& choices) {
    read_array(node, key, field, choices);
  }
  template <class T>
  void read_array(const toml::node& node, const char* key, std::vector<T>& field,
                  const std::vector<std::string>& choices = {}) {
    const toml::array* array = node.as_array();
    if (!array) return fault(node, key, fmt::format("expected a list in brackets, found {}", shown(node)));
    field.clear();
    for (const toml::node& item : *array) read(item, key, field.emplace_back(), choices);
  }

  const toml::table& table_;
  std::string prefix_;
  const std::string& file_;
  std::vector<problem>& problems_;
  std::map<std::string, std::uint32_t>& lines_;
  std::vector<problem>& older_spellings_;
  std::vector<std::string> known_, older_;  ///< keys; older: of known ones, that the file has
};

}  // namespace

spec read_spec(const std::string& path, std::vector<problem>& problems, const std::vector<std::string>& changes) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  std::error_code failed;
  const bool is_file = std::filesystem::is_regular_file(path, failed);
  if (file && is_file) text << file.rdbuf();
  if (!file || !is_file || text.bad()) {
    problems.push_back({path, "cannot read this job file; give the path of a TOML file, e.g. examples/bone.toml"});
    spec job;
    job.file = path;
    return job;
  }
  spec job = read_spec_text(text.str(), path, problems, changes);
  job.file = path;
  return job;
}

spec read_spec_text(const std::string& text, const std::string& path, std::vector<problem>& problems,
                    const std::vector<std::string>& changes) {
  spec job;
  job.text = text;
  job.changes = changes;
  if (const auto fault = beyond_toml_limits(job.text, path)) {
    problems.push_back(*fault);
    return job;
  }
  std::map<std::string, std::uint32_t> lines;
  try {
    toml::table table = toml::parse(job.text, path);
    set_keys(table, changes, problems);
    reader r(table, "", path, problems, lines, job.older_spellings);
    describe(r, job);
    r.finish();
  } catch (const toml::parse_error& e) {
    problems.push_back(
        {fmt::format("{}:{}", path, e.source().begin.line), fmt::format("not valid TOML: {}", printable(e.description()))});
    return job;
  }
  if (job.name.empty()) {
    const auto slash = path.find_last_of('/');
    job.name = path.substr(slash == std::string::npos ? 0 : slash + 1);
    if (const auto dot = job.name.rfind('.'); dot != std::string::npos && dot > 0) job.name.resize(dot);
  }
  if (job.output_directory.empty()) job.output_directory = job.name + ".out";
  for (case_spec& c : job.cases)
    if (c.load.axis.empty()) c.load.axis = job.load.axis;
  for (problem p : validate(job)) {
    const auto line = lines.find(p.where);
    // A fault is shown once: where a value could not be read, its default must not be faulted as well.
    const bool seen =
        std::any_of(problems.begin(), problems.end(), [&](const problem& q) { return q.where.ends_with(": " + p.where); });
    if (seen) continue;
    p.where = line == lines.end() ? fmt::format("{}: {}", path, p.where) : place_of_key(path, line->second, p.where);
    problems.push_back(std::move(p));
  }
  return job;
}

void warn_of_older_spellings(const spec& job, log_sink& log) {
  for (const problem& p : job.older_spellings) log.warn(fmt::format("{}: {}: {}", job.file, p.where, p.text));
}

std::string join(const std::vector<problem>& problems) {
  std::string text;
  for (const problem& p : problems) text += (text.empty() ? "" : "\n") + p.where + ": " + p.text;
  return text;
}

}  // namespace osteon::job
