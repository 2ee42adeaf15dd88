#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/base/container_limits.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/composite/compositor_backend.hpp>
#include <osteon/comm/composite/sparse_runs.hpp>
#include <osteon/plan/composite/composite_method.hpp>

namespace osteon::comm {

namespace {

void check(const composite_options& o, int ranks) {
  if (o.width < 1 || o.height < 1 || o.width > 65536 || o.height > 65536)
    throw usage_error(fmt::format("picture of {} x {} pixels: width and height must be in [1, 65536]", o.width, o.height));
  if (o.root < -1 || o.root >= ranks)
    throw usage_error(
        fmt::format("root {} of {} ranks: must be a rank, or -1 to leave the parts distributed", o.root, ranks));
  if (o.cores < 0) throw usage_error(fmt::format("{} cores: must not be negative", o.cores));
  if (o.ranks_per_host < 0) throw usage_error(fmt::format("{} ranks per host: must not be negative", o.ranks_per_host));
}

transport choose(MPI_Comm comm, const composite_options& o) {
  int least = communicator::of_host(comm).size(), most = least;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm);
  const bool one_host = least == size(comm);
  if (o.by == transport::shared && !one_host)
    throw usage_error(
        fmt::format("shared memory transport requires all {} ranks on one host, but one host has {}; use hybrid or messages",
                    size(comm), most));
  if (o.by != transport::automatic) return o.by;
  if (one_host && o.ranks_per_host == 0) return transport::shared;
  return most > 1 ? transport::hybrid : transport::messages;
}

}  // namespace

plan::plan default_method(int ranks, std::int64_t elements, std::span<const int> order, int root) {
  return plan::composite_method::parse(ranks <= 16 ? "direct-send" : "binary-swap").make(ranks, elements, order, root);
}

bool cores_for_all(const composite_options& o, MPI_Comm comm) {
  return communicator::of_host(comm).size() <= (o.cores > 0 ? o.cores : cores_of_host());
}

void check_sparse(const composite_options& o) {
  const std::size_t bytes = static_cast<std::size_t>(o.width) * static_cast<std::size_t>(o.height) * o.format.bytes();
  if (o.sparse && bytes > std::numeric_limits<int>::max() / 2)
    throw usage_error(fmt::format("sparse images of {} x {} pixels of {}: messages are limited to {} MB; use dense images",
                                  o.width, o.height, kernel::name_of(o.format),
                                  std::numeric_limits<int>::max() / 2'000'000));
}

message_ledger::shape shape_of(const exchange_schedule& schedule, const exchange_pixels& pixels) {
  message_ledger::shape frame;
  const auto list = [&](const std::vector<exchange_schedule::message>& from, std::vector<plan::message>& to) {
    for (const auto& m : from) {
      std::int64_t bytes = 0;
      for (const pixel_piece& p : m.pieces) bytes += p.at.size() * static_cast<std::int64_t>(pixels.format(p.wide).bytes());
      to.push_back({m.peer, {0, bytes}});
    }
  };
  for (const auto& r : schedule.rounds) {
    plan::round& round = frame.emplace_back();
    list(r.sends, round.sends);
    list(r.arrivals, round.receives);
  }
  return frame;
}

void count_frame(MPI_Comm comm, MPI_Comm between, const std::string& name, message_ledger::shape frame,
                 const frame_report& report) {
  message_ledger* const ledger = ledger_of(comm);
  if (!ledger) return;
  if (between != comm) {
    MPI_Group from = MPI_GROUP_NULL, to = MPI_GROUP_NULL;
    MPI_Comm_group(between, &from);
    MPI_Comm_group(comm, &to);
    for (plan::round& round : frame)
      for (auto* list : {&round.sends, &round.receives})
        for (plan::message& m : *list) {
          const int peer = m.peer;
          MPI_Group_translate_ranks(from, 1, &peer, to, &m.peer);
        }
    MPI_Group_free(&from);
    MPI_Group_free(&to);
  }
  const int entry = ledger->entry_of(name);
  ledger->ran(entry, ledger->shape_of(entry, frame), report.exchange_seconds + report.collect_seconds);
}

void check_order(std::span<const int> order, int ranks) {
  std::vector<bool> named(static_cast<std::size_t>(ranks));
  bool good = order.size() == named.size();
  for (const int r : order) {
    good = good && r >= 0 && r < ranks && !named[static_cast<std::size_t>(r)];
    if (good) named[static_cast<std::size_t>(r)] = true;
  }
  if (!good)
    throw usage_error(
        fmt::format("visibility order ({} entries for {} ranks): must contain each rank once", order.size(), ranks));
}

pixel_rectangle clipped(const composite_options& o, const pixel_rectangle& active) {
  const pixel_rectangle r{std::max(0, active.left), std::max(0, active.top), std::min(o.width, active.right),
                          std::min(o.height, active.bottom)};
  return r.empty() ? pixel_rectangle{} : r;
}

std::int64_t first_bad_pixel(const composite_options& o, const std::byte* image, const pixel_rectangle& active) {
  const auto bytes = static_cast<std::int64_t>(o.format.bytes());
  const bool rows_join = active.left == 0 && active.right == o.width;
  const int step = rows_join ? std::max(1, active.bottom - active.top) : 1;
  for (int row = active.top; row < active.bottom; row += step) {
    const std::int64_t begin = std::int64_t{row} * o.width + active.left;
    const std::int64_t count = rows_join ? std::int64_t{step} * o.width : active.right - active.left;
    const std::int64_t bad = kernel::first_bad_pixel(o.format, image + begin * bytes, count);
    if (bad >= 0) return begin + bad;
  }
  return -1;
}

