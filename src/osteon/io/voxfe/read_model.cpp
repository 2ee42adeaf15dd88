#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/files/scatter_model.hpp>
#include <osteon/io/packed_voxels.hpp>
#include <osteon/io/voxfe/elements.hpp>
#include <osteon/io/voxfe/read_model.hpp>

namespace osteon::io::voxfe {
namespace {

/// Throw the first fault of the file on all ranks.
void agree_on_fault(MPI_Comm comm, const std::string& path, const std::optional<text_fault>& mine) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t first = mine ? mine->offset : none;
  comm::all_reduce(comm, &first, 1, MPI_MIN);
  if (first == none) return;
  comm::collectively(comm, [&] {
    if (mine && mine->offset == first) throw_fault(path, *mine);
  });
}

void join_facts(MPI_Comm comm, element_facts& facts) {
  comm::all_reduce(comm, facts.low.data(), 4, MPI_MIN);
  comm::all_reduce(comm, facts.high.data(), 4, MPI_MAX);
  for (auto* seen : {&facts.first_seen, &facts.last_seen}) comm::all_reduce(comm, seen->data(), seen->size(), MPI_BOR);
}

/// Byte range of a file for a rank.
struct share {
  std::string path;
  std::int64_t begin = 0, end = 0;
};

/// Read the packed voxels of a range, and the header with the counts of all ranks.
std::vector<std::int64_t> read_share(MPI_Comm comm, const script& s, const reading_options& options, const share& part,
                                     std::int64_t declared, voxel::model_header& header, element_layout& layout) {
  std::vector<element_line> elements;
  element_facts facts;
  std::optional<text_fault> fault;
  comm::collectively(comm, [&] { fault = read_elements(part.path, part.begin, part.end, elements, facts); });
  agree_on_fault(comm, part.path, fault);
  std::int64_t count = std::ssize(elements);
  comm::all_reduce(comm, &count, 1, MPI_SUM);
  if (count != declared)
    throw data_error(fmt::format("'{}': {} elements are declared, but {} found; the file is truncated or damaged", part.path,
                                 declared, count));
  join_facts(comm, facts);
  std::vector<std::int64_t> voxels, active(static_cast<std::size_t>(s.voxels[2]));
  comm::collectively(comm, [&] {
    layout = find_layout(s, facts, options);
    const element_decoder decode(s, layout);
    const std::int64_t plane = s.voxels[0] * s.voxels[1];
    voxels.reserve(elements.size());
    for (std::size_t i = 0; i < elements.size() && !fault; ++i) {
      const std::int64_t voxel = decode.voxel(elements[i]);
      if (voxel < 0) {
        const auto is_index = [&](std::int64_t at, const element_line&) { return at == static_cast<std::int64_t>(i); };
        fault = text_fault{find_element(part.path, part.begin, part.end, is_index), decode.fault(elements[i])};
        break;
      }
      voxels.push_back(voxel);
      ++active[static_cast<std::size_t>(voxel / packed_materials / plane)];
    }
  });
  agree_on_fault(comm, part.path, fault);
  comm::all_reduce(comm, active.data(), active.size(), MPI_SUM);
  comm::collectively(comm, [&] {
    header = header_of(s, options.units, layout.base);
    header.active_per_plane = active;
  });
  return voxels;
}

model_planes read_in_parallel(MPI_Comm comm, const script& s, const reading_options& options) {
  share part{beside(s, s.model_file)};
  std::int64_t facts[3] = {};  // number of elements, first byte of the element lines, size of the file
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    const model_head head = read_model_head(part.path);
    check_grid(s, head);
    facts[0] = head.elements;
    facts[1] = head.body;
    facts[2] = text_size(part.path);
  });
  MPI_Bcast(facts, 3, MPI_INT64_T, 0, comm);
  const std::int64_t rank = comm::rank(comm), ranks = comm::size(comm), bytes = facts[2] - facts[1];
  // Ranges need not end at line ends, because for_each_line_block() assigns each line to the range that contains its first
  // byte.
  part.begin = facts[1] + bytes / ranks * rank + bytes % ranks * rank / ranks;
  part.end = facts[1] + bytes / ranks * (rank + 1) + bytes % ranks * (rank + 1) / ranks;

  model_planes model;
  element_layout layout;
  const std::vector<std::int64_t> voxels = read_share(comm, s, options, part, facts[0], model.header, layout);
  model.index_base = layout.base;
  model.where = grid::make_block(comm, model.header.shape, model.header.active_per_plane);
  const std::vector<std::int64_t> mine = send_to_owners(model.where, voxels);

  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t twice = none;
  comm::collectively(comm, [&] {
    unpacked_planes planes = unpack_voxels(model.where.owned, mine);
    model.material = std::move(planes.material);
    twice = planes.twice.value_or(none);
  });
  comm::all_reduce(comm, &twice, 1, MPI_MIN);
  if (twice == none) return model;
  std::int64_t offset = -1, last = -1;
  comm::collectively(comm, [&] {
    const element_decoder decode(s, layout);
    last = offset = find_element(part.path, part.begin, part.end, [&](std::int64_t, const element_line& line) {
      return decode.voxel(line) / packed_materials == twice;
    });
  });
  comm::all_reduce(comm, &last, 1, MPI_MAX);
  comm::collectively(comm, [&] {
    if (offset == last) throw_fault(part.path, {offset, listed_twice});
  });
  return model;
}

model_planes read_and_scatter(MPI_Comm comm, const script& s, const reading_options& options) {
  whole_model whole;
  int base = 1;
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    whole = read_whole_model(s, options);
    base = whole.layout.base;
  });
  MPI_Bcast(&base, 1, MPI_INT, 0, comm);
  model_of_rank own = scatter_header(comm, whole.header);
  std::vector<material_number> material;
  comm::collectively(comm, [&] { material.reserve(static_cast<std::size_t>(own.where.owned.volume())); });
  scatter_planes(
      own.where,
      [&](std::int64_t first, std::int64_t, std::span<material_number> values) {
        std::copy_n(whole.material.begin() + first * own.header.shape.y * own.header.shape.x, values.size(), values.begin());
      },
      [&](std::span<const material_number> plane) { material.insert(material.end(), plane.begin(), plane.end()); });
  return {std::move(own.where), std::move(own.header), std::move(material), base};
}

}  // namespace

model_planes read_model(MPI_Comm comm, const script& s, const reading_options& options, text_access access) {
  return access == text_access::parallel ? read_in_parallel(comm, s, options) : read_and_scatter(comm, s, options);
}

}  // namespace osteon::io::voxfe
