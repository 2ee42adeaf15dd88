// Tests of Fourier transforms in three dimensions over ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <osteon/base/error.hpp>
#include <studies/hyper_crossbar/fourier/fourier_3d.hpp>
#include <studies/hyper_crossbar/integer_sort/npb_random.hpp>
#if defined(OSTEON_FFTW)
#include <fftw3.h>
#endif

namespace osteon::studies::fourier_3d_test {

using complex = std::complex<double>;

// Every folding that this number of ranks permits.
std::vector<fourier_options> ways(index3 shape, int ranks) {
  std::vector<fourier_options> result{{.method = fourier_method::shared}};
  for (int rows = 1; rows <= ranks; ++rows)
    if (ranks % rows == 0 && rows <= std::min(shape.y, shape.x) && ranks / rows <= std::min(shape.z, shape.y))
      result.push_back({.method = fourier_method::transposition, .folding = {rows, ranks / rows}});
  if ((ranks & (ranks - 1)) == 0) result.push_back({.method = fourier_method::butterfly});
  return result;
}

std::string name(const fourier_options& way) {
  return std::to_string(static_cast<int>(way.method)) + ", " + std::to_string(way.folding.rows) + " rows";
}

std::vector<complex> noise(index3 shape) {
  npb_random random;
  std::vector<complex> values(static_cast<std::size_t>(shape.volume()));
  for (complex& v : values) v = {random.next() - 0.5, random.next() - 0.5};
  return values;
}

std::size_t at(index3 shape, index3 p) { return static_cast<std::size_t>((p.z * shape.y + p.y) * shape.x + p.x); }

void give(fourier_3d& transform, const std::vector<complex>& values) {
  const box3 mine = transform.points();
  for (std::int64_t z = mine.begin.z; z < mine.end.z; ++z)
    for (std::int64_t y = mine.begin.y; y < mine.end.y; ++y)
      for (std::int64_t x = mine.begin.x; x < mine.end.x; ++x)
        transform.point_line(z - mine.begin.z, y - mine.begin.y)[x - mine.begin.x] =
            values[at(transform.shape(), {z, y, x})];
}

double mode_error(fourier_3d& transform, const std::vector<complex>& expected) {
  double error = 0;
  const auto z = transform.modes(0), y = transform.modes(1), x = transform.modes(2);
  for (std::size_t k = 0; k < z.size(); ++k)
    for (std::size_t j = 0; j < y.size(); ++j)
      for (std::size_t i = 0; i < x.size(); ++i)
        error = std::max(error, std::abs(transform.mode_line(static_cast<std::int64_t>(k), static_cast<std::int64_t>(j))[i] -
                                         expected[at(transform.shape(), {z[k], y[j], x[i]})]));
  return error;
}

double point_error(fourier_3d& transform, const std::vector<complex>& expected, double scale) {
  double error = 0;
  const box3 mine = transform.points();
  for (std::int64_t z = mine.begin.z; z < mine.end.z; ++z)
    for (std::int64_t y = mine.begin.y; y < mine.end.y; ++y)
      for (std::int64_t x = mine.begin.x; x < mine.end.x; ++x)
        error = std::max(error, std::abs(transform.point_line(z - mine.begin.z, y - mine.begin.y)[x - mine.begin.x] * scale -
                                         expected[at(transform.shape(), {z, y, x})]));
  return error;
}

// The transform by its definition as a sum, one dimension after another.
std::vector<complex> defined(index3 shape, std::vector<complex> values, double sign) {
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<complex> from = values;
    const std::int64_t n = shape[axis];
    std::vector<complex> roots;
    for (std::int64_t i = 0; i < n; ++i)
      roots.push_back(std::polar(1.0, sign * 2 * 3.14159265358979323846 * static_cast<double>(i) / static_cast<double>(n)));
    for (std::int64_t z = 0; z < shape.z; ++z)
      for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
          const index3 to{z, y, x};
          complex sum = 0;
          for (std::int64_t j = 0; j < n; ++j) {
            index3 p = to;
            p[axis] = j;
            sum += from[at(shape, p)] * roots[static_cast<std::size_t>(j * to[axis] % n)];
          }
          values[at(shape, to)] = sum;
        }
  }
  return values;
}

