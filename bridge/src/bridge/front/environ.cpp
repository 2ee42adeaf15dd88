/// @file
/// One `environ` for the program and for the MPI library that is loaded separately.
///
/// A program that refers to `environ` (osteon, python3 of Debian) has a copy of this variable. All libraries of the program
/// use this copy. Libraries that are loaded with RTLD_DEEPBIND bind to the original variable in libc, which is not updated.
/// Open MPI would therefore treat the list of environment variables as its own list, and free the list.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bridge/front/front.hpp>
#include <cstring>

namespace osteon::bridge {
namespace {

struct both {
  char*** original;
  char*** used;
};

template <class T>
T* in_memory(ElfW(Addr) base, ElfW(Addr) address) {
  return reinterpret_cast<T*>(address < base ? base + address : address);  // the loader has usually added the base
}

void point_to_used(const dl_phdr_info& object, const ElfW(Dyn) * dynamic, const both& b) {
  const ElfW(Rela)* entries = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  std::size_t bytes = 0;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == DT_RELA) entries = in_memory<const ElfW(Rela)>(object.dlpi_addr, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_RELASZ) bytes = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_SYMTAB) symbols = in_memory<const ElfW(Sym)>(object.dlpi_addr, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_STRTAB) names = in_memory<const char>(object.dlpi_addr, dynamic->d_un.d_ptr);
  }
  if (!entries || !symbols || !names) return;
  for (const ElfW(Rela)* e = entries; e != entries + bytes / sizeof *e; ++e) {
    const auto symbol = e->r_info >> (sizeof(void*) == 8 ? 32 : 8);
    if (symbol == 0) continue;
    const char* name = names + symbols[symbol].st_name;
    while (*name == '_') ++name;
    if (std::strcmp(name, "environ") != 0) continue;
    auto* place = reinterpret_cast<char****>(object.dlpi_addr + e->r_offset);
    if (*place != b.original) continue;
    // After relocation, tables of addresses are read-only.
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto* start = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(place) & ~(page - 1));
    if (mprotect(start, page, PROT_READ | PROT_WRITE) == 0) *place = b.used;
  }
}

}  // namespace

void share_environ() noexcept {
  void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!libc) return;
  both b{static_cast<char***>(dlsym(libc, "environ")), &environ};
  dlclose(libc);
  if (!b.original || b.original == b.used) return;
  *b.original = *b.used;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        for (int i = 0; i < object->dlpi_phnum; ++i)
          if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            point_to_used(*object, reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr),
                          *static_cast<both*>(data));
        return 0;
      },
      &b);
}

}  // namespace osteon::bridge
