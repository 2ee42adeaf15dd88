#pragma once
/// @file
/// Being told to end: the first SIGTERM or SIGUSR1 is only noted, so that a checkpoint can be written.

namespace osteon::app {

/// Note these signals. A second SIGTERM ends the process; SIGUSR1 may come by several ways, so it is only noted again.
void note_stop_signals();
bool stop_was_requested();

}  // namespace osteon::app
