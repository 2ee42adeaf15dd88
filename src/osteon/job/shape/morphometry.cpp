#include <osteon/job/shape/morphometry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <osteon/base/error.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/reductions.hpp>
#include <osteon/job/answers.hpp>
#include <osteon/job/import/model_source.hpp>
#include <osteon/job/local_model.hpp>
#include <osteon/job/outputs/output_paths.hpp>
#include <osteon/job/physics_entry.hpp>
#include <osteon/job/pipeline/result_documents.hpp>
#include <osteon/job/shape/compartments.hpp>
#include <osteon/job/system_info.hpp>
#include <osteon/morphometry/distance_map.hpp>
#include <osteon/morphometry/lattice_counts.hpp>
#include <osteon/morphometry/local_thickness.hpp>

namespace osteon::job {

using json = nlohmann::ordered_json;

json to_json(const morphometry::thickness_statistics& s) {
  if (s.voxels == 0) return nullptr;
  return {{"mean", s.mean}, {"sd", s.deviation}, {"p10", s.p10}, {"median", s.median}, {"p90", s.p90}, {"max", s.max}};
}

morphometry::thickness_statistics thickness_of(const grid::block& where, const std::vector<float>& phase,
                                               const vector3& spacing_mm) {
  const auto squared = morphometry::distance_map(where, phase, spacing_mm);
  return morphometry::statistics_of(where, morphometry::local_thickness(where, squared, spacing_mm), spacing_mm);
}

namespace {

// Return the statistics of throats. A throat is measured by the diameter of the largest sphere that can enter from outside.
// @param squared distance_map() of the pores
// @collective on where.comm
json throats_of(const grid::block& where, const std::vector<float>& squared, const vector3& spacing_mm) {
  const auto ways = morphometry::access_map(where, squared, morphometry::all_faces);
  const auto present = [](const std::vector<float>& of) { return std::ssize(of) - std::count(of.begin(), of.end(), 0.0F); };
  std::int64_t counts[2] = {present(squared), present(ways)};
  comm::all_reduce(where.comm, counts, 2, MPI_SUM);
  const auto sizes = morphometry::statistics_of(where, morphometry::local_thickness(where, ways, spacing_mm), spacing_mm);
  const auto passing = morphometry::passing_radii(where, squared);
  json critical;
  for (std::size_t a = 0; a < 3; ++a) {
    const double diameter = 2 * spacing_mm.x * std::sqrt(static_cast<double>(passing[a]));
    critical[std::string(1, "zyx"[a])] = diameter > 0 ? json(diameter) : json(nullptr);
  }
  return {{"diameter_mm", to_json(sizes)},
          {"accessible_share", static_cast<double>(counts[1]) / static_cast<double>(std::max<std::int64_t>(counts[0], 1))},
          {"critical_diameter_mm", critical}};
}

}  // namespace

spec job_for_shape(const spec& job) {
  spec other = job;
  other.physics = "elasticity";
  other.load = {};
  other.load.test = "custom";
  other.groups = {};  // the shape does not depend on the loads
  other.measures_shape = true;
  other.output_directory = (std::filesystem::path(job.output_directory) / "morphometry").string();
  return other;
}

json measure_shape(MPI_Comm comm, const spec& job, bool with_throats, log_sink& log) {
  io_clock clock;
  log.stage("reading the model");
  const local_model part = source_of(job).read(comm, job, clock, log);
  const index3 domain = part.where.domain;
  const vector3 h = part.header.spacing_mm;
  std::vector<float> solid, empty;
  comm::collectively(comm, [&] {
    const std::vector<material_number> image = image_of(part);
    solid.resize(image.size());
    std::transform(image.begin(), image.end(), solid.begin(), [](material_number m) { return m != 0 ? 1.0F : 0.0F; });
  });
  log.stage("counting");
  const morphometry::lattice_counts counts = morphometry::count_lattice(part.where, solid);
  comm::collectively(comm, [&] {
    if (counts.voxels == 0) throw data_error("the image has no solid voxels; check segment.threshold");
    if (counts.voxels == domain.volume())
      throw data_error("all voxels of the image are solid; surface and thickness are undefined; check segment.threshold");
  });
  json compartments;
  if (!job.compartments.empty()) {
    log.stage("compartments");
    compartments = measure_compartments(job, part, solid);
  }
  const std::string phase = physics_of(job).rules(job).phase;
  const bool pores_are_solid = phase == "fluid";  // true if the pores are measured before the other phase
  json throats;
  const auto measured = [&](const std::vector<float>& of, bool are_pores) {
    const auto squared = morphometry::distance_map(part.where, of, h);
    if (with_throats && are_pores) {
      log.stage("throats of the pores");
      throats = throats_of(part.where, squared, h);
    }
    return morphometry::statistics_of(part.where, morphometry::local_thickness(part.where, squared, h), h);
  };
  log.stage("thickness of the solid");
  const auto thickness = measured(solid, pores_are_solid);
  log.stage("thickness of the empty space");
  comm::collectively(comm, [&] {
    empty = std::move(solid);
    for (float& v : empty) v = 1 - v;
  });
  const auto separation = measured(empty, !pores_are_solid);

  const double voxel = h.z * h.y * h.x, total = static_cast<double>(domain.volume()) * voxel;
  const double bone = static_cast<double>(counts.voxels) * voxel;
  const double surface = morphometry::surface_mm2(counts, domain, h);
  json answer = {{"schema", "osteon.morphometry/1"},
                 {"job", job.name},
                 {"phase", phase},
                 {"shape", {domain.z, domain.y, domain.x}},
                 {"spacing_mm", {h.z, h.y, h.x}},
                 {"TV_mm3", total},
                 {"BV_mm3", bone},
                 {"BV_TV", bone / total},
                 {"BS_mm2", surface},
                 {"BS_BV_per_mm", surface / bone},
                 {"BS_TV_per_mm", surface / total},
                 {"Tb_Th_mm", to_json(thickness)},
                 {"Tb_Sp_mm", to_json(separation)},
                 {"Tb_N_per_mm", 1 / (thickness.mean + separation.mean)},
                 {"plate_model",
                  {{"Tb_Th_mm", 2 * bone / surface},
                   {"Tb_Sp_mm", 2 * (total - bone) / surface},
                   {"Tb_N_per_mm", surface / (2 * total)}}},
                 {"euler", counts.euler},
                 {"Conn_D_per_mm3", (1 - static_cast<double>(counts.euler)) / total},
                 {"inner_euler", counts.inner_euler()},
                 {"inner_Conn_D_per_mm3", nullptr}};
  if (std::min({domain.z, domain.y, domain.x}) > 1) {
    const double euler = counts.inner_euler(), volume = static_cast<double>((domain - index3{1, 1, 1}).volume()) * voxel;
    answer["inner_Conn_D_per_mm3"] = euler == 0 ? 0.0 : -euler / volume;  // this case avoids -0
  }
  if (const auto fabric = morphometry::fabric_of(counts, domain, h))
    answer["fabric"] = {{"DA", fabric->anisotropy()},
                        {"DA_0_to_1", 1 - 1 / fabric->anisotropy()},
                        {"intercept_mm", fabric->length_mm},
                        {"direction_zyx", fabric->direction_zyx}};
  else
    answer["fabric"] = nullptr;
  if (!throats.is_null()) answer["throats"] = throats;
  if (!compartments.empty()) answer["compartments"] = compartments;
  return answer;
}

namespace {

// Return a communicator that has at most one rank per line of voxels. The longest axis of the image has the smallest number
// of lines.
comm::communicator ranks_with_lines(MPI_Comm comm, const spec& job) {
  std::int64_t lines = 0;
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0) return;
    const auto shape = read_summary(job).at("image").at("shape").get<std::array<std::int64_t, 3>>();
    lines = shape[0] * shape[1] * shape[2] / *std::max_element(shape.begin(), shape.end());
  });
  MPI_Bcast(&lines, 1, MPI_INT64_T, 0, comm);
  return comm::communicator::split(comm, comm::rank(comm) < lines ? 0 : MPI_UNDEFINED);
}

}  // namespace

