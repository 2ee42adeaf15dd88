#include <algorithm>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/composite/compositor_backend.hpp>
#include <osteon/comm/composite/sparse_runs.hpp>
#include <osteon/comm/message_ledger.hpp>

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
    const bool other_rectangles = by_drawn() && gather_rectangles(active);
    if (other_rectangles || !std::equal(order.begin(), order.end(), order_.begin(), order_.end())) prepare(order);
    if (options.check) {
      std::int64_t bad = first_bad_pixel(options, image_.get(), options.sparse ? active : whole());
      collectively(comm.get(), [&] {
        if (bad >= 0) throw_not_premultiplied(options, comm.rank(), bad, image_.get());
      });
    }
    if (by_drawn()) clear_outside(active);
    const bool counts = ledger_of(comm.get()) != nullptr;
    if (dense_) {
      const frame_report report = dense_->run();
      finish_wide(schedule_, *pixels_);
      if (counts) count_frame(comm.get(), comm.get(), name_, shape_of(schedule_, *pixels_), report);
      return report;
    }
    message_ledger::shape counted;
    std::vector<plan::span> runs = active_runs(options.format, image_.get(), rows_of(active, options.width));
    const frame_report report = sparse_->run(runs, counts ? &counted : nullptr);
    finish_sparse(schedule_, *pixels_, runs);
    if (counts) count_frame(comm.get(), comm.get(), name_ + ", run lengths", counted, report);
    return report;
  }

 private:
  bool by_drawn() const { return options.sparse && options.method_of_drawn; }

  // Update the active pixels of all ranks. Return true if the active pixels have changed since the last frame. The function
  // is collective.
  bool gather_rectangles(const pixel_rectangle& active) {
    std::vector<pixel_rectangle> all(static_cast<std::size_t>(comm.size()));
    static_assert(sizeof(pixel_rectangle) == 4 * sizeof(int));
    MPI_Allgather(&active, 4, MPI_INT, all.data(), 4, MPI_INT, comm.get());
    const bool other = all != rectangles_;
    rectangles_ = std::move(all);
    return other;
  }

  void clear_outside(const pixel_rectangle& active) {
    std::int64_t at = 0;
    const auto clear_to = [&](std::int64_t end) {
      if (end > at) kernel::clear(options.format, image_.get() + at * pixel_bytes(), end - at);
    };
    for (const plan::span s : rows_of(active, options.width)) {
      clear_to(s.begin);
      at = s.end;
    }
    clear_to(pixels());
  }

  // Number of ranks with data, for each pixel.
  std::vector<exchange_object::drawn_span> layers_of_pixels(const std::vector<std::vector<plan::span>>& drawn) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> edges{{0, 0}};
    for (const auto& spans : drawn)
      for (const plan::span s : spans) {
        edges.emplace_back(s.begin, 1);
        edges.emplace_back(s.end, -1);
      }
    std::sort(edges.begin(), edges.end());
    std::vector<exchange_object::drawn_span> result;
    std::int64_t layers = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      layers += edges[e].second;
      const std::int64_t begin = edges[e].first, end = e + 1 < edges.size() ? edges[e + 1].first : pixels();
      if (begin == end) continue;
      if (!result.empty() && result.back().layers == layers)
        result.back().at.end = end;
      else
        result.push_back({{begin, end}, layers});
    }
    return result;
  }

  void prepare(std::span<const int> order) {
    dense_.reset();
    sparse_.reset();
    const int ranks = comm.size();
    plan::rank_plan mine;
    exchange_object object{options.format};
    collectively(comm.get(), [&] {
      std::vector<std::vector<plan::span>> drawn;
      if (by_drawn()) {
        for (const pixel_rectangle& r : rectangles_) drawn.push_back(rows_of(r, options.width));
        object.own_drawn = drawn[static_cast<std::size_t>(comm.rank())];
        object.drawn = layers_of_pixels(drawn);
      }
      const plan::plan all = by_drawn() ? options.method_of_drawn(ranks, pixels(), order, options.root, drawn)
                                        : options.method(ranks, pixels(), order, options.root);
      mine = all.part(comm.rank());
      description = all.name + " over messages";
      name_ = counted_name(all, options.format.bytes());
    });
    object.wide_between = options.wide_between;
    object.all_layers = ranks;
    schedule_ = make_schedule(comm.get(), mine, pixels(), object);
    pixels_ = std::make_unique<exchange_pixels>(schedule_, object, pixels(), image_.get());
    if (options.sparse && !by_drawn())
      sparse_ = std::make_unique<sparse_exchange>(comm.get(), schedule_, *pixels_);
    else
      dense_ = std::make_unique<dense_exchange>(comm.get(), schedule_, *pixels_, join_while_waiting_);
    parts = schedule_.parts(0);
    error_bound = schedule_.error_bound();
    order_.assign(order.begin(), order.end());
  }

  std::unique_ptr<std::byte[]> image_;
  std::string name_;
  std::vector<int> order_;
  std::vector<pixel_rectangle> rectangles_;  // rectangle of each rank
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
