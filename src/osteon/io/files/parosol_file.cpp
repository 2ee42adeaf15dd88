#include <osteon/io/files/parosol_file.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <osteon/io/netcdf.hpp>

namespace osteon::io {

namespace {

// Positions and values of conditions, stored as two variables.
class condition_lists {
 public:
  condition_lists(int group, const std::string& where, const std::string& values, std::size_t count, int four)
      : group_(group), count_(count) {
    const int dimensions[2] = {define_dimension(group, values + "_count", count), four};
    places_ = define_variable(group, where, NC_USHORT, dimensions);
    values_ = define_variable(group, values, NC_FLOAT, {dimensions, 1});
  }

  void write(const std::vector<parosol_condition>& conditions) const {
    if (count_ == 0) return;
    std::vector<std::uint16_t> places;
    std::vector<float> values;
    for (const parosol_condition& c : conditions) {
      places.insert(places.end(), c.node_zyx.begin(), c.node_zyx.end());
      places.push_back(c.direction);
      values.push_back(c.value);
    }
    check_netcdf(nc_put_var_ushort(group_, places_, places.data()), "write the positions of conditions");
    check_netcdf(nc_put_var_float(group_, values_, values.data()), "write the values of conditions");
  }

 private:
  int group_, places_ = -1, values_ = -1;
  std::size_t count_;
};

}  // namespace

void write_parosol(const std::string& name, const parosol_model& model, const plane_source<float>& modulus_GPa) {
  int id = -1;
  check_netcdf(nc_create(netcdf_path(name), NC_NETCDF4 | NC_CLOBBER, &id), fmt::format("create '{}'", name));
  netcdf_file file(id, netcdf_file::use::writing);
  const int group = define_group(id, "Image_Data");
  std::vector<int> axes;
  for (int a = 0; a < 3; ++a)
    axes.push_back(define_dimension(group, std::string(1, "zyx"[a]), static_cast<std::size_t>(model.shape[a])));
  const int four = define_dimension(group, "place_and_direction", 4);
  const int edge = define_variable(group, "Voxelsize", NC_DOUBLE, {}),
            ratio = define_variable(group, "Poisons_ratio", NC_DOUBLE, {}),
            image = define_variable(group, "Image", NC_FLOAT, axes);
  check_netcdf(nc_def_var_fill(group, image, NC_NOFILL, nullptr), "define Image");
  const condition_lists fixed(group, "Fixed_Displacement_Coordinates", "Fixed_Displacement_Values", model.fixed.size(),
                              four);
  const condition_lists loaded(group, "Loaded_Nodes_Coordinates", "Loaded_Nodes_Values", model.loaded.size(), four);
  check_netcdf(nc_enddef(id), "define the file");
  check_netcdf(nc_put_var_double(group, edge, &model.voxel_mm), "write Voxelsize");
  check_netcdf(nc_put_var_double(group, ratio, &model.poisson_ratio), "write Poisons_ratio");
  fixed.write(model.fixed);
  loaded.write(model.loaded);
  std::vector<float> plane(static_cast<std::size_t>(model.shape.y * model.shape.x));
  for (std::int64_t z = 0; z < model.shape.z; ++z) {
    modulus_GPa(z, 1, plane);
    const std::array<std::size_t, 3> first{static_cast<std::size_t>(z), 0, 0};
    const std::array<std::size_t, 3> count{1, static_cast<std::size_t>(model.shape.y),
                                           static_cast<std::size_t>(model.shape.x)};
    check_netcdf(nc_put_vara_float(group, image, first.data(), count.data(), plane.data()), "write Image");
  }
  file.close();
}

}  // namespace osteon::io
