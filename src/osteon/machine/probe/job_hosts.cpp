#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <osteon/base/xxh64.hpp>
#include <osteon/comm/broadcast.hpp>
#include <osteon/comm/collectively.hpp>
#include <osteon/comm/communicator.hpp>
#include <osteon/comm/offsets.hpp>
#include <osteon/machine/links/machine_file.hpp>
#include <osteon/machine/probe/job_hosts.hpp>

namespace osteon::machine {

namespace {

std::uint64_t hash_of(const std::string& text) {
  xxh64 sum;
  sum.update(std::as_bytes(std::span(text)));
  return sum.value();
}

std::string own_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

// Identifier that is equal for all processes of a running kernel.
std::uint64_t kernel_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  return std::getline(file, id) ? hash_of(id) : hash_of(own_name());
}

std::vector<std::uint64_t> all_of(MPI_Comm comm, std::uint64_t own) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(comm::size(comm)));
  MPI_Allgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, comm);
  return all;
}

// Gather the texts of all ranks.
std::vector<std::string> texts_of(MPI_Comm comm, const std::string& own) {
  const auto ranks = static_cast<std::size_t>(comm::size(comm));
  const int length = static_cast<int>(own.size());
  std::vector<int> lengths(ranks);
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
  const std::vector<int> offsets = comm::offsets_of(lengths);
  std::string joined(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  MPI_Allgatherv(own.data(), length, MPI_CHAR, joined.data(), lengths.data(), offsets.data(), MPI_CHAR, comm);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < ranks; ++i)
    texts.push_back(joined.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
  return texts;
}

// A tree is sent as the text of a machine file of one host.
std::string packed(const host_tree& tree) {
  description one;
  one.hosts.add("host", tree);
  return to_text(one);
}

}  // namespace

int job_hosts::local_rank(int rank) const {
  const auto& here = ranks_of_host[static_cast<std::size_t>(host_of_rank[static_cast<std::size_t>(rank)])];
  return static_cast<int>(std::lower_bound(here.begin(), here.end(), rank) - here.begin());
}

job_hosts hosts_of(MPI_Comm comm) {
  const int rank = comm::rank(comm), ranks = comm::size(comm);
  const std::vector<std::uint64_t> name_hashes = all_of(comm, hash_of(own_name())), kernels = all_of(comm, kernel_id());
  std::map<std::uint64_t, std::vector<int>> ranks_by_name;
  for (int r = 0; r < ranks; ++r) ranks_by_name[name_hashes[static_cast<std::size_t>(r)]].push_back(r);
  const bool first = ranks_by_name[name_hashes[static_cast<std::size_t>(rank)]].front() == rank;
  const std::vector<std::string> names = texts_of(comm, first ? own_name() : "");

  // One rank per host calls hwloc. Equal trees are sent only once.
  host_tree own_tree;
  comm::collectively(comm, [&] {
    if (first) own_tree = this_host();
  });
  const std::vector<std::uint64_t> digests = all_of(comm, first ? hash_of(own_tree.digest()) : 0);
  std::vector<int> leaders;
  for (const auto& [hash, members] : ranks_by_name) leaders.push_back(members.front());
  std::sort(leaders.begin(), leaders.end(), [&](int a, int b) {
    return natural_less(names[static_cast<std::size_t>(a)], names[static_cast<std::size_t>(b)]);
  });
  std::map<std::uint64_t, host_tree> trees;
  for (const int leader : leaders) {
    const std::uint64_t digest = digests[static_cast<std::size_t>(leader)];
    if (trees.contains(digest)) continue;
    const std::string text = comm::broadcast(comm, leader == rank ? packed(own_tree) : "", leader);
    trees.emplace(digest, parse_machine(text, "tree of a host").hosts.tree(0));
  }

  job_hosts result;
  result.host_of_rank.resize(static_cast<std::size_t>(ranks));
  std::map<std::uint64_t, int> hosts_of_kernel;
  for (const int leader : leaders) {
    const int host = result.hosts.size();
    result.hosts.add(names[static_cast<std::size_t>(leader)], trees.at(digests[static_cast<std::size_t>(leader)]));
    result.ranks_of_host.push_back(ranks_by_name.at(name_hashes[static_cast<std::size_t>(leader)]));
    for (const int r : result.ranks_of_host.back()) result.host_of_rank[static_cast<std::size_t>(r)] = host;
    if (++hosts_of_kernel[kernels[static_cast<std::size_t>(leader)]] > 1) result.shares_kernel = true;
  }
  return result;
}

}  // namespace osteon::machine