void throw_not_premultiplied(const composite_options& o, int rank, std::int64_t pixel, const std::byte* image) {
  const auto v = kernel::value_of(o.format, image + pixel * static_cast<std::int64_t>(o.format.bytes()));
  throw data_error(
      fmt::format("pixel (row {}, column {}) of rank {} is ({:g}, {:g}, {:g}) with opacity {:g}{}: colours must be "
                  "premultiplied and must not exceed the opacity; the opacity must not exceed 1",
                  pixel / o.width, pixel % o.width, rank, v.channel[0], v.channel[1], v.channel[2], v.channel[3],
                  o.format.depth ? fmt::format(" at depth {:g}", v.depth) : ""));
}

void blend_stretch(const composite_options& o, kernel::pixel_format out_format, std::byte* out,
                   std::span<const host_layer> layers, plan::span stretch) {
  const auto bytes = static_cast<std::int64_t>(o.format.bytes()), out_bytes = static_cast<std::int64_t>(out_format.bytes());
  std::vector<kernel::layer> there;
  for (std::int64_t at = stretch.begin; at < stretch.end;) {
    // The result is the next pixel at which the set of active layers changes. If all layers are active in all pixels, the
    // result is the end of the stretch. Otherwise, the result is at most the end of the row.
    const std::int64_t row = at / o.width, begin = row * o.width;
    std::int64_t stop = stretch.end;
    there.clear();
    for (const host_layer& l : layers) {
      if (l.active == pixel_rectangle{0, 0, o.width, o.height}) {
        there.push_back({o.format, l.image + at * bytes});
        continue;
      }
      stop = std::min(stop, begin + o.width);
      if (row < l.active.top || row >= l.active.bottom) continue;
      const std::int64_t left = begin + l.active.left, right = begin + l.active.right;
      if (left <= at && at < right) there.push_back({o.format, l.image + at * bytes});
      if (at < right) stop = std::min(stop, left <= at ? right : left);
    }
    std::byte* const to = out + (at - stretch.begin) * out_bytes;
    if (there.empty())
      kernel::clear(out_format, to, stop - at);
    else
      kernel::blend(out_format, to, there, stop - at);
    at = stop;
  }
}

std::vector<plan::span> drawn_runs(const composite_options& o, std::span<const host_layer> layers, plan::span stripe) {
  std::vector<plan::span> all;
  for (const host_layer& l : layers)
    for (const plan::span s : rows_of(l.active, o.width)) {
      const plan::span within{std::max(s.begin, stripe.begin) - stripe.begin, std::min(s.end, stripe.end) - stripe.begin};
      if (within.size() > 0) all.push_back(within);
    }
  std::sort(all.begin(), all.end(), [](const plan::span& a, const plan::span& b) { return a.begin < b.begin; });
  std::vector<plan::span> runs;
  for (const plan::span& s : all)
    if (!runs.empty() && runs.back().end >= s.begin)
      runs.back().end = std::max(runs.back().end, s.end);
    else
      runs.push_back(s);
  return runs;
}

void blend_stripe(const composite_options& o, kernel::pixel_format out_format, std::byte* out,
                  std::span<const host_layer> layers, plan::span stripe) {
  constexpr std::int64_t block = 8192;  // multiple of the lengths of all vectors and cache lines
#pragma omp parallel for schedule(dynamic) if (stripe.size() > 2 * block)
  for (std::int64_t begin = stripe.begin; begin < stripe.end; begin += block)
    blend_stretch(o, out_format, out + (begin - stripe.begin) * static_cast<std::int64_t>(out_format.bytes()), layers,
                  {begin, std::min(stripe.end, begin + block)});
}

compositor::compositor(std::unique_ptr<backend> w) : backend_(std::move(w)) {}
compositor::compositor(compositor&&) noexcept = default;
compositor& compositor::operator=(compositor&&) noexcept = default;
compositor::~compositor() = default;

compositor compositor::make(MPI_Comm comm, const composite_options& options) {
  collectively(comm, [&] { check(options, size(comm)); });
  switch (choose(comm, options)) {
    case transport::shared:
      return compositor(composite_in_shared_memory(options, comm));
    case transport::hybrid:
      return compositor(composite_hybrid(options, comm));
    default:
      return compositor(composite_by_messages(options, comm));
  }
}

std::span<std::byte> compositor::buffer() {
  return {backend_->buffer(), static_cast<std::size_t>(backend_->pixels()) * backend_->options.format.bytes()};
}
frame_report compositor::run(std::span<const int> order, const pixel_rectangle& active) {
  return backend_->run(order, clipped(backend_->options, active));
}
frame_report compositor::run(std::span<const int> order) { return backend_->run(order, backend_->whole()); }
std::span<const std::byte> compositor::picture() const {
  return {backend_->picture(), static_cast<std::size_t>(backend_->pixels()) * backend_->options.format.bytes()};
}
const std::vector<plan::span>& compositor::parts() const { return backend_->parts; }
bool compositor::all_have_all() const { return backend_->all_have_all(); }
double compositor::error_bound() const { return backend_->error_bound; }
std::string compositor::description() const { return backend_->description; }

}  // namespace osteon::comm
