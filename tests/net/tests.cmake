osteon_test(net/choose)
osteon_test(net/compositing_model)
osteon_test(net/plan_cost)
osteon_test(net/network)
