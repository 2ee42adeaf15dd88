#include <fmt/format.h>

#include <app/commands.hpp>
#include <app/process/launcher.hpp>
#include <app/process/python.hpp>
#include <cstdlib>
#include <memory>
#include <osteon/job/subprocess.hpp>

namespace osteon::app {

namespace {

struct studio_options {
  std::string what;
  int port = 0;
  bool opens_browser = true;
  std::string allow_host;
};

// The server is a Python program, which takes this one's place: signals of the terminal reach it directly.
int become_studio(const studio_options& o) {
  std::vector<std::string> words = job::python_command({"-m", "osteon.studio", fmt::format("--port={}", o.port)});
  if (!o.opens_browser) words.emplace_back("--no-browser");
  if (!o.allow_host.empty()) words.push_back("--allow-host=" + o.allow_host);
  if (!o.what.empty()) words.insert(words.end(), {"--", o.what});
  setenv("OSTEON_BINARY", own_path().c_str(), 1);  // what it starts for checks and runs
  become_python(words);
}

}  // namespace

void add_studio(registry& commands) {
  const auto o = std::make_shared<studio_options>();
  command c = commands.add("studio", "Build, run and look at a job in the browser", [o] { return become_studio(*o); });
  c.add_option("what", o->what, "A scan, a job file or a folder of results (default: a list of those in this folder)");
  c.add_option("--port", o->port, "Port on this machine's loopback; 0: a free one").between(0, 65535).show_default();
  c.add_flag("!--no-browser", o->opens_browser, "Only print the address");
  c.add_option("--allow-host", o->allow_host, "Also answer under this host name: of a proxy, such as Jupyter's");
  c.footer(
      "The page is reachable from this machine only, by the address that is printed; over ssh by the -L line printed with "
      "it.\n\nExamples:\n  osteon studio scan.nrrd\n  osteon studio femur.toml --no-browser --port 8765");
}

}  // namespace osteon::app
