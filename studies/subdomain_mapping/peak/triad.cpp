#include <studies/subdomain_mapping/peak/triad.hpp>

#include <omp.h>

#include <algorithm>
#include <studies/subdomain_mapping/block/stream_store.hpp>

namespace osteon::studies {

namespace {

constexpr std::int64_t rows = 16, row = 4096;  // number of rows of a plane, and number of elements of a row

}  // namespace

triad::triad(std::int64_t bytes)
    : a_({std::max<std::int64_t>(1, bytes / 8 / (rows * row)), rows, row}), b_(a_.view().shape()), c_(a_.view().shape()) {}

std::int64_t triad::run() {
  using vector = kernel::lanes<double>::vector;
  const auto a = a_.view(), b = b_.view(), c = c_.view();
  const std::int64_t planes = a.shape().z;
#pragma omp parallel
  {
    const auto mine = slab_of(omp_get_thread_num(), omp_get_num_threads(), planes);
    for (std::int64_t z = mine.begin; z < mine.end; ++z)
      for (std::int64_t y = 0; y < rows; ++y)
        for (std::int64_t x = 0; x < row; x += kernel::lanes<double>::count)
          stream(a.at({z, y, x}), kernel::get<vector>(b.at({z, y, x})) + 3 * kernel::get<vector>(c.at({z, y, x})));
    end_of_streams();
  }
  return 24 * planes * rows * row;
}

}  // namespace osteon::studies
