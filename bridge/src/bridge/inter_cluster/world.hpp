#pragma once
/// @file
/// State of this process in a joined job: objects of the program that span clusters, and the distinction of their handles
/// from the vendor's. Called by one thread at a time (the level provided is MPI_THREAD_SERIALIZED at most).
#include <bridge/front/arena.hpp>
#include <bridge/front/front.hpp>
#include <bridge/inter_cluster/carrier.hpp>
#include <bridge/inter_cluster/data.hpp>
#include <bridge/wire/link.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace osteon::bridge {

/// Ranks of the world, in the order of the group.
struct group {
  std::vector<int> world;
};

struct cartesian {
  std::vector<int> dims, periods;
};
/// Arguments of MPI_Graph_create.
struct graph {
  std::vector<int> index, edges;
};
/// The edges of this rank.
struct distributed_graph {
  std::vector<int> sources, source_weights, destinations, destination_weights;
  bool weighted = false;
};
/// Topology of a communicator; at most one of the three.
struct topology {
  std::shared_ptr<const cartesian> cart;
  std::shared_ptr<const graph> edges;
  std::shared_ptr<const distributed_graph> own_edges;
};

struct schedule;

struct communicator;

/// An intercommunicator. Messages are sent to the other group, its `world`; collectives of both groups use an
/// intracommunicator of both.
struct intercommunicator {
  communicator* both = nullptr;
  std::vector<int> own;  ///< world ranks of the own group
  int first_own = 0;     ///< ranks in `both` of the two groups' first ranks
  int first_other = 0;
};

/// A communicator with members in at least two clusters.
struct communicator {
  std::uint64_t cid = 0;
  int rank = 0;
  std::vector<int> world;                 ///< world rank of each rank
  std::vector<int> local_of;              ///< vendor rank of each rank, -1 in another cluster
  std::vector<int> rank_of;               ///< rank of each vendor rank
  std::vector<std::vector<int>> members;  ///< ranks by cluster, without the clusters that have none
  int cluster = 0;                        ///< this cluster, as an index of `members`
  bool in_order = true;                   ///< ranks of a cluster are consecutive, in the order of clusters
  MPI_Comm local = MPI_COMM_NULL;         ///< the vendor's communicator of this cluster's members
  MPI_Comm shadow = MPI_COMM_NULL;        ///< its duplicate for collectives
  topology layout;
  std::unique_ptr<intercommunicator> inter;  ///< null: an intracommunicator
  std::deque<schedule*> collectives;         ///< active collectives in order; only the first one advances
  std::uint32_t next_collective = 0;
  int users = 0;       ///< requests and messages that refer to it
  bool freed = false;  ///< freed by the program; destroyed with the last user

  int size() const { return static_cast<int>(world.size()); }
  bool is_local(int r) const { return local_of[static_cast<std::size_t>(r)] >= 0; }
  int local_rank() const { return local_of[static_cast<std::size_t>(rank)]; }
};

/// Keeps a communicator while this object exists.
class communicator_use {
 public:
  communicator_use() = default;
  communicator_use(const communicator_use&) = delete;
  communicator_use& operator=(communicator* c) noexcept {
    ++c->users;
    end();
    used_ = c;
    return *this;
  }
  ~communicator_use() { end(); }
  operator communicator*() const { return used_; }
  communicator* operator->() const { return used_; }

 private:
  void end() noexcept;
  communicator* used_ = nullptr;
};

