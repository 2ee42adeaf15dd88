#include <osteon/bench/composite.hpp>
#include <osteon/bench/over_ranks.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/kernel/blend.hpp>
#include <osteon/kernel/half.hpp>
#include <osteon/render/choose_compositor.hpp>
#include <random>

namespace osteon::bench {

namespace {

typedef float float1 __attribute__((vector_size(4)));
typedef std::uint32_t word1 __attribute__((vector_size(4)));

double whole(kernel::colour_format c) {
  return c == kernel::colour_format::rgba8 ? 255 : c == kernel::colour_format::rgba16 ? 65535 : 1;
}

void put(kernel::pixel_format format, std::byte* to, const double (&channel)[4], float depth) {
  for (std::size_t c = 0; c < 4; ++c) {
    std::byte* const at = to + c * kernel::bytes_of(format.colour) / 4;
    const double scaled = std::floor(channel[c] * whole(format.colour) + 0.5);
    if (format.colour == kernel::colour_format::rgba8) {
      *at = static_cast<std::byte>(scaled);
    } else if (format.colour == kernel::colour_format::rgba32f) {
      const auto v = static_cast<float>(channel[c]);
      std::memcpy(at, &v, sizeof v);
    } else {
      const auto v =
          format.colour == kernel::colour_format::rgba16
              ? static_cast<std::uint16_t>(scaled)
              : static_cast<std::uint16_t>(kernel::to_half<float1, word1>(float1{static_cast<float>(channel[c])})[0]);
      std::memcpy(at, &v, sizeof v);
    }
  }
  if (format.depth) std::memcpy(to + kernel::bytes_of(format.colour), &depth, sizeof depth);
}

// The transport and the method of a way without its suffixes.
void choose_transport(comm::composite_options& o, const std::string& rest, const std::string& name) {
  if (rest == "shared") {
    o.by = comm::transport::shared;
  } else if (rest.starts_with("shared:")) {
    o.by = comm::transport::hybrid;
    o.ranks_per_host = std::atoi(rest.c_str() + 7);
    o.method = render::plan_maker_of("binary-swap");
    if (o.ranks_per_host < 1)
      throw usage_error(fmt::format("'{}': behind shared: stands the number of ranks that share memory, at least 1", name));
  } else {
    o.by = comm::transport::messages;
    o.method = render::plan_maker_of(rest);
  }
}

}  // namespace

double worst_error(const composite_case& what, int ranks, std::span<const std::byte> picture) {
  const auto order = visibility_order(what, ranks);
  const std::size_t bytes = what.format.bytes(), pixels = picture.size() / bytes;
  const double scale = whole(what.format.colour);
  const bool floating = scale == 1;
  std::vector<double> sum(4 * pixels), depth(pixels, std::numeric_limits<double>::infinity());
  std::vector<std::byte> image(picture.size());
  for (std::size_t l = order.size(); l-- > 0;) {
    render(what, order[l], image);
    const auto box = rectangle_of(what, order[l]);
    for (int row = box.top; row < box.bottom; ++row)
      for (int column = box.left; column < box.right; ++column) {
        const auto i =
            static_cast<std::size_t>(row) * static_cast<std::size_t>(what.width) + static_cast<std::size_t>(column);
        const auto v = kernel::value_of(what.format, image.data() + i * bytes);
        if (what.format.depth && v.depth > depth[i]) continue;
        depth[i] = v.depth;
        const double through = what.format.depth ? 0 : 1 - v.channel[3] / scale;
        for (std::size_t c = 0; c < 4; ++c) sum[4 * i + c] = v.channel[c] + through * sum[4 * i + c];
      }
  }
  double worst = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    const auto v = kernel::value_of(what.format, picture.data() + i * bytes);
    for (std::size_t c = 0; c < 4; ++c) worst = std::max(worst, std::abs(v.channel[c] - sum[4 * i + c]));
  }
  return floating ? 1e6 * worst : worst;
}

double allowed_error(const composite_case& what, int ranks, double bound) {
  // What single precision adds is small beside half a unit of 8 bits; half precision is off by 2^-12 below 1.
  if (what.format.depth) return 0;
  switch (what.format.colour) {
    case kernel::colour_format::rgba8:
      return std::max(0.5, bound) + 0.001;
    case kernel::colour_format::rgba16:
      return std::max(0.5, bound) + 0.01 * ranks;
    case kernel::colour_format::rgba16f:
      return 1e6 * 0x1p-12 + ranks;
    default:
      return ranks;
  }
}

bool take_suffix(std::string& name, const std::string& suffix) {
  if (!name.ends_with(suffix)) return false;
  name.resize(name.size() - suffix.size());
  return true;
}

std::vector<int> visibility_order(const composite_case& what, int ranks) {
  std::vector<int> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(what.seed));
  return order;
}

comm::pixel_rectangle rectangle_of(const composite_case& what, int rank) {
  if (what.active >= 1) return {0, 0, what.width, what.height};
  const double edge = std::sqrt(std::max(0.0, what.active));
  const int width = static_cast<int>(edge * what.width), height = static_cast<int>(edge * what.height);
  std::mt19937 random(what.seed * 1000 + static_cast<unsigned>(rank));
  const int left = static_cast<int>(random() % static_cast<unsigned>(what.width - width + 1));
  const int top = static_cast<int>(random() % static_cast<unsigned>(what.height - height + 1));
  return {left, top, left + width, top + height};
}

