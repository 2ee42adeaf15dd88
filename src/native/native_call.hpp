#pragma once
/// @file
/// Calls from Python that use MPI and threads: one thread at a time, never after a fork, and never while Python exits.

#include <memory>

namespace osteon::native {

/// Call during the lifetime of this object; the caller holds the GIL. The constructor waits for the call of another thread;
/// a signal (Ctrl-C) interrupts the wait. Calls of one thread may be nested, for example by a progress listener that calls
/// osteon.
///
/// OpenMP uses `threads` threads during the call, and one in a forked process: a thread team does not survive a fork.
class native_call {
 public:
  /// @throws interrupted_error on a signal, with its Python exception set, or if Python exits
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

/// True if the interpreter has begun to exit: running calls stop soon, new calls are rejected.
bool is_python_ending();
/// True if the interpreter has begun to exit and this is a daemon thread, whose result is not awaited.
bool is_to_end_silently();

/// Wait until calls of other threads have stopped, and finalise MPI if this module initialised it. Call once, when Python
/// exits while daemon threads still run: afterwards neither MPI nor the interpreter is available to them. No effect in a
/// forked process.
void end_calls();

}  // namespace osteon::native
