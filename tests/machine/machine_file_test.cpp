#include <gtest/gtest.h>

#include <filesystem>
#include <osteon/base/error.hpp>
#include <osteon/machine/links/machine_file.hpp>

#include "machine/trees.hpp"

namespace osteon::machine::machine_file_test {

description sample() {
  description machine = assumed(samples::unequal());
  machine.measured_at = "2026-11-21T12:00:00Z";
  machine.isolated->between = host_links::dense(3, {{1e-6, 1e9}, {2e-6, 2e9}, {3e-6, 3e9 / 7}});
  machine.isolated->inside[1].reset();
  return machine;
}

std::string fault_of(const description& machine, const host_list& hosts) {
  try {
    matched(machine, hosts, "machine.json");
  } catch (const data_error& e) {
    return e.what();
  }
  return "";
}

TEST(links, pairs_and_clusters_answer_in_both_directions) {
  const host_links dense = sample().isolated->between;
  EXPECT_EQ(dense.between(2, 1), (link{3e-6, 3e9 / 7}));
  EXPECT_EQ(dense.between(0, 2), dense.between(2, 0));
  const host_links clusters =
      host_links::clustered({0, 1, 0, 2}, {{1, 1}, {2, 2}, {3, 3}, {2, 2}, {4, 4}, {5, 5}, {3, 3}, {5, 5}, {6, 6}});
  EXPECT_EQ(clusters.between(0, 2), (link{1, 1}));
  EXPECT_EQ(clusters.between(3, 1), (link{5, 5}));
  EXPECT_EQ(clusters.selected({3, 1}).between(0, 1), (link{5, 5}));
  EXPECT_EQ(clusters.selected({3, 1}).clusters(), 2);
  EXPECT_THROW(host_links::dense(3, {}), data_error);
  EXPECT_THROW(host_links::clustered({0, 2}, {}), data_error);
  EXPECT_THROW(host_links::clustered({0, 1}, {{1, 1}, {2, 2}, {3, 3}, {4, 4}}), data_error);
}

TEST(links, a_path_that_was_not_measured_takes_the_next_nearer_class) {
  const description machine = sample();
  const auto time = [&](place a, place b) { return link_between(machine, *machine.isolated, a, b); };
  EXPECT_EQ(time({0, 0}, {0, 9}), *machine.isolated->inside[0]);
  EXPECT_EQ(time({0, 0}, {0, 100}), *machine.isolated->inside[2]);
  EXPECT_EQ(time({2, 0}, {0, 9}), (link{2e-6, 2e9}));
}

// Oracle: the written value.
TEST(machine_file, reads_its_own_output) {
  for (const description& machine : {sample(), assumed(samples::eleven_of_48()), description{}})
    EXPECT_EQ(parse_machine(to_text(machine), "text"), machine);
  const std::string file =
      (std::filesystem::temp_directory_path() / ("osteon_machine_" + std::to_string(::getpid()))).string();
  write_machine(file, sample());
  EXPECT_EQ(read_machine(file), sample());
  std::filesystem::remove(file);
  EXPECT_THROW(read_machine(file), data_error);
  EXPECT_THROW(write_machine("/nowhere/machine.json", sample()), machine_error);
}

TEST(machine_file, ten_thousand_hosts_take_less_than_a_megabyte) {
  const std::string text = to_text(assumed({10000, samples::epyc()}));
  EXPECT_LT(text.size(), 1u << 20);
  EXPECT_EQ(parse_machine(text, "text").hosts.size(), 10000);
}

TEST(machine_file, another_allocation_is_refused_and_its_hosts_are_named) {
  host_list other;
  other.add("big", samples::epyc());
  other.add("small", samples::epyc());
  other.add("fresh", samples::epyc());
  const std::string fault = fault_of(sample(), other);
  EXPECT_NE(fault.find("hosts missing in this job: threads"), std::string::npos) << fault;
  EXPECT_NE(fault.find("hosts missing in the file: fresh"), std::string::npos) << fault;
  EXPECT_NE(fault.find("with other cores than in the file: small"), std::string::npos) << fault;
}

TEST(machine_file, the_same_hosts_in_another_order_keep_their_links) {
  const host_list given = samples::unequal();
  host_list turned;
  for (const int host : {2, 0, 1}) turned.add(given.name(host), restricted(given.tree(host), {0, 1}));
  const description now = matched(sample(), turned, "machine.json");
  EXPECT_EQ(now.isolated->between.between(0, 2), sample().isolated->between.between(2, 1));
  EXPECT_EQ(now.hosts.usable_cores(), 2 + 2 + 1);
}

// Oracle: a contradiction in the text causes a data_error with the name of the file, and never another error or a crash.
TEST(machine_file, contradictions_are_refused) {
  const std::string good = to_text(sample());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto found = text.find(from);
    EXPECT_NE(found, std::string::npos) << from;
    return text.replace(found, from.size(), to);
  };
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("null"), good.substr(0, good.size() / 2),
        changed("osteon.machine/1", "osteon.machine/2"), changed("\"big\"", "\"small\""),
        changed("\"tree_of_host\":[0", "\"tree_of_host\":[7"), changed("\"tree_of_host\":[0,", "\"tree_of_host\":["),
        changed("[0,0,0,\"0\"]", "[0,0,0,\"1\"]"), changed("[0,0,0,\"0\"]", "[0,-1,0,\"0\"]"),
        changed("[0,0,0,\"0\"]", "[0,0,\"0\"]"), changed("[0,0,0,\"0\"]", "[0,0,0,\"\"]"), changed("1000000000.0", "-1.0"),
        changed("1000000000.0", "1e999"), changed("1000000000.0", "null"), changed("1000000000.0,", ""),
        changed("\"allowed\":\"0-191\"", "\"allowed\":\"0-192\""), changed("true", "1"),
        changed("\"hosts\":3", "\"hosts\":4")})
    EXPECT_THROW(parse_machine(text, "m.json"), data_error) << text.substr(0, 200);
}

// Oracle: the written value. The memory of this host, as counted by the kernel, is at least the memory of its first node.
TEST(machine_file, keeps_the_memory_of_numa_nodes) {
  description machine = assumed(samples::eleven_of_48());
  EXPECT_EQ(to_text(machine).find("numa_bytes"), std::string::npos);
  host_tree tree = samples::two_sockets();
  const std::string without = tree.digest();
  tree.numa_bytes = {std::int64_t{64} << 30, (std::int64_t{64} << 30) + 4096};
  EXPECT_NE(tree.digest(), without);
  EXPECT_NE(tree.summary().find(", 2 x 64 GiB"), std::string::npos) << tree.summary();
  description one;
  one.hosts.add("host", tree);
  const description read = parse_machine(to_text(one), "text");
  EXPECT_EQ(read, one);
  EXPECT_EQ(read.hosts.tree(0).numa_bytes, tree.numa_bytes);
  tree.numa_bytes = {std::int64_t{64} << 30, std::int64_t{32} << 30};
  EXPECT_NE(tree.summary().find(", 64 and 32 GiB"), std::string::npos) << tree.summary();
  std::string text = to_text(one);
  text.replace(text.find("68719476736"), 11, "-1");
  EXPECT_THROW(parse_machine(text, "text"), data_error);
  const host_tree here = this_host();
  if (!here.numa_bytes.empty()) {
    EXPECT_GE(here.numa_bytes.size(), 1u);
    EXPECT_GT(here.numa_bytes[0], std::int64_t{1} << 27);
  }
}

}  // namespace osteon::machine::machine_file_test
