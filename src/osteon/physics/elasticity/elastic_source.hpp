#pragma once
/// @file
/// Model sources that also write the results of an elastic solution in the format of another program.
#include <osteon/job/import/model_source.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

class elastic_source : public model_source {
 public:
  /// Return true if the files of the source contain the reactions. Otherwise the reactions are not stored.
  virtual bool needs_reactions() const = 0;
  /// Return the writer of the files. Borrows `job` and `part`.
  /// @param reaction_N as in elasticity_solution; empty unless needs_reactions()
  virtual file_writer writer_of(const spec& job, const local_model& part, const derived_fields& state,
                                std::vector<double> reaction_N) const = 0;
};

/// Return the source of a job, or null if the source does not write results.
inline const elastic_source* elastic_source_of(const spec& job) {
  return dynamic_cast<const elastic_source*>(&source_of(job));
}

}  // namespace osteon::physics
