#pragma once
/// @file
/// Sources of models of other programs that also write the results of an elastic solution in their own format.
#include <osteon/job/import/model_source.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

class elastic_source : public model_source {
 public:
  /// Return true if the files of the source contain the reactions; these are stored only in that case.
  virtual bool takes_reactions() const = 0;
  /// Return the writer of the files. Borrows `job` and `part`.
  /// @param reaction_N as elasticity_solution has it; empty unless takes_reactions()
  virtual file_writer writer_of(const spec& job, const local_model& part, const derived_fields& state,
                                std::vector<double> reaction_N) const = 0;
};

/// The source of a job; null: the source has no files of its own.
inline const elastic_source* elastic_source_of(const spec& job) {
  return dynamic_cast<const elastic_source*>(&source_of(job));
}

}  // namespace osteon::physics
