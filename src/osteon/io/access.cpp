#include <osteon/io/access.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <osteon/base/error.hpp>
#include <osteon/comm/reductions.hpp>

namespace osteon::io {
namespace {

constexpr std::array<std::pair<access_mode, const char*>, 4> names{{{access_mode::automatic, "auto"},
                                                                    {access_mode::serial, "serial"},
                                                                    {access_mode::aggregated, "aggregated"},
                                                                    {access_mode::parallel, "parallel"}}};

struct host_map {
  std::vector<int> leader;  ///< first rank of the group of each rank
  int hosts = 1;
};

host_map find_hosts(MPI_Comm all, int ranks_per_group) {
  const auto host = comm::communicator::of_host(all);
  const int place = host.rank(), group = ranks_per_group > 0 ? ranks_per_group : host.size();
  std::vector<int> members(static_cast<std::size_t>(host.size()));
  const int own = comm::rank(all);
  MPI_Allgather(&own, 1, MPI_INT, members.data(), 1, MPI_INT, host.get());
  const int leader = members[static_cast<std::size_t>(place / group * group)];
  host_map map;
  map.leader.resize(static_cast<std::size_t>(comm::size(all)));
  MPI_Allgather(&leader, 1, MPI_INT, map.leader.data(), 1, MPI_INT, all);
  map.hosts = place == 0 ? 1 : 0;
  comm::all_reduce(all, &map.hosts, 1, MPI_SUM);
  return map;
}

}  // namespace

std::string name_of(access_mode mode) {
  return std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == mode; })->second;
}

access_mode access_mode_of(const std::string& name) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.second == name; });
  if (found == names.end())
    throw usage_error(fmt::format("unknown file access mode '{}'; must be auto, serial, aggregated or parallel", name));
  return found->first;
}

access_mode choose_mode(file_system_kind kind, int ranks, int hosts, direction way) {
  if (ranks == 1 || (hosts > 1 && kind == file_system_kind::local)) return access_mode::serial;
  if (kind != file_system_kind::network) return access_mode::parallel;
  return way == direction::write ? access_mode::serial : access_mode::aggregated;
}

file_team file_team::make(MPI_Comm all, const std::string& path, const access& options, direction way) {
  file_team team;
  const int rank = comm::rank(all), size = comm::size(all);
  if (rank == 0) team.system = file_system_of(path);
  int kind = static_cast<int>(team.system.kind);
  MPI_Bcast(&kind, 1, MPI_INT, 0, all);
  team.system.kind = static_cast<file_system_kind>(kind);
  const host_map map = find_hosts(all, options.ranks_per_writer);
  team.hosts = map.hosts;
  team.mode = options.mode == access_mode::automatic ? choose_mode(team.system.kind, size, team.hosts, way) : options.mode;

  bool mine = rank == 0;
  if (team.mode == access_mode::parallel) mine = true;
  if (team.mode == access_mode::aggregated) mine = map.leader[static_cast<std::size_t>(rank)] == rank;
  for (int r = 0; r < size; ++r) {
    const int leader = map.leader[static_cast<std::size_t>(r)];
    if (r == 0 || team.mode == access_mode::parallel || (team.mode == access_mode::aggregated && leader == r))
      team.ranks.push_back(r);
    else if (team.mode == access_mode::aggregated)
      team.contiguous = team.contiguous && leader == team.ranks.back();
  }
  team.comm = comm::communicator::split(all, mine ? 0 : MPI_UNDEFINED);
  return team;
}

void check_hints(const access& options) {
  for (const auto& [key, value] : options.hints)
    if (key.empty() || key.size() >= MPI_MAX_INFO_KEY || value.empty() || value.size() >= MPI_MAX_INFO_VAL)
      throw usage_error(fmt::format("MPI-IO hint '{:.40}={:.40}': key and value must not be empty or too long", key, value));
}

MPI_Info make_info(const access& options, const file_team& team) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  if (team.system.kind == file_system_kind::parallel) {  // one collecting rank per host, as recommended for file servers
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Info_set(info, "cb_nodes", std::to_string(team.hosts).c_str());
  }
  for (const auto& [key, value] : options.hints) MPI_Info_set(info, key.c_str(), value.c_str());
  return info;
}

}  // namespace osteon::io
