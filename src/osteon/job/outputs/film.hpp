#pragma once
/// @file
/// The film of the frames of a job.
#include <mpi.h>

#include <nlohmann/json.hpp>
#include <osteon/base/log_sink.hpp>
#include <osteon/job/spec.hpp>
#include <osteon/job/subprocess.hpp>
#include <string>
#include <vector>

namespace osteon::job {

/// The frames in a folder, in the order of solves, then of iterations. @collective local
std::vector<std::string> frames_in(const std::string& directory);

/// Remove frames, film and other intermediate files of a running job from the folder of the job. @collective local
void remove_frames(const std::string& directory);

/// Make film.png from the frames of a job. If ffmpeg is installed, also make film.mp4. If a film cannot be made, the
/// function warns.
/// @return names of the two films for summary.json on rank 0; empty without frames @collective on comm
nlohmann::ordered_json make_film_of(MPI_Comm comm, const spec& job, log_sink& log);

/// Encode pictures as an MP4 film with ffmpeg. @param input options of ffmpeg that select the pictures
/// @return result of ffmpeg; if ffmpeg is not installed, the exit code is 127 @collective local
program_result encode_film(const std::vector<std::string>& input, const std::string& path);

}  // namespace osteon::job
