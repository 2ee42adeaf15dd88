#include <cstdlib>
#include <osteon/job/spec.hpp>

#include "fuzz/bytes_as_file.hpp"

// Oracle: each collected fault has a place and a text. No exception is thrown.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const osteon::fuzz::bytes_as_file file(data, size);
  std::vector<osteon::problem> problems;
  osteon::job::read_spec(file.path(), problems);
  for (const auto& p : problems)
    if (p.where.empty() || p.text.empty()) std::abort();
  return 0;
}
