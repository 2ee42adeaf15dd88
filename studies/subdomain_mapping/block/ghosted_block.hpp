#pragma once
/// @file
/// The memory of a block for repeated sweeps.
#include <cstddef>
#include <memory>
#include <studies/subdomain_mapping/block/ghosted_view.hpp>

namespace osteon::studies {

/// A dense block of shape (z, y, x) with one layer of ghosts, initially zero.
///
/// Rows start at a cache line. The thread that sweeps a plane touches the plane first (`slab_of`). On machines with several
/// NUMA nodes, the plane is therefore near this thread, unless threads migrate. Large pages are requested.
template <class T>
class ghosted_block {
 public:
  ghosted_block() = default;
  /// @throws machine_error if there is not enough memory
  explicit ghosted_block(index3 shape);
  ghosted_view<T> view() { return view_; }
  ghosted_view<const T> view() const { return view_; }
  std::size_t bytes() const { return bytes_; }

 private:
  struct release {
    void operator()(std::byte* memory) const;
  };
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[], release> memory_;
  ghosted_view<T> view_;
};

extern template class ghosted_block<float>;
extern template class ghosted_block<double>;

}  // namespace osteon::studies
