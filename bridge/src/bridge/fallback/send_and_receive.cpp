/// @file
/// MPI_Isendrecv and MPI_Isendrecv_replace consist of two requests. MPI_Comm_idup_with_info consists of two steps.
#include <bridge/fallback/composite_requests.hpp>
#include <bridge/inter_cluster/data.hpp>

namespace osteon::bridge {
namespace {

/// This is a workaround for MPICH 4.0.2, which reports rank 0.
MPI_Status from_nobody() {
  MPI_Status status{};
  status.MPI_SOURCE = MPI_PROC_NULL;
  status.MPI_TAG = MPI_ANY_TAG;
  vendor().Status_set_elements_x(&status, MPI_BYTE, 0);
  vendor().Status_set_cancelled(&status, 0);
  return status;
}

int both(const void* out, MPI_Count n_out, MPI_Datatype out_type, int dest, int send_tag, void* in, MPI_Count n_in,
         MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm, std::shared_ptr<void> kept,
         MPI_Request* request) {
  MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
  const bool receives = source != MPI_PROC_NULL;
  if (receives)
    if (const int e = active.Irecv_c(in, n_in, in_type, source, receive_tag, comm, &receive)) return e;
  if (const int e = active.Isend_c(out, n_out, out_type, dest, send_tag, comm, &send)) {
    if (receives) active.Cancel(&receive), active.Request_free(&receive);
    return e;
  }
  composite* c = make_composite();
  if (receives)
    c->add(receive);
  else
    c->add_over(from_nobody());
  c->add(send);
  c->kept = std::move(kept);
  *request = handle_of(c);
  return MPI_SUCCESS;
}

template <auto function, class N>
int isendrecv(const void* out, N n_out, MPI_Datatype out_type, int dest, int send_tag, void* in, N n_in,
              MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm, MPI_Request* request) {
  if (!lacks_of_mpi_4<function>(comm))
    return (vendor().*function)(out, n_out, out_type, dest, send_tag, in, n_in, in_type, source, receive_tag, comm, request);
  return both(out, n_out, out_type, dest, send_tag, in, n_in, in_type, source, receive_tag, comm, nullptr, request);
}

template <auto function, class N>
int isendrecv_replace(void* buffer, N count, MPI_Datatype type, int dest, int send_tag, int source, int receive_tag,
                      MPI_Comm comm, MPI_Request* request) {
  if (!lacks_of_mpi_4<function>(comm))
    return (vendor().*function)(buffer, count, type, dest, send_tag, source, receive_tag, comm, request);
  const auto packed = pack(buffer, count, type);
  auto copy = std::make_shared<typed_memory>(memory_for(count, type));
  unpack(packed.data(), packed.size(), copy->address, count, type);
  void* const sent = copy->address;
  return both(sent, count, type, dest, send_tag, buffer, count, type, source, receive_tag, comm, std::move(copy), request);
}

int idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
  if (!lacks<&slots::Comm_idup_with_info>(comm)) return vendor().Comm_idup_with_info(comm, info, made, request);
  MPI_Info own = MPI_INFO_NULL;  // the program may free its info object immediately
  if (info != MPI_INFO_NULL)
    if (const int e = active.Info_dup(info, &own)) return e;
  const int e = active.Comm_idup(comm, made, request);
  if (e != MPI_SUCCESS || own == MPI_INFO_NULL) return e;
  composite* c = make_composite();
  c->add(*request);
  c->finish = [=]() mutable {
    const int set = active.Comm_set_info(*made, own);
    active.Info_free(&own);
    return set;
  };
  *request = handle_of(c);
  return MPI_SUCCESS;
}

}  // namespace

void install_send_and_receive(slots& s) noexcept {
  put_fallback_of_mpi_4<&slots::Isendrecv>(s, isendrecv<&slots::Isendrecv, int>);
  put_fallback_of_mpi_4<&slots::Isendrecv_c>(s, isendrecv<&slots::Isendrecv_c, MPI_Count>);
  put_fallback_of_mpi_4<&slots::Isendrecv_replace>(s, isendrecv_replace<&slots::Isendrecv_replace, int>);
  put_fallback_of_mpi_4<&slots::Isendrecv_replace_c>(s, isendrecv_replace<&slots::Isendrecv_replace_c, MPI_Count>);
  put_fallback<&slots::Comm_idup_with_info>(s, idup_with_info);
}

}  // namespace osteon::bridge
