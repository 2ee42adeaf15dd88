#include <osteon/base/allocation.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

namespace osteon {

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<double> number_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  return end != text->c_str() ? std::optional(value) : std::nullopt;
}

int count_of(const std::optional<std::string>& text) {
  const auto value = number_of(text);
  return value && *value >= 1 && *value < 1e9 ? static_cast<int>(*value) : 0;
}

// Bytes of "4gb", "4 G", "512000kb", "100w" (words are not supported) or "1073741824".
std::optional<double> bytes_in(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !(value > 0)) return std::nullopt;
  while (*end == ' ') ++end;
  constexpr double kilo = 1024;
  switch (std::tolower(static_cast<unsigned char>(*end))) {
    case '\0':
    case 'b':
      return value;
    case 'k':
      return value * kilo;
    case 'm':
      return value * kilo * kilo;
    case 'g':
      return value * kilo * kilo * kilo;
    case 't':
      return value * kilo * kilo * kilo * kilo;
    default:
      return std::nullopt;
  }
}

void add_host(allocation& job, const std::string& host, int tasks) {
  const auto at = std::find(job.hosts.begin(), job.hosts.end(), host);
  if (at == job.hosts.end()) {
    job.hosts.push_back(host);
    job.tasks.push_back(tasks);
  } else {
    job.tasks[static_cast<std::size_t>(at - job.hosts.begin())] += tasks;
  }
}

std::optional<allocation> of_slurm(const variable_reader& variable) {
  const auto number = variable("SLURM_JOB_ID"), list = variable("SLURM_JOB_NODELIST");
  if (!number || !list) return std::nullopt;
  allocation job;
  job.system = batch_system::slurm;
  job.job = *number;
  // The number of one task of an array is also that of the array: commands with this number concern all tasks.
  const auto array = variable("SLURM_ARRAY_JOB_ID"), task = variable("SLURM_ARRAY_TASK_ID");
  if (array && task) job.job = *array + "_" + *task;
  job.hosts = hosts_in_list(*list);
  if (job.hosts.empty()) return std::nullopt;
  const auto of_hosts = [&](const char* name) {
    std::vector<int> counts = counts_in_list(variable(name).value_or(""));
    if (counts.size() != job.hosts.size()) counts.clear();
    return counts;
  };
  job.cores = of_hosts("SLURM_JOB_CPUS_PER_NODE");
  job.tasks = of_hosts("SLURM_TASKS_PER_NODE");
  const int total = count_of(variable("SLURM_NTASKS"));
  job.tasks_are_requested = total > 0;
  if (job.tasks.empty()) job.tasks.assign(job.hosts.size(), 1);
  job.threads = count_of(variable("SLURM_CPUS_PER_TASK"));
  job.groups = std::max(1, count_of(variable("SLURM_HET_SIZE")));
  constexpr double megabyte = 1 << 20;
  // Zero requests all memory of a host.
  if (const auto memory = number_of(variable("SLURM_MEM_PER_NODE")); memory && *memory > 0) {
    job.memory_bytes = *memory * megabyte;
  } else if (const auto each = number_of(variable("SLURM_MEM_PER_CPU")); each && *each > 0 && !job.cores.empty()) {
    job.memory_bytes = *each * megabyte * *std::min_element(job.cores.begin(), job.cores.end());
  }
  if (const auto end = number_of(variable("SLURM_JOB_END_TIME")); end && *end > 0)
    job.seconds_left = *end - static_cast<double>(std::time(nullptr));
  return job;
}

std::optional<allocation> of_pbs(const variable_reader& variable) {
  const auto number = variable("PBS_JOBID"), file = variable("PBS_NODEFILE");
  if (!number || !file) return std::nullopt;
  allocation job;
  job.system = batch_system::pbs;
  job.job = *number;
  std::ifstream lines(*file);  // a line per task
  for (std::string line; std::getline(lines, line);)
    if (const auto words = words_of(line); !words.empty()) add_host(job, words.front(), 1);
  if (job.hosts.empty()) return std::nullopt;
  job.tasks_are_requested = true;
  // PBS Pro sets NCPUS to the cores of a chunk.
  job.threads = count_of(variable("OMP_NUM_THREADS"));
  return job;
}

std::optional<allocation> of_lsf(const variable_reader& variable) {
  const auto number = variable("LSB_JOBID"), list = variable("LSB_MCPU_HOSTS");
  if (!number || !list) return std::nullopt;
  allocation job;
  job.system = batch_system::lsf;
  job.job = *number;
  const auto words = words_of(*list);
  for (std::size_t i = 0; i + 1 < words.size(); i += 2)
    if (const int tasks = count_of(words[i + 1]); tasks > 0) add_host(job, words[i], tasks);
  if (job.hosts.empty()) return std::nullopt;
  job.cores = job.tasks;  // a slot is a core
  job.tasks_are_requested = true;
  return job;
}

// Attributes of `qstat -f`: "    Resource_List.walltime = 01:00:00".
std::map<std::string, std::string> attributes_in(const std::string& output) {
  std::map<std::string, std::string> found;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t");
    found.emplace(line.substr(begin, equals - begin), line.substr(equals + 3));
  }
  return found;
}

// "59:12 2026-11-28T19:43:25": the limit minus the time used, and the end, which can be earlier.
void add_answer_of_slurm(allocation& job, const std::string& output) {
  const auto words = words_of(output);
  if (words.empty()) return;
  if (const auto seconds = seconds_in(words[0])) job.seconds_left = seconds;
  std::tm parts{};
  if (words.size() < 2 || !job.seconds_left || !strptime(words[1].c_str(), "%Y-%m-%dT%H:%M:%S", &parts)) return;
  parts.tm_isdst = -1;
  const double left = std::difftime(std::mktime(&parts), std::time(nullptr));
  job.seconds_left = std::min(*job.seconds_left, left);
}

