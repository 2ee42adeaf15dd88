#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/comm/compositor_way.hpp>
#include <osteon/comm/sparse_runs.hpp>
#include <osteon/comm/together.hpp>

namespace osteon::comm {

namespace {

class by_messages : public compositor::way {
 public:
  by_messages(const composite_options& o, MPI_Comm c) : way(o, c) {
    together(comm.get(), [&] {
      const std::size_t bytes = static_cast<std::size_t>(pixels()) * o.format.bytes();
      if (o.sparse && bytes > std::numeric_limits<int>::max() / 2)
        throw usage_error(
            fmt::format("sparse images of {} x {} pixels of {}: messages are limited to {} MB; composite dense ones",
                        o.width, o.height, kernel::name_of(o.format), std::numeric_limits<int>::max() / 2'000'000));
      image_ = std::make_unique<std::byte[]>(bytes);
    });
    description = "messages";
  }

  std::byte* buffer() override { return image_.get(); }
  const std::byte* picture() const override { return image_.get(); }

  frame_report run(std::span<const int> order, const pixel_rectangle& active) override {
    check_order(order, comm.size());
    if (!std::equal(order.begin(), order.end(), order_.begin(), order_.end())) prepare(order);
    if (options.check) {
      std::int64_t bad = first_bad_pixel(options, image_.get(), options.sparse ? active : whole());
      together(comm.get(), [&] {
        if (bad >= 0) throw_not_premultiplied(options, comm.rank(), bad, image_.get());
      });
    }
    if (!options.sparse) {
      const frame_report report = dense_->run();
      finish_wide(schedule_, *pixels_);
      return report;
    }
    std::vector<plan::span> runs = active_runs(options.format, image_.get(), options.width, active);
    const frame_report report = sparse_->run(runs);
    finish_sparse(runs);
    return report;
  }

 private:
  void prepare(std::span<const int> order) {
    dense_.reset();
    sparse_.reset();
    const int ranks = comm.size();
    plan::rank_plan mine;
    together(comm.get(), [&] {
      const plan::plan all = options.method(ranks, pixels(), order, options.root);
      mine = all.of(comm.rank());
      description = all.name + " over messages";
    });
    exchange_object object{options.format};
    object.wide_between = options.wide_between;
    object.all_layers = ranks;
    schedule_ = make_schedule(comm.get(), mine, pixels(), object);
    pixels_ = std::make_unique<exchange_pixels>(schedule_, object, pixels(), image_.get());
    if (options.sparse)
      sparse_ = std::make_unique<sparse_exchange>(comm.get(), schedule_, *pixels_);
    else
      dense_ = std::make_unique<dense_exchange>(comm.get(), schedule_, *pixels_);
    parts = schedule_.parts(0);
    error_bound = schedule_.error_bound();
    order_.assign(order.begin(), order.end());
  }

  void finish_sparse(std::span<const plan::span> runs) {
    finish_wide(schedule_, *pixels_);
    for (const plan::span part : parts) {
      std::int64_t at = part.begin;
      for (const plan::span r : runs) {
        if (r.end <= part.begin || r.begin >= part.end) continue;
        if (at < r.begin) clear(options.format, pixels_->at(false, at), r.begin - at);
        at = std::max(at, r.end);
      }
      if (at < part.end) clear(options.format, pixels_->at(false, at), part.end - at);
    }
  }

  std::unique_ptr<std::byte[]> image_;
  std::vector<int> order_;
  exchange_schedule schedule_;
  std::unique_ptr<exchange_pixels> pixels_;
  std::unique_ptr<dense_exchange> dense_;
  std::unique_ptr<sparse_exchange> sparse_;
};

}  // namespace

std::unique_ptr<compositor::way> composite_by_messages(const composite_options& options, MPI_Comm comm) {
  return std::make_unique<by_messages>(options, comm);
}

}  // namespace osteon::comm
