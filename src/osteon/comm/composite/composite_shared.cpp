#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/composite/host_images.hpp>
#include <osteon/plan/composite/generators.hpp>

namespace osteon::comm {

namespace {

/// Direct send in shared memory. The owner of a stripe reads this stripe from the images of all other ranks.
class in_shared_memory : public compositor::backend {
 public:
  in_shared_memory(const composite_options& o, MPI_Comm c)
      : backend(o, c),
        images_(comm.get(), o, std::max(0, o.root)),
        rank_(comm.rank()),
        ranks_(comm.size()),
        plan_(plan::direct_send({.members = ranks_, .elements = (pixels() + line - 1) / line})) {
    if (o.root < 0)
      parts = {stripe(rank_)};
    else if (rank_ == o.root)
      parts = {{0, pixels()}};
    error_bound = o.format.depth || ranks_ == 1 ? 0 : 0.5;
    description = "shared memory";
  }

  std::byte* buffer() override { return images_.next_image(); }
  const std::byte* picture() const override { return images_.picture(); }
  // Ranks with a part of the picture wait until the whole picture is complete. The picture remains valid until all ranks
  // have begun the next frame.
  bool all_have_all() const override { return options.root < 0 || ranks_ == 1; }

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
    std::int64_t blocks = 0;
    for (int r = 0; r < ranks_; ++r) blocks += blocks_of(r);
    images_.begin_blocks(blocks);
    const stopwatch blending;
#pragma omp parallel
    for (int k = 0; k < ranks_; ++k) blend_blocks((rank_ + k) % ranks_, layers);
    report.blend_seconds = blending.seconds();
    report.exchange_seconds = all.seconds() - report.blend_seconds;
    const stopwatch collecting;
    if (!parts.empty()) images_.await_blocks();
    report.collect_seconds = collecting.seconds();
    return report;
  }

 private:
  static constexpr std::int64_t line = 64;     // length in pixels
  static constexpr std::int64_t block = 8192;  // length in pixels; several layers of a block fit into the cache of a core

  // The elements of the plan are cache lines.
  plan::span stripe(int r) const {
    const plan::span lines = plan_.owned(r).front();
    return {std::min(pixels(), lines.begin * line), std::min(pixels(), lines.end * line)};
  }
  std::int64_t blocks_of(int r) const { return (stripe(r).size() + block - 1) / block; }

  // Blend the remaining blocks of stripe r.
  void blend_blocks(int r, std::span<const host_layer> layers) {
    const plan::span all = stripe(r);
    const std::int64_t blocks = blocks_of(r);
    for (std::int64_t b = images_.claim(r, blocks); b >= 0; b = images_.claim(r, blocks)) {
      const std::int64_t begin = all.begin + b * block;
      blend_stretch(options, options.format, images_.picture() + begin * pixel_bytes(), layers,
                    {begin, std::min(all.end, begin + block)});
      images_.finish_block();
    }
  }

  host_images images_;
  int rank_, ranks_;
  plan::composite plan_;
};

}  // namespace

std::unique_ptr<compositor::backend> composite_in_shared_memory(const composite_options& options, MPI_Comm comm) {
  return std::make_unique<in_shared_memory>(options, comm);
}

}  // namespace osteon::comm
