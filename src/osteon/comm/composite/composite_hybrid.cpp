#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/composite/host_images.hpp>
#include <osteon/comm/composite/sparse_runs.hpp>
#include <osteon/comm/message_ledger.hpp>

namespace osteon::comm {

namespace {

// Group the ranks that can share memory, or groups of `ranks_per_host` consecutive ranks.
communicator split_into_hosts(const composite_options& o, MPI_Comm comm) {
  if (o.ranks_per_host == 0) return communicator::of_host(comm);
  communicator host = communicator::split(comm, rank(comm) / o.ranks_per_host);
  const int sharing = communicator::of_host(host.get()).size();
  collectively(comm, [&] {
    if (sharing < host.size())
      throw usage_error(
          fmt::format("{} ranks per host, but only {} of them share memory with rank {}: must be 0 or a divisor of the "
                      "number of ranks per host",
                      o.ranks_per_host, sharing, rank(comm)));
  });
  return host;
}

// Local rank i of each host blends stripe i of the host's images. For each stripe, one plan composites the stripe between
// hosts. The root of the plan stores the stripe in the picture. The picture is in shared memory on the host of the root.
class hybrid : public compositor::backend {
 public:
  hybrid(const composite_options& o, MPI_Comm c) : backend(o, c), host_(split_into_hosts(options, comm.get())) {
    collectively(comm.get(), [&] { check_sparse(options); });
    const int rank = comm.rank(), ranks = comm.size();
    // Hosts are numbered in the order of their lowest ranks.
    int lowest = rank;
    MPI_Bcast(&lowest, 1, MPI_INT, 0, host_.get());
    std::vector<int> lowest_of(static_cast<std::size_t>(ranks));
    MPI_Allgather(&lowest, 1, MPI_INT, lowest_of.data(), 1, MPI_INT, comm.get());
    std::vector<int> hosts = lowest_of;
    std::sort(hosts.begin(), hosts.end());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    for (const int l : lowest_of)
      host_of_.push_back(static_cast<int>(std::lower_bound(hosts.begin(), hosts.end(), l) - hosts.begin()));
    hosts_ = static_cast<int>(hosts.size());
    local_of_.resize(static_cast<std::size_t>(ranks));
    const int local = host_.rank();
    MPI_Allgather(&local, 1, MPI_INT, local_of_.data(), 1, MPI_INT, comm.get());

    stripes_ = host_.size();
    MPI_Allreduce(MPI_IN_PLACE, &stripes_, 1, MPI_INT, MPI_MIN, comm.get());
    between_ = communicator::split(comm.get(), local < stripes_ ? local : MPI_UNDEFINED, own_host());
    const auto cut = [&](std::int64_t s) { return s == stripes_ ? pixels() : pixels() / stripes_ * s / 64 * 64; };
    if (local < stripes_) stripe_ = {cut(local), cut(local + 1)};
    images_ = std::make_unique<host_images>(host_.get(), options, 0);
    picture_ = images_->picture();
    join_while_waiting_ = cores_for_all(options, comm.get());
  }

  std::byte* buffer() override { return images_->next_image(); }
  const std::byte* picture() const override { return picture_; }

  frame_report run(std::span<const int> order, const pixel_rectangle& active) override {
    check_order(order, comm.size());
    if (!std::equal(order.begin(), order.end(), order_.begin(), order_.end())) prepare(order);
    if (!by_stripes_) return run_by_messages(order, active);
    const std::byte* const own = images_->next_image();
    if (options.check) {
      const std::int64_t bad = first_bad_pixel(options, own, active);
      collectively(comm.get(), [&] {
        if (bad >= 0) throw_not_premultiplied(options, comm.rank(), bad, own);
      });
    }
    const stopwatch all;
    images_->announce(active, -1);
    images_->await_images(options);
    const double waited = all.seconds();
    frame_report report;
    if (stripe_.size() > 0) {
      const stopwatch blending;
      const bool wide = object_.starts_wide, counts = ledger_of(comm.get()) != nullptr;
      const std::vector<host_layer> layers = layers_of_host();
      if (options.sparse) {
        std::vector<plan::span> runs = blend_drawn(layers, wide);
        const double local = blending.seconds();
        message_ledger::shape counted;
        report = sparse_->run(runs, counts ? &counted : nullptr);
        if (counts) count_frame(comm.get(), between_.get(), name_ + ", run lengths", counted, report);
        finish_sparse(schedule_, *pixels_, runs);
        report.blend_seconds += local;
      } else {
        blend_stripe(options, pixels_->format(wide), pixels_->at(wide, 0), layers, stripe_);
        const double local = blending.seconds();
        report = dense_->run();
        if (counts) count_frame(comm.get(), between_.get(), name_, shape_of(schedule_, *pixels_), report);
        finish_wide(schedule_, *pixels_);
        report.blend_seconds += local;
      }
    }
    images_->finish();
    report.exchange_seconds += waited;
    if (comm.rank() == options.root) {
      const stopwatch collecting;
      images_->await_picture();
      report.collect_seconds += collecting.seconds();
    }
    return report;
  }

 private:
  int own_host() const { return host_of_[static_cast<std::size_t>(comm.rank())]; }

