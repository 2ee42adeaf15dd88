#pragma once
/// @file
/// The joined job as this process sees it: objects of the program that span clusters, and how their handles are
/// distinguished from the vendor's. Called by one thread at a time (the level granted is MPI_THREAD_SERIALIZED at most).
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
/// As MPI_Graph_create takes it.
struct graph {
  std::vector<int> index, edges;
};
/// The edges of this rank.
struct distributed_graph {
  std::vector<int> sources, source_weights, destinations, destination_weights;
  bool weighted = false;
};
/// Topology of a communicator; one of the three at most.
struct topology {
  std::shared_ptr<const cartesian> cart;
  std::shared_ptr<const graph> edges;
  std::shared_ptr<const distributed_graph> own_edges;
};

struct schedule;

struct communicator;

/// An intercommunicator. Messages go to the other group, which is its `world`; collectives of both groups use an
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
  int cluster = 0;                        ///< mine, as an index of `members`
  bool in_order = true;                   ///< ranks of a cluster follow each other, clusters too
  MPI_Comm local = MPI_COMM_NULL;         ///< the vendor's communicator of my cluster's members
  MPI_Comm shadow = MPI_COMM_NULL;        ///< the same once more, for collectives
  topology layout;
  std::unique_ptr<intercommunicator> inter;  ///< null: an intracommunicator
  std::deque<schedule*> collectives;         ///< started, in order; only the first one moves
  std::uint32_t next_collective = 0;
  int users = 0;       ///< requests and messages that name it
  bool freed = false;  ///< by the program; it goes with its last user

  int size() const { return static_cast<int>(world.size()); }
  bool is_local(int r) const { return local_of[static_cast<std::size_t>(r)] >= 0; }
  int local_rank() const { return local_of[static_cast<std::size_t>(rank)]; }
};

/// A communicator that is not dropped while it is named here.
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

/// A request that the vendor cannot hold alone.
struct request {
  enum class what_kind { receive, send, collective };
  what_kind kind = what_kind::receive;
  communicator_use comm;
  void* buffer = nullptr;
  MPI_Count count = 0;
  kept_type type;
  int peer = 0;
  int tag = 0;
  int mode = 0;  ///< of a persistent send: 's'tandard, s'y'nchronous, 'b'uffered
  bool persistent = false;
  bool active = false;
  bool done = false;
  bool accepted = false;  ///< a remote message is on its way into the buffer
  bool detached = false;  ///< MPI_Request_free: drop it when it is done
  int error = MPI_SUCCESS;
  MPI_Status status{};                    ///< see status_of()
  bool status_due = false;                ///< it does not say yet how much was received
  MPI_Request vendor = MPI_REQUEST_NULL;  ///< the part that the vendor holds
  wire::ticket ticket;                    ///< the part that the link holds
  std::unique_ptr<carried> by_vendor;     ///< or the carrier
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
  std::unique_ptr<carrier> bytes;  ///< if the vendor only carries bytes: then every process is a cluster of its own
  communicator* everyone = nullptr;
  MPI_Group vendor_group = MPI_GROUP_NULL;  ///< of the vendor's MPI_COMM_WORLD
  int first_local = 0;                      ///< world rank of the vendor's rank 0
  unsigned local_size = 0;                  ///< of the vendor's MPI_COMM_WORLD; 0 if the vendor only carries bytes
  int tag_limit = 32767;
  std::uint64_t next_cid = 1;
  bool finalized = false;
  bool external32 = false;         ///< data between clusters travel in that representation, not in that of memory
  bool in_order_of_ranks = false;  ///< reductions, whatever the operation
  bool yielding = false;           ///< never block in the vendor, whose waiting would hold the core
  arena<communicator> communicators;
  arena<group> groups;
  arena<request> requests;
  arena<matched> messages;
  std::deque<request*> posted;            ///< receives that a remote message may match, in the order of posting
  std::vector<request*> moving;           ///< remote sends and accepted receives that are not done, and collectives
  std::vector<MPI_Datatype> freed_types;  ///< by the program, while collectives may still need them
  std::vector<MPI_Op> freed_operations;   ///< likewise
};

/// Made when the library is loaded, in a joined job only, at a fixed address, for it is asked before each message. Never
/// destroyed: MPI_Abort ends a process from anywhere.
union world_place {
  constexpr world_place() : empty{} {}
  ~world_place() {}
  char empty;
  joined_world object;
};
extern world_place the_world;
inline joined_world& world() noexcept { return the_world.object; }

