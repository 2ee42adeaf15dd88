#pragma once
/// @file
/// Two-step methods: compositing inside groups of adjacent members, then between groups.
#include <osteon/plan/composite/composite.hpp>

namespace osteon::plan {

/// Transfer of group pictures to the outer method.
enum class hand_over : std::uint8_t {
  at_leaders,  ///< each group collects its picture at one member; the leaders composite whole images
  by_owners,   ///< parts remain at their owners; the owners of a part in all groups composite this part
};

/// Composite inside groups and then between them.
///
/// Groups may have different sizes. With by_owners, the outer method composites each intersection of parts if groups have
/// divided the image differently. The leader of a group is the task's root if the root is in the group, otherwise the first
/// member.
/// @param begins first member of each group, 0 first
composite in_groups(const composite_task& task, std::vector<int> begins, const composite_maker& inner,
                    const composite_maker& outer, hand_over between);

/// Groups of `group` members; the sizes differ by at most one member, and no group is larger than `group`.
/// @throws usage_error if group < 1
/// @cite [Ono]: multi-step image compositing, with binary swap inside groups and a binary tree of leaders
composite multi_step(const composite_task& task, int group, const composite_maker& inner, const composite_maker& outer,
                     hand_over between);

/// Direct send inside each host, where members share memory, followed by binary swap of each stripe between hosts.
///
/// `over` joins adjacent images only. If the members of a host are not contiguous in visibility order, each contiguous run
/// of members is a separate group.
/// @throws usage_error if the task lacks the host of a member
/// @cite [Ono]: DS+BS; [Reinhard2000] inside a host; [Grosset2015] for the same division
composite hybrid(const composite_task& task);

/// Groups of two to four members reduce the number of members to a power of two; binary swap follows.
/// @cite [Nonaka2018] (234Compositor)
composite two_three_four_swap(const composite_task& task);

}  // namespace osteon::plan
