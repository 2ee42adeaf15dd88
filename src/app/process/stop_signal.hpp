#pragma once
/// @file
/// Requests to end (docs/checkpoint.md). The first Ctrl-C, SIGTERM, SIGUSR1 or SIGHUP is only noted, so that every stage
/// can leave in order; after it another Ctrl-C or SIGTERM ends the process at once.
#include <osteon/base/error.hpp>

namespace osteon::app {

/// Note these signals from now on. A SIGHUP that is ignored (nohup) stays so.
void note_stop_signals();
bool are_stop_signals_noted();

/// How urgently: 0 not at all, 1 in order, 2 and more at once.
int stop_urgency();
inline bool stop_was_requested() { return stop_urgency() > 0; }

/// A request to end without a signal.
void request_stop();
/// While it is true, further signals raise the urgency instead of ending the process: there are ranks to be ended first.
void wait_for_ranks(bool waits);

/// Whether it was Ctrl-C.
bool was_stopped_from_keyboard();
/// Exit code of the program for an error: for one that was stopped, 130 if that was by Ctrl-C, which shells expect.
int exit_code_of(error_kind kind);

}  // namespace osteon::app
