#include <osteon/comm/compositor_way.hpp>
namespace osteon::comm {
std::unique_ptr<compositor::way> composite_hybrid(const composite_options& options, MPI_Comm comm) {
  return composite_by_messages(options, comm);
}
}  // namespace osteon::comm
