#pragma once
/// @file
/// Stop requests (docs/reference/checkpoint.md). The first Ctrl-C, SIGTERM, SIGUSR1 or SIGHUP is recorded, so that every
/// stage can stop in order. A second Ctrl-C or SIGTERM ends the process immediately.
#include <osteon/base/error.hpp>

namespace osteon::app {

/// Install the signal handlers. An ignored SIGHUP (nohup) remains ignored.
void note_stop_signals();
bool are_stop_signals_noted();

/// Urgency of the request: 0: no request, 1: orderly stop, 2 and more: immediate end.
int stop_urgency();
inline bool stop_was_requested() { return stop_urgency() > 0; }

/// Request a stop without a signal.
void request_stop();
/// If `waits` is true, further signals raise the urgency instead of ending the process, because the process must end its
/// ranks first.
void wait_for_ranks(bool waits);

/// True if the request was Ctrl-C.
bool was_stopped_from_keyboard();
/// Exit code of the program for an error; 130 for a stop by Ctrl-C, as shells expect.
int program_exit_code(error_kind kind);

}  // namespace osteon::app
