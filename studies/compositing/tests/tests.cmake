osteon_test(studies_compositing/compositing_fit)
if(OSTEON_MPI)
  osteon_test(studies_compositing/composite_fragments RANKS 1 3 4)
endif()