// Oracle: the definition of the transform as a sum. Only the size along x is a multiple of 4. The sizes of the parts of an
// axis differ by one.
TEST(fourier_3d, forward_and_backward_are_the_defining_sums_by_every_way) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  for (const index3 shape : {index3{8, 16, 12}, index3{10, 9, 20}}) {
    const std::vector<complex> points = noise(shape), modes = defined(shape, points, -1);
    std::array<std::vector<double>, 3> decay;
    for (int axis = 0; axis < 3; ++axis)
      for (std::int64_t k = 0; k < shape[axis]; ++k)
        decay[static_cast<std::size_t>(axis)].push_back(std::exp(-0.1 * static_cast<double>(k * (axis + 1))));
    std::vector<complex> decayed = modes;
    for (std::int64_t z = 0; z < shape.z; ++z)
      for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x)
          decayed[at(shape, {z, y, x})] *= decay[0][static_cast<std::size_t>(z)] * decay[1][static_cast<std::size_t>(y)] *
                                           decay[2][static_cast<std::size_t>(x)];
    const std::vector<complex> later = defined(shape, decayed, 1);

    for (const fourier_options& way : ways(shape, ranks)) {
      if (way.method == fourier_method::butterfly && shape.y == 9) continue;
      const auto transform = fourier_3d::make(MPI_COMM_WORLD, shape, way);
      for (int again = 0; again < 2; ++again) {
        give(*transform, points);
        transform->forward();
        EXPECT_LT(mode_error(*transform, modes), 1e-13 * std::sqrt(static_cast<double>(shape.volume()))) << name(way);
        transform->backward();
        EXPECT_LT(point_error(*transform, points, 1 / static_cast<double>(shape.volume())), 1e-14) << name(way);
        std::array<std::vector<double>, 3> mine;
        for (int axis = 0; axis < 3; ++axis)
          for (const std::int64_t k : transform->modes(axis))
            mine[static_cast<std::size_t>(axis)].push_back(
                decay[static_cast<std::size_t>(axis)][static_cast<std::size_t>(k)]);
        transform->backward({mine[0], mine[1], mine[2]});
        EXPECT_LT(point_error(*transform, later, 1), 1e-12 * std::sqrt(static_cast<double>(shape.volume()))) << name(way);
      }
    }
  }
}

// Oracle: FFTW.
TEST(fourier_3d, agrees_with_fftw) {
#if defined(OSTEON_FFTW)
  const index3 shape{32, 48, 64};
  const std::vector<complex> points = noise(shape);
  std::vector<complex> modes = points;
  auto* const data = reinterpret_cast<fftw_complex*>(modes.data());
  const fftw_plan plan = fftw_plan_dft_3d(static_cast<int>(shape.z), static_cast<int>(shape.y), static_cast<int>(shape.x),
                                          data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  for (const fourier_options& way : ways(shape, comm::size(MPI_COMM_WORLD))) {
    const auto transform = fourier_3d::make(MPI_COMM_WORLD, shape, way);
    give(*transform, points);
    transform->forward();
    EXPECT_LT(mode_error(*transform, modes), 4e-16 * std::sqrt(static_cast<double>(shape.volume())) * 17) << name(way);
  }
#else
  GTEST_SKIP() << "FFTW is not installed (libfftw3-dev)";
#endif
}

void expect_refusal(index3 shape, const fourier_options& options, const std::string& text) {
  try {
    fourier_3d::make(MPI_COMM_WORLD, shape, options);
    ADD_FAILURE() << "not refused: " << text;
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

// Oracle: values computed by hand.
TEST(fourier_3d, refuses_what_cannot_be_shared) {
  const int ranks = comm::size(MPI_COMM_WORLD);
  expect_refusal({8, 8, 7}, {}, "use 6 or 8");
  expect_refusal({8, 8, 8}, {.method = fourier_method::transposition, .folding = {ranks + 1, 1}}, "their product must be");
  expect_refusal({1 << 14, 1 << 14, 1 << 14}, {}, "GB are available");
  if (ranks == 3) expect_refusal({8, 8, 8}, {.method = fourier_method::butterfly}, "use 2 or 4");
  if (ranks > 1) expect_refusal({1, 1, 1}, {.method = fourier_method::transposition}, "use 1 ranks");
  EXPECT_EQ(fourier_3d::choose_folding({8, 8, 8}, 8), (fourier_folding{1, 8}));
  EXPECT_EQ(fourier_3d::choose_folding({8, 8, 8}, 16), (fourier_folding{4, 4}));
  try {
    fourier_3d::choose_folding({8, 8, 8}, 51);
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_NE(std::string(e.what()).find("use 49 or 56"), std::string::npos) << e.what();
  }
}

}  // namespace osteon::studies::fourier_3d_test
