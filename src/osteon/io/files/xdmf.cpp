#include <osteon/io/files/result_file.hpp>

#include <fmt/format.h>
#include <netcdf.h>

#include <cerrno>
#include <common/xml_text.hpp>
#include <cstring>
#include <fstream>
#include <osteon/base/error.hpp>
#include <osteon/io/netcdf.hpp>
#include <osteon/io/temporary_file.hpp>

namespace osteon::io {
namespace {

std::string attribute(const std::string& name, const std::string& result_name, index3 shape, centring where, int components,
                      const char* type) {
  const bool node = where == centring::node;
  const index3 n = node ? shape + index3{1, 1, 1} : shape;
  // XDMF's own tensor has another order of components (xx, xy, xz, yy, yz, zz).
  const char* const kind = components == 1 ? "Scalar" : components == 3 ? "Vector" : "Matrix";
  return fmt::format(
      "      <Attribute Name=\"{0}\" AttributeType=\"{1}\" Center=\"{2}\">\n"
      "        <DataItem Format=\"HDF\" {3} Dimensions=\"{4} {5} {6}{7}\">{8}:/VTKHDF/{9}/{0}</DataItem>\n"
      "      </Attribute>\n",
      xml_text(name), kind, node ? "Node" : "Cell", type, n.z, n.y, n.x,
      components > 1 ? fmt::format(" {}", components) : "", xml_text(result_name), node ? "PointData" : "CellData");
}

}  // namespace

void write_xdmf(const std::string& xdmf_path, const std::string& result_name, const voxel::model_header& header,
                std::span<const field_info> fields) {
  const index3 n = header.shape;
  const vector3 h = header.spacing_mm, o = header.origin_mm;
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n    <Grid Name=\"osteon\" GridType=\"Uniform\">\n"
      "      <Time Value=\"0\"/>\n"  // PyVista's reader asks for the times of a file and fails if there are none
      "      <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{} {} {}\"/>\n"
      "      <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
      "        <DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"3\">{} {} {}</DataItem>\n"
      "        <DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" Dimensions=\"3\">{} {} {}</DataItem>\n"
      "      </Geometry>\n",
      n.z + 1, n.y + 1, n.x + 1, o.z, o.y, o.x, h.z, h.y, h.x);
  text += attribute("material", result_name, n, centring::cell, 1,
                    material_type(header.materials) == NC_UBYTE ? "NumberType=\"UChar\" Precision=\"1\""
                                                                : "NumberType=\"UInt\" Precision=\"2\"");
  for (const field_info& f : fields)
    text += attribute(f.name, result_name, n, f.where, f.components, "NumberType=\"Float\" Precision=\"4\"");
  text += "    </Grid>\n  </Domain>\n</Xdmf>\n";

  temporary_file temporary(xdmf_path);
  std::ofstream file(temporary.name(), std::ios::binary);
  file << text;
  file.close();
  if (!file) throw machine_error(fmt::format("cannot write '{}': {}", xdmf_path, std::strerror(errno)));
  temporary.commit();
}

}  // namespace osteon::io
