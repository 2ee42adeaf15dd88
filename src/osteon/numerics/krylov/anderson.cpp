#include <osteon/numerics/krylov/anderson.hpp>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <osteon/base/for_each.hpp>

namespace osteon::numerics {

void anderson::accelerate(std::span<float> correction) {
  const auto size = static_cast<std::int64_t>(correction.size());
  if (has_last_) {
    // changes_[next_] has been written by the last call.
    std::vector<float>& difference = differences_[next_];
    for_each(size, [d = difference.data(), now = correction.data(), last = last_.data()](std::int64_t i) {
      d[i] = now[i] - last[i];
    });
    const std::size_t count = differences_.size();
    products_.resize(count);
    for (auto& row : products_) row.resize(count);
    for (std::size_t j = 0; j < count; ++j)
      products_[next_][j] = products_[j][next_] = dot_(difference.data(), differences_[j].data());
    next_ = (next_ + 1) % most_;
  }
  std::copy(correction.begin(), correction.end(), last_.begin());
  const std::size_t count = differences_.size();
  if (count > 0) {
    Eigen::MatrixXd gram(count, count);
    Eigen::VectorXd right(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      right[row] = dot_(differences_[i].data(), correction.data());
      for (std::size_t j = 0; j < count; ++j) gram(row, static_cast<Eigen::Index>(j)) = products_[i][j];
    }
    // Differences that single precision does not tell apart are left out.
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(count));
    solver.setThreshold(1e-10);
    const Eigen::VectorXd part = solver.compute(gram).solve(right);
    for (std::size_t j = 0; j < count; ++j)
      for_each(size,
               [d = correction.data(), c = changes_[j].data(), f = differences_[j].data(),
                s = static_cast<float>(part[static_cast<Eigen::Index>(j)])](std::int64_t i) { d[i] -= s * (c[i] + f[i]); });
  }
  if (changes_.size() < most_ && next_ == changes_.size()) {
    changes_.emplace_back(correction.size());
    differences_.emplace_back(correction.size());
  }
  std::copy(correction.begin(), correction.end(), changes_[next_].begin());
  has_last_ = true;
}

void anderson::restart() {
  changes_.clear();
  differences_.clear();
  products_.clear();
  next_ = 0;
  has_last_ = false;
}

}  // namespace osteon::numerics
