#pragma once
/// @file
/// State of this process in a joined job. The state contains the objects of the program that span clusters. Their handles
/// can be distinguished from handles of the vendor. Only one thread at a time calls these functions, because the provided
/// thread level is at most MPI_THREAD_SERIALIZED.
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

/// Ranks of the world in the order of the group.
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
/// Topology of a communicator. At most one of the three members is set.
struct topology {
  std::shared_ptr<const cartesian> cart;
  std::shared_ptr<const graph> edges;
  std::shared_ptr<const distributed_graph> own_edges;
};

struct schedule;

struct communicator;

/// An intercommunicator. Messages are sent to the other group. The member `world` contains this group. Collectives use an
/// intracommunicator of both groups.
struct intercommunicator {
  communicator* both = nullptr;
  std::vector<int> own;  ///< world ranks of the own group
  int first_own = 0;     ///< ranks in `both` of the first ranks of the two groups
  int first_other = 0;
};

/// A communicator with members in at least two clusters.
struct communicator {
  std::uint64_t cid = 0;
  int rank = 0;
  std::vector<int> world;                 ///< world rank of each rank
  std::vector<int> local_of;              ///< rank in the vendor for each rank; -1 for ranks of other clusters
  std::vector<int> rank_of;               ///< rank for each rank in the vendor
  std::vector<std::vector<int>> members;  ///< ranks of each cluster; clusters without ranks are omitted
  int cluster = 0;                        ///< index of this cluster in `members`
  bool in_order = true;             ///< true if the ranks of each cluster are consecutive, in the order of the clusters
  MPI_Comm local = MPI_COMM_NULL;   ///< communicator of the vendor with the members of this cluster
  MPI_Comm shadow = MPI_COMM_NULL;  ///< duplicate of `local` for collectives
  topology layout;
  std::unique_ptr<intercommunicator> inter;  ///< null for an intracommunicator
  std::deque<schedule*> collectives;         ///< active collectives in order; only the first collective advances
  std::uint32_t next_collective = 0;
  int users = 0;  ///< number of requests and messages that use this communicator
  /// true if the program has freed the communicator; the communicator is destroyed together with its last user
  bool freed = false;

  int size() const { return static_cast<int>(world.size()); }
  bool is_local(int r) const { return local_of[static_cast<std::size_t>(r)] >= 0; }
  int local_rank() const { return local_of[static_cast<std::size_t>(rank)]; }
};

/// Retains a communicator during the lifetime of this object.
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

/// A request that the vendor alone cannot represent.
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
  bool accepted = false;  ///< true while a remote message is received into the buffer
  bool detached = false;  ///< true after MPI_Request_free; the request is then destroyed on completion
  int error = MPI_SUCCESS;
  MPI_Status status{};                    ///< status that status_of() returns
  bool status_due = false;                ///< true if the received count has not yet been set
  MPI_Request vendor = MPI_REQUEST_NULL;  ///< part of the request in the vendor
  wire::ticket ticket;                    ///< part of the request in the link
  std::unique_ptr<carried> by_vendor;     ///< part of the request in the carrier; replaces the part in the link
  std::vector<std::byte> packed;
  std::size_t received = 0;
  std::unique_ptr<schedule> work;
};

inline bool is_collective(const request* r) { return r->kind == request::what_kind::collective; }

/// A message that MPI_Mprobe has matched.
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
  std::unique_ptr<carrier> bytes;  ///< not null if the vendor only transports bytes; each process is then a cluster
  communicator* everyone = nullptr;
  MPI_Group vendor_group = MPI_GROUP_NULL;  ///< group of the vendor's MPI_COMM_WORLD
  int first_local = 0;                      ///< world rank of rank 0 in the vendor
  unsigned local_size = 0;                  ///< size of the vendor's MPI_COMM_WORLD; 0 if the vendor only transports bytes
  int tag_limit = 32767;
  std::uint64_t next_cid = 1;
  bool finalized = false;
  /// True: data between clusters have the representation external32. False: the data have the representation in memory.
  bool external32 = false;
  bool in_order_of_ranks = false;  ///< true: all reductions combine values in the order of ranks
  bool yielding = false;           ///< true: never block in the vendor, because waiting in the vendor would occupy the core
  arena<communicator> communicators;
  arena<group> groups;
  arena<request> requests;
  arena<matched> messages;
  std::deque<request*> posted;            ///< receives that a remote message may match, in the order of posting
  std::vector<request*> moving;           ///< pending remote sends, accepted receives and collectives
  std::vector<MPI_Datatype> freed_types;  ///< types that the program has freed, and that collectives may still use
  std::vector<MPI_Op> freed_operations;   ///< operations that the program has freed, and that collectives may still use
};

/// In a joined job, the object is created when the library is loaded. The address of the object is fixed, because each
/// message uses the object. The object is never destroyed, because MPI_Abort may end a process at any time.
union world_place {
  constexpr world_place() : empty{} {}
  ~world_place() {}
  char empty;
  joined_world object;
};
extern world_place the_world;
inline joined_world& world() noexcept { return the_world.object; }

/// True if this process is part of a job over clusters. The object world() exists only in such a job.
bool job_is_joined() noexcept;

