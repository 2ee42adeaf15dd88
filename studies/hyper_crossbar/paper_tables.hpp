#pragma once
/// @file
/// Recomputation of Tables 2 to 6, Figure 2 and Table a of [Itakura].
#include <cstdint>
#include <limits>
#include <osteon/plan/exchange/exchange.hpp>
#include <span>
#include <string>
#include <vector>

namespace osteon::studies {

/// A published number and the recomputed number.
struct paper_cell {
  int table = 0;
  std::string quantity;
  int pus = 0;
  double paper = 0;
  /// value recomputed with the assumptions that yield the numbers of [Itakura]; NaN for a value measured in [Itakura]
  double as_printed = 0;
  /// consistently recomputed value, if this value differs from `as_printed`
  double corrected = std::numeric_limits<double>::quiet_NaN();
  bool fitted = false;   ///< true: the value contains a term fitted to the numbers of [Itakura]
  bool rounded = false;  ///< true: the printed value has too few digits for an informative error
  double error() const { return as_printed / paper - 1; }
};

/// Sum over rounds of the sizes of the largest messages, divided by the product of the number of rounds and `mean`.
/// @cite [Itakura]: skew rate
double skew_rate(const plan::plan& plan, double mean);

/// Shape of the machine of [Itakura] with 64, 128, 256, 512 or 1024 PUs. @throws usage_error for another number of PUs
std::vector<int> shape_of_paper(int pus);

/// Skew rates of the all-to-all exchange of NPB IS, class A, on the machines of [Itakura].
/// @cost generates and ranks 2^23 keys in less than a second
struct is_skew {
  int pus = 0;
  double low = 0;         ///< exchange (1): keys are sent to their positions by the low 10 bits
  double high = 0;        ///< exchange (2): keys are sent by the high 9 bits, from the original order
  double high_after = 0;  ///< exchange (2): keys are sent by the high 9 bits, from the order after exchange (1)
};
std::vector<is_skew> skew_of_is();

/// All cells in the order of the tables. @param skews result of skew_of_is
std::vector<paper_cell> tables_of_paper(const std::vector<is_skew>& skews);

/// A point of Figure 2. The speed-up is the total time on 64 PUs divided by the total time on this number of PUs. The totals
/// are from the tables.
struct paper_speed_up {
  const char* program = "";
  int pus = 0;
  double paper = 0;       ///< speed-up from the printed totals
  double as_printed = 0;  ///< speed-up from the recomputed totals
  double ideal = 0;
};
/// @param cells from tables_of_paper
std::vector<paper_speed_up> figure_2_of_paper(const std::vector<paper_cell>& cells);

/// Table a contains times in seconds of class A on the machines of [Bailey1994]. All machines have 64 PUs, except the Cray
/// Y-MP with one PU.
struct other_machine {
  const char* name = "";
  double is = 0, ft = 0;
};
std::span<const other_machine> table_a_of_paper();

}  // namespace osteon::studies