void add_answer_of_pbs(allocation& job, const std::string& output) {
  const auto attributes = attributes_in(output);
  const auto value = [&](const char* name) {
    const auto at = attributes.find(name);
    return at == attributes.end() ? std::string() : at->second;
  };
  if (const auto limit = seconds_in(value("Resource_List.walltime")))
    job.seconds_left = *limit - seconds_in(value("resources_used.walltime")).value_or(0);
  // The memory is that of all hosts.
  if (const auto memory = bytes_in(value("Resource_List.mem")))
    job.memory_bytes = *memory / static_cast<double>(job.hosts.size());
}

// "0:29 L;4 G": hours and minutes with a mark for the kind of limit, and the memory limit; "-" without a limit.
void add_answer_of_lsf(allocation& job, const std::string& output) {
  const auto semicolon = output.find(';');
  const auto words = words_of(output.substr(0, semicolon));
  // A limit ends the job. An estimate (E) or a progress (X) does not.
  if (words.size() == 2 && words[1] == "L")
    if (const auto seconds = seconds_in(words[0] + ":00")) job.seconds_left = seconds;
  if (semicolon != std::string::npos)
    if (const auto memory = bytes_in(output.substr(semicolon + 1))) job.memory_bytes = memory;
}

}  // namespace

int allocation::total_tasks() const { return std::accumulate(tasks.begin(), tasks.end(), 0); }

std::optional<std::string> own_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::optional<allocation> allocation_of(const variable_reader& variable) {
  if (auto job = of_slurm(variable)) return job;
  if (auto job = of_pbs(variable)) return job;
  return of_lsf(variable);
}

std::vector<std::string> query_of(const allocation& job) {
  switch (job.system) {
    case batch_system::slurm:
      return {"squeue", "--noheader", "--jobs=" + job.job, "--format=%L %e"};
    case batch_system::pbs:
      return {"qstat", "-f", job.job};
    case batch_system::lsf:
      return {"bjobs", "-noheader", "-o", "time_left memlimit delimiter=';'", job.job};
  }
  return {};
}

void add_answer(allocation& job, const std::string& output) {
  if (job.system == batch_system::pbs) return add_answer_of_pbs(job, output);
  if (job.system == batch_system::lsf) return add_answer_of_lsf(job, output);
  add_answer_of_slurm(job, output);
}

std::vector<std::string> hosts_in_list(const std::string& list) {
  // Brackets of one name are expanded one after another: r[0-1]n[0-3].
  constexpr std::size_t most_hosts = 1'000'000;
  std::vector<std::string> found;
  std::vector<std::string> open{""};
  const auto close_name = [&] {
    for (std::string& name : open)
      if (!name.empty()) found.push_back(std::move(name));
    open.assign(1, "");
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == ',') {
      close_name();
    } else if (list[i] != '[') {
      for (std::string& name : open) name += list[i];
    } else {
      const auto end = list.find(']', i);
      if (end == std::string::npos) return {};
      std::vector<std::string> numbers;
      std::istringstream parts(list.substr(i + 1, end - i - 1));
      for (std::string part; std::getline(parts, part, ',');) {
        const auto dash = part.find('-');
        const std::string low = part.substr(0, dash), high = dash == std::string::npos ? low : part.substr(dash + 1);
        const auto digits = [](const std::string& text) {
          return !text.empty() && text.size() < 10 &&
                 std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
        };
        if (!digits(low) || !digits(high)) return {};
        for (long number = std::stol(low); number <= std::stol(high) && numbers.size() < most_hosts; ++number) {
          std::string text = std::to_string(number);
          if (text.size() < low.size()) text.insert(0, low.size() - text.size(), '0');
          numbers.push_back(text);
        }
      }
      if (open.size() * numbers.size() > most_hosts) return {};
      std::vector<std::string> longer;
      for (const std::string& name : open)
        for (const std::string& number : numbers) longer.push_back(name + number);
      open = std::move(longer);
      i = end;
    }
  }
  close_name();
  return found;
}

std::vector<int> counts_in_list(const std::string& list) {
  std::vector<int> counts;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const int count = count_of(part);
    const auto times = part.find("(x");
    const int repeated = times == std::string::npos ? 1 : count_of(part.substr(times + 2));
    if (count == 0 || repeated == 0 || repeated > 1'000'000) return {};
    counts.insert(counts.end(), static_cast<std::size_t>(repeated), count);
  }
  return counts;
}

std::optional<double> seconds_in(const std::string& text) {
  const auto dash = text.find('-');
  double seconds = 0;
  if (dash != std::string::npos) {
    const auto days = number_of(text.substr(0, dash));
    if (!days || dash == 0) return std::nullopt;
    seconds = *days * 86400;
  }
  double clock = 0;
  std::istringstream parts(dash == std::string::npos ? text : text.substr(dash + 1));
  int count = 0;
  for (std::string part; std::getline(parts, part, ':'); ++count) {
    if (part.empty() || !std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); }))
      return std::nullopt;
    clock = 60 * clock + std::stod(part);
  }
  if (count < 2 || count > 3) return std::nullopt;
  return seconds + clock;
}

const char* name_of(batch_system system) {
  switch (system) {
    case batch_system::slurm:
      return "Slurm";
    case batch_system::pbs:
      return "PBS";
    case batch_system::lsf:
      return "LSF";
  }
  return "";
}

std::string title_of(const allocation& job) { return std::string(name_of(job.system)) + " job " + job.job; }

}  // namespace osteon
