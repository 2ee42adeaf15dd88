#pragma once
/// @file
/// Models of other programs that want the results of an elastic solution in their own format, too.
#include <osteon/job/import/model_source.hpp>
#include <osteon/physics/elasticity/elastic_fields.hpp>
#include <osteon/physics/shared/names_of_job.hpp>
#include <vector>

namespace osteon::physics {

class elastic_source : public model_source {
 public:
  /// Whether its files contain the reactions; they are kept for these files only.
  virtual bool takes_reactions() const = 0;
  /// The writer of its files. Borrows `job` and `part`.
  /// @param reaction_N as elasticity_solution has it; empty unless takes_reactions()
  virtual file_writer writer_of(const spec& job, const local_model& part, const derived_fields& state,
                                std::vector<double> reaction_N) const = 0;
};

/// The source of a job; null: it wants no files of its own.
inline const elastic_source* elastic_source_of(const spec& job) {
  return dynamic_cast<const elastic_source*>(&source_of(job));
}

}  // namespace osteon::physics
