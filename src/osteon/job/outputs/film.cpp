#include <osteon/job/outputs/film.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <osteon/base/error.hpp>
#include <osteon/base/text_pattern.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/io/film/animated_png.hpp>
#include <tuple>

namespace osteon::job {

namespace fs = std::filesystem;

std::vector<std::string> frames_in(const std::string& directory) {
  const text_pattern frame_name("frame_(?:([0-9]{1,5})_)?([0-9]{6,12})\\.png");
  std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const std::vector<std::string> parts = frame_name.match(entry.path().filename().string());
    if (parts.empty()) continue;
    found.emplace_back(parts[1].empty() ? 1 : std::stoll(parts[1]), std::stoll(parts[2]), entry.path().string());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> paths;
  for (auto& f : found) paths.push_back(std::move(std::get<2>(f)));
  return paths;
}

void remove_frames(const std::string& directory) {
  std::error_code ignored;
  for (const std::string& path : frames_in(directory)) fs::remove(path, ignored);
  for (const char* name : {"film.png", "film.mp4", "pathlines.vtp", "history.csv"})
    fs::remove(fs::path(directory) / name, ignored);
}

program_result encode_film(const std::vector<std::string>& input, const std::string& path) {
  std::vector<std::string> command{"ffmpeg", "-nostdin", "-y", "-loglevel", "error"};
  command.insert(command.end(), input.begin(), input.end());
  // The usual pixel format of films halves the resolution of colours along rows and columns. Width and height must therefore
  // be even.
  command.insert(command.end(), {"-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", path});
  return run_program(command);
}

nlohmann::ordered_json make_film_of(MPI_Comm comm, const spec& job, log_sink& log) {
  nlohmann::ordered_json files;
  if (comm::rank(comm) == 0) {
    const std::string path = (fs::path(job.output_directory) / "film.png").string(),
                      mp4 = (fs::path(job.output_directory) / "film.mp4").string();
    try {
      const std::vector<std::string> frames = frames_in(job.output_directory);
      if (frames.empty()) {
        log.warn("no film: the job has no frames, because all fields were uniform or the frames could not be written");
        return files;
      }
      const std::int64_t bytes = io::write_animated_png(path, frames);
      files["film"] = path;
      log.note(fmt::format("{}: {} frames, {:.1f} MB", path, frames.size(), 1e-6 * static_cast<double>(bytes)));
      const program_result done = encode_film({"-i", path}, mp4);
      if (done.exit_code == 0) {
        files["film_mp4"] = mp4;
        log.note(mp4);
      } else if (done.exit_code != 127) {
        log.warn(fmt::format("no film.mp4: ffmpeg failed: {}", done.err));
      }
    } catch (const error& e) {
      log.warn(fmt::format("no film: {}", e.what()));  // a failed film must not end the job
    }
  }
  return files;
}

}  // namespace osteon::job
