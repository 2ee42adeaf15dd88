#include <osteon/job/outputs/lines.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <common/suggest.hpp>
#include <osteon/base/error.hpp>
#include <osteon/base/kth_smallest.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/percentile.hpp>
#include <osteon/io/files/check_whole.hpp>
#include <osteon/io/files/result_parts.hpp>
#include <osteon/io/vtp.hpp>
#include <osteon/job/outputs/even_boxes.hpp>
#include <osteon/render/scene/presets.hpp>
#include <osteon/render/scene/transfer.hpp>

namespace osteon::job {

namespace {

bool is_at_an_end(const vector3& point, index3 domain) {
  for (int axis = 0; axis < 3; ++axis)
    if (point[axis] < 1e-6 || point[axis] > static_cast<double>(domain[axis]) - 1e-6) return true;
  return false;
}

}  // namespace

field_lines lines_along(const grid::block& where, const vector3& spacing_mm, const render::vector_values& field,
                        std::int64_t count) {
  field_lines result;
  const std::vector<vector3> seeds = render::seeds_by_speed(where, field, count);
  comm::collectively(where.comm, [&] {
    if (seeds.empty()) throw data_error("no streamlines: the field is zero everywhere");
  });
  result.lines = std::make_shared<const render::streamlines>(render::trace(where, spacing_mm, field, seeds));
  std::vector<double> times;
  for (std::size_t i = 0; i < result.lines->count(); ++i) {
    result.longest_mm = std::max(result.longest_mm, result.lines->length(i, spacing_mm));
    const auto line = result.lines->line(i);
    if (is_at_an_end(line.front().at, where.domain) && is_at_an_end(line.back().at, where.domain))
      times.push_back(line.back().time);
  }
  result.through = static_cast<std::int64_t>(times.size());
  if (!times.empty()) result.median_time_s = kth_smallest(times, times.size() / 2);
  std::vector<float> speed(field[0].size());
  for (std::size_t i = 0; i < speed.size(); ++i) speed[i] = std::hypot(field[0][i], field[1][i], field[2][i]);
  result.high = comm::percentile(where.comm, speed, 0.99, [](float v) { return std::isfinite(v) && v > 0; });
  return result;
}

render::tubes tubes_of(const field_lines& lines, index3 domain, const vector3& spacing_mm, double radius_mm,
                       const std::string& map) {
  const double finest = std::min({spacing_mm.z, spacing_mm.y, spacing_mm.x});
  const double diagonal = 100 * render::reference_length(domain, spacing_mm);
  const double usual = std::clamp(finest / 3, diagonal / 650, diagonal / 200);
  return {lines.lines, radius_mm > 0 ? radius_mm : usual, render::presets::tube_colours(lines.low, lines.high, map)};
}

grid::ghosted_field<float> smooth_solid(const grid::block& where, const std::vector<float>& solid, int depth) {
  const auto wide = grid::with_ghost_cells(where, solid, depth + 1);
  grid::ghosted_field<float> result{grid::with_ghosts(where, depth), {}};
  result.values.reserve(static_cast<std::size_t>(result.present.volume()));
  const index3 shape = wide.present.shape(), first = wide.present.begin;
  // Along each axis, the weights are 1, 2, 1. The sum of all weights is 64. Sums are therefore exact.
  const auto neighbour = [&](std::int64_t i, int axis) {
    return std::clamp<std::int64_t>(i, 0, where.domain[axis] - 1) - first[axis];
  };
  for (std::int64_t z = result.present.begin.z; z < result.present.end.z; ++z)
    for (std::int64_t y = result.present.begin.y; y < result.present.end.y; ++y)
      for (std::int64_t x = result.present.begin.x; x < result.present.end.x; ++x) {
        float sum = 0;
        for (int k = 0; k < 27; ++k) {
          const int dz = k / 9 - 1, dy = k / 3 % 3 - 1, dx = k % 3 - 1;
          const auto weight = static_cast<float>((2 - dz * dz) * (2 - dy * dy) * (2 - dx * dx));
          const std::int64_t voxel =
              (neighbour(z + dz, 0) * shape.y + neighbour(y + dy, 1)) * shape.x + neighbour(x + dx, 2);
          sum += weight * wide.values[static_cast<std::size_t>(voxel)];
        }
        result.values.push_back(sum / 64);
      }
  return result;
}

bool is_fluid(const io::field_list& list) {
  return std::any_of(list.fields.begin(), list.fields.end(), [](const auto& f) { return f.name == "velocity"; });
}

const io::field_info& find_vector(const io::field_list& list, const std::string& wanted) {
  std::vector<std::string> vectors;
  for (const io::field_info& f : list.fields) {
    if (f.components != 3) continue;
    if (f.name == wanted) return f;
    vectors.push_back(f.name);
  }
  if (wanted.empty())
    for (const char* usual : {"velocity", "heat_flux_density"})
      for (const io::field_info& f : list.fields)
        if (f.name == usual && f.components == 3) return f;
  const std::string has =
      vectors.empty() ? "the file has no vector fields" : fmt::format("vector fields: {}", fmt::join(vectors, ", "));
  if (wanted.empty())
    throw usage_error(fmt::format(
        "the file contains neither velocity nor heat_flux_density; select a vector field with --lines-of ({})", has));
  throw usage_error(fmt::format("--lines-of {}: no such vector field{} {}", wanted,
                                did_you_mean(wanted, vectors).empty() ? ";" : did_you_mean(wanted, vectors), has));
}

render::vector_values read_vector(const std::string& path, const io::field_info& field, const box3& part) {
  render::vector_values result;
  for (int axis = 0; axis < 3; ++axis)  // in the file, the order of components is x, y, z
    result[static_cast<std::size_t>(axis)] = io::read_field(path, field, part, 2 - axis);
  return result;
}

nlohmann::ordered_json describe(const field_lines& lines) {
  return {
      {"lines", lines.lines->count()},
      {"vertices", lines.lines->vertices.size()},
      {"longest_mm", lines.longest_mm},
      {"through", lines.through},
      {"median_time_s", lines.through > 0 ? nlohmann::ordered_json(lines.median_time_s) : nlohmann::ordered_json(nullptr)}};
}

nlohmann::ordered_json export_lines(MPI_Comm comm, const std::string& results, const std::string& field, std::int64_t count,
                                    const std::string& path, log_sink& log) {
  io::field_list list;
  io::field_info vector;
  grid::block where;
  render::vector_values values;
  std::vector<std::string> files;
  comm::collectively(comm, [&] {
    if (count < 1 || count > most_lines)
      throw usage_error(fmt::format("--streamlines {}: the number must be in [1, {}]", count, most_lines));
    if (!io::results_exist(results)) throw data_error(fmt::format("cannot read '{}': no such file", results));
    files = io::results_files(results);
  });
  for (const std::string& file : files)
    if (const std::string warning = io::check_whole(comm, file, "file"); !warning.empty()) log.warn(warning);
  comm::collectively(comm, [&] {
    list = io::list_fields(results);
    vector = find_vector(list, field);
    where = grid::make_block(comm, even_boxes(list.shape, comm::size(comm)));
    values = read_vector(results, vector, where.owned);
  });
  const field_lines found = lines_along(where, list.spacing_mm, values, count);
  nlohmann::ordered_json answer{
      {"schema", "osteon.streamlines/1"}, {"file", path}, {"field", vector.name}, {"units", vector.units}};
  answer.update(describe(found));
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    io::polylines out;
    const render::streamlines& lines = *found.lines;
    out.first.assign(lines.first.begin(), lines.first.end());
    std::vector<double> speed, time;
    for (const render::line_vertex& v : lines.vertices) {
      out.points.push_back({v.at.x * list.spacing_mm.x, v.at.y * list.spacing_mm.y, v.at.z * list.spacing_mm.z});
      speed.push_back(v.speed);
      time.push_back(v.time);
    }
    out.values = {{"speed", std::move(speed)}, {"time", std::move(time)}};
    io::write_vtp(path, out);
  });
  return answer;
}

}  // namespace osteon::job