/// A request that the vendor cannot represent alone.
struct request {
  enum class what_kind { receive, send, collective };
  what_kind kind = what_kind::receive;
  communicator_use comm;
  void* buffer = nullptr;
  MPI_Count count = 0;
  kept_type type;
  int peer = 0;
  int tag = 0;
  int mode = 0;  ///< mode of a persistent send: 's'tandard, s'y'nchronous, 'b'uffered
  bool persistent = false;
  bool active = false;
  bool done = false;
  bool accepted = false;  ///< a remote message is being received into the buffer
  bool detached = false;  ///< MPI_Request_free: destroy it on completion
  int error = MPI_SUCCESS;
  MPI_Status status{};                    ///< see status_of()
  bool status_due = false;                ///< the received count is not yet set
  MPI_Request vendor = MPI_REQUEST_NULL;  ///< the part in the vendor
  wire::ticket ticket;                    ///< the part in the link
  std::unique_ptr<carried> by_vendor;     ///< or in the carrier
  std::vector<std::byte> packed;
  std::size_t received = 0;
  std::unique_ptr<schedule> work;
};

inline bool is_collective(const request* r) { return r->kind == request::what_kind::collective; }

/// A matched message of MPI_Mprobe.
struct matched {
  communicator_use comm;
  MPI_Message vendor = MPI_MESSAGE_NULL;
  std::unique_ptr<wire::message> remote;
};

struct unexpected {
  std::uint64_t order = 0;
  wire::message message;
};

struct joined_world {
  std::unique_ptr<wire::endpoint> link;
  std::unique_ptr<carrier> bytes;  ///< if the vendor only transports bytes: then each process is a cluster
  communicator* everyone = nullptr;
  MPI_Group vendor_group = MPI_GROUP_NULL;  ///< group of the vendor's MPI_COMM_WORLD
  int first_local = 0;                      ///< world rank of the vendor's rank 0
  unsigned local_size = 0;                  ///< size of the vendor's MPI_COMM_WORLD; 0 if the vendor only transports bytes
  int tag_limit = 32767;
  std::uint64_t next_cid = 1;
  bool finalized = false;
  bool external32 = false;         ///< data between clusters have that representation, not that of memory
  bool in_order_of_ranks = false;  ///< order of reductions, for any operation
  bool yielding = false;           ///< never block in the vendor, because its waiting would occupy the core
  arena<communicator> communicators;
  arena<group> groups;
  arena<request> requests;
  arena<matched> messages;
  std::deque<request*> posted;            ///< receives that a remote message may match, in the order of posting
  std::vector<request*> moving;           ///< pending remote sends, accepted receives and collectives
  std::vector<MPI_Datatype> freed_types;  ///< types freed by the program that collectives may still use
  std::vector<MPI_Op> freed_operations;   ///< operations freed by the program that collectives may still use
};

/// Created when the library is loaded, in a joined job only, at a fixed address, because each message uses it. Never
/// destroyed: MPI_Abort can end a process at any point.
union world_place {
  constexpr world_place() : empty{} {}
  ~world_place() {}
  char empty;
  joined_world object;
};
extern world_place the_world;
inline joined_world& world() noexcept { return the_world.object; }

/// True if this process is part of a job over clusters. Only then there is a world.
bool job_is_joined() noexcept;

inline communicator* find(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return world().everyone;
  return world().communicators.holds(comm) ? reinterpret_cast<communicator*>(comm) : nullptr;
}
inline request* find(MPI_Request r) { return world().requests.holds(r) ? reinterpret_cast<request*>(r) : nullptr; }
inline MPI_Comm handle_of(communicator* c) { return c == world().everyone ? MPI_COMM_WORLD : reinterpret_cast<MPI_Comm>(c); }
inline MPI_Request handle_of(request* r) { return reinterpret_cast<MPI_Request>(r); }

/// Print, stop the whole job in every cluster, and do not return.
[[noreturn]] void fatal(const std::string& text) noexcept;
/// Run a function that may throw for a broken link.
template <class F>
auto linked(F&& f) noexcept {
  try {
    return f();
  } catch (const std::exception& e) {
    fatal(e.what());
  }
}

/// Clusters of a communicator's members, by world rank.
int cluster_of(int world_rank) noexcept;

/// Raise an error of a communicator. @returns its class
int raise(communicator* c, int error_class) noexcept;

