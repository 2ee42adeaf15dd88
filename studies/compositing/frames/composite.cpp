#include <studies/compositing/frames/composite.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <common/suggest.hpp>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/base/xxh64.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/exchange/exchange.hpp>
#include <osteon/comm/host_memory.hpp>
#include <osteon/kernel/blend/blend.hpp>
#include <osteon/plan/composite/composite_method.hpp>
#include <osteon/render/compositing/choose_compositor.hpp>
#include <studies/compositing/fragments/composite_fragments.hpp>
#include <studies/compositing/frames/composite_frames.hpp>
#include <studies/compositing/frames/method_options.hpp>
#include <studies/compositing/frames/swap_2d.hpp>
#include <studies/measure/over_ranks.hpp>

namespace osteon::studies {

namespace {

// A method of plan::composite_method. If the name is not a method, the error contains suggestions.
comm::plan_maker method_or_advice(const std::string& method) {
  try {
    return render::plan_maker_of(method);
  } catch (const usage_error& e) {
    const std::string head = method.substr(0, method.find_first_of(":+"));
    for (const auto& known : plan::known_methods())
      if (known.name.substr(0, known.name.find(':')) == head) throw;
    throw usage_error(fmt::format("{}; or auto, shared, shared:RANKS, fragments{}", e.what(),
                                  did_you_mean(method, {"auto", "shared", "fragments"})));
  }
}

// Set the transport and the method for a name.
void choose_transport(comm::composite_options& o, const std::string& method, const std::string& name) {
  if (method == "shared") {
    o.by = comm::transport::shared;
  } else if (method.starts_with("shared:")) {
    const std::string_view number = std::string_view(method).substr(7);
    o.by = comm::transport::hybrid;
    o.method = render::plan_maker_of("binary-swap");
    const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), o.ranks_per_host);
    if (fault != std::errc() || end != number.data() + number.size() || o.ranks_per_host < 1)
      throw usage_error(
          fmt::format("'{}': shared: must be followed by the number of ranks that share memory, at least 1", name));
  } else if (method == "binary-swap:rectangles") {
    o.by = comm::transport::messages;
    o.method = [width = o.width, height = o.height](int, std::int64_t, std::span<const int> order, int root) {
      return binary_swap_in_rectangles(width, height, order, root);
    };
  } else {
    o.by = comm::transport::messages;
    o.method = method_or_advice(method);
    o.method_of_drawn = render::drawn_plan_maker_of(method);
  }
}

std::shared_ptr<std::vector<std::byte>> image_of(const composite_case& scene, int rank) {
  auto image = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(scene.width) *
                                                        static_cast<std::size_t>(scene.height) * scene.format.bytes());
  render(scene, rank, *image);
  return image;
}

// Image of a rank as fragments. The depths of the fragments represent the order of the images. No visibility order is
// needed.
std::vector<fragment> fragments_of(const composite_case& scene, std::span<const std::byte> image, int index) {
  const auto full = static_cast<float>(full_channel(scene.format.colour));
  const std::size_t bytes = scene.format.bytes();
  std::vector<fragment> result;
  for (std::size_t i = 0; i < image.size() / bytes; ++i) {
    const auto v = kernel::value_of(scene.format, image.data() + i * bytes);
    if (v.channel[3] == 0) continue;
    const auto front = static_cast<float>(index);
    auto& f = result.emplace_back(fragment{static_cast<std::int64_t>(i), front, front + 1, {}});
    for (std::size_t c = 0; c < 4; ++c) f.rgba[c] = static_cast<float>(v.channel[c]) / full;
  }
  return result;
}

