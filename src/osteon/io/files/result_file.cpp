#include <osteon/io/files/result_file.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <optional>
#include <osteon/base/stopwatch.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/io/chunked/plane_file.hpp>

namespace osteon::io {

struct result_writer::state {
  comm::communicator comm;
  grid::block where;
  std::vector<field_info> fields;  ///< variables 1, 2, ... of the file; variable 0 is the material
  bool has_material_bytes = true;
  std::optional<plane_file> file;
  double seconds = 0;  ///< time in calls of the writer

  /// Variable of a field. @throws usage_error @collective
  std::size_t index_of(const std::string& field, centring where_is) const;
};

std::size_t result_writer::state::index_of(const std::string& field, centring where_is) const {
  std::size_t index = 0;
  comm::collectively(comm.get(), [&] {
    while (index < fields.size() && (fields[index].name != field || fields[index].where != where_is)) ++index;
    if (index == fields.size())
      throw usage_error(fmt::format("the results file has no {} field '{}'; declare the field at the creation of the file",
                                    where_is == centring::cell ? "cell" : "node", field));
  });
  return index + 1;
}

namespace {

/// Adds the duration of a call to a sum.
class call_timer {
 public:
  explicit call_timer(double& seconds) : seconds_(seconds) {}
  call_timer(const call_timer&) = delete;
  call_timer& operator=(const call_timer&) = delete;
  ~call_timer() { seconds_ += watch_.seconds(); }

 private:
  double& seconds_;
  stopwatch watch_;
};

void check_fields(std::span<const field_info> fields, const voxel::model_header& header) {
  int most_components = 1;
  for (const field_info& f : fields) {
    if (f.components != 1 && f.components != 3 && f.components != 6)
      throw usage_error(fmt::format("field '{}': number of components ({}): must be 1, 3 or 6", f.name, f.components));
    most_components = std::max(most_components, f.components);
  }
  check_result_size(header, most_components);
}

}  // namespace

void check_result_size(const voxel::model_header& header, int components) {
  check_geometry(header.shape, header.spacing_mm, header.origin_mm, components);
}

result_writer::result_writer(std::unique_ptr<state> s) : state_(std::move(s)) {}
result_writer::result_writer(result_writer&&) noexcept = default;
result_writer& result_writer::operator=(result_writer&&) noexcept = default;
result_writer::~result_writer() = default;

namespace {

plane_file_plan plan_of_results(const grid::block& where, const voxel::model_header& header,
                                std::span<const field_info> fields,
                                const std::vector<std::pair<std::string, std::string>>& attributes, const access& options,
                                const storage& stored) {
  const int ranks = where.boxes->ranks();
  std::vector<std::int64_t> cell_first;
  for (std::int64_t r = 0; r <= ranks; ++r)  // with bricks, each rank encodes an equal number of planes, possibly 0
    cell_first.push_back(where.is_planes() && r < ranks ? where.boxes->box_of(static_cast<int>(r)).begin.z
                                                        : header.shape.z * r / ranks);
  std::vector<std::int64_t> node_first = cell_first;
  node_first.back() = header.shape.z + 1;  // the last rank also owns the last plane of nodes
  plane_file_plan plan{header,      result_schema, true,  attributes, {}, ranges_of(cell_first), ranges_of(node_first),
                       where.boxes, options,       stored};
  plan.variables.push_back(make_material_variable(header));
  for (const field_info& f : fields)
    plan.variables.push_back(make_plane_variable(f.name, NC_FLOAT, f.where == centring::node, f.components, header.shape));
  return plan;
}

}  // namespace

void count_result_messages(const grid::block& where, const voxel::model_header& header, std::span<const field_info> fields,
                           const access& options) {
  const plane_file_plan plan = plan_of_results(where, header, fields, {}, options, {});
  for (const plane_variable& v : plan.variables) count_write_messages(where.comm, plan, v);
}

result_writer result_writer::create(const std::string& path, const grid::block& where, const voxel::model_header& header,
                                    std::span<const field_info> fields,
                                    const std::vector<std::pair<std::string, std::string>>& attributes,
                                    const access& options, const storage& stored) {
  auto s = std::make_unique<state>();
  const call_timer clock(s->seconds);
  s->comm = comm::communicator::duplicate(where.comm);
  s->where = where;
  s->fields.assign(fields.begin(), fields.end());
  s->has_material_bytes = material_type(header.materials) == NC_UBYTE;
  const int ranks = s->comm.size();
  comm::collectively(s->comm.get(), [&] {
    check_fields(fields, header);
    if (where.domain != header.shape || where.boxes->ranks() != ranks)
      throw usage_error("the blocks do not match the model or the number of ranks; create blocks with grid::make_block");
  });
  plane_file_plan plan = plan_of_results(where, header, fields, attributes, options, stored);
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

template <class T>
plane_source<std::byte> as_bytes(const plane_source<T>& make) {
  return [&make](std::int64_t first, std::int64_t planes, std::span<std::byte> bytes) {
    make(first, planes, {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)});
  };
}

/// Source of the planes of an array. @param shape shape of the points of the block @collective on comm
template <class T>
plane_source<T> planes_of(MPI_Comm comm, const std::string& name, std::span<const T> values, index3 shape, int components) {
  const std::int64_t plane = shape.y * shape.x * components;
  comm::collectively(comm, [&] {
    if (static_cast<std::int64_t>(values.size()) != shape.z * plane)
      throw usage_error(fmt::format("field '{}' has {} values on rank {}; the block requires {}", name, values.size(),
                                    comm::rank(comm), shape.z * plane));
  });
  return [=](std::int64_t first, std::int64_t, std::span<T> out) {
    std::copy_n(values.begin() + first * plane, out.size(), out.begin());
  };
}

}  // namespace

void result_writer::write_material(const plane_source<material_number>& make) {
  const call_timer clock(state_->seconds);
  if (!state_->has_material_bytes) return state_->file->write(0, as_bytes(make));
  std::vector<material_number> wide;
  const plane_source<std::uint8_t> narrow = [&](std::int64_t first, std::int64_t planes, std::span<std::uint8_t> bytes) {
    wide.resize(bytes.size());
    make(first, planes, wide);
    std::transform(wide.begin(), wide.end(), bytes.begin(), [](material_number m) { return static_cast<std::uint8_t>(m); });
  };
  state_->file->write(0, as_bytes(narrow));
}

void result_writer::write(const std::string& name, centring where, const plane_source<float>& make,
                          std::span<const float> made) {
  const call_timer clock(state_->seconds);
  state_->file->write(state_->index_of(name, where), as_bytes(make), std::as_bytes(made));
}

void result_writer::write_cells(const std::string& name, const plane_source<float>& make) {
  write(name, centring::cell, make);
}

void result_writer::write_nodes(const std::string& name, const plane_source<float>& make) {
  write(name, centring::node, make);
}

void result_writer::write_material(std::span<const material_number> values) {
  write_material(planes_of(state_->comm.get(), "material", values, state_->where.owned.shape(), 1));
}

void result_writer::write_cells(const std::string& name, std::span<const float> values) {
  const int components = state_->fields[state_->index_of(name, centring::cell) - 1].components;
  const index3 cells = state_->where.owned.shape();
  write(name, centring::cell, planes_of(state_->comm.get(), name, values, cells, components), values);
}

void result_writer::write_nodes(const std::string& name, std::span<const float> values) {
  const int components = state_->fields[state_->index_of(name, centring::node) - 1].components;
  const index3 nodes = state_->where.owned.shape() + index3{1, 1, 1};
  write(name, centring::node, planes_of(state_->comm.get(), name, values, nodes, components), values);
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
