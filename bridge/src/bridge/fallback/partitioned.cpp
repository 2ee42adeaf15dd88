/// @file
/// Partitioned communication as one message. When the last partition is ready, the message is sent.
///
/// Messages of partitioned communication match only messages of partitioned communication. Their tags are counted down from
/// the upper limit of the underlying MPI.
#include <algorithm>
#include <bridge/fallback/arguments.hpp>

namespace osteon::bridge {
namespace {

int own_tag(int tag) {
  int* limit = nullptr;
  int flag = 0;
  active.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag);
  return (flag ? *limit : 32767) - tag;
}

composite* prepared_parts(int partitions, MPI_Datatype type, MPI_Request* out) {
  composite* c = make_composite();
  c->active = false;
  c->add(MPI_REQUEST_NULL);
  c->ready.assign(static_cast<std::size_t>(partitions), true);
  auto held = std::make_shared<held_handles>();
  held->hold(type);
  c->kept = std::move(held);
  *out = handle_of(c);
  return c;
}

int psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Info info, MPI_Request* out) {
  if (!lacks<&slots::Psend_init>(comm))
    return vendor().Psend_init(buffer, partitions, count, type, dest, tag, comm, info, out);
  composite* c = prepared_parts(partitions, type, out);
  const int sent_as = own_tag(tag);
  c->go = [=](MPI_Request* part) { return active.Isend_c(buffer, partitions * count, type, dest, sent_as, comm, part); };
  c->start = [c](MPI_Request* part) {
    std::fill(c->ready.begin(), c->ready.end(), false);
    c->unready = static_cast<int>(c->ready.size());
    return c->unready == 0 ? c->go(part) : MPI_SUCCESS;
  };
  return MPI_SUCCESS;
}

int precv_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Info info, MPI_Request* out) {
  if (!lacks<&slots::Precv_init>(comm))
    return vendor().Precv_init(buffer, partitions, count, type, source, tag, comm, info, out);
  composite* c = prepared_parts(partitions, type, out);
  const int sent_as = own_tag(tag);
  c->tag = tag;
  c->start = [=](MPI_Request* part) {
    return active.Irecv_c(buffer, partitions * count, type, source, sent_as, comm, part);
  };
  return MPI_SUCCESS;
}

int argument_fault() {
  active.Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_ARG);
  return MPI_ERR_ARG;
}

int make_ready(composite* c, int first, int last) {
  for (int i = first; i <= last; ++i) {
    if (i < 0 || i >= static_cast<int>(c->ready.size()) || !c->active || c->ready[static_cast<std::size_t>(i)])
      return argument_fault();
    c->ready[static_cast<std::size_t>(i)] = true;
    if (c->unready == 1)
      if (const int e = c->go(&c->parts[0])) return e;
    // the counter is decremented after the start of the message, because another thread may wait for this start
    --c->unready;
  }
  return MPI_SUCCESS;
}

int pready(int partition, MPI_Request request) {
  composite* c = find_composite(request);
  return c ? make_ready(c, partition, partition) : vendor().Pready(partition, request);
}

int pready_range(int first, int last, MPI_Request request) {
  composite* c = find_composite(request);
  return c ? make_ready(c, first, last) : vendor().Pready_range(first, last, request);
}

int pready_list(int n, const int list[], MPI_Request request) {
  composite* c = find_composite(request);
  if (!c) return vendor().Pready_list(n, list, request);
  for (int i = 0; i < n; ++i)
    if (const int e = make_ready(c, list[i], list[i])) return e;
  return MPI_SUCCESS;
}

int parrived(MPI_Request request, int partition, int* flag) {
  composite* c = find_composite(request);
  if (!c) return vendor().Parrived(request, partition, flag);
  if (partition < 0 || partition >= static_cast<int>(c->ready.size())) return argument_fault();
  return active.Request_get_status(request, flag, MPI_STATUS_IGNORE);
}

}  // namespace

void install_partitioned(slots& s) noexcept {
  put_fallback<&slots::Psend_init>(s, psend_init);
  put_fallback<&slots::Precv_init>(s, precv_init);
  put_fallback<&slots::Pready>(s, pready);
  put_fallback<&slots::Pready_range>(s, pready_range);
  put_fallback<&slots::Pready_list>(s, pready_list);
  put_fallback<&slots::Parrived>(s, parrived);
}

}  // namespace osteon::bridge
