#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <common/printable.hpp>
#include <common/toml_limits.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/spec/key_entry.hpp>
#include <osteon/job/spec/synonyms.hpp>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace osteon::job {

namespace {

// Applies one change of --set.
class key_setter {
 public:
  key_setter(toml::table& table, const std::string& change, std::vector<problem>& problems)
      : at_(&table), change_(change), problems_(problems) {}

  void run() {
    const auto equals = change_.find('=');
    if (equals == 0 || equals == std::string::npos) return fault("must have the form KEY=VALUE, e.g. segment.keep=all");
    const std::string_view key = std::string_view(change_).substr(0, equals);
    // The destructor of nested tables is recursive. Deep nesting would therefore exceed the stack.
    if (const auto parts = std::count(key.begin(), key.end(), '.') + 1; parts > deepest_key)
      return problems_.push_back({"--set", fmt::format("a key has {} parts; the maximum is {}", parts, deepest_key)});
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

  // Return a table in which the key "value" has the value.
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
    fault(fmt::format("has an invalid TOML value{}", why.empty() ? "" : ": " + why));
    return std::nullopt;
  }

  // Descend into the table `name`, or into an element of a list such as `name[2]`.
  bool enter(std::string_view part) {
    const auto bracket = part.find('[');
    const std::string name(part.substr(0, bracket));
    if (name.empty()) {
      fault("contains an empty key name");
      return false;
    }
    if (bracket == std::string_view::npos) {
      if (!at_->contains(name)) at_->insert(name, toml::table{});
      return go_to(at_->get(name), name, "; select an element of a list by its number, e.g. material[1].poisson_ratio");
    }
    std::size_t number = 0;
    const std::string_view digits = part.substr(bracket + 1);
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const toml::array* list = at_->get_as<toml::array>(name);
    const std::size_t there = list ? list->size() : 0;
    if (failed != std::errc() || std::string_view(end, digits.data() + digits.size()) != "]" || number < 1 ||
        number > there) {
      fault(fmt::format("refers to '{}', but the job has {} [[{}]]", part, there, name));
      return false;
    }
    return go_to(at_->get_as<toml::array>(name)->get(number - 1), std::string(part), "");
  }

  bool go_to(toml::node* node, const std::string& name, const char* advice) {
    at_ = node->as_table();
    if (!at_) fault(fmt::format("requires '{}' to be a table{}", name, advice));
    return at_ != nullptr;
  }

  toml::table* at_;
  const std::string& change_;
  std::vector<problem>& problems_;
};

// Replace or add keys of a parsed job file. The reader then checks the changed keys in the same way as keys of the file.
// Changed keys have no line number.
// @param changes changes in the form `KEY=VALUE`. The key has the same form as in messages (`material[1].poisson_ratio`).
// The value has the syntax of TOML. If a word is not a TOML value, the word is a text.
// @param problems receives the changes that cannot be applied
void set_keys(toml::table& table, std::span<const std::string> changes, std::vector<problem>& problems) {
  for (const std::string& change : changes) key_setter(table, change, problems).run();
}

std::string spelled_now(const std::string& was, const std::string& is) {
  return fmt::format("'{}' was renamed to '{}'", was, is);
}

// Location of a key in the file or on the command line. On the command line, a key has no line number.
std::string place_of_key(const std::string& file, std::uint32_t line, const std::string& key) {
  return line == 0 ? fmt::format("--set: {}", key) : fmt::format("{}:{}: {}", file, line, key);
}

// Data that the readers of all tables of a file use.
struct reading {
  const std::string& file;
  const spec& job;  ///< the part of the job that has been read
  std::vector<problem>& problems;
  std::map<std::string, std::uint32_t>& lines;
  std::vector<problem>& older_spellings;
};

// Sets the members of a spec from a TOML table. An unregistered key is a fault.
class reader final : public key_visitor {
 public:
  reader(const toml::table& table, std::string prefix, const reading& all)
      : table_(table), prefix_(std::move(prefix)), all_(all) {}

  void key(const key_entry& entry, const key_field& value) override {
    known_.push_back(entry.name);
    const toml::node* node = find_value(entry.name);
    if (!node) return;
    all_.lines[prefix_ + entry.name] = node->source().begin.line;
    std::visit([&](auto* field) { read(*node, entry, *field); }, value);
  }

  void table(const key_table& table, void* owner) override {
    known_.push_back(table.name);
    const toml::node* node = table_.get(table.name);
    if (!node) return;
    if (table.kind == key_table::kinds::list) return list(table, *node, owner);
    if (const toml::table* inner = node->as_table())
      walk(*inner, fmt::format("{}{}.", prefix_, table.name), table, table.open(owner));
    else
      fault(*node, table.name, fmt::format("expected a table; write [{}{}]", prefix_, table.name));
  }

