#pragma once
/// @file
/// Calls from Python that use MPI and threads. Only one thread may execute a call at a time. After a fork, or while Python
/// exits, calls are impossible.

#include <memory>

namespace osteon::native {

/// Represents a call for the lifetime of this object. The caller must own the GIL. The constructor waits until no other
/// thread executes a call. A signal (Ctrl-C) interrupts the wait. Calls of one thread may be nested. For example, a progress
/// listener may call osteon.
///
/// During the call, OpenMP uses `threads` threads. In a forked process, OpenMP uses one thread, because a thread team does
/// not survive a fork.
class native_call {
 public:
  /// @throws interrupted_error if Python exits, or on a signal; before, the constructor sets the Python exception of the
  /// signal
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

/// Destroy an object that uses MPI. If another thread executes a call, the next call destroys the object.
void release(std::shared_ptr<void> object);

/// True if this process is a fork of a process that has made a call.
bool is_forked();

/// True if the interpreter is exiting. Running calls then stop soon, and new calls fail.
bool is_python_ending();
/// True if the interpreter is exiting and this thread is a daemon thread. Python does not wait for the result of a daemon
/// thread.
bool is_to_end_silently();

/// Wait until other threads execute no more calls. If this module has initialised MPI, finalise MPI. Call this function once
/// if daemon threads are running while Python exits. After this call, daemon threads can use neither MPI nor the
/// interpreter. In a forked process, the function has no effect.
void end_calls();

}  // namespace osteon::native
