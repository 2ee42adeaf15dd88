#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/process/python.hpp>
#include <common/printable.hpp>
#include <memory>
#include <osteon/job/subprocess.hpp>

namespace osteon::app {

namespace {

// Python writes the job, because the readers of images are in Python.
int write_new_job(const std::string& image, const std::string& protocol, const std::string& target) {
  std::vector<std::string> call = job::python_command({"-m", "osteon.new_job"});
  if (!protocol.empty()) call.push_back("--protocol=" + protocol);
  if (!target.empty()) call.push_back("--output=" + target);
  call.insert(call.end(), {"--", image});
  fmt::print("{}", printable(run_python(call, "cannot write the job")));
  return 0;
}

}  // namespace

void add_new(registry& commands) {
  struct options {
    std::string image, protocol, target;
  };
  const auto o = std::make_shared<options>();
  command c = commands.add("new", "Write a commented job file for an image",
                           [o] { return write_new_job(o->image, o->protocol, o->target); });
  c.add_option("image", o->image, "Image file, folder of slices or pattern (docs/reference/images.md)").required();
  c.add_option(
      "-p,--protocol", o->protocol,
      "Protocol (docs/howto/new.md): electrode, femoral-neck-failure, femur-fall, rock, vertebra, vertebra-failure, "
      "xtremect-radius, xtremect2-radius (default: solid)");
  c.add_option("-o,--output", o->target,
               "Job file to write (default: <image>.toml in the working directory); existing files are kept");
  c.footer("Examples:\n  osteon new scan.nrrd\n  osteon new radius.aim --protocol xtremect2-radius -o radius.toml");
}

}  // namespace osteon::app
