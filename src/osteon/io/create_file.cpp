#include <osteon/io/create_file.hpp>

#include <netcdf.h>
#include <netcdf_par.h>
#include <unistd.h>

#include <algorithm>

namespace osteon::io {
namespace {

/// Where netCDF puts what it creates is a setting of the whole library: it holds for one call here.
class alignment {
 public:
  explicit alignment(std::int64_t bytes) : used_(bytes > 1) {
    constexpr int threshold = 1 << 16;  // small things need no place of their own
    if (used_) nc_set_alignment(threshold, static_cast<int>(bytes));
  }
  alignment(const alignment&) = delete;
  alignment& operator=(const alignment&) = delete;
  ~alignment() {
    if (used_) nc_set_alignment(1, 1);
  }

 private:
  bool used_;
};

}  // namespace

int create_file(const std::string& name, const file_team& team, const access& how, int& id) {
  const alignment during_this_call(how.alignment_bytes);
  if (team.mode == access_mode::serial) return nc_create(name.c_str(), NC_NETCDF4 | NC_CLOBBER, &id);
  // Stripes are laid when a file is made, so an empty one must not be there yet.
  const bool striped =
      std::any_of(how.hints.begin(), how.hints.end(), [](const auto& h) { return h.first.starts_with("striping"); });
  if (striped && comm::rank(team.comm.get()) == 0) ::unlink(name.c_str());
  if (striped) MPI_Barrier(team.comm.get());
  MPI_Info info = make_info(how, team);
  const int status = nc_create_par(name.c_str(), NC_NETCDF4 | NC_CLOBBER, team.comm.get(), info, &id);
  MPI_Info_free(&info);
  return status;
}

int end_definitions(int id, const file_team& team, std::span<const plane_variable> variables) {
  int status = nc_enddef(id);
  if (team.mode == access_mode::serial) return status;
  for (const plane_variable& v : variables)
    if (status == NC_NOERR) status = nc_var_par_access(v.group, v.id, NC_COLLECTIVE);
  return status;
}

}  // namespace osteon::io