composite_way way_of_fragments(MPI_Comm comm, const composite_case& scene, const std::string& name) {
  const auto order = visibility_order(scene, comm::size(comm));
  const int rank = comm::rank(comm);
  const auto index = static_cast<int>(std::find(order.begin(), order.end(), rank) - order.begin());
  const auto mine = fragments_of(scene, *image_of(scene, rank), index);
  const std::int64_t pixels = std::int64_t{scene.width} * scene.height;
  struct frame {
    std::vector<fragment> fragments;
    fragment_picture picture;
    std::vector<std::byte> rounded;
  };
  const auto now = std::make_shared<frame>();
  composite_way way;
  way.name = name;
  way.prepare = [=] { now->fragments = mine; };
  way.frame = [=] {
    now->picture = composite_fragments(comm, std::move(now->fragments), pixels, 0);
    return now->picture.report;
  };
  way.picture = [=] {
    now->rounded.resize(static_cast<std::size_t>(pixels) * scene.format.bytes());
    for (std::size_t i = 0; i < static_cast<std::size_t>(pixels); ++i) {
      const float* v = &now->picture.rgba[4 * i];
      put_pixel(scene.format, &now->rounded[i * scene.format.bytes()], {v[0], v[1], v[2], v[3]}, 0);
    }
    return std::span<const std::byte>(now->rounded);
  };
  way.error_bound = allowed_error(scene, comm::size(comm), 0.5);
  return way;
}

// Rank 0 sends the finished picture to the last rank. After compositing, the plan with this message is executed.
void add_display(MPI_Comm comm, composite_way& way, std::size_t picture_bytes) {
  const int display = comm::size(comm) - 1, rank = comm::rank(comm);
  if (way.in_parts || display == 0)
    throw usage_error(
        fmt::format("'{}': a display node gets a picture from rank 0; use two ranks or more, without +parts", way.name));
  struct node {
    plan::plan transfer;
    std::vector<std::byte> picture;
    double seconds = 0;
  };
  const auto now = std::make_shared<node>();
  now->transfer =
      plan::plan_of("picture to the display node", display + 1, {{0, 0, display, static_cast<std::int64_t>(picture_bytes)}});
  if (rank == 0 || rank == display) now->picture.resize(picture_bytes);
  way.has_display = true;
  way.frame = [=, compose = way.frame, picture = way.picture] {
    compositing::frame_report report = compose();
    const stopwatch watch;
    // The picture of the compositor is read-only. The message therefore needs a buffer of its own.
    if (rank == 0) std::copy_n(picture().begin(), picture_bytes, now->picture.begin());
    comm::execute_on_object(comm, now->transfer, now->picture, {});
    now->seconds = watch.seconds();
    if (rank == 0) report.bytes_sent += static_cast<std::int64_t>(picture_bytes);
    return report;
  };
  way.display_seconds = [=] { return now->seconds; };
  way.check_display = [=, name = way.name] {
    std::uint64_t digest[2] = {0, 0};
    xxh64 own;
    own.update(now->picture);
    if (rank == 0 || rank == display) digest[rank == 0 ? 0 : 1] = own.value();
    MPI_Allreduce(MPI_IN_PLACE, digest, 2, MPI_UINT64_T, MPI_BOR, comm);
    if (digest[0] != digest[1])
      throw data_error(fmt::format("the display node's picture of '{}' differs from that of rank 0", name));
  };
}

}  // namespace

