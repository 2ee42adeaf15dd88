#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <bridge/launch/join_plan.hpp>
#include <bridge/wire/choices.hpp>
#include <bridge/wire/settings.hpp>
#include <cctype>
#include <common/printable.hpp>
#include <common/shell_quoted.hpp>
#include <common/suggest.hpp>
#include <common/toml_limits.hpp>
#include <filesystem>
#include <fstream>
#include <set>

namespace osteon::bridge::launch {

namespace {

/// Reads one table, and records the requested keys. All other keys are reported as unknown keys.
class keys {
 public:
  keys(const toml::table& table, std::string where, std::vector<problem>& problems)
      : table_(table), where_(std::move(where)), problems_(problems) {}

  void text(const char* key, std::string& into) {
    if (const auto* node = find(key)) {
      if (const auto value = node->value_exact<std::string>()) {
        into = *value;
      } else {
        fault(key, "must be a string");
      }
    }
  }
  void number(const char* key, int& into) {
    if (const auto* node = find(key)) {
      const auto value = node->value_exact<std::int64_t>();
      if (value && *value >= 1 && *value <= 1 << 20) {
        into = static_cast<int>(*value);
      } else {
        fault(key, "must be an integer >= 1");
      }
    }
  }
  /// A list of strings. One string is also allowed, and is split at spaces.
  void word_list(const char* key, std::vector<std::string>& into) {
    const auto* node = find(key);
    if (node == nullptr) return;
    into.clear();
    if (const auto value = node->value_exact<std::string>()) {
      std::string word;
      for (const char c : *value + " ") {
        if (c != ' ') {
          word += c;
        } else if (!word.empty()) {
          into.push_back(std::exchange(word, ""));
        }
      }
      return;
    }
    const auto* list = node->as_array();
    if (list == nullptr) return fault(key, "must be a list of strings");
    for (const auto& item : *list) {
      if (const auto value = item.value_exact<std::string>()) {
        into.push_back(*value);
      } else {
        return fault(key, "must be a list of strings");
      }
    }
  }
  void variables(const char* key, std::map<std::string, std::string>& into,
                 const std::vector<std::string>* allowed = nullptr) {
    const auto* node = find(key);
    if (node == nullptr) return;
    const auto* table = node->as_table();
    if (table == nullptr) return fault(key, "must be a table");
    for (const auto& [name, value] : *table) {
      const std::string inner(name.str());
      if (allowed != nullptr && std::find(allowed->begin(), allowed->end(), inner) == allowed->end()) {
        problems_.push_back({where_ + key + "." + inner, "unknown key" + did_you_mean(inner, *allowed)});
        continue;
      }
      if (const auto t = value.value_exact<std::string>()) {
        into[inner] = *t;
      } else if (const auto b = value.value_exact<bool>()) {
        into[inner] = *b ? "on" : "off";
      } else if (const auto i = value.value_exact<std::int64_t>()) {
        into[inner] = std::to_string(*i);
      } else if (const auto d = value.value_exact<double>()) {
        into[inner] = fmt::format("{}", *d);
      } else {
        problems_.push_back({where_ + key + "." + inner, "must be a string or a number"});
      }
    }
  }
  const toml::node* find(const char* key) {
    asked_.insert(key);
    return table_.get(key);
  }
  void fault(const std::string& key, const std::string& text) { problems_.push_back({where_ + key, text}); }
  void finish() {
    const std::vector<std::string> all(asked_.begin(), asked_.end());
    for (const auto& [name, value] : table_) {
      const std::string key(name.str());
      if (asked_.count(key) == 0) problems_.push_back({where_ + key, "unknown key" + did_you_mean(key, all)});
    }
  }

