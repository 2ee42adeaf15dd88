#pragma once
/// @file
/// Clocks for wall time and CPU time.
#include <sys/resource.h>

#include <chrono>
#include <ctime>

namespace osteon {

/// Measures the time in seconds since construction or the last restart.
class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }
  void restart() { start_ = clock::now(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

/// CPU time in seconds of all threads of this process.
inline double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// CPU time in seconds of terminated child processes for which this process has waited, and of their children.
inline double cpu_seconds_of_children() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  double sum = 0;
  for (const timeval& t : {used.ru_utime, used.ru_stime})
    sum += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  return sum;
}

}  // namespace osteon