composite_way make_way(MPI_Comm comm, const composite_case& scene, const std::string& name) {
  const method_options options = read_method(name);
  const double pixels = static_cast<double>(scene.width) * scene.height;
  // The memory contains the image and the memory of the compositor. On rank 0, the memory also contains the exact picture.
  const double need =
      pixels * (6.0 * static_cast<double>(scene.format.bytes()) + (options.method == "fragments" ? 128 : 0)) +
      (comm::rank(comm) == 0 ? 40 * pixels : 0);
  comm::check_host_memory(comm, need,
                          fmt::format("compositing {} x {} pixels of {} by '{}'", scene.width, scene.height,
                                      kernel::name_of(scene.format), name),
                          "use a smaller --width or --height, or fewer ranks");
  if (options.method == "fragments") {
    if (options.method != name || scene.format.depth)
      throw usage_error(
          fmt::format("'{}' of {}: fragments have their own depths and are collected at the root; use "
                      "'fragments' and a format without +z",
                      name, kernel::name_of(scene.format)));
    return way_of_fragments(comm, scene, name);
  }
  comm::composite_options o;
  o.width = scene.width;
  o.height = scene.height;
  o.format = scene.format;
  o.check = options.checked;
  o.sparse = options.sparse;
  o.wide_between = !options.narrow;
  o.root = options.in_parts ? -1 : 0;
  const int rank = comm::rank(comm);
  const auto order = visibility_order(scene, comm::size(comm));
  const auto box = rectangle_of(scene, rank);
  const auto image = image_of(scene, rank);
  composite_way way;
  way.name = name;
  const auto make = [&] {
    if (options.method == "auto") {
      render::chosen_compositor chosen = render::choose_compositor(comm, o, order, box, *image);
      way.log = chosen.log;
      return std::move(chosen.compositor);
    }
    choose_transport(o, options.method, name);
    return comm::compositor::make(comm, o);
  };
  auto compositor = std::make_shared<comm::compositor>(make());
  // A copy to the buffer replaces a renderer. A renderer would write to the buffer. If the result of a frame overwrites the
  // buffer, the copy is repeated.
  way.frame = [=] { return compositor->run(order, box); };
  way.picture = [=] { return compositor->picture(); };
  way.prepare = [=] { std::copy(image->begin(), image->end(), compositor->buffer().begin()); };
  way.prepare();
  compositor->run(order, box);
  way.error_bound = allowed_error(scene, comm::size(comm), reduced(comm, compositor->error_bound(), MPI_MAX));
  way.in_parts = options.in_parts;
  if (options.display)
    add_display(comm, way,
                static_cast<std::size_t>(scene.width) * static_cast<std::size_t>(scene.height) * scene.format.bytes());
  return way;
}

std::vector<composite_cost> measure(MPI_Comm comm, const composite_case& scene, std::span<const composite_way> ways) {
  const stopwatch clock;
  frame_member member;
  member.wait_for_all = [&] { MPI_Barrier(comm); };
  member.cpu_seconds = [] { return cpu_seconds(); };
  member.have_all_run = [&](double seconds) { return largest(comm, clock.seconds()) >= seconds; };
  auto samples = measure_frames(ways, member, scene.seconds);
  std::vector<composite_cost> costs;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    frame_samples& s = samples[w];
    const auto join = [&](std::vector<double>& values, MPI_Op op) {
      MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, op, comm);
    };
    for (auto* values : {&s.wall, &s.blend, &s.exchange, &s.collect, &s.display}) join(*values, MPI_MAX);
    if (ways[w].check_display) ways[w].check_display();
    join(s.cpu, MPI_SUM);
    std::vector<double> bytes(static_cast<std::size_t>(comm::size(comm)));
    MPI_Allgather(&s.bytes, 1, MPI_DOUBLE, bytes.data(), 1, MPI_DOUBLE, comm);
    costs.push_back(cost_of(ways[w].name, s, std::move(bytes)));
    comm::collectively(comm, [&] {
      if (comm::rank(comm) == 0) find_error(costs.back(), scene, comm::size(comm), ways[w]);
    });
  }
  return costs;
}

double blend_rate(kernel::pixel_format format, int layers, std::int64_t pixels, double seconds) {
  composite_case scene;
  scene.width = static_cast<int>(pixels);
  scene.height = 1;
  scene.format = format;
  const std::size_t bytes = static_cast<std::size_t>(pixels) * format.bytes();
  std::vector<std::vector<std::byte>> images(static_cast<std::size_t>(layers));
  std::vector<kernel::layer> all;
  for (int l = 0; l < layers; ++l) {
    auto& image = images[static_cast<std::size_t>(l)];
    image.resize(bytes);
    render(scene, l, image);
    all.push_back({format, image.data()});
  }
  std::vector<std::byte> out(bytes);
  const int calls = static_cast<int>(std::max<std::int64_t>(1, 1'000'000 / pixels));
  double best = 1e30;
  for (const double start = cpu_seconds(); cpu_seconds() - start < seconds;) {
    const double before = cpu_seconds();
    for (int k = 0; k < calls; ++k) kernel::blend(format, out.data(), all, pixels);
    best = std::min(best, (cpu_seconds() - before) / calls);
  }
  return static_cast<double>(pixels) / best / 1e6;
}

}  // namespace osteon::studies
