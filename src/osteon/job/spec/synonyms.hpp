#pragma once
/// @file
/// Suggestions for unknown keys and values. Suggestions also cover names in other programs.
#include <map>
#include <string>
#include <vector>

namespace osteon::job {

/// The keys of a job file for each table. For example, "load" has the keys "axis", "strain" and others. The name of the root
/// table is empty.
std::map<std::string, std::vector<std::string>> keys_by_table();

/// Names of a key in earlier versions. Job files may still use these names. @param table name of the table, for example
/// "load"
std::vector<std::string> older_keys(const std::string& table, const std::string& key);

/// Return the present spelling of a value. If a value was never renamed, the value is unchanged. @param key name of the key
/// with this value
std::string present_value(const std::string& key, const std::string& value);

/// Return a text such as `; did you mean 'spacing_mm'?` or `; the key belongs to [load]`. The text may be empty.
/// @param table name of the table, for example "image" or "material"; empty: the root @param known keys of the table
std::string advice_on_key(const std::string& table, const std::string& key, const std::vector<std::string>& known);

/// Return a text such as `; did you mean 'axial_bonded'?`. The text may be empty. @param key name of the key with this value
/// @param choices valid values
std::string advice_on_value(const std::string& key, const std::string& value, const std::vector<std::string>& choices);

}  // namespace osteon::job
