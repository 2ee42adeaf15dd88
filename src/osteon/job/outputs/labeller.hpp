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

/// Texts of the labels of a picture, without the numbers of the colour bar.
struct picture_words {
  std::string title{};  ///< empty: the title consists of the names of the job and of the field
  std::string job{};    ///< name of the job
  /// path of the results file; the summary of the results contains the text of the report; empty: no results
  std::string results{};
  std::string field{};      ///< name of the field in the file
  std::string long_name{};  ///< descriptive name of the field; may be empty
  std::string component{};  ///< name of a component; empty: a scalar, or the magnitude
  std::string units{};      ///< unit in the syntax of UDUNITS
  std::optional<double>
      largest{};  ///< maximum of all values; the colour bar displays this maximum if the colour range ends below the maximum
  std::optional<io::image_axes> axes{};
};

/// Width and height of a picture including the labels.
std::array<int, 2> size_with_labels(int width, int height);

/// Size of a picture without its labels, for a given total size with labels. If the total size is too small for labels, the
/// result is empty.
std::optional<std::array<int, 2>> size_within_labels(int width, int height);

/// A Python process that draws labels. The process executes python/osteon/report/label_pictures.py. The process starts on
/// the first use, draws the labels of all pictures of a command, and ends with the program.
class labeller {
 public:
  labeller() = default;
  labeller(const labeller&) = delete;
  labeller& operator=(const labeller&) = delete;
  ~labeller() { end(); }

  /// Return true if the process can draw labels. The first call starts the process. If Python or a required package is
  /// missing, the function warns. @return value that is equal on all ranks @collective on comm
  bool is_ready(MPI_Comm comm, log_sink& log);
  /// Replace a picture by a picture with labels. The new picture has width x height pixels. If the picture cannot be
  /// replaced, the function warns.
  /// @param notes title, range and colours; @param scene the scene of the picture @collective local, on the first rank
  void draw(const std::string& path, int width, int height, const picture_words& words, const render::annotations& notes,
            const render::scene& scene, index3 domain, log_sink& log);

 private:
  void start();
  void end();
  bool send(const std::string& line);
  std::optional<std::string> receive();  // a line of output of the process; empty: the process has ended or does not answer

  int socket_ = -1;
  pid_t process_ = 0;
  bool is_started_ = false;
  std::string unread_, last_message_;
};

/// The labeller of this program.
labeller& labels_of_program();

}  // namespace osteon::job
