osteon_test(job/spec)
osteon_test(job/digests)
osteon_test(job/subprocess)
osteon_test(job/directory_lock)
osteon_test(job/estimate)
osteon_test(job/levels_at_scale RANKS 1)
osteon_test(job/uncertainty)
osteon_test(job/place_ranks RANKS 1 2)
osteon_test(job/rank_graph)
osteon_test(job/subdomain_graph)

# Its table of physics takes the place of the product's. The table on the terminal is a part of the command line.
osteon_test_helper(osteon_toy_physics job/toy_physics.cpp osteon::job)
target_sources(osteon_toy_physics PRIVATE ${osteon_SOURCE_DIR}/src/app/job/summary_table.cpp)
