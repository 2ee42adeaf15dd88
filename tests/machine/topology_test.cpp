#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <osteon/base/error.hpp>

#include "machine/trees.hpp"

namespace osteon::machine::topology_test {

// Oracle of the trees: counted by hand from hwloc's descriptions.

TEST(topology, two_sockets_are_two_packages_on_one_host) {
  const host_tree tree = samples::two_sockets();
  ASSERT_EQ(tree.cores.size(), 8u);
  EXPECT_TRUE(tree.synthetic);
  EXPECT_EQ(tree.between(0, 0), path::same_l3);
  EXPECT_EQ(tree.between(0, 3), path::same_l3);
  EXPECT_EQ(tree.between(3, 4), path::inter_socket);
  EXPECT_EQ(tree.domains(level::package), (std::vector<pu_set>{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(tree.domains(level::host), (std::vector<pu_set>{{0, 1, 2, 3, 4, 5, 6, 7}}));
}

TEST(topology, an_epyc_has_twelve_l3_a_socket) {
  const host_tree tree = samples::epyc();
  ASSERT_EQ(tree.cores.size(), 192u);
  EXPECT_EQ(tree.domains(level::l3).size(), 24u);
  EXPECT_EQ(tree.domains(level::numa).size(), 2u);
  EXPECT_EQ(tree.between(7, 8), path::inter_l3);
  EXPECT_EQ(tree.between(95, 96), path::inter_socket);
  EXPECT_EQ(tree.domain_of(96, level::l3), 12);
  EXPECT_EQ(tree.summary(), "2 packages, 24 L3, 2 NUMA nodes, 192 cores, 192 hardware threads");
}

TEST(topology, without_l3_the_package_takes_its_place) {
  const host_tree tree = synthetic_host("pack:2 core:4 pu:2");
  EXPECT_EQ(tree.between(0, 3), path::same_l3);
  EXPECT_EQ(tree.between(0, 4), path::inter_socket);
  EXPECT_EQ(tree.cores[1].pus, (pu_set{2, 3}));
}

TEST(topology, unequal_hosts_keep_their_own_trees) {
  const host_list hosts = samples::unequal();
  EXPECT_EQ(hosts.trees().size(), 3u);
  EXPECT_EQ(hosts.usable_cores(), 192 + 8 + 6);
  EXPECT_EQ(hosts.find("small"), 1);
  EXPECT_EQ(hosts.find("absent"), std::nullopt);
}

TEST(topology, missing_cores_leave_no_gaps_in_the_numbers_of_domains) {
  const host_tree tree = samples::missing_cores();
  EXPECT_EQ(tree.domains(level::package), (std::vector<pu_set>{{0, 2, 3}, {4, 5}}));
  EXPECT_EQ(tree.usable_cores(), (std::vector<int>{0, 1, 2, 3, 4}));
  const host_tree one_socket = without_cores(samples::two_sockets(), {0, 1, 2, 3});
  EXPECT_EQ(one_socket.domain_of(0, level::package), 0);
}

TEST(topology, cores_that_a_cgroup_withholds_are_known_but_not_usable) {
  const host_tree tree = restricted(samples::two_sockets(), parse_pu_list("2-5,99\n"));
  EXPECT_EQ(tree.cores.size(), 8u);
  EXPECT_EQ(tree.usable_cores(), (std::vector<int>{2, 3, 4, 5}));
  EXPECT_EQ(tree.domains(level::l3), (std::vector<pu_set>{{2, 3}, {4, 5}}));
  EXPECT_NE(tree, samples::two_sockets());
  EXPECT_NE(tree.digest(), samples::two_sockets().digest());
}

TEST(topology, ten_thousand_equal_hosts_share_one_tree) {
  const host_list hosts(10000, samples::epyc());
  EXPECT_EQ(hosts.trees().size(), 1u);
  EXPECT_EQ(hosts.usable_cores(), 1920000);
  EXPECT_EQ(samples::eleven_of_48().usable_cores(), 528);
}

TEST(topology, two_hosts_of_one_name_are_refused) {
  host_list hosts(1, samples::two_sockets());
  EXPECT_THROW(hosts.add("host0", samples::two_sockets()), data_error);
  EXPECT_THROW(hosts.add("", samples::two_sockets()), data_error);
}

TEST(topology, this_host_has_the_threads_that_the_kernel_shows) {
  const host_tree tree = this_host();
  EXPECT_FALSE(tree.synthetic);
  std::ifstream online("/sys/devices/system/cpu/online");
  std::string list;
  if (!std::getline(online, list)) GTEST_SKIP() << "no /sys/devices/system/cpu/online here";
  pu_set all;
  for (const core& c : tree.cores) all = united(all, c.pus);
  EXPECT_EQ(without(all, parse_pu_list(list)), pu_set{});
  EXPECT_EQ(without(tree.allowed, all), pu_set{});
}

class xml_file {
 public:
  explicit xml_file(const std::string& text)
      : path_((std::filesystem::temp_directory_path() / ("osteon_tree_" + std::to_string(::getpid()) + ".xml")).string()) {
    std::ofstream(path_) << text;
  }
  ~xml_file() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string xml_of_version(const std::string& version) {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version=")" +
         version + R"(">
 <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" allowed_cpuset="0x00000007"
   nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
  <object type="NUMANode" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" nodeset="0x1" complete_nodeset="0x1" gp_index="2"/>
  <object type="Package" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x1" complete_nodeset="0x1" gp_index="3">
   <object type="Core" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x1" complete_nodeset="0x1" gp_index="4">
    <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x1" complete_nodeset="0x1" gp_index="5"/>
    <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x1" complete_nodeset="0x1" gp_index="6"/>
   </object>
  </object>
  <object type="Package" os_index="1" cpuset="0x0000000c" complete_cpuset="0x0000000c" nodeset="0x1" complete_nodeset="0x1" gp_index="7">
   <object type="Core" os_index="0" cpuset="0x0000000c" complete_cpuset="0x0000000c" nodeset="0x1" complete_nodeset="0x1" gp_index="8">
    <object type="PU" os_index="2" cpuset="0x00000004" complete_cpuset="0x00000004" nodeset="0x1" complete_nodeset="0x1" gp_index="9"/>
    <object type="PU" os_index="3" cpuset="0x00000008" complete_cpuset="0x00000008" nodeset="0x1" complete_nodeset="0x1" gp_index="10"/>
   </object>
  </object>
 </object>
</topology>
)";
}

TEST(topology, reads_the_xml_of_hwloc_2) {
  const xml_file file(xml_of_version("2.0"));
  const host_tree tree = host_from_xml(file.path());
  EXPECT_TRUE(tree.synthetic);
  EXPECT_EQ(tree.cores, (std::vector<core>{{0, 0, 0, {0, 1}}, {1, 0, 1, {2, 3}}}));
  EXPECT_EQ(tree.allowed, (pu_set{0, 1, 2}));
}

TEST(topology, xml_of_a_later_version_is_refused_with_both_versions) {
  const xml_file file(xml_of_version("9.0"));
  try {
    host_from_xml(file.path());
    FAIL() << "not refused";
  } catch (const data_error& e) {
    EXPECT_NE(std::string(e.what()).find("version 9.0"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("reads up to version"), std::string::npos) << e.what();
  }
}

TEST(topology, damaged_xml_and_descriptions_are_refused) {
  const std::string whole = xml_of_version("2.0");
  for (const std::string& text :
       {std::string(), std::string("<html></html>"), whole.substr(0, whole.size() / 2), std::string("<topology")}) {
    const xml_file file(text);
    EXPECT_THROW(host_from_xml(file.path()), data_error) << text;
  }
  EXPECT_THROW(host_from_xml("/nowhere/host.xml"), data_error);
  EXPECT_THROW(synthetic_host("two sockets"), usage_error);
  for (const char* list : {"1-", "3-1", "a", "1,,2", "-4", "0-99999999", "1 2"})
    EXPECT_THROW(parse_pu_list(list), data_error);
  EXPECT_EQ(to_list(parse_pu_list("8,0-2,1-3")), "0-3,8");
}

TEST(topology, names_count_like_people_do) {
  EXPECT_TRUE(natural_less("node2", "node10"));
  EXPECT_FALSE(natural_less("node10", "node2"));
  EXPECT_TRUE(natural_less("node1", "node1a"));
  EXPECT_NE(natural_less("node01", "node1"), natural_less("node1", "node01"));
}

}  // namespace osteon::machine::topology_test
