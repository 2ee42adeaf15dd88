#pragma once
/// @file
/// Two-step methods. The first step composites inside groups of adjacent members, and the second step composites between
/// groups.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// Transfer of group pictures to the outer method.
enum class hand_over : std::uint8_t {
  at_leaders,  ///< each group collects its picture at its leader; the leaders composite whole images
  by_owners,   ///< parts remain at their owners; for each part, the owners in all groups composite this part
};

/// Composite inside groups, then between groups.
///
/// Groups may have different sizes. With by_owners, groups may divide the image differently. The outer method then
/// composites each intersection of parts. The leader of a group is the root of the task if the group contains the root.
/// Otherwise, the leader is the first member.
/// @param begins first member of each group, starting with 0
composite in_groups(const composite_task& task, std::vector<int> begins, const composite_maker& inner,
                    const composite_maker& outer, hand_over between);

/// Groups of at most `group` members. The sizes of groups differ by at most one member.
/// @throws usage_error if group < 1
/// @cite [Ono]: multi-step image compositing, with binary swap inside groups and a binary tree of leaders
composite multi_step(const composite_task& task, int group, const composite_maker& inner, const composite_maker& outer,
                     hand_over between);

/// Direct send inside each host, where members share memory. A binary swap of each stripe between hosts follows.
///
/// `over` joins only adjacent images. If the members of a host are not contiguous in visibility order, each contiguous run
/// of members forms a separate group.
/// @throws usage_error if the task does not contain the host of a member
/// @cite [Ono] (DS+BS); [Reinhard2000] inside a host; [Grosset2015] for the same division of the work
composite hybrid(const composite_task& task);

/// Groups of two to four members reduce the number of members to a power of two; binary swap follows.
/// @cite [Nonaka2018] (234Compositor)
composite two_three_four_swap(const composite_task& task);

}  // namespace osteon::plan