/// True if the next vendor call may block. False while the program's thread must match messages or advance collectives.
inline bool may_block() noexcept { return !world().yielding && world().posted.empty() && world().moving.empty(); }
/// Match arrived messages, and advance pending operations. @returns true after any progress
bool progress() noexcept;
/// Called in waiting loops after a progress() without effect.
class patience {
 public:
  void wait() noexcept;
  void reset() noexcept { spins_ = 0; }

 private:
  int spins_ = 0;
  std::chrono::steady_clock::time_point began_{};
};

void install_inter_cluster(slots& into) noexcept;
void install_guards(slots& into) noexcept;          // generated: reject functions without an implementation over clusters
void install_point_to_point(slots& into) noexcept;  // messages
void install_completion(slots& into) noexcept;      // wait and test
void install_collectives(slots& into) noexcept;
void install_communicators(slots& into) noexcept;
void install_groups(slots& into) noexcept;
void install_cartesian(slots& into) noexcept;
void install_graphs(slots& into) noexcept;
void install_intercommunicators(slots& into) noexcept;
void install_neighbors(slots& into) noexcept;

/// Report an unsupported function on a communicator that spans clusters.
int refuse_over_clusters(communicator* c, const char* function) noexcept;

/// The members of a group of the bridge (null: MPI_GROUP_EMPTY), and the vendor's group of them: MPI_GROUP_NULL unless all
/// are in this cluster. The caller frees it.
const group* group_members(MPI_Group g) noexcept;
MPI_Group group_below(const group* g) noexcept;
/// Convert a vendor's group to one of the bridge; the vendor's is freed.
int adopt_group(MPI_Group below, MPI_Group* out) noexcept;

// Messages of the bridge and of the program. Ranks are those of the communicator.
request* start_send(communicator* c, const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                    bool synchronous, bool copy = false) noexcept;
request* start_receive(communicator* c, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag) noexcept;
/// The same for a request with its members set.
void begin_send(request* r, bool synchronous, bool copy) noexcept;
void begin_receive(request* r) noexcept;
/// The first message that matches, in order of arrival: its queue, or null, and its position.
std::deque<unexpected>* find_waiting(communicator* c, int source, int tag, std::deque<unexpected>::iterator& place) noexcept;
/// Receive a message that was removed from its queue into the buffer of a request.
void receive_matched(request* r, wire::message& m) noexcept;
/// Match arrived messages, without advancing other operations.
bool match_arrivals() noexcept;
/// Wait until a request is done, and free it (a persistent one becomes inactive). @returns its error
int complete(request* r, MPI_Status* status) noexcept;
bool is_done(request* r) noexcept;
/// The status of a completed request. The vendor's fields are set only here, because few programs read them.
const MPI_Status& status_of(request* r) noexcept;

/// Determine the largest next context number of the members of a communicator and take the next one. @collective
std::uint64_t agree_cid(communicator* c) noexcept;
/// A communicator of these world ranks; `local` is the vendor's part of it. The caller frees it.
communicator* make_communicator(std::uint64_t cid, std::vector<int> ranks, MPI_Comm local, bool own_shadow) noexcept;
/// One new communicator out of those of equal color; MPI_COMM_NULL for MPI_UNDEFINED. @collective
int split(communicator* c, int color, int key, MPI_Comm* out) noexcept;
/// A rank's arguments of a split.
struct wish {
  int color;
  int key;
};
/// The same for two groups: a communicator of those of equal color in both.
int split_inter(communicator* c, int color, int key, MPI_Comm* out) noexcept;
int dup_inter(communicator* c, MPI_Info info, MPI_Comm* out) noexcept;
/// The vendor's communicator of the members in this cluster, created by them alone.
int vendor_communicator_of(const std::vector<int>& ranks, int tag, MPI_Comm* out) noexcept;
/// Complete the collectives of a communicator before other uses of the vendor's part.
void drain_collectives(communicator* c) noexcept;
void free_what_collectives_needed() noexcept;
int blocking_allgather(communicator* c, const void* mine, int count, MPI_Datatype type, void* all) noexcept;

}  // namespace osteon::bridge
