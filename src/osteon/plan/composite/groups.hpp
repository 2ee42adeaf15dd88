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
/// Groups may have different sizes. With by_owners, the outer method runs on each common part if groups have divided the
/// image differently. The leader of a group is the task's root if the group contains it, otherwise the first member.
/// @param begins first member of each group, 0 first
composite in_groups(const composite_task& task, std::vector<int> begins, const composite_maker& inner,
                    const composite_maker& outer, hand_over between);

/// Groups of at most `group` members, equal to one member.
/// @throws usage_error if group < 1
/// @cite [Ono]: multi-step image compositing, with binary swap inside groups and a binary tree of leaders
composite multi_step(const composite_task& task, int group, const composite_maker& inner, const composite_maker& outer,
                     hand_over between);

/// Direct send inside each host, for members that share memory, then binary swap of each stripe between hosts.
///
/// `over` joins adjacent images only. If the members of a host are not contiguous in visibility order, each contiguous run
/// of members is a separate group.
/// @throws usage_error if the task lacks the host of a member
/// @cite [Ono]: DS+BS; [Reinhard2000] inside a host; [Grosset2015] for the same division
composite hybrid(const composite_task& task);

/// Groups of two to four reduce the members to a power of two, followed by binary swap.
/// @cite [Nonaka2018] (234Compositor)
composite two_three_four_swap(const composite_task& task);

}  // namespace osteon::plan