 private:
  const toml::table& table_;
  std::string where_;
  std::vector<problem>& problems_;
  std::set<std::string> asked_;
};

join_cluster read_cluster(const toml::table& table, const std::string& where, std::vector<problem>& problems) {
  join_cluster c;
  keys k(table, where, problems);
  k.text("name", c.name);
  k.number("ranks", c.ranks);
  k.word_list("launcher", c.launcher);
  k.word_list("options", c.options);
  k.word_list("prefix", c.prefix);
  k.text("adapter", c.adapter);
  k.text("library", c.library);
  k.text("directory", c.directory);
  k.text("server", c.server);
  k.text("relay", c.relay);
  k.text("osteon", c.osteon);
  k.variables("environment", c.environment);
  k.variables("wire", c.wire, &wire::settings_of_file());
  if (const auto* address = k.find("address"); address != nullptr && address->is_table()) {
    std::map<std::string, std::string> map;
    k.variables("address", map);
    for (const auto& [host, outer] : map) c.address += (c.address.empty() ? "" : ",") + host + "=" + outer;
  } else {
    k.text("address", c.address);
  }
  k.finish();
  if (c.name.empty()) k.fault("name", "is missing: every cluster must have a name, for messages");
  if (c.ranks == 0) k.fault("ranks", "is missing: set the number of processes");
  if (c.launcher.empty()) k.fault("launcher", "must name a program, such as mpirun");
  const auto colon = c.adapter.find(":/");
  const std::string adapter = c.adapter.substr(0, colon);
  const bool known = c.adapter.empty() || adapter == "ompi4" || adapter == "ompi5" || adapter == "mpich4" ||
                     adapter == "mpich" || (adapter == "abi" && colon != std::string::npos);
  if (!known)
    k.fault("adapter", fmt::format("'{}' is not ompi4, ompi5, mpich4 or mpich, with or without :/LIBRARY, or abi:/LIBRARY "
                                   "(MPICH 5 and Intel MPI have libmpi_abi.so.1)",
                                   c.adapter));
  for (const auto& [name, value] : c.environment) {
    const bool good =
        !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
        std::all_of(name.begin(), name.end(), [](unsigned char x) { return std::isalnum(x) != 0 || x == '_'; });
    if (!good) k.fault("environment." + name, "is not a valid variable name");
  }
  return c;
}

std::string shell_line(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& word : arguments) line += " " + shell_quoted(word);
  return line;
}

/// Index of the launcher program in the words of a launcher command, for example in `time mpirun` or `env A=b mpirun`. The
/// result is the index of the first known launcher. If there is no known launcher, the result is the index of the first
/// word.
std::size_t launcher_index(const std::vector<std::string>& launcher) {
  for (std::size_t i = 0; i < launcher.size(); ++i) {
    const std::string name = std::filesystem::path(launcher[i]).filename();
    for (const char* known : {"mpirun", "mpiexec", "orterun", "prterun", "srun"})
      if (name.rfind(known, 0) == 0) return i;
  }
  return 0;
}

/// Options that export variables to other hosts. Only the launcher of Open MPI needs these options. The script determines
/// the MPI library of an mpirun on the machine that starts the mpirun.
std::string export_options(const join_cluster& c, const std::vector<std::string>& names, std::string& script) {
  const std::string launcher = c.launcher[launcher_index(c.launcher)];
  const std::string program = std::filesystem::path(launcher).filename();
  std::string options;
  for (const std::string& name : names) options += " -x " + name;
  if (program.find("openmpi") != std::string::npos || program == "orterun" || program == "prterun") return options;
  const bool may_be = program.rfind("mpirun", 0) == 0 || program.rfind("mpiexec", 0) == 0;
  const bool is_other = program.find("mpich") != std::string::npos || program.find("hydra") != std::string::npos;
  if (is_other || program.rfind("srun", 0) == 0) return "";
  const std::string otherwise = c.adapter.rfind("ompi", 0) == 0 ? options : "";
  if (!may_be) return otherwise;
  script += fmt::format(
      "case $({} --version 2>&1 </dev/null) in\n  *Open?MPI* | *OpenRTE* | *PRRTE*) osteon_x='{}' ;;\n  *) osteon_x='{}' "
      ";;\nesac\n",
      shell_quoted(launcher), options, otherwise);
  return " $osteon_x";
}

/// Check the values of `[wire]` and `[bridge]`. The checking code is the code with which each process reads these values.
void check_values(const join_plan& plan, std::vector<problem>& problems) {
  const auto add = [&](const std::string& where, const std::vector<problem>& faults) {
    for (const problem& p : faults) problems.push_back({where + p.where, p.text});
  };
  std::vector<problem> common, faults;
  wire::read_settings(plan.wire, common);
  add("wire.", common);
  wire::read_choices(plan.bridge, faults);
  add("bridge.", faults);
  for (std::size_t i = 0; i < plan.clusters.size(); ++i) {
    const auto& own = plan.clusters[i].wire;
    if (own.empty()) continue;
    wire::given_values all = own;
    all.insert(plan.wire.begin(), plan.wire.end());
    faults.clear();
    wire::read_settings(all, faults);
    std::erase_if(faults, [&](const problem& p) {  // this fault has already been reported
      return std::any_of(common.begin(), common.end(),
                         [&](const problem& q) { return q.where == p.where && q.text == p.text; });
    });
    if (own.contains("tls") && own.at("tls") != (plan.wire.contains("tls") ? plan.wire.at("tls") : "on"))
      faults.push_back({"tls", "must be the same for all clusters: set it in [wire]"});
    add(fmt::format("cluster[{}].wire.", i), faults);
  }
}

}  // namespace

