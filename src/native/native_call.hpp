#pragma once
/// @file
/// Calls from Python that use MPI and threads. Only one thread may call at a time. A call is not possible after a fork or
/// while Python exits.

#include <memory>

namespace osteon::native {

/// Represents a call during the lifetime of this object. The caller holds the GIL. The constructor waits for the call of
/// another thread; a signal (Ctrl-C) interrupts the wait. Calls of one thread may be nested, for example by a progress
/// listener that calls osteon.
///
/// OpenMP uses `threads` threads during the call. In a forked process OpenMP uses one thread, because a thread team does not
/// survive a fork.
class native_call {
 public:
  /// @throws interrupted_error if Python exits, or on a signal, after setting the Python exception of the signal
  explicit native_call(int threads);
  ~native_call();
  native_call(const native_call&) = delete;
  native_call& operator=(const native_call&) = delete;

  /// True if this call is nested in another call of this thread.
  bool is_nested() const { return is_nested_; }

 private:
  bool is_nested_ = false, has_lock_ = false;
  int threads_before_ = 1;
};

/// Destroy an object that uses MPI: immediately if no other thread is in a call, otherwise in the next call.
void release(std::shared_ptr<void> object);

/// True if this process was forked from a process that has made a call.
bool is_forked();

/// True if the interpreter has begun to exit. Running calls then stop soon, and new calls are rejected.
bool is_python_ending();
/// True if the interpreter has begun to exit and this is a daemon thread. Python does not wait for the result of a daemon
/// thread.
bool is_to_end_silently();

/// Wait until calls of other threads have stopped, and finalise MPI if this module initialised MPI. Call this function once,
/// when Python exits while daemon threads still run. Afterwards daemon threads can use neither MPI nor the interpreter. The
/// function has no effect in a forked process.
void end_calls();

}  // namespace osteon::native
