#pragma once
/// @file
/// Labels around pictures: title, colour bar, scale and axes. The same code draws the labels of the picture in the report.
#include <mpi.h>
#include <sys/types.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <osteon/base/log_sink.hpp>
#include <osteon/io/files/image_axes.hpp>
#include <osteon/render/annotate.hpp>
#include <string>

namespace osteon::job {

/// Texts of the labels of a picture, except the numbers of the colour bar.
struct picture_words {
  std::string title{};      ///< empty: composed from the job's name and the field
  std::string job{};        ///< name of the job
  std::string results{};    ///< the results file; its summary contains the text of the report; empty: none
  std::string field{};      ///< name in the file
  std::string long_name{};  ///< descriptive name; may be empty
  std::string component{};  ///< empty: a scalar, or the magnitude
  std::string units{};      ///< UDUNITS
  std::optional<double>
      largest{};  ///< maximum of all values; the colour bar shows this maximum if the colour range ends below
  std::optional<io::image_axes> axes{};
};

/// Width and height of a picture including its labels.
std::array<int, 2> size_with_labels(int width, int height);

/// Size of a picture without its labels, for a total size with labels; none if the total size is too small for labels.
std::optional<std::array<int, 2>> size_within_labels(int width, int height);

/// A Python process that draws labels: python/osteon/report/label_pictures.py. Starts on first use, serves all pictures of a
/// command, and ends with the program.
class labeller {
 public:
  labeller() = default;
  labeller(const labeller&) = delete;
  labeller& operator=(const labeller&) = delete;
  ~labeller() { end(); }

  /// Return true if labels can be drawn. The first call starts the process, and warns if Python or one of its packages is
  /// missing. @return the same on all ranks @collective on comm
  bool is_ready(MPI_Comm comm, log_sink& log);
  /// Replace a picture by a picture with labels that has width x height pixels. A failure causes a warning.
  /// @param notes title, range and colours; @param scene the scene of the picture @collective local, on the first rank
  void draw(const std::string& path, int width, int height, const picture_words& words, const render::annotations& notes,
            const render::scene& scene, index3 domain, log_sink& log);

 private:
  void start();
  void end();
  bool send(const std::string& line);
  std::optional<std::string> receive();  // a line of the process; none: the process has ended or does not answer

  int socket_ = -1;
  pid_t process_ = 0;
  bool is_started_ = false;
  std::string unread_, last_message_;
};

/// The labeller of this program.
labeller& labels_of_program();

}  // namespace osteon::job
