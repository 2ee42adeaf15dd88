#pragma once
/// @file
/// What a process that starts ranks tells them. It goes along as their first word, `--started-by=RECORD`, which every
/// launcher hands on, and which people never write.
#include <optional>
#include <string>
#include <vector>

namespace osteon::app {

/// The process that a user starts, as its ranks know it.
struct parent_process {
  int ranks = 1;             ///< how many it starts
  bool interactive = false;  ///< whether it has a terminal, which ranks cannot see
  std::string time;          ///< when its command began, UTC, ISO 8601
  std::string host;          ///< where `socket` has a meaning
  std::string network;       ///< the network namespace on that host
  std::string socket;        ///< name of the line to it (front_link), empty if there is none
  std::string images;        ///< digest of the images of the job that the ranks compute, empty if there is none
  std::string labels;        ///< the same of its label images

  bool operator==(const parent_process&) const = default;
};

/// The word that says it.
std::string started_by(const parent_process& parent);

/// Remove that word from the front of `words`, if it is there, and keep what it says. Called once, when the program begins.
/// @throws usage_error if it is not what started_by writes
void take_parent(std::vector<std::string>& words);

/// The process that started this one as one of its ranks; nothing if a person or a launcher did.
const std::optional<parent_process>& parent();

/// When the command of the user began: that of the parent, or of this process.
std::string start_time();

}  // namespace osteon::app