void render(const composite_case& what, int rank, std::span<std::byte> image) {
  std::fill(image.begin(), image.end(), std::byte{0});
  const auto box = rectangle_of(what, rank);
  std::minstd_rand random(what.seed * 100 + static_cast<unsigned>(rank) + 1);
  const auto next = [&] { return static_cast<double>(random()) / 2147483648.0; };
  for (int row = box.top; row < box.bottom; ++row)
    for (int column = box.left; column < box.right; ++column) {
      const double opacity = 0.1 + 0.5 * static_cast<double>(column) / what.width * next();
      const double channel[4] = {opacity * next(), opacity * static_cast<double>(row) / what.height, opacity * 0.5, opacity};
      put(what.format,
          image.data() +
              (static_cast<std::size_t>(row) * static_cast<std::size_t>(what.width) + static_cast<std::size_t>(column)) *
                  what.format.bytes(),
          channel, static_cast<float>(next()));
    }
}

composite_way make_way(MPI_Comm comm, const composite_case& what, const std::string& name) {
  comm::composite_options o;
  o.width = what.width;
  o.height = what.height;
  o.format = what.format;
  o.check = false;
  std::string rest = name;
  for (bool more = true; more;) {
    more = true;
    if (take_suffix(rest, "+sparse"))
      o.sparse = true;
    else if (take_suffix(rest, "+parts"))
      o.root = -1;
    else if (take_suffix(rest, "+narrow"))
      o.wide_between = false;
    else if (take_suffix(rest, "+checked"))
      o.check = true;
    else
      more = false;
  }
  const int rank = comm::rank(comm);
  const auto order = visibility_order(what, comm::size(comm));
  const auto box = rectangle_of(what, rank);
  auto image = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(what.width) *
                                                        static_cast<std::size_t>(what.height) * what.format.bytes());
  render(what, rank, *image);
  composite_way way;
  way.name = name;
  const auto make = [&] {
    if (rest == "auto") {
      render::chosen_compositor chosen = render::choose_compositor(comm, o, order, box, *image);
      way.log = chosen.log;
      return std::move(chosen.compositor);
    }
    choose_transport(o, rest, name);
    return comm::compositor::make(comm, o);
  };
  auto compositor = std::make_shared<comm::compositor>(make());
  // A renderer writes into the buffer; copying stands for it where a frame's result overwrites it.
  way.frame = [=] { return compositor->run(order, box); };
  way.picture = [=] { return compositor->picture(); };
  way.prepare = [=] { std::copy(image->begin(), image->end(), compositor->buffer().begin()); };
  way.prepare();
  compositor->run(order, box);
  way.error_bound = allowed_error(what, comm::size(comm), reduced(comm, compositor->error_bound(), MPI_MAX));
  way.in_parts = o.root < 0;
  return way;
}

std::vector<composite_cost> measure(MPI_Comm comm, const composite_case& what, std::span<composite_way> ways) {
  constexpr int frames = 10;  // of one way, before it is the next one's turn
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  struct samples {
    std::vector<double> wall, cpu, blend, exchange, collect;
    double bytes = 0;
  };
  std::vector<samples> all(ways.size());
  const stopwatch clock;
  for (bool more = true; more;) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      samples& s = all[w];
      double cpu = 0;
      for (int f = 0; f < frames; ++f) {
        ways[w].prepare();
        MPI_Barrier(comm);
        const double before = cpu_seconds();
        const stopwatch watch;
        const comm::frame_report report = ways[w].frame();
        MPI_Barrier(comm);
        s.wall.push_back(watch.seconds());
        cpu += cpu_seconds() - before;
        s.blend.push_back(report.blend_seconds);
        s.exchange.push_back(report.exchange_seconds);
        s.collect.push_back(report.collect_seconds);
        s.bytes = static_cast<double>(report.bytes_sent);
      }
      s.cpu.push_back(cpu / frames);
    }
    more = reduced(comm, clock.seconds(), MPI_MAX) < what.seconds;
  }
  std::vector<composite_cost> costs;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    samples& s = all[w];
    const auto over_ranks = [&](std::vector<double>& values, MPI_Op op) {
      MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, op, comm);
    };
    for (auto* values : {&s.wall, &s.blend, &s.exchange, &s.collect}) over_ranks(*values, MPI_MAX);
    over_ranks(s.cpu, MPI_SUM);
    composite_cost c;
    c.name = ways[w].name;
    c.best_fps = 1 / *std::min_element(s.wall.begin(), s.wall.end());
    c.median_fps = 1 / median(s.wall);
    c.cpu_ms = 1e3 * *std::min_element(s.cpu.begin(), s.cpu.end());
    c.bytes_max = reduced(comm, s.bytes, MPI_MAX);
    c.bytes_sum = reduced(comm, s.bytes, MPI_SUM);
    c.blend_ms = 1e3 * median(s.blend);
    c.exchange_ms = 1e3 * median(s.exchange);
    c.collect_ms = 1e3 * median(s.collect);
    comm::together(comm, [&] {
      if (rank != 0 || ways[w].in_parts) return;
      c.error = worst_error(what, ranks, ways[w].picture());
      if (c.error > ways[w].error_bound)
        throw data_error(fmt::format("the picture of '{}' differs by {:.3f} from the exact one; it promises {:.3f}", c.name,
                                     c.error, ways[w].error_bound));
    });
    costs.push_back(c);
  }
  return costs;
}

double blend_rate(kernel::pixel_format format, int layers, std::int64_t pixels, double seconds) {
  composite_case what;
  what.width = static_cast<int>(pixels);
  what.height = 1;
  what.format = format;
  const std::size_t bytes = static_cast<std::size_t>(pixels) * format.bytes();
  std::vector<std::vector<std::byte>> images(static_cast<std::size_t>(layers));
  std::vector<kernel::layer> all;
  for (int l = 0; l < layers; ++l) {
    auto& image = images[static_cast<std::size_t>(l)];
    image.resize(bytes);
    render(what, l, image);
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

}  // namespace osteon::bench
