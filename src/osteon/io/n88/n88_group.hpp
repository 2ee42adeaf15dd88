#pragma once
/// @file
/// Group of a netCDF file; error messages contain the path of the file (internal to io).
#include <netcdf.h>

#include <optional>
#include <osteon/io/netcdf.hpp>
#include <string>
#include <vector>

namespace osteon::io::n88 {

class group {
 public:
  group(int id, std::string path, std::string name) : id_(id), path_(std::move(path)), name_(std::move(name)) {}

  int id() const { return id_; }
  const std::string& name() const { return name_; }
  std::optional<group> find(const std::string& name) const;
  /// Subgroup. @throws data_error if it does not exist
  group at(const std::string& name) const;
  std::vector<group> all() const;

  std::optional<std::string> text(const char* attribute) const;
  /// Numeric attribute; empty if it does not exist. @throws data_error unless it is a single number
  std::optional<double> number(const char* attribute) const;

  bool has(const char* variable) const;
  /// Extents of a variable. @throws data_error if it does not exist
  std::vector<std::size_t> extents(const char* variable) const;
  std::size_t length(const char* variable) const;  ///< length of a list
  std::vector<long long> integers(const char* variable, std::size_t first, std::size_t count) const;
  std::vector<double> numbers(const char* variable, std::size_t first, std::size_t count) const;
  std::vector<std::string> texts(const char* variable) const;
  std::vector<long long> integers(const char* variable) const { return integers(variable, 0, length(variable)); }
  std::vector<double> numbers(const char* variable) const { return numbers(variable, 0, length(variable)); }

  [[noreturn]] void fail(const std::string& fault) const;

 private:
  struct window {
    std::vector<std::size_t> first, count;
    std::size_t values = 1;
  };
  window rows(const char* variable, std::size_t first, std::size_t count) const;
  int variable(const char* name) const;
  void check(int status, const std::string& action) const;

  int id_;
  std::string path_, name_;
};

}  // namespace osteon::io::n88
