#include <osteon/io/result_file.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/together.hpp>
#include <osteon/grid/redistribute.hpp>
#include <osteon/io/plane_file.hpp>

namespace osteon::io {

struct result_writer::state {
  comm::communicator comm;
  grid::block where;
  std::vector<field_info> fields;                    ///< variable 0 of the file is the material, then these
  std::vector<std::int64_t> cell_first, node_first;  ///< planes that ranks pass on, shape (ranks + 1)
  std::optional<plane_file> file;
  double seconds = 0;  ///< spent in the writer, without what the caller does in between

  std::size_t index_of(const std::string& field, centring where_is) const;
};

std::size_t result_writer::state::index_of(const std::string& field, centring where_is) const {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == field && fields[i].where == where_is) return i + 1;
  throw usage_error(fmt::format("the results file has no {} field '{}'; name it when the file is created",
                                where_is == centring::cell ? "cell" : "node", field));
}

namespace {

/// Counts the time of a call of the writer.
class working {
 public:
  explicit working(double& seconds) : seconds_(seconds) {}
  working(const working&) = delete;
  working& operator=(const working&) = delete;
  ~working() { seconds_ += watch_.seconds(); }

 private:
  double& seconds_;
  stopwatch watch_;
};

void check_fields(std::span<const field_info> fields, const voxel::model_header& header) {
  int most_components = 3;
  for (const field_info& f : fields) {
    if (f.components != 1 && f.components != 3 && f.components != 6)
      throw usage_error(fmt::format("the field '{}' has {} components; 1, 3 or 6 can be written", f.name, f.components));
    most_components = std::max(most_components, f.components);
  }
  check_geometry(header.shape, header.spacing_mm, header.origin_mm, most_components);
}

}  // namespace

result_writer::result_writer(std::unique_ptr<state> s) : state_(std::move(s)) {}
result_writer::result_writer(result_writer&&) noexcept = default;
result_writer& result_writer::operator=(result_writer&&) noexcept = default;
result_writer::~result_writer() = default;

result_writer result_writer::create(const std::string& path, const grid::block& where, const voxel::model_header& header,
                                    std::span<const field_info> fields,
                                    const std::vector<std::pair<std::string, std::string>>& attributes, const access& how,
                                    const storage& stored) {
  auto s = std::make_unique<state>();
  const working clock(s->seconds);
  s->comm = comm::communicator::duplicate(where.comm);
  s->where = where;
  s->fields.assign(fields.begin(), fields.end());
  const int ranks = s->comm.size();
  for (std::int64_t r = 0; r <= ranks; ++r)  // bricks are passed on as equally many planes a rank, perhaps none
    s->cell_first.push_back(where.is_planes() && r < ranks ? where.boxes->box_of(static_cast<int>(r)).begin.z
                                                           : header.shape.z * r / ranks);
  s->node_first = s->cell_first;
  s->node_first.back() = header.shape.z + 1;  // the last rank also has the topmost plane
  comm::together(s->comm.get(), [&] {
    check_fields(fields, header);
    if (where.domain != header.shape || where.boxes->ranks() != ranks)
      throw usage_error("the blocks are not those of the model on these ranks; build them with grid::make_block");
  });
  plane_file_plan plan{header, result_schema, true, attributes, {}, ranges_of(s->cell_first), ranges_of(s->node_first),
                       how,    stored};
  plan.variables.push_back(make_plane_variable("material", NC_UBYTE, false, 1, header.shape));
  for (const field_info& f : fields)
    plan.variables.push_back(make_plane_variable(f.name, NC_FLOAT, f.where == centring::node, f.components, header.shape));
  const auto describe = [&](std::span<const plane_variable> variables) {
    define_material_attributes(variables[0], header.materials);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const plane_variable& v = variables[i + 1];
      const field_info& f = fields[i];
      put_text(v.group, v.id, "long_name", f.long_name);
      put_text(v.group, v.id, "units", f.units);
      if (f.components > 1) put_text(v.group, v.id, "components", f.components == 3 ? "x y z" : "xx yy zz xy yz xz");
    }
  };
  s->file.emplace(s->comm.get(), path, std::move(plan), describe);
  return result_writer(std::move(s));
}

