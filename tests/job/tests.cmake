osteon_test(job/spec)
osteon_test(job/external)
osteon_test(job/node_sets RANKS 1 2 3 7)
osteon_test(job/rank_graph)
