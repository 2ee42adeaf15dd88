#include <native/native_call.hpp>

#include <nanobind/nanobind.h>
#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <native/world.hpp>
#include <osteon/base/error.hpp>
#include <thread>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace osteon::native {

namespace {

// Only one thread may execute a call at a time, because MPI and the OpenMP threads belong to the whole process.
std::timed_mutex& one_at_a_time() {
  static std::timed_mutex it;
  return it;
}

std::atomic<pid_t> owner{0};  // the process that has made the first call
std::atomic<int> inside{0};   // number of threads that execute a call, or wait for a call
std::atomic<bool> is_ending{false};
std::thread::id ending_thread;
thread_local int depth = 0;  // number of nested calls of this thread

// Objects that a call will destroy.
class left_objects {
 public:
  void add(std::shared_ptr<void> object) {
    const std::lock_guard alone(mutex_);
    objects_.push_back(std::move(object));
  }
  void destroy() {
    std::vector<std::shared_ptr<void>> now;
    const std::lock_guard alone(mutex_);
    now.swap(objects_);
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<void>> objects_;
};

left_objects& left() {
  static left_objects it;
  return it;
}

// Wait for the lock in short intervals. Check for signals between the intervals.
void wait_for_lock() {
  using namespace std::chrono_literals;
  for (;;) {
    bool has_it = false;
    {
      const nb::gil_scoped_release others_may_run;
      has_it = one_at_a_time().try_lock_for(50ms);
    }
    if (has_it && !is_ending) return;
    if (has_it) one_at_a_time().unlock();
    if (is_ending) throw interrupted_error("Python is exiting; no further jobs are solved");
    if (PyErr_CheckSignals() != 0) throw interrupted_error("interrupted while another thread was solving");
  }
}

}  // namespace

native_call::native_call(int threads) : is_nested_(depth > 0) {
  pid_t none = 0;
  owner.compare_exchange_strong(none, getpid());
  const bool forked = is_forked();
  ++inside;
  // A forked process has only one thread. The lock may belong to a thread of the parent process.
  if (!is_nested_ && !forked) {
    try {
      wait_for_lock();
    } catch (...) {
      --inside;
      throw;
    }
    has_lock_ = true;
    left().destroy();
  }
  ++depth;
  threads_before_ = omp_get_max_threads();
  omp_set_num_threads(forked ? 1 : threads);
}

native_call::~native_call() {
  omp_set_num_threads(threads_before_);
  --depth;
  if (has_lock_) one_at_a_time().unlock();
  --inside;
}

void release(std::shared_ptr<void> object) {
  if (!object) return;
  if (depth > 0 || is_forked()) return object.reset();
  if (!one_at_a_time().try_lock()) return left().add(std::move(object));
  object.reset();
  one_at_a_time().unlock();
}

bool is_forked() { return owner != 0 && owner != getpid(); }

bool is_python_ending() { return is_ending; }

bool is_to_end_silently() { return is_ending && std::this_thread::get_id() != ending_thread; }

void end_calls() {
  if (is_forked()) return;
  ending_thread = std::this_thread::get_id();
  is_ending = true;
  {
    const nb::gil_scoped_release others_stop;
    while (inside > 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  end_world();
}

}  // namespace osteon::native