namespace {
void check_size(MPI_Comm comm, const std::string& name, std::size_t given, std::int64_t expected) {
  comm::together(comm, [&] {
    if (static_cast<std::int64_t>(given) != expected)
      throw usage_error(
          fmt::format("'{}' has {} values on rank {}; its block needs {}", name, given, comm::rank(comm), expected));
  });
}
}  // namespace

void result_writer::write_material(std::span<const std::uint8_t> material) {
  state& s = *state_;
  const working clock(s.seconds);
  check_size(s.comm.get(), "material", material.size(), s.where.owned.volume());
  if (s.where.is_planes()) return s.file->write(0, std::as_bytes(material));
  const auto planes = grid::box_tree::of_planes(s.where.domain, s.cell_first);
  const auto moved = grid::redistribute<std::uint8_t>(s.comm.get(), *s.where.boxes, planes, material);
  s.file->write(0, std::as_bytes(std::span(moved)));
}

void result_writer::write_cells(const std::string& name, std::span<const float> values) {
  state& s = *state_;
  const working clock(s.seconds);
  std::size_t index = 0;
  comm::together(s.comm.get(), [&] { index = s.index_of(name, centring::cell); });
  const int components = s.fields[index - 1].components;
  check_size(s.comm.get(), name, values.size(), s.where.owned.volume() * components);
  if (s.where.is_planes()) return s.file->write(index, std::as_bytes(values));
  const auto planes = grid::box_tree::of_planes(s.where.domain, s.cell_first);
  const auto moved = grid::redistribute<float>(s.comm.get(), *s.where.boxes, planes, values, components);
  s.file->write(index, std::as_bytes(std::span(moved)));
}

void result_writer::write_nodes(const std::string& name, std::span<const float> values) {
  state& s = *state_;
  const working clock(s.seconds);
  MPI_Comm comm = s.comm.get();
  std::size_t index = 0;
  comm::together(comm, [&] { index = s.index_of(name, centring::node); });
  const std::int64_t plane = s.file->variable(index).bytes_per_plane() / 4, cells = s.where.owned.shape().z;
  const int components = s.fields[index - 1].components;
  check_size(comm, name, values.size(), (s.where.owned.shape() + index3{1, 1, 1}).volume() * components);
  if (!s.where.is_planes()) {
    const auto planes = grid::box_tree::of_planes(s.where.domain + index3{1, 1, 1}, s.node_first);
    const auto moved = grid::redistribute_nodes(comm, *s.where.boxes, planes, values, components);
    return s.file->write(index, std::as_bytes(std::span(moved)));
  }

  // The plane between two ranks is written by the upper one; nodes that only the lower one has come from there.
  const int rank = s.comm.rank(), last = s.comm.size() - 1;
  const int up = rank < last ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  std::vector<float> shared, merged;
  comm::together(comm, [&] { shared.resize(rank > 0 ? static_cast<std::size_t>(plane) : 0); });
  MPI_Sendrecv(values.data() + cells * plane, static_cast<int>(plane), MPI_FLOAT, up, 0, shared.data(),
               static_cast<int>(shared.size()), MPI_FLOAT, down, 0, comm, MPI_STATUS_IGNORE);
  const std::int64_t planes = rank == last ? cells + 1 : cells;
  const auto own = values.first(static_cast<std::size_t>(planes * plane));
  bool merge = false;
  for (std::size_t i = 0; i < shared.size(); ++i) merge = merge || (std::isnan(own[i]) && !std::isnan(shared[i]));
  comm::together(comm, [&] {
    if (!merge) return;
    merged.assign(own.begin(), own.end());
    for (std::size_t i = 0; i < shared.size(); ++i)
      if (std::isnan(merged[i])) merged[i] = shared[i];
  });
  s.file->write(index, std::as_bytes(merge ? std::span<const float>(merged) : own));
}

file_report result_writer::close() {
  state& s = *state_;
  const stopwatch watch;
  file_report report = s.file->close();
  report.seconds = s.seconds + watch.seconds();
  state_.reset();
  return report;
}

}  // namespace osteon::io