void report_shape(MPI_Comm comm, const spec& job, log_sink& log) {
  const bool has_pores = std::string_view(physics_of(job).rules(job).phase) == "fluid";
  const comm::communicator measuring = ranks_with_lines(comm, job);
  json measures;
  comm::collectively(comm, [&] {  // an error on the measuring ranks also ends the waiting of the other ranks
    if (measuring.get() == MPI_COMM_NULL) return;
    try {
      measures = measure_shape(measuring.get(), job, has_pores, log);
    } catch (const data_error& fault) {  // all ranks throw this error; the answers that have already been computed are kept
      log.warn(fmt::format("no morphometry: {}", fault.what()));
    }
  });
  comm::collectively(comm, [&] {
    if (comm::rank(comm) != 0 || measures.is_null()) return;
    for (const char* known : {"schema", "job", "shape", "spacing_mm"}) measures.erase(known);
    json summary = read_summary(job);
    summary["morphometry"] = measures;
    write_file(output_paths(job).summary, to_text(summary));
  });
}

namespace {

std::string line(const char* name, const json& value, const char* unit) {
  const bool is_short = std::string_view(unit) == "mm" && is_in_micrometres(value.get<double>());
  return fmt::format("  {:<44} {:>12.5g}  {}\n", name, (is_short ? 1000 : 1) * value.get<double>(),
                     is_short ? micrometres : unit);
}

std::string spread(const char* name, const json& s) {
  if (s.is_null()) return fmt::format("  {:<44} {:>12}\n", name, "none");
  const double mean = s.at("mean"), unit = is_in_micrometres(mean) ? 1000 : 1;
  return fmt::format("  {:<44} {:>12.5g}  {}, sd {:.4g}, median {:.4g}, largest {:.4g}\n", name, unit * mean,
                     unit > 1 ? micrometres : "mm", unit * s.at("sd").get<double>(), unit * s.at("median").get<double>(),
                     unit * s.at("max").get<double>());
}

std::string table_of_compartment(const std::string& name, const json& c) {
  std::string text = fmt::format("{} ({})\n", name, c.at("kind").get<std::string>());
  text += line("TV, total volume", c.at("TV_mm3"), "mm3") + line("BV/TV", c.at("BV_TV"), "");
  if (c.contains("Ct_Th_mm")) text += spread("Ct.Th, cortical thickness including pores", c.at("Ct_Th_mm"));
  if (c.contains("Ct_Po")) text += line("Ct.Po, cortical porosity", c.at("Ct_Po"), "");
  if (c.contains("Tb_Th_mm")) text += spread("Tb.Th", c.at("Tb_Th_mm")) + spread("Tb.Sp", c.at("Tb_Sp_mm"));
  if (c.contains("Tb_N_per_mm") && !c.at("Tb_N_per_mm").is_null()) text += line("Tb.N", c.at("Tb_N_per_mm"), "1/mm");
  if (c.contains("vBMD")) text += line("vBMD, mean density", c.at("vBMD"), c.at("vBMD_unit").get<std::string>().c_str());
  return text;
}

std::string table_of_image(const json& m) {
  std::string text =
      line(fmt::format("BV/TV, volume fraction of the {}", m.at("phase").get<std::string>()).c_str(), m.at("BV_TV"), "");
  text += line("TV, total volume of the image", m.at("TV_mm3"), "mm3");
  text += line("BS, surface area", m.at("BS_mm2"), "mm2");
  text += line("BS/BV, specific surface area", m.at("BS_BV_per_mm"), "1/mm");
  text += spread("Tb.Th, mean thickness by inscribed spheres", m.at("Tb_Th_mm"));
  text += spread("Tb.Sp, mean separation by inscribed spheres", m.at("Tb_Sp_mm"));
  text += line("Tb.N, 1/(Tb.Th + Tb.Sp)", m.at("Tb_N_per_mm"), "1/mm");
  text += line("Conn.D, (1 - Euler number)/TV", m.at("Conn_D_per_mm3"), "1/mm3");
  if (!m.at("inner_Conn_D_per_mm3").is_null())
    text += line("Conn.D, for a sample of a larger structure", m.at("inner_Conn_D_per_mm3"), "1/mm3");
  if (m.at("fabric").is_null())
    return text + fmt::format("  {:<44} {:>12}  (no intercepts along some direction)\n", "DA", "none");
  text += line("DA, longest over shortest mean intercept length", m.at("fabric").at("DA"), "");
  return text + line("DA, normalised to the range 0 to 1", m.at("fabric").at("DA_0_to_1"), "");
}

std::string table_of_throats(const json& t) {
  std::string text = spread("throat diameter, largest entering sphere", t.at("diameter_mm"));
  text += line("accessible pore fraction", t.at("accessible_share"), "");
  for (const auto& [axis, diameter] : t.at("critical_diameter_mm").items()) {
    const std::string name = fmt::format("critical diameter, largest sphere along {}", axis);
    text += diameter.is_null() ? fmt::format("  {:<44} {:>12}\n", name, "none") : line(name.c_str(), diameter, "mm");
  }
  return text;
}

}  // namespace

std::string table_of_shape(const json& m) {
  std::string text = table_of_image(m);
  if (const auto found = m.find("throats"); found != m.end()) text += table_of_throats(*found);
  if (const auto found = m.find("compartments"); found != m.end())
    for (const auto& [name, c] : found->items()) text += table_of_compartment(name, c);
  return text;
}

}  // namespace osteon::job
