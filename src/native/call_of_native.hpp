#pragma once
/// @file
/// Calls of Python that use MPI and threads: one thread at a time, never after a fork, and none while Python ends.

#include <memory>

namespace osteon::native {

/// A call, for the life of this object; the caller holds the lock of the interpreter. It waits for the call of another
/// thread; a signal (Ctrl-C) ends the waiting. The thread that has a call may make another in it, as a progress listener
/// does that calls osteon.
///
/// OpenMP has `threads` threads meanwhile. In a forked process it has one: a team does not survive a fork.
class call_of_native {
 public:
  /// @throws interrupted_error if a signal came, whose exception is set, or if Python ends
  explicit call_of_native(int threads);
  ~call_of_native();
  call_of_native(const call_of_native&) = delete;
  call_of_native& operator=(const call_of_native&) = delete;

  /// True if it was made in another call of this thread.
  bool is_nested() const { return is_nested_; }

 private:
  bool is_nested_ = false, has_lock_ = false;
  int threads_before_ = 1;
};

/// Destroy an object that has parts of MPI: now if no other thread is in a call, else in the next call.
void release(std::shared_ptr<void> object);

/// True if this process was forked from one that has made a call.
bool is_forked();

/// True if the interpreter has begun to exit: running calls stop soon, new calls are rejected.
bool is_python_ending();
/// True if it has, and this is a daemon thread, whose result is not awaited.
bool is_to_end_silently();

/// Wait until calls of other threads have stopped, and finalise MPI if this module initialised it. Call once, when Python
/// exits while daemon threads still run: afterwards neither MPI nor the interpreter is available to them. No effect in a
/// forked process.
void end_calls();

}  // namespace osteon::native
