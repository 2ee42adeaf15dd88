#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/host_images.hpp>

namespace osteon::comm {

namespace {

class in_shared_memory : public compositor::way {
 public:
  in_shared_memory(const composite_options& o, MPI_Comm c)
      : way(o, c), images_(comm.get(), o, std::max(0, o.root)), rank_(comm.rank()), ranks_(comm.size()) {
    // Stripes begin at cache lines.
    const auto cut = [&](std::int64_t r) { return r == ranks_ ? pixels() : pixels() / ranks_ * r / 64 * 64; };
    stripe_ = {cut(rank_), cut(rank_ + 1)};
    if (o.root < 0)
      parts = {stripe_};
    else if (rank_ == o.root)
      parts = {{0, pixels()}};
    error_bound = o.format.depth || ranks_ == 1 ? 0 : 0.5;
    description = "shared memory";
  }

  std::byte* buffer() override { return images_.next_image(); }
  const std::byte* picture() const override { return images_.picture(); }

  frame_report run(std::span<const int> order, const pixel_rectangle& active) override {
    check_order(order, ranks_);
    frame_report report;
    const stopwatch all;
    const std::int64_t bad = options.check ? first_bad_pixel(options, images_.next_image(), active) : -1;
    images_.announce(active, bad);
    images_.await_images(options);
    std::vector<host_layer> layers;
    for (const int r : order)
      if (!images_.layer(r).active.empty()) layers.push_back(images_.layer(r));
    const stopwatch blending;
    blend_stripe(options, options.format, images_.picture() + stripe_.begin * pixel_bytes(), layers, stripe_);
    report.blend_seconds = blending.seconds();
    images_.finish();
    report.exchange_seconds = all.seconds() - report.blend_seconds;
    if (rank_ == options.root) {
      const stopwatch collecting;
      images_.await_picture();
      report.collect_seconds = collecting.seconds();
    }
    return report;
  }

 private:
  host_images images_;
  int rank_, ranks_;
  plan::span stripe_;
};

}  // namespace

std::unique_ptr<compositor::way> composite_in_shared_memory(const composite_options& options, MPI_Comm comm) {
  return std::make_unique<in_shared_memory>(options, comm);
}

}  // namespace osteon::comm