  std::vector<host_layer> layers_of_host() const {
    std::vector<host_layer> layers;
    for (const int r : order_)
      if (host_of_[static_cast<std::size_t>(r)] == own_host()) {
        const host_layer l = images_->layer(local_of_[static_cast<std::size_t>(r)]);
        if (!l.active.empty()) layers.push_back(l);
      }
    return layers;
  }

  // Copy the non-empty pixels. Return the runs of these pixels.
  std::vector<plan::span> blend_drawn(std::span<const host_layer> layers, bool wide) {
    std::vector<plan::span> runs = drawn_runs(options, layers, stripe_);
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t r = 0; r < runs.size(); ++r)
      blend_stretch(options, pixels_->format(wide), pixels_->at(wide, runs[r].begin), layers,
                    {stripe_.begin + runs[r].begin, stripe_.begin + runs[r].end});
    return active_runs(pixels_->format(wide), pixels_->at(wide, 0), std::move(runs));
  }

  // Hosts from front to back. If the images of a host are not contiguous in the visibility order, the list is empty.
  std::vector<int> order_of_hosts(std::span<const int> order) const {
    std::vector<int> hosts;
    for (const int r : order) {
      const int host = host_of_[static_cast<std::size_t>(r)];
      if (hosts.empty() || hosts.back() != host) hosts.push_back(host);
    }
    return static_cast<int>(hosts.size()) == hosts_ ? hosts : std::vector<int>{};
  }

  void prepare(std::span<const int> order) {
    order_.assign(order.begin(), order.end());
    const std::vector<int> hosts = order_of_hosts(order);
    by_stripes_ = !hosts.empty();
    picture_ = images_->picture();
    parts.clear();
    if (!by_stripes_) return;
    dense_.reset();
    sparse_.reset();
    object_ = {options.format};
    object_.wide_between = options.wide_between;
    object_.starts_wide = hosts_ > 1 && object_.has_wide();
    object_.own_layers = host_.size();
    object_.all_layers = comm.size();
    if (object_.own_layers == object_.all_layers)
      object_.error = options.format.depth || comm.size() == 1 ? 0 : 0.5;
    else if (host_.size() > 1 && !options.format.depth)
      object_.error = exchange_schedule::rounding(options.format, object_.starts_wide);
    if (between_.get() != MPI_COMM_NULL) {
      const int root = options.root < 0 ? -1 : host_of_[static_cast<std::size_t>(options.root)];
      const plan::plan plan = options.method(hosts_, stripe_.size(), hosts, root);
      name_ = counted_name(plan, options.format.bytes()) + ", between hosts";
      schedule_ = make_schedule(between_.get(), plan.part(own_host()), stripe_.size(), object_);
      pixels_ = std::make_unique<exchange_pixels>(schedule_, object_, stripe_.size(),
                                                  images_->picture() + stripe_.begin * pixel_bytes());
      if (options.sparse)
        sparse_ = std::make_unique<sparse_exchange>(between_.get(), schedule_, *pixels_);
      else
        dense_ = std::make_unique<dense_exchange>(between_.get(), schedule_, *pixels_, join_while_waiting_);
      if (options.root < 0) parts = schedule_.parts(stripe_.begin);
      error_bound = schedule_.error_bound();
    }
    if (comm.rank() == options.root) parts = {{0, pixels()}};
    MPI_Allreduce(MPI_IN_PLACE, &error_bound, 1, MPI_DOUBLE, MPI_MAX, comm.get());
    description = fmt::format("shared memory in {} hosts, {} stripes between them", hosts_, stripes_);
  }

  frame_report run_by_messages(std::span<const int> order, const pixel_rectangle& active) {
    if (!messages_) messages_ = composite_by_messages(options, comm.get());
    const std::byte* const own = images_->next_image();
    std::byte* const to = messages_->buffer();
    kernel::clear(options.format, to, pixels());
    for (int row = active.top; row < active.bottom; ++row) {
      const std::int64_t begin = (std::int64_t{row} * options.width + active.left) * pixel_bytes();
      std::memcpy(to + begin, own + begin, static_cast<std::size_t>((active.right - active.left) * pixel_bytes()));
    }
    const frame_report report = messages_->run(order, active);
    picture_ = messages_->picture();
    parts = messages_->parts;
    error_bound = messages_->error_bound;
    description = messages_->description + ", because images of a host are not contiguous in the visibility order";
    return report;
  }

  communicator host_, between_;
  std::vector<int> host_of_, local_of_;  // host and local rank of each rank
  int hosts_ = 1, stripes_ = 1;
  plan::span stripe_;
  std::unique_ptr<host_images> images_;
  const std::byte* picture_ = nullptr;
  std::string name_;
  std::vector<int> order_;
  bool by_stripes_ = true, join_while_waiting_ = false;
  exchange_object object_;
  exchange_schedule schedule_;
  std::unique_ptr<exchange_pixels> pixels_;
  std::unique_ptr<dense_exchange> dense_;
  std::unique_ptr<sparse_exchange> sparse_;
  std::unique_ptr<compositor::backend> messages_;
};

}  // namespace

std::unique_ptr<compositor::backend> composite_hybrid(const composite_options& options, MPI_Comm comm) {
  return std::make_unique<hybrid>(options, comm);
}

}  // namespace osteon::comm