inline communicator* find(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return world().everyone;
  return world().communicators.holds(comm) ? reinterpret_cast<communicator*>(comm) : nullptr;
}
inline request* find(MPI_Request r) { return world().requests.holds(r) ? reinterpret_cast<request*>(r) : nullptr; }
inline MPI_Comm handle_of(communicator* c) { return c == world().everyone ? MPI_COMM_WORLD : reinterpret_cast<MPI_Comm>(c); }
inline MPI_Request handle_of(request* r) { return reinterpret_cast<MPI_Request>(r); }

/// Print a text, and stop the whole job in all clusters. The function does not return.
[[noreturn]] void fatal(const std::string& text) noexcept;
/// Run a function that may throw because of a broken link.
template <class F>
auto linked(F&& f) noexcept {
  try {
    return f();
  } catch (const std::exception& e) {
    fatal(e.what());
  }
}

/// Cluster that contains a member with this world rank.
int cluster_of(int world_rank) noexcept;

/// Raise an error of a communicator. @returns class of the error
int raise(communicator* c, int error_class) noexcept;

/// True if the next call of the vendor may block. While the thread of the program must match messages or advance
/// collectives, the result is false.
inline bool may_block() noexcept { return !world().yielding && world().posted.empty() && world().moving.empty(); }
/// Match arrived messages, and advance pending operations. @returns true if there was any progress
bool progress() noexcept;
/// Waiting loops call this object after a progress() without effect.
class patience {
 public:
  void wait() noexcept;
  void reset() noexcept { spins_ = 0; }

 private:
  int spins_ = 0;
  std::chrono::steady_clock::time_point began_{};
};

void install_inter_cluster(slots& into) noexcept;
// generated functions that report an error for functions without an implementation over clusters
void install_guards(slots& into) noexcept;
void install_point_to_point(slots& into) noexcept;  // functions for messages
void install_completion(slots& into) noexcept;      // functions that wait and test
void install_collectives(slots& into) noexcept;
void install_communicators(slots& into) noexcept;
void install_groups(slots& into) noexcept;
void install_cartesian(slots& into) noexcept;
void install_graphs(slots& into) noexcept;
void install_intercommunicators(slots& into) noexcept;
void install_neighbors(slots& into) noexcept;

/// Report an unsupported function on a communicator that spans clusters.
int refuse_over_clusters(communicator* c, const char* function) noexcept;

/// The members of a group of the bridge (null means MPI_GROUP_EMPTY), and the group of the vendor with these members. If not
/// all members are in this cluster, the group of the vendor is MPI_GROUP_NULL. The caller frees the group of the vendor.
const group* group_members(MPI_Group g) noexcept;
MPI_Group group_below(const group* g) noexcept;
/// Convert a group of the vendor to a group of the bridge. The function frees the group of the vendor.
int adopt_group(MPI_Group below, MPI_Group* out) noexcept;

// Messages of the bridge and of the program. Ranks are ranks of the communicator.
request* start_send(communicator* c, const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                    bool synchronous, bool copy = false) noexcept;
request* start_receive(communicator* c, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag) noexcept;
/// Overload for a request whose members have been initialised.
void begin_send(request* r, bool synchronous, bool copy) noexcept;
void begin_receive(request* r) noexcept;
/// The first matching message in the order of arrival. The result is the queue and the position of this message. If there is
/// no match, the queue is null.
std::deque<unexpected>* find_waiting(communicator* c, int source, int tag, std::deque<unexpected>::iterator& place) noexcept;
/// Receive a message into the buffer of a request. Before the call, the message must be removed from its queue.
void receive_matched(request* r, wire::message& m) noexcept;
/// Match arrived messages. Other operations do not advance.
bool match_arrivals() noexcept;
/// Wait until a request is complete, and free the request. A persistent request becomes inactive instead. @returns the error
/// of the request
int complete(request* r, MPI_Status* status) noexcept;
bool is_done(request* r) noexcept;
/// The status of a completed request. Only this function sets the fields of the vendor, because few programs read these
/// fields.
const MPI_Status& status_of(request* r) noexcept;

/// Allocate a context number. The number is the largest next context number of all members of a communicator. @collective
std::uint64_t agree_cid(communicator* c) noexcept;
/// Create a communicator of the given world ranks. `local` is the communicator of the vendor for the members in this
/// cluster. The caller frees the result.
communicator* make_communicator(std::uint64_t cid, std::vector<int> ranks, MPI_Comm local, bool own_shadow) noexcept;
/// New communicator of the ranks with equal colour. For the colour MPI_UNDEFINED, the result is MPI_COMM_NULL. @collective
int split(communicator* c, int color, int key, MPI_Comm* out) noexcept;
/// Arguments of a rank for a split.
struct wish {
  int color;
  int key;
};
/// New intercommunicator of the ranks with equal colour in both groups.
int split_inter(communicator* c, int color, int key, MPI_Comm* out) noexcept;
int dup_inter(communicator* c, MPI_Info info, MPI_Comm* out) noexcept;
/// Communicator of the vendor with the members in this cluster. Only these members create the communicator.
int vendor_communicator_of(const std::vector<int>& ranks, int tag, MPI_Comm* out) noexcept;
/// Complete the collectives of a communicator. Call this function before other uses of its communicator of the vendor.
void drain_collectives(communicator* c) noexcept;
void free_what_collectives_needed() noexcept;
int blocking_allgather(communicator* c, const void* mine, int count, MPI_Datatype type, void* all) noexcept;

}  // namespace osteon::bridge
