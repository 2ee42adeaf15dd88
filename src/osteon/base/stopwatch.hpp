#pragma once
/// @file
/// Wall and CPU clocks.
#include <sys/resource.h>

#include <chrono>
#include <ctime>

namespace osteon {

/// Measures the seconds since its construction or last restart.
class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }
  void restart() { start_ = clock::now(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

/// CPU seconds of this process, all threads.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// CPU seconds of the child processes that have been waited for, and of their children.
inline double cpu_seconds_of_children() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  double sum = 0;
  for (const timeval& t : {used.ru_utime, used.ru_stime})
    sum += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  return sum;
}

}  // namespace osteon