  // Report the keys that have not been read.
  void finish() {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::find(known_.begin(), known_.end(), name) == known_.end() &&
          std::find(older_.begin(), older_.end(), name) == older_.end())
        all_.problems.push_back({place_of_key(all_.file, key.source().begin.line, prefix_ + name),
                                 "unknown key" + advice_on_key(table_name(), name, known_)});
    }
  }

 private:
  // Return for example "case.support" for "case[1].support[2].".
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

  void walk(const toml::table& inner, const std::string& prefix, const key_table& table, void* element) {
    reader r(inner, prefix, all_);
    visit_keys(table, element, r);
    r.finish();
  }

  void list(const key_table& table, const toml::node& node, void* owner) {
    const toml::array* array = node.as_array();
    if (!array || !array->is_homogeneous(toml::node_type::table))
      return fault(node, table.name, fmt::format("expected a list of tables; write [[{}{}]] for each", prefix_, table.name));
    for (std::size_t i = 0; i < array->size(); ++i) {
      const std::string prefix = fmt::format("{}{}[{}].", prefix_, table.name, i + 1);
      all_.lines[prefix] = (*array)[i].source().begin.line;
      walk(*(*array)[i].as_table(), prefix, table, table.open(owner));
    }
  }

  // The value of a key. The file may contain an older name of the key.
  const toml::node* find_value(const std::string& key) {
    const toml::node* node = table_.get(key);
    std::string given = key;
    for (const std::string& older : older_keys(table_name(), key)) {
      const toml::node* value = table_.get(older);
      if (!value) continue;
      older_.push_back(older);
      all_.older_spellings.push_back({prefix_ + older, spelled_now(older, key)});
      if (node) fault(*value, older, fmt::format("duplicates {}; keep {}", given, key));
      if (!node) node = value, given = older;
    }
    return node;
  }

  void fault(const toml::node& node, const std::string& key, const std::string& text) {
    all_.problems.push_back({place_of_key(all_.file, node.source().begin.line, prefix_ + key), text});
  }

  static std::string shown(const toml::node& node) {
    std::ostringstream text;
    node.visit([&](const auto& value) { text << value; });
    return text.str();
  }

  void read(const toml::node& node, const key_entry& entry, std::string& field) {
    if (const auto text = text_of(node, entry)) field = *text;
  }
  void read(const toml::node& node, const key_entry& entry, choice_field& field) {
    if (const auto text = text_of(node, entry)) field.set(*text);
  }
  void read(const toml::node& node, const key_entry& entry, bool& field) {
    if (const auto value = node.value_exact<bool>())
      field = *value;
    else
      fault(node, entry.name, fmt::format("expected true or false, found {}", shown(node)));
  }
  void read(const toml::node& node, const key_entry& entry, double& field) {
    const auto value = node.is_number() ? node.value<double>() : std::nullopt;
    if (value && std::isfinite(*value))
      field = *value;
    else
      fault(node, entry.name, fmt::format("expected a finite number, found {}", shown(node)));
  }
  void read(const toml::node& node, const key_entry& entry, std::int64_t& field) {
    if (const auto value = node.value_exact<std::int64_t>())
      field = *value;
    else
      fault(node, entry.name, fmt::format("expected a whole number, found {}", shown(node)));
  }
  void read(const toml::node& node, const key_entry& entry, std::optional<double>& field) {
    const std::string word = entry.options.word;
    if (!word.empty() && node.is_string()) {
      if (node.value_exact<std::string>() == word) return;
      return fault(node, entry.name, fmt::format("expected a grey value or \"{}\", found {}", word, shown(node)));
    }
    read(node, entry, field.emplace());
  }
  template <class T>
  void read(const toml::node& node, const key_entry& entry, std::optional<T>& field) {
    read(node, entry, field.emplace());
  }
  void read(const toml::node& node, const key_entry& entry, std::vector<double>& field) {
    if (!entry.options.is_one_for_three || !node.is_number()) return read_array(node, entry, field);
    double value = 0;
    read(node, entry, value);
    field.assign(3, value);
  }
  template <class T>
  void read(const toml::node& node, const key_entry& entry, std::vector<T>& field) {
    read_array(node, entry, field);
  }
  template <class T>
  void read_array(const toml::node& node, const key_entry& entry, std::vector<T>& field) {
    const toml::array* array = node.as_array();
    if (!array) return fault(node, entry.name, fmt::format("expected a list in brackets, found {}", shown(node)));
    field.clear();
    for (const toml::node& item : *array) read(item, entry, field.emplace_back());
  }

  // Return a text. The text must be one of the choices of the key.
  std::optional<std::string> text_of(const toml::node& node, const key_entry& entry) {
    auto value = node.value_exact<std::string>();
    if (!value) {
      fault(node, entry.name, fmt::format("expected a text in quotes, found {}", shown(node)));
      return std::nullopt;
    }
    if (const std::string present = present_value(entry.name, *value); present != *value) {
      all_.older_spellings.push_back({prefix_ + entry.name, spelled_now(*value, present)});
      value = present;
    }
    const std::vector<std::string>& choices = entry.options.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), *value) != choices.end()) return value;
    const std::vector<std::string> own = choices_in_job(entry);
    fault(node, entry.name,
          fmt::format("'{}' is not one of {}{}", *value, fmt::join(own, ", "), advice_on_value(entry.name, *value, own)));
    return std::nullopt;
  }

  // The choices that depend on the physics of the job.
  std::vector<std::string> choices_in_job(const key_entry& entry) const {
    std::vector<std::string> own;
    if (entry.options.own_choices) own = entry.options.own_choices(all_.job);
    return own.empty() ? entry.options.choices : own;
  }

  const toml::table& table_;
  std::string prefix_;
  const reading& all_;
  std::vector<std::string> known_, older_;  ///< known keys, and earlier names of known keys in the file
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
    const reading all{path, job, problems, lines, job.older_spellings};
    reader r(table, "", all);
    visit_keys(job_keys(), &job, r);
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
  for (const physics_entry* p : all_physics()) p->complete(job);
  job.unused_keys = unused_defaults(job, [&](const std::string& key) { return lines.contains(key); });
  for (problem p : validate(job)) {
    const auto line = lines.find(p.where);
    // A fault is reported only once. If a value could not be read, the default of the key is not checked.
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
