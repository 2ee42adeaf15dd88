#include <osteon/render/compositing/join_images.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <osteon/base/error.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/element_type.hpp>
#include <osteon/comm/gather_to_all.hpp>
#include <osteon/comm/message_ledger.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/kernel/blend/wide_pixel.hpp>
#include <osteon/render/compositing/choose_compositor.hpp>
#include <osteon/render/compositing/exchange.hpp>

namespace osteon::render {

namespace {

// For images with fewer bytes, the machine is not measured.
constexpr double least_bytes_to_choose = 1 << 20;

void to_floats_by_threads(kernel::pixel_format format, float* to, const std::byte* from, std::int64_t count) {
  constexpr std::int64_t block = 8192;
#pragma omp parallel for schedule(static) if (count > 2 * block)
  for (std::int64_t begin = 0; begin < count; begin += block)
    kernel::to_floats(format, to + 4 * begin, from + begin * static_cast<std::int64_t>(format.bytes()),
                      std::min(block, count - begin));
}

// Gather the spans of all ranks. The function is collective.
std::vector<std::vector<plan::span>> spans_of_all(MPI_Comm comm, const std::vector<plan::span>& own) {
  const auto [all, counts] = comm::gather_to_all(comm, own);
  std::vector<std::vector<plan::span>> result;
  auto next = all.begin();
  for (const int c : counts) {
    result.emplace_back(next, next + c);
    next += c;
  }
  return result;
}

}  // namespace

comm::pixel_rectangle rectangle_within(const pixel_box& frame, const pixel_box& seen) {
  const comm::pixel_rectangle part{std::max(0, seen.left - frame.left), std::max(0, seen.top - frame.top),
                                   std::min(static_cast<int>(frame.width()), seen.right - frame.left),
                                   std::min(static_cast<int>(frame.height()), seen.bottom - frame.top)};
  return part.empty() ? comm::pixel_rectangle{} : part;
}

kernel::pixel_format format_of_rows(kernel::pixel_format composited) {
  return composited.colour == kernel::colour_format::wide ? kernel::pixel_format{kernel::colour_format::rgba32f}
                                                          : composited;
}

std::string rows_counted_as(kernel::pixel_format composited) {
  return fmt::format("rows of the picture, {} B", format_of_rows(composited).bytes());
}

comm::composite_options image_join::options() const {
  comm::composite_options o;
  o.width = width_;
  o.height = height_;
  o.format = format();
  o.root = -1;
  o.check = false;  // a layer may emit more light than the layer absorbs
  // Messages of sparse images are limited to 2^30 bytes.
  o.sparse = static_cast<double>(width_) * height_ * static_cast<double>(o.format.bytes()) < 0x1p30;
  return o;
}

void image_join::prepare(int width, int height, const comm::pixel_rectangle& active) {
  active_ = active;
  if (compositor_ && width == width_ && height == height_) return;
  compositor_.reset();
  width_ = width;
  height_ = height;
  if (by_)
    create(options(), *by_, std::string(method_));
  else
    choose(options());
}

void image_join::create(comm::composite_options wanted, comm::transport by, const std::string& method) {
  wanted.by = by;
  if (!method.empty()) {
    wanted.method = plan_maker_of(method);
    wanted.method_of_drawn = drawn_plan_maker_of(method);
  }
  compositor_ = comm::compositor::make(comm_, wanted);
  by_ = by;
  method_ = method;
}

void image_join::choose(const comm::composite_options& wanted) {
  const int ranks = comm::size(comm_);
  const auto pixels = kernel::name_of(wanted.format);

  const auto name = [](comm::transport by, const std::string& method) {
    if (by == comm::transport::shared) return std::string("shared memory");
    return (method.empty() ? "standard method" : method) +
           (by == comm::transport::hybrid ? " between hosts, shared memory within hosts" : " over messages");
  };
  const bool small =
      static_cast<double>(wanted.width) * wanted.height * static_cast<double>(wanted.format.bytes()) < least_bytes_to_choose;
  if (ranks == 1 || (request_.by.value_or(comm::transport::messages) == comm::transport::messages &&
                     request_.method.empty() && (small || !request_.series))) {
    create(wanted, comm::transport::messages, default_method(ranks));
    description_ = fmt::format("{}, {}", ranks == 1 ? "one rank" : name(*by_, method_), pixels);
    return;
  }
  if (request_.by == comm::transport::shared || !request_.method.empty()) {
    create(wanted, *request_.by, request_.method);
    description_ = fmt::format("{}, {}, as requested", name(*request_.by, request_.method), pixels);
    return;
  }
  double share = active_.empty() ? 0
                                 : static_cast<double>(active_.right - active_.left) * (active_.bottom - active_.top) /
                                       (static_cast<double>(width_) * height_);
  comm::all_reduce(comm_, &share, 1, MPI_SUM);
  const host_layout layout = layout_of(comm_, 0);
  // All ranks have equal input, and therefore have the same order of candidates.
  const auto candidates =
      rank_compositors(probe_machine(comm_, wanted.format, layout), layout, ranks, wanted, share / ranks);
  std::string model, rejected;
  for (const compositor_candidate& c : candidates)
    if (model.size() < 120) model += fmt::format("{}{} {:.2g} ms", model.empty() ? "" : ", ", c.name, 1e3 * c.predicted);
  for (const compositor_candidate& c : candidates) {
    if (request_.by && c.by != *request_.by) continue;
    try {
      create(wanted, c.by, c.method);
      description_ = fmt::format("{}, {}; predicted: {}{}", name(c.by, c.method), pixels, model, rejected);
      return;
    } catch (const machine_error& e) {
      rejected += fmt::format("; {} is not available: {}", c.name, e.what());  // e.g. shared memory is insufficient
    }
  }
  if (request_.by) {  // on one host, hybrid has no candidate
    create(wanted, *request_.by, "");
    description_ = fmt::format("{}, {}, as requested", name(*request_.by, ""), pixels);
    return;
  }
  throw machine_error("no compositing method is available" + rejected);
}

std::byte* image_join::image() {
  std::byte* const image = compositor_->buffer().data();
  const auto bytes = static_cast<std::int64_t>(format().bytes());
  const bool dense = !options().sparse && by_ != comm::transport::shared;
  const comm::pixel_rectangle drawn = dense ? comm::pixel_rectangle{0, 0, width_, height_} : active_;
  for (int row = drawn.top; row < drawn.bottom; ++row)
    kernel::clear(format(), image + (std::int64_t{row} * width_ + drawn.left) * bytes, drawn.right - drawn.left);
  return image;
}

void image_join::run(std::span<const int> order) { compositor_->run(order, active_); }

std::vector<float> image_join::pixels(std::span<const std::int64_t> first_pixel) {
  const auto rank = static_cast<std::size_t>(comm::rank(comm_)), ranks = static_cast<std::size_t>(comm::size(comm_));
  const auto wanted_by = [&](std::size_t r) { return plan::span{first_pixel[r], first_pixel[r + 1]}; };
  const plan::span own = wanted_by(rank);
  const std::byte* const picture = compositor_->picture().data();
  const auto bytes = static_cast<std::int64_t>(format().bytes());
  std::vector<float> result(4 * static_cast<std::size_t>(own.size()));
  const auto place = [&](std::int64_t pixel) { return result.data() + 4 * (pixel - own.begin); };
  if (compositor_->all_have_all()) {
    to_floats_by_threads(format(), result.data(), picture + own.begin * bytes, own.size());
    return result;
  }
  const kernel::pixel_format sent = format_of_rows(format());
  const auto sent_bytes = static_cast<std::int64_t>(sent.bytes());
  const auto parts = spans_of_all(comm_, compositor_->parts());
  std::vector<int> to(ranks), from(ranks);
  const auto count = [&](std::size_t sender, std::size_t receiver) {
    std::int64_t all = 0;
    if (sender != receiver)
      for (const plan::span& s : parts[sender]) all += overlap(s, wanted_by(receiver)).size();
    return static_cast<int>(all);
  };
  for (std::size_t r = 0; r < ranks; ++r) to[r] = count(rank, r), from[r] = count(r, rank);

  const auto room = [&](const std::vector<int>& counts) {
    return static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) * sent_bytes);
  };
  std::vector<std::byte> out(room(to)), in(room(from));
  std::byte* next = out.data();
  for (std::size_t r = 0; r < ranks; ++r)
    for (const plan::span& part : parts[rank]) {
      const plan::span s = overlap(part, wanted_by(r));
      if (s.size() == 0) continue;
      const std::byte* const here = picture + s.begin * bytes;
      if (r == rank) {
        to_floats_by_threads(format(), place(s.begin), here, s.size());
        continue;
      }
      if (sent == format())
        std::memcpy(next, here, static_cast<std::size_t>(s.size() * bytes));
      else
        to_floats_by_threads(format(), reinterpret_cast<float*>(next), here, s.size());
      next += s.size() * sent_bytes;
    }
  const comm::element_type type(sent.bytes());
  const auto counted =
      comm::counted_call::all_to_all(comm_, rows_counted_as(format()), to, from, static_cast<int>(sent_bytes));
  MPI_Alltoallv(out.data(), to.data(), comm::offsets_of(to).data(), type.get(), in.data(), from.data(),
                comm::offsets_of(from).data(), type.get(), comm_);
  const std::byte* received = in.data();
  for (std::size_t r = 0; r < ranks; ++r)
    for (const plan::span& part : parts[r]) {
      const plan::span s = overlap(part, own);
      if (r == rank || s.size() == 0) continue;
      to_floats_by_threads(sent, place(s.begin), received, s.size());
      received += s.size() * sent_bytes;
    }
  return result;
}

}  // namespace osteon::render
