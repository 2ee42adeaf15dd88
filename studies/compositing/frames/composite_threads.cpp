#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <ctime>
#include <memory>
#include <osteon/base/error.hpp>
#include <osteon/base/stopwatch.hpp>
#include <osteon/compositing/among_threads.hpp>
#include <osteon/plan/composite/composite_method.hpp>
#include <studies/compositing/frames/composite_frames.hpp>
#include <studies/compositing/frames/method_options.hpp>
#include <thread>

namespace osteon::studies {

namespace {

double own_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::shared_ptr<compositing::among_threads> make_among_threads(const composite_case& scene, int ranks,
                                                               const std::string& name) {
  const method_options options = read_method(name);
  if (options.sparse || options.checked || options.display)
    throw usage_error(fmt::format("'{}' among threads: +sparse and +checked require ranks; leave them out", name));
  const auto plan =
      plan::composite_method::parse(options.method)
          .make(ranks, std::int64_t{scene.width} * scene.height, visibility_order(scene, ranks), options.in_parts ? -1 : 0);
  return std::make_shared<compositing::among_threads>(plan, scene.format, !options.narrow);
}

// A method for one thread.
composite_way way_of_thread(const composite_case& scene, const std::string& name,
                            const std::shared_ptr<compositing::among_threads>& compositor, int thread) {
  auto image = std::make_shared<std::vector<std::byte>>(compositor->image(thread).size());
  render(scene, thread, *image);
  composite_way way;
  way.name = name;
  way.prepare = [=] { std::copy(image->begin(), image->end(), compositor->image(thread).begin()); };
  way.frame = [=] { return compositor->run(thread); };
  way.picture = [=] { return compositor->image(0); };
  way.in_parts = read_method(name).in_parts;
  way.error_bound = allowed_error(scene, compositor->threads(), compositor->error_bound());
  return way;
}

frame_samples joined_over_threads(const std::vector<std::vector<frame_samples>>& by_thread, std::size_t way) {
  frame_samples joined = by_thread[0][way];
  for (std::size_t t = 1; t < by_thread.size(); ++t) {
    const frame_samples& other = by_thread[t][way];
    for (const auto list : {&frame_samples::wall, &frame_samples::blend, &frame_samples::exchange, &frame_samples::collect})
      for (std::size_t i = 0; i < (joined.*list).size(); ++i)
        (joined.*list)[i] = std::max((joined.*list)[i], (other.*list)[i]);
    for (std::size_t i = 0; i < joined.cpu.size(); ++i) joined.cpu[i] += other.cpu[i];
  }
  return joined;
}

}  // namespace

std::vector<composite_cost> measure_among_threads(const composite_case& scene, int ranks,
                                                  std::span<const std::string> methods) {
  std::vector<std::vector<composite_way>> ways(static_cast<std::size_t>(ranks));  // methods of each thread
  for (const std::string& name : methods) {
    const auto compositor = make_among_threads(scene, ranks, name);
    for (int t = 0; t < ranks; ++t) ways[static_cast<std::size_t>(t)].push_back(way_of_thread(scene, name, compositor, t));
  }
  std::barrier together(ranks);
  const stopwatch clock;
  double seconds = 0;
  std::vector<std::vector<frame_samples>> samples(ways.size());
  const auto work = [&](std::size_t thread) {
    frame_member member;
    member.wait_for_all = [&] { together.arrive_and_wait(); };
    member.cpu_seconds = own_cpu_seconds;
    member.have_all_run = [&, thread](double wanted) {
      if (thread == 0) seconds = clock.seconds();
      together.arrive_and_wait();
      const bool over = seconds >= wanted;
      together.arrive_and_wait();  // the barrier ends before the first thread reads the clock again
      return over;
    };
    samples[thread] = measure_frames(ways[thread], member, scene.seconds);
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < ways.size(); ++t) threads.emplace_back(work, t);
  for (auto& t : threads) t.join();
  std::vector<composite_cost> costs;
  for (std::size_t w = 0; w < methods.size(); ++w) {
    std::vector<double> bytes;
    for (const auto& of_thread : samples) bytes.push_back(of_thread[w].bytes);
    costs.push_back(cost_of(methods[w], joined_over_threads(samples, w), std::move(bytes)));
    find_error(costs.back(), scene, ranks, ways[0][w]);
  }
  return costs;
}

}  // namespace osteon::studies