/// Is this process part of a job over clusters? Only then is there a world.
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
/// Run a function that may throw because the link is broken.
template <class F>
auto linked(F&& f) noexcept {
  try {
    return f();
  } catch (const std::exception& e) {
    fatal(e.what());
  }
}

/// Clusters as communicators see them, by world rank.
int cluster_of(int world_rank) noexcept;

/// Raise an error of a communicator. @returns its class
int raise(communicator* c, int error_class) noexcept;

/// May the next vendor call block? Not while the program's thread is needed to match messages or to move collectives.
inline bool may_block() noexcept { return !world().yielding && world().posted.empty() && world().moving.empty(); }
/// Match arrived messages, and advance pending operations. @returns whether anything happened
bool progress() noexcept;
/// Called in waiting loops after a progress() that found nothing.
class patience {
 public:
  void wait() noexcept;
  void reset() noexcept { spins_ = 0; }

 private:
  int spins_ = 0;
  std::chrono::steady_clock::time_point began_{};
};

void install_inter_cluster(slots& into) noexcept;
void install_guards(slots& into) noexcept;          // generated: refuse functions without an implementation over clusters
void install_point_to_point(slots& into) noexcept;  // messages
void install_completion(slots& into) noexcept;      // wait and test
void install_collectives(slots& into) noexcept;
void install_communicators(slots& into) noexcept;
void install_groups(slots& into) noexcept;
void install_cartesian(slots& into) noexcept;
void install_graphs(slots& into) noexcept;
void install_intercommunicators(slots& into) noexcept;
void install_neighbors(slots& into) noexcept;

/// Refuse a function on a communicator that spans clusters.
int refuse_over_clusters(communicator* c, const char* function) noexcept;

/// The members of a group of ours (null: MPI_GROUP_EMPTY), and the vendor's group of them: MPI_GROUP_NULL unless all are
/// in this cluster. The caller frees it.
const group* group_members(MPI_Group g) noexcept;
MPI_Group group_below(const group* g) noexcept;
/// A group that the vendor made, as one of ours; the vendor's is freed.
int adopt_group(MPI_Group below, MPI_Group* out) noexcept;

// Messages of the bridge itself and of the program alike. Ranks are those of the communicator.
request* start_send(communicator* c, const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag,
                    bool synchronous, bool copy = false) noexcept;
request* start_receive(communicator* c, void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag) noexcept;
/// The same for a request that is filled in already.
void begin_send(request* r, bool synchronous, bool copy) noexcept;
void begin_receive(request* r) noexcept;
/// The first message that waits for these wishes, in order of arrival: its queue, or null, and its place.
std::deque<unexpected>* find_waiting(communicator* c, int source, int tag, std::deque<unexpected>::iterator& place) noexcept;
/// Let a message that was taken out of its queue into the buffer of a request.
void receive_matched(request* r, wire::message& m) noexcept;
/// Match arrived messages, without advancing anything else.
bool match_arrivals() noexcept;
/// Wait until a request is done, and free it (a persistent one becomes inactive). @returns its error
int complete(request* r, MPI_Status* status) noexcept;
bool is_done(request* r) noexcept;
/// The status of a request that is done. The vendor's fields of it are made here only, because few programs read them.
const MPI_Status& status_of(request* r) noexcept;

/// Ask the members of a communicator for the largest next context number and take the one after. @collective
std::uint64_t agree_cid(communicator* c) noexcept;
/// A communicator of these world ranks; `local` is the vendor's part of it. Mine to free.
communicator* make_communicator(std::uint64_t cid, std::vector<int> ranks, MPI_Comm local, bool own_shadow) noexcept;
/// One new communicator out of those of equal color; MPI_COMM_NULL for MPI_UNDEFINED. @collective
int split(communicator* c, int color, int key, MPI_Comm* out) noexcept;
/// A rank's arguments of a split.
struct wish {
  int color;
  int key;
};
/// The same between groups: a communicator of those of equal color in both.
int split_inter(communicator* c, int color, int key, MPI_Comm* out) noexcept;
int dup_inter(communicator* c, MPI_Info info, MPI_Comm* out) noexcept;
/// The vendor's communicator of those of some world ranks that are in this cluster, made by them alone.
int vendor_communicator_of(const std::vector<int>& ranks, int tag, MPI_Comm* out) noexcept;
/// Wait until the collectives of a communicator are through, before the vendor's part is used otherwise.
void drain_collectives(communicator* c) noexcept;
void free_what_collectives_needed() noexcept;
int blocking_allgather(communicator* c, const void* mine, int count, MPI_Datatype type, void* all) noexcept;

}  // namespace osteon::bridge
