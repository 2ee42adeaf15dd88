// Compositing by the strategies of IceT and by the methods of osteon. One program runs both alternately. All methods use the
// same images, the same loop and the same check.
//
//     mpirun -n 4 osteon_bench_icet 512x512 rgba8 1 3 icet:bswap icet:radixk icet:tree shared direct-send
//
// The arguments are size, format (rgba8 or rgba32f), fraction of the picture that each rank fills, seconds, and methods. The
// output is JSON on standard output. The program is built only if the headers and libraries of IceT are installed (Debian:
// paraview, paraview-dev). osteon does not need IceT.
#include <IceT.h>
#include <IceTMPI.h>
#include <fmt/format.h>
#include <mpi.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <studies/compositing/frames/composite.hpp>

namespace {

using namespace osteon;
using namespace osteon::studies;

struct icet_state {
  IceTCommunicator comm = nullptr;
  IceTContext context{};
  std::vector<IceTInt> order, viewport;
  std::vector<std::byte> image;
  IceTImage picture{};
  ~icet_state() {
    icetDestroyContext(context);
    icetDestroyMPICommunicator(comm);
  }
};

composite_way way_of_icet(MPI_Comm comm, const composite_case& scene, const std::string& name) {
  const std::map<std::string, IceTEnum> strategies{
      {"icet:auto", ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC},        {"icet:bswap", ICET_SINGLE_IMAGE_STRATEGY_BSWAP},
      {"icet:folding", ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING}, {"icet:radixk", ICET_SINGLE_IMAGE_STRATEGY_RADIXK},
      {"icet:radixkr", ICET_SINGLE_IMAGE_STRATEGY_RADIXKR},       {"icet:tree", ICET_SINGLE_IMAGE_STRATEGY_TREE}};
  const bool bytes = kernel::name_of(scene.format) == "rgba8";
  if (!strategies.contains(name) || (!bytes && kernel::name_of(scene.format) != "rgba32f"))
    throw usage_error(fmt::format("'{}' of {}: use icet:auto, bswap, folding, radixk, radixkr or tree, and rgba8 or rgba32f",
                                  name, kernel::name_of(scene.format)));
  const auto state = std::make_shared<icet_state>();
  state->comm = icetCreateMPICommunicator(comm);
  state->context = icetCreateContext(state->comm);
  icetDiagnostics(ICET_DIAG_ERRORS);
  icetSetColorFormat(bytes ? ICET_IMAGE_COLOR_RGBA_UBYTE : ICET_IMAGE_COLOR_RGBA_FLOAT);
  icetSetDepthFormat(ICET_IMAGE_DEPTH_NONE);
  icetCompositeMode(ICET_COMPOSITE_MODE_BLEND);
  icetEnable(ICET_ORDERED_COMPOSITE);
  for (const int r : visibility_order(scene, comm::size(comm))) state->order.push_back(r);
  icetCompositeOrder(state->order.data());
  icetResetTiles();
  icetAddTile(0, 0, scene.width, scene.height, 0);
  icetStrategy(ICET_STRATEGY_SEQUENTIAL);
  icetSingleImageStrategy(strategies.at(name));
  const int rank = comm::rank(comm);
  const auto box = rectangle_of(scene, rank);
  state->viewport = {box.left, box.top, box.right - box.left, box.bottom - box.top};
  state->image.resize(static_cast<std::size_t>(scene.width) * static_cast<std::size_t>(scene.height) * scene.format.bytes());
  studies::render(scene, rank, state->image);

  composite_way way;
  way.name = name;
  way.prepare = [] {};
  way.frame = [=] {
    icetSetContext(state->context);
    const stopwatch watch;
    const IceTFloat background[4] = {0, 0, 0, 0};
    state->picture = icetCompositeImage(state->image.data(), nullptr, state->viewport.data(), nullptr, nullptr, background);
    compositing::frame_report report;
    report.exchange_seconds = watch.seconds();
    IceTInt sent = 0;
    icetGetIntegerv(ICET_BYTES_SENT, &sent);
    report.bytes_sent = sent;
    return report;
  };
  way.picture = [=] {
    const void* pixels = bytes ? static_cast<const void*>(icetImageGetColorcub(state->picture))
                               : static_cast<const void*>(icetImageGetColorcf(state->picture));
    return std::span(static_cast<const std::byte*>(pixels), state->image.size());
  };
  way.error_bound = 1e9;  // the error is reported without a limit
  return way;
}

double number(const std::string& text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) throw usage_error(fmt::format("'{}' is not a number", text));
  return value;
}

void measure(MPI_Comm comm, const std::vector<std::string>& arguments) {
  if (arguments.size() < 5) throw usage_error("usage: WIDTHxHEIGHT FORMAT ACTIVE SECONDS METHOD...");
  composite_case scene;
  const std::size_t cross = arguments[0].find('x');
  scene.width = static_cast<int>(number(arguments[0].substr(0, cross)));
  scene.height = static_cast<int>(number(arguments[0].substr(std::min(cross, arguments[0].size() - 1) + 1)));
  scene.format.colour = arguments[1] == "rgba32f" ? kernel::colour_format::rgba32f : kernel::colour_format::rgba8;
  scene.active = number(arguments[2]);
  scene.seconds = number(arguments[3]);
  std::vector<composite_way> ways;
  for (std::size_t i = 4; i < arguments.size(); ++i)
    ways.push_back(arguments[i].starts_with("icet:") ? way_of_icet(comm, scene, arguments[i])
                                                     : make_way(comm, scene, arguments[i]));
  const auto costs = measure(comm, scene, ways);
  if (comm::rank(comm) != 0) return;
  auto rows = nlohmann::ordered_json::array();
  for (const auto& c : costs)
    rows.push_back({{"way", c.name},
                    {"best_fps", c.best_fps},
                    {"median_fps", c.median_fps},
                    {"cpu_ms", c.cpu_ms},
                    {"most_bytes", c.bytes_max},
                    {"all_bytes", c.bytes_sum},
                    {"error", c.error}});
  fmt::print("{}\n", nlohmann::ordered_json{{"ranks", comm::size(comm)}, {"icet", ICET_VERSION}, {"rows", rows}}.dump(1));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    measure(MPI_COMM_WORLD, {argv + 1, argv + argc});
  } catch (const osteon::error& e) {
    if (osteon::comm::rank(MPI_COMM_WORLD) == 0) fmt::print(stderr, "osteon_bench_icet: {}\n", e.what());
    code = osteon::exit_code(e.kind());
  }
  MPI_Finalize();
  return code;
}
