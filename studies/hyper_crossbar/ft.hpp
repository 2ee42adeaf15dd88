#pragma once
/// @file
/// NPB FT solves a diffusion equation by Fourier transforms in three dimensions. The numbers, rules and checksums are those
/// of NPB.
#include <studies/hyper_crossbar/fourier/fourier_3d.hpp>
#include <vector>

namespace osteon::studies {

/// A problem size of NPB FT.
struct ft_class {
  char name = 'S';
  index3 shape;                                 ///< (z, y, x)
  std::vector<std::complex<double>> checksums;  ///< one checksum per iteration
};
/// The class S, W, A, B or C. @throws usage_error for another name
const ft_class& ft_class_named(const std::string& name);

struct ft_report {
  fourier_options options;  ///< options that the run used
  double seconds = 0;       ///< time of the timed part on the slowest rank
  double exec = 0;          ///< computing time; maximum over ranks
  double trans = 0;         ///< remaining time, which consists of sending, receiving and waiting
  double transform = 0;     ///< best time of one forward transform in three dimensions, including its exchanges
  double cpu = 0;           ///< CPU seconds of all ranks in the timed part
  exchange_account
      account;  ///< communication in the timed part of the rank that sent most bytes; `seconds` is the maximum over ranks
  std::vector<std::complex<double>> checksums;
  double error = 0;  ///< largest relative difference from the checksums of NPB
  bool verified = false;
};

/// Run NPB FT by the rules of NPB. First, initial values and one transform are computed without timing. Then the following
/// parts are timed: the initial values, the forward transform, and the iterations. Each iteration consists of an evolution,
/// a backward transform and a checksum.
/// @throws usage_error, machine_error under the conditions of fourier_3d::make
/// @collective on comm
/// @param transforms number of additional forward transforms, for ft_report::transform
ft_report run_ft(MPI_Comm comm, const ft_class& problem, const fourier_options& options, int transforms = 0);

/// Operations per second that NPB prints for a run of this duration.
double ft_mops(const ft_class& problem, double seconds);

}  // namespace osteon::studies
