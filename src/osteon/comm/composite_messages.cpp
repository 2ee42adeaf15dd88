#include <algorithm>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/compositor_backend.hpp>
#include <osteon/comm/sparse_runs.hpp>

namespace osteon::comm {

namespace {

class by_messages : public compositor::backend {
 public:
  by_messages(const composite_options& o, MPI_Comm c) : backend(o, c) {
    collectively(comm.get(), [&] {
      check_sparse(options);
      image_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(pixels() * pixel_bytes()));
    });
    join_while_waiting_ = cores_for_all(options, comm.get());
    description = "messages";
  }

  std::byte* buffer() override { return image_.get(); }
  const std::byte* picture() const override { return image_.get(); }

  frame_report run(std::span<const int> order, const pixel_rectangle& active) override {
    check_order(order, comm.size());
    if (!std::equal(order.begin(), order.end(), order_.begin(), order_.end())) prepare(order);
    if (options.check) {
      std::int64_t bad = first_bad_pixel(options, image_.get(), options.sparse ? active : whole());
      collectively(comm.get(), [&] {
        if (bad >= 0) throw_not_premultiplied(options, comm.rank(), bad, image_.get());
      });
    }
    if (!options.sparse) {
      const frame_report report = dense_->run();
      finish_wide(schedule_, *pixels_);
      return report;
    }
    std::vector<plan::span> runs = active_runs(options.format, image_.get(), rows_of(active, options.width));
    const frame_report report = sparse_->run(runs);
    finish_sparse(schedule_, *pixels_, runs);
    return report;
  }

 private:
  void prepare(std::span<const int> order) {
    dense_.reset();
    sparse_.reset();
    const int ranks = comm.size();
    plan::rank_plan mine;
    collectively(comm.get(), [&] {
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
      dense_ = std::make_unique<dense_exchange>(comm.get(), schedule_, *pixels_, join_while_waiting_);
    parts = schedule_.parts(0);
    error_bound = schedule_.error_bound();
    order_.assign(order.begin(), order.end());
  }

  std::unique_ptr<std::byte[]> image_;
  std::vector<int> order_;
  bool join_while_waiting_ = false;
  exchange_schedule schedule_;
  std::unique_ptr<exchange_pixels> pixels_;
  std::unique_ptr<dense_exchange> dense_;
  std::unique_ptr<sparse_exchange> sparse_;
};

}  // namespace

std::unique_ptr<compositor::backend> composite_by_messages(const composite_options& options, MPI_Comm comm) {
  return std::make_unique<by_messages>(options, comm);
}

}  // namespace osteon::comm
