osteon_test(net/compositing_model)
