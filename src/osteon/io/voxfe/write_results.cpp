#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/io/file_descriptor.hpp>
#include <osteon/io/temporary_file.hpp>
#include <osteon/io/voxfe/write_results.hpp>

namespace osteon::io::voxfe {
namespace {

constexpr std::int64_t rows_at_once = 1 << 16;

// Appends numbers to a text three times as fast as printf. Formatting of digits requires half the time of writing text
// results.
class row_writer {
 public:
  explicit row_writer(std::string& text) : text_(text) {}
  row_writer& operator<<(std::string_view chars) {
    text_ += chars;
    return *this;
  }
  row_writer& operator<<(char c) {
    text_ += c;
    return *this;
  }
  row_writer& operator<<(std::int64_t value) { return *this << shown(std::to_chars(begin(), end(), value).ptr); }
  /// The output is identical to %.9e of printf.
  row_writer& operator<<(double value) {
    return *this << shown(std::to_chars(begin(), end(), value, std::chars_format::scientific, 9).ptr);
  }

 private:
  char* begin() { return digits_.data(); }
  char* end() { return digits_.data() + digits_.size(); }
  std::string_view shown(const char* stop) { return {digits_.data(), static_cast<std::size_t>(stop - digits_.data())}; }
  std::string& text_;
  std::array<char, 32> digits_;
};

// File descriptor for writing at given offsets.
class text_output {
 public:
  explicit text_output(const std::string& name) : name_(name), file_(name, O_WRONLY) {
    if (file_ < 0) fail();
  }
  void write(std::string_view text, std::int64_t at) const {
    if (!write_at(file_, text.data(), std::ssize(text), at)) fail();
  }
  void sync() const {
    if (fsync(file_) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw machine_error(fmt::format("cannot write '{}': {}; free space on the disk or change output.directory", name_,
                                    std::strerror(errno)));
  }
  const std::string& name_;
  file_descriptor file_;
};

std::int64_t sum(MPI_Comm comm, std::int64_t value) {
  comm::all_reduce(comm, &value, 1, MPI_SUM);
  return value;
}

std::int64_t sum_below(MPI_Comm comm, std::int64_t value) {
  std::int64_t below = 0;
  MPI_Exscan(&value, &below, 1, MPI_INT64_T, MPI_SUM, comm);
  return comm::rank(comm) == 0 ? 0 : below;
}

std::array<std::int64_t, 3> position_of(const script& s, std::int64_t id) {
  const std::int64_t nx = s.voxels[0] + 1, ny = s.voxels[1] + 1;
  return {id % nx, id / nx % ny, id / nx / ny};
}

}  // namespace

node_rows settle(const grid::block& where, node_rows mine) {
  const std::int64_t plane = (where.domain.y + 1) * (where.domain.x + 1);
  const auto width = static_cast<std::size_t>(mine.components);
  std::size_t keep = mine.id.size();
  if (where.above != MPI_PROC_NULL)
    keep = static_cast<std::size_t>(std::lower_bound(mine.id.begin(), mine.id.end(), where.owned.end.z * plane) -
                                    mine.id.begin());
  // A plane has fewer than 2^29 nodes (check_geometry). Therefore counts fit into int.
  const int up = static_cast<int>(mine.id.size() - keep);
  int down = 0;
  MPI_Sendrecv(&up, 1, MPI_INT, where.above, 0, &down, 1, MPI_INT, where.below, 0, where.comm, MPI_STATUS_IGNORE);
  node_rows lower, result;
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(mine.components, MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  comm::collectively(where.comm, [&] {
    lower.id.resize(static_cast<std::size_t>(down));
    lower.value.resize(lower.id.size() * width);
  });
  MPI_Sendrecv(mine.id.data() + keep, up, MPI_INT64_T, where.above, 1, lower.id.data(), down, MPI_INT64_T, where.below, 1,
               where.comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(mine.value.data() + keep * width, up, row, where.above, 2, lower.value.data(), down, row, where.below, 2,
               where.comm, MPI_STATUS_IGNORE);
  MPI_Type_free(&row);
  comm::collectively(where.comm, [&] {
    result.components = mine.components;
    result.id.reserve(keep + lower.id.size());
    result.value.reserve((keep + lower.id.size()) * width);
    const auto append_row = [&](const node_rows& from, std::size_t i) {
      result.id.push_back(from.id[i]);
      result.value.insert(result.value.end(), from.value.begin() + static_cast<std::ptrdiff_t>(i * width),
                          from.value.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
    };
    std::size_t i = 0;
    for (std::size_t j = 0; j < lower.id.size(); ++j) {
      while (i < keep && mine.id[i] < lower.id[j]) append_row(mine, i++);
      if (i == keep || mine.id[i] != lower.id[j]) append_row(lower, j);
    }
    while (i < keep) append_row(mine, i++);
  });
  return result;
}

std::int64_t write_rows(MPI_Comm comm, const std::string& path, text_access access,
                        const std::function<std::string(std::int64_t)>& header, std::int64_t rows,
                        const std::function<void(std::string&, std::int64_t, std::int64_t)>& append_row) {
  // Append the rows [first, first + rows_at_once). @param number number of row `first` over all ranks
  const auto append = [&](std::string& text, std::int64_t first, std::int64_t number) {
    for (std::int64_t i = first; i < std::min(first + rows_at_once, rows); ++i) append_row(text, i, number + i - first);
  };
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  const std::int64_t all_rows = sum(comm, rows);
  std::optional<temporary_file> temporary;
  std::string head;
  comm::collectively(comm, [&] {
    if (rank != 0) return;
    head = header(all_rows);
    temporary.emplace(path);
  });
  const std::string name = comm::broadcast(comm, temporary ? temporary->name() : "");
  std::int64_t bytes = 0;
  if (access == text_access::parallel) {
    std::vector<std::string> parts{head};  // several parts avoid copies of a growing text
    std::int64_t own = std::ssize(head);
    const std::int64_t number = sum_below(comm, rows);
    comm::collectively(comm, [&] {
      for (std::int64_t first = 0; first < rows; first += rows_at_once) {
        std::string text;
        text.reserve(parts.back().size() + parts.back().size() / 16);
        append(text, first, number + first);
        own += std::ssize(text);
        parts.push_back(std::move(text));
      }
    });
    std::int64_t at = sum_below(comm, own);
    bytes = sum(comm, own);
    comm::collectively(comm, [&] {
      const text_output file(name);
      for (const std::string& text : parts) {
        file.write(text, at);
        at += std::ssize(text);
      }
      file.sync();
    });
  } else {
    // Message to the next rank: number of its first row, end of the file, and success of all previous ranks.
    std::int64_t token[3] = {0, 0, 1};
    if (rank > 0) MPI_Recv(token, 3, MPI_INT64_T, rank - 1, 0, comm, MPI_STATUS_IGNORE);
    comm::outcome outcome;
    try {
      if (token[2] == 1) {
        const text_output file(name);
        std::string text = head;
        for (std::int64_t first = 0; first == 0 || first < rows; first += rows_at_once) {
          append(text, first, token[0] + first);
          file.write(text, token[1]);
          token[1] += std::ssize(text);
          text.clear();
        }
        file.sync();
        token[0] += rows;
      }
    } catch (const std::exception& e) {
      outcome = {true, error_kind::machine, e.what()};
      token[2] = 0;
    }
    if (rank + 1 < ranks) MPI_Send(token, 3, MPI_INT64_T, rank + 1, 0, comm);
    comm::throw_first_error(comm, outcome);
    bytes = token[1];
    MPI_Bcast(&bytes, 1, MPI_INT64_T, ranks - 1, comm);
  }
  comm::collectively(comm, [&] {
    if (temporary) temporary->commit();
  });
  return bytes;
}

std::int64_t write_displacement(MPI_Comm comm, const script& s, const std::string& path, text_access access,
                                const node_rows& rows) {
  const auto value = [&](std::int64_t i, std::size_t c) { return rows.value[static_cast<std::size_t>(3 * i) + c]; };
  const auto size = std::ssize(rows.id);
  if (!s.results.with_places)
    return write_rows(
        comm, path, access,
        [](std::int64_t) { return std::string("Nodal displacements\n-------------------\n\nNode : X Y Z\n"); }, size,
        [&](std::string& text, std::int64_t i, std::int64_t number) {
          row_writer(text) << number << "\t:\t" << value(i, 0) << ' ' << value(i, 1) << ' ' << value(i, 2) << '\n';
        });
  return write_rows(
      comm, path, access,
      [&](std::int64_t all) {
        return fmt::format("nNodes: {}\nNodes: {}  {}  {}\nMaterials: {}\n", all, s.voxels[0] + 1, s.voxels[1] + 1,
                           s.voxels[2] + 1, s.materials_file.empty() ? "none" : s.materials_file);
      },
      size,
      [&](std::string& text, std::int64_t i, std::int64_t) {
        const std::int64_t id = rows.id[static_cast<std::size_t>(i)];
        const auto [x, y, z] = position_of(s, id);
        row_writer(text) << id << "   " << x << "   " << y << "   " << z << "   " << value(i, 0) << "   " << value(i, 1)
                         << "   " << value(i, 2) << "  \n";
      });
}

std::int64_t write_full_strain(MPI_Comm comm, const script& s, const std::string& path, text_access access,
                               const node_rows& rows) {
  return write_rows(
      comm, path, access,
      [&](std::int64_t all) {
        return fmt::format(
            "Nodal displacements and strains\n"
            "Strain at a node: mean of the strains at the centres of its voxels\n"
            "Shears are engineering shears\n"
            "x y z node global_node ux uy uz exx eyy ezz gxy gyz gxz e1 e2 e3\n\n"
            "LastRI: {}\nRN: {}\nNodes: {} {} {}\nBorder: 0 0 0\n",
            all - 1, all, s.voxels[0] + 1, s.voxels[1] + 1, s.voxels[2] + 1);
      },
      std::ssize(rows.id),
      [&](std::string& text, std::int64_t i, std::int64_t number) {
        row_writer row(text);
        const std::int64_t id = rows.id[static_cast<std::size_t>(i)];
        const auto [x, y, z] = position_of(s, id);
        row << x << ' ' << y << ' ' << z << ' ' << number << ' ' << id;
        for (std::size_t c = 0; c < 12; ++c) row << ' ' << rows.value[static_cast<std::size_t>(12 * i) + c];
        row << '\n';
      });
}

std::int64_t write_reactions(MPI_Comm comm, const script& s, const std::string& path, text_access access,
                             const node_rows& nodes, const node_rows& named, int base) {
  // Rows are numbered over all nodes, not only over written nodes.
  const std::int64_t first_node = sum_below(comm, std::ssize(nodes.id));
  return write_rows(
      comm, path, access,
      [](std::int64_t) { return std::string("Node\tX\tY\tZ\tRx\tRy\tRz\tFx\tFy\tFz\tfixed_x\tfixed_y\tfixed_z\n"); },
      std::ssize(named.id),
      [&](std::string& text, std::int64_t i, std::int64_t) {
        row_writer row(text);
        const std::int64_t id = named.id[static_cast<std::size_t>(i)];
        const auto [x, y, z] = position_of(s, id);
        const std::int64_t number = std::lower_bound(nodes.id.begin(), nodes.id.end(), id) - nodes.id.begin();
        const double* v = named.value.data() + 9 * i;
        row << first_node + number << '\t' << x + base << '\t' << y + base << '\t' << z + base;
        for (int c = 0; c < 6; ++c) row << '\t' << v[c];
        for (int c = 6; c < 9; ++c) row << (v[c] != 0 ? "\t1" : "\t0");
        row << '\n';
      });
}

std::int64_t write_sed(const grid::block& where, const script& s, const std::string& path, text_access access,
                       view3<const material_number> image, std::span<const float> sed, int base) {
  struct cell {
    std::int64_t place;
    material_number material;
  };
  std::vector<cell> cells;
  comm::collectively(where.comm, [&] {
    cells.reserve(sed.size());
    for (std::int64_t i = 0; i < image.size(); ++i)
      if (const material_number m = image.data_handle()[i]) cells.push_back({i, m});
  });
  const std::int64_t nx = s.voxels[0], ny = s.voxels[1], first_plane = where.owned.begin.z;
  return write_rows(
      where.comm, path, access, [](std::int64_t) { return std::string("element_id,material_id,x,y,z,sed\n"); },
      std::ssize(cells),
      [&](std::string& text, std::int64_t i, std::int64_t number) {
        const auto [at, material] = cells[static_cast<std::size_t>(i)];
        row_writer(text) << number + base << ',' << std::int64_t{s.materials[material - std::size_t{1}].id} << ','
                         << at % nx + base << ',' << at / nx % ny + base << ',' << first_plane + at / nx / ny + base << ','
                         << static_cast<double>(sed[static_cast<std::size_t>(i)]) << '\n';
      });
}

}  // namespace osteon::io::voxfe
