def kernel_function(x):
    return x + x, x
