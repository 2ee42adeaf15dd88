#include <osteon/io/files/model_header_bytes.hpp>

#include <cstring>
#include <osteon/base/error.hpp>
#include <type_traits>

namespace osteon::io {
namespace {

// Traverse the members of a header. Writing and reading use the same traversal and therefore remain consistent.
template <class Stream, class Header>
void walk(Stream& s, Header& h) {
  s.value(h.shape);
  s.value(h.spacing_mm);
  s.value(h.origin_mm);
  s.list(h.materials, [&](auto& m) {
    s.text(m.name);
    s.value(m.youngs_modulus_MPa);
    s.value(m.poisson_ratio);
    s.value(m.conductivity_W_per_mK);
  });
  s.list(h.active_per_plane, [&](auto& active) { s.value(active); });
  s.text(h.source);
  s.text(h.source_sha256);
  s.text(h.provenance_json);
  s.list(h.conditions, [&](auto& c) {  // member by member: structs may contain uninitialised padding
    s.value(c.node);
    s.value(c.move_mm);
    s.value(c.force_N);
    s.value(c.held);
    s.value(c.preserved);
  });
}

struct writer {
  std::vector<char> bytes;
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    const char* from = reinterpret_cast<const char*>(&v);
    bytes.insert(bytes.end(), from, from + sizeof v);
  }
  void text(const std::string& t) {
    value(t.size());
    bytes.insert(bytes.end(), t.begin(), t.end());
  }
  template <class List, class F>
  void list(const List& l, F each) {
    value(l.size());
    for (const auto& item : l) each(item);
  }
};

struct reader {
  const char *at, *end;
  void need(std::size_t bytes) const {
    if (static_cast<std::size_t>(end - at) < bytes) throw data_error("model header: truncated; report this as a bug");
  }
  template <class T>
  void value(T& v) {
    need(sizeof v);
    std::memcpy(&v, at, sizeof v);
    at += sizeof v;
  }
  void text(std::string& t) {
    std::size_t size = 0;
    value(size);
    need(size);
    t.assign(at, size);
    at += size;
  }
  template <class List, class F>
  void list(List& l, F each) {
    std::size_t size = 0;
    value(size);
    need(size);  // each item has at least one byte
    l.resize(size);
    for (auto& item : l) each(item);
  }
};

}  // namespace

std::vector<char> pack(const voxel::model_header& header) {
  writer stream;
  walk(stream, header);
  return std::move(stream.bytes);
}

voxel::model_header unpack(const std::vector<char>& bytes) {
  voxel::model_header header;
  reader stream{bytes.data(), bytes.data() + bytes.size()};
  walk(stream, header);
  if (stream.at != stream.end) throw data_error("model header: length does not match its content; report this as a bug");
  return header;
}

}  // namespace osteon::io