join_plan read_join_plan(const std::string& path, std::vector<problem>& problems) {
  join_plan plan;
  toml::table table;
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::filesystem::is_regular_file(path)) {
    problems.push_back({path, "cannot be read; pass the path of a TOML file"});
    return plan;
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (const auto fault = beyond_toml_limits(text, path)) {
    problems.push_back(*fault);
    return plan;
  }
  try {
    table = toml::parse(text, path);
  } catch (const toml::parse_error& e) {
    const auto line = e.source().begin.line;
    problems.push_back({line > 0 ? fmt::format("{}:{}", path, line) : path, printable(e.description())});
    return plan;
  }
  keys k(table, "", problems);
  k.text("server", plan.server);
  k.text("key_file", plan.key_file);
  k.text("hub", plan.hub);
  k.variables("wire", plan.wire, &wire::settings_of_file());
  k.variables("bridge", plan.bridge, &wire::choices_of_file());
  if (const auto* list = k.find("cluster"); list != nullptr && list->is_array_of_tables()) {
    int index = 0;
    for (const auto& item : *list->as_array()) {
      plan.clusters.push_back(read_cluster(*item.as_table(), fmt::format("cluster[{}].", index++), problems));
    }
  }
  k.finish();
  if (plan.clusters.empty()) problems.push_back({"cluster", "is missing: add a table [[cluster]] for each cluster"});
  if (plan.clusters.size() > 32) problems.push_back({"cluster", "at most 32 clusters can be joined"});
  check_values(plan, problems);
  std::set<std::string> names;
  for (const join_cluster& c : plan.clusters) {
    if (!c.name.empty() && !names.insert(c.name).second)
      problems.push_back({"cluster.name", fmt::format("'{}' occurs twice", c.name)});
  }
  return plan;
}

std::string start_script(const join_cluster& c, const std::map<std::string, std::string>& variables,
                         const std::vector<std::string>& program) {
  std::string script;
  std::vector<std::string> names;
  const auto set = [&](const std::string& name, const std::string& value) {
    script += fmt::format("export {}={}\n", name, shell_quoted(value));
    names.push_back(name);
  };
  for (const auto& [name, value] : variables) set(name, value);
  if (!c.adapter.empty()) set("OSTEON_MPI", c.adapter.rfind("abi:", 0) == 0 ? c.adapter.substr(4) : c.adapter);
  // With this setting, a wheel of mpi4py for other MPI libraries reports an error. A wheel for the standard ABI uses this
  // library.
  if (!c.environment.contains("MPI4PY_MPIABI")) set("MPI4PY_MPIABI", "mpiabi");
  for (const auto& [name, value] : c.environment) set(name, value);
  if (!c.library.empty()) {
    script += fmt::format("export LD_LIBRARY_PATH={}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\n", shell_quoted(c.library));
    names.push_back("LD_LIBRARY_PATH");
  }
  // In a container, the user may be root. In this case, Open MPI needs two confirmations.
  script += "if [ \"$(id -u)\" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi\n";
  if (!c.directory.empty()) script += fmt::format("cd {} || exit 2\n", shell_quoted(c.directory));
  std::vector<std::string> command;
  bool counted = false;
  for (std::string word : c.launcher) {
    if (const auto at = word.find("{ranks}"); at != std::string::npos) {
      word.replace(at, 7, std::to_string(c.ranks));
      counted = true;
    }
    command.push_back(word);
  }
  if (!counted) command.insert(command.end(), {"-n", std::to_string(c.ranks)});
  std::vector<std::string> rest = c.options;
  rest.insert(rest.end(), program.begin(), program.end());
  // the launchers of other MPI libraries pass on all variables
  const std::string exported = export_options(c, names, script);
  return script + "exec" + shell_line(command) + exported + shell_line(rest) + " </dev/null\n";
}

std::string relay_script(const join_cluster& c, const std::map<std::string, std::string>& variables,
                         const std::vector<std::string>& command) {
  std::string script;
  for (const auto& [name, value] : variables) script += fmt::format("export {}={}\n", name, shell_quoted(value));
  if (!c.directory.empty()) script += fmt::format("cd {} || exit 2\n", shell_quoted(c.directory));
  return script + "exec" + shell_line(command) + " </dev/null\n";
}

std::string launcher_text(const join_cluster& c) {
  std::string text;
  for (const std::string& word : c.prefix) text += word + " ";
  return text + c.launcher.front();
}

}  // namespace osteon::bridge::launch
